import csv
import json
import xml.etree.ElementTree as ET

import pytest

import discretion.charts
from discretion.reproduce import PAPERS
from support.cli_runner import run

NAMES = list(PAPERS["shuffle"].items)
BEGINNINGS = {"svg": b"<svg", "png": b"\x89PNG\r\n\x1a\n", "pdf": b"%PDF-"}


@pytest.fixture(scope="module")
def everything(tmp_path_factory):
    folder = tmp_path_factory.mktemp("paper") / "a" / "new one"
    code, out, err = run("reproduce", "shuffle", "--out", folder)
    assert (code, err) == (0, "")
    return folder, out


def test_without_a_paper_it_lists_them() -> None:
    code, out, err = run("reproduce")
    assert (code, err) == (0, "")
    assert "CSF 2023" in out
    assert all(name in out for name in ("shuffle", *NAMES))


@pytest.mark.long
def test_all_of_a_paper_is_a_csv_and_three_charts_each(everything) -> None:
    folder, _ = everything
    assert {file.name for file in folder.iterdir()} == {
        f"{name}.{suffix}" for name in NAMES for suffix in ("csv", "svg", "pdf", "png")
    }


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_each_file_is_what_its_name_says(everything, name: str) -> None:
    folder, _ = everything
    for suffix, beginning in BEGINNINGS.items():
        content = (folder / f"{name}.{suffix}").read_bytes()
        assert content.startswith(beginning)
        assert len(content) > 2000
    assert ET.parse(folder / f"{name}.svg").getroot().tag.endswith("svg")
    with (folder / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        assert len(list(csv.reader(file))) > 10


@pytest.mark.long
def test_the_text_says_what_agrees_and_what_is_a_slip(everything) -> None:
    _, out = everything
    said = " ".join(out.split())
    assert "0.5282 and 0.5286 are printed for one number" in said
    assert said.count("0.5282 and 0.5286") == 1
    assert "24% (k = 3), 14% (k = 4), 9% (k = 5)" in said


@pytest.mark.long
def test_one_figure_again_is_the_same_to_the_byte(everything, tmp_path) -> None:
    folder, _ = everything
    code, _, _ = run("reproduce", "shuffle", "figure-5", "--out", tmp_path)
    assert code == 0
    files = sorted(tmp_path.iterdir())
    assert [file.name for file in files] == [f"figure-5.{suffix}" for suffix in ("csv", "pdf", "png", "svg")]
    assert all(file.read_bytes() == (folder / file.name).read_bytes() for file in files)


def test_without_a_folder_it_goes_to_reproduced(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("reproduce", "shuffle", "table-1c")[0] == 0
    assert (tmp_path / "reproduced" / "shuffle" / "table-1c.csv").is_file()


def test_the_other_paper_is_reproduced_by_its_name(tmp_path) -> None:
    code, out, err = run("reproduce", "ldp", "table-10-1", "--out", tmp_path)
    assert (code, err) == (0, "")
    assert "Local Differential Privacy" in " ".join(out.split())
    assert {file.name for file in tmp_path.iterdir()} == {f"table-10-1.{suffix}" for suffix in ("csv", *BEGINNINGS)}


@pytest.mark.long
def test_json_has_ours_beside_the_published(tmp_path) -> None:
    code, out, err = run("reproduce", "shuffle", "figure-5", "--out", tmp_path, "--json")
    assert (code, err) == (0, "")
    answer = json.loads(out)
    assert (answer["schema_version"], answer["command"]) == (1, "reproduce")
    item = answer["results"]["items"]["figure-5"]
    assert [(number["printed"], round(number["ours"], 4)) for number in item["published"]] == [
        ("0.3826", 0.3826),
        ("0.3488", 0.3488),
    ]
    assert item["agree"] == 2
    assert item["files"] == ["figure-5.csv", "figure-5.svg", "figure-5.pdf", "figure-5.png"]


def test_the_list_is_json_too() -> None:
    answer = json.loads(run("reproduce", "--json")[1])
    assert list(answer["results"]["shuffle"]["items"]) == NAMES


BAD = {
    "an unknown paper": (["shufle"], "did you mean 'shuffle'"),
    "an unknown figure": (["shuffle", "figure2"], "did you mean 'figure-2'"),
    "a folder that is a file": (["shuffle", "table-1c", "--out", "taken"], "not a folder"),
    "a folder in a file": (["shuffle", "table-1c", "--out", "taken/in"], "not a directory"),
    "a file that is a folder": (["shuffle", "table-1c", "--out", "full"], "it is a directory"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_arguments_are_one_sentence_and_exit_code_2(tmp_path, monkeypatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken").touch()
    (tmp_path / "full" / "table-1c.pdf").mkdir(parents=True)
    arguments, expected = BAD[name]
    code, out, err = run("reproduce", *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("discretion: ")
    assert err.count("\n") == 1
    assert expected in err
    assert sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")) == [
        "full", "full/table-1c.pdf", "taken",
    ]  # fmt: skip


def test_what_fails_half_way_leaves_the_old_files_and_nothing_new(tmp_path, monkeypatch) -> None:
    def full_disk(_: object) -> bytes:
        raise OSError("no space left")

    monkeypatch.setattr(discretion.charts, "to_png", full_disk)
    old = tmp_path / "table-1c.csv"
    old.write_text("old")
    assert run("reproduce", "shuffle", "table-1c", "--out", tmp_path)[0] == 2
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("table-1c.csv", "old")]
    assert run("reproduce", "shuffle", "table-1c", "--out", tmp_path / "new" / "deep")[0] == 2
    assert [file.name for file in tmp_path.iterdir()] == ["table-1c.csv"]
