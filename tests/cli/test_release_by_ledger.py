"""`discretion release --ledger`: what is written keeps to the budget with all that is out, and is entered there."""

import hashlib
import os
import tomllib
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest

import discretion as dc
from discretion.anonymity import joint_exposure, read_ledger
from discretion.errors import InvalidValueError
from support.cli_runner import run

CELLS = [(a, b, (a + j) % 10) for a in range(10) for b in range(10) for j in range(10)]
# Any two of these columns hide everybody among ten, and all three nobody.
PEOPLE = pd.DataFrame(CELLS, columns=["age", "sex", "town"]).astype(str).assign(id=range(1000))
RELEASE = ("--person", "id", "--k", "10", "--ledger", "kept/ledger.toml")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    PEOPLE.to_csv("people.csv", index=False)
    Path("kept").mkdir()
    Path("public").mkdir()
    Path("kept/ledger.toml").touch()


def released(out: str, *words: str) -> tuple[int, str]:
    code, stdout, stderr = run("release", "people.csv", "--out", out, *RELEASE, *words)
    return code, " ".join((stdout + stderr).split())


def files() -> set[str]:
    return {str(path) for path in Path().rglob("*") if path.is_file()}


def test_a_release_is_entered_with_a_copy_of_its_rows_that_names_their_persons() -> None:
    code, said = released("public/spring.csv", "--publish", "age,sex")
    assert code == 0, said
    assert "Together with the tables in its ledger, the file exposes nobody." in said
    copy = Path("kept/spring.people.parquet")
    (entry,) = tomllib.loads(Path("kept/ledger.toml").read_text())["table"]
    assert (entry["file"], entry["person"], entry["columns"]) == ("spring.people.parquet", "id", ["age", "sex"])
    assert entry["sha256"] == hashlib.sha256(copy.read_bytes()).hexdigest()
    table = pq.read_table(copy).to_pandas()
    expected = PEOPLE[["id", "age", "sex"]].astype(str)
    assert table.sort_values("id").astype(str)[["id", "age", "sex"]].to_numpy().tolist() == (
        expected.sort_values("id").to_numpy().tolist()
    )
    assert pd.read_csv("public/spring.csv", dtype=str).to_numpy().tolist() == table[["age", "sex"]].to_numpy().tolist()
    assert "id" not in pd.read_csv("public/spring.csv").columns
    assert files() == {
        "people.csv", "kept/ledger.toml", str(copy), "public/spring.csv", "public/spring.csv.discretion.json"
    }  # fmt: skip


@pytest.mark.parametrize(
    "words", [["--publish", "age,sex"], ["--publish", "sex,town", "--sensitive", "town", "--guess-budget", "1"]]
)
def test_persons_stay_beside_their_rows_where_others_are_left_out(words: list[str]) -> None:
    """People who are cut, and people who never go out for a rare value of a sensitive column."""
    rare = pd.DataFrame({"age": "99", "sex": "x", "town": "y", "id": [-1, -2, -3]})
    everybody = pd.concat([rare[:2], PEOPLE[:500], rare[2:], PEOPLE[500:]]).sample(frac=1, random_state=0)
    everybody.to_csv("people.csv", index=False)
    code, said = released("public/spring.csv", *words)
    assert code == 0, said
    copy = pq.read_table("kept/spring.people.parquet").to_pandas().astype(str).set_index("id")
    expected = PEOPLE.astype(str).set_index("id").loc[copy.index, copy.columns]
    assert (len(copy), copy.equals(expected)) == (1000, True)
    assert pd.read_csv("public/spring.csv", dtype=str).to_numpy().tolist() == copy.to_numpy().tolist()


def test_values_are_entered_as_coarse_as_they_were_published() -> None:
    code, said = released("public/spring.csv", "--publish", "age=in steps of 5")
    assert code == 0, said
    copy = pq.read_table("kept/spring.people.parquet").to_pandas()
    assert {*copy["age"]} == {*pd.read_csv("public/spring.csv")["age"]}
    assert copy["age"].nunique() == 2


@pytest.mark.long
@pytest.mark.parametrize("out", ["autumn.csv", "autumn.parquet"])
def test_the_third_of_three_harmless_releases_is_refused_and_nothing_is_written(out: str) -> None:
    assert released("public/spring.csv", "--publish", "age,sex")[0] == 0
    before, ledger = files(), Path("kept/ledger.toml").read_text()
    code, said = released(f"public/{out}", "--publish", "age,town")
    assert code == 2
    assert (
        "together with the ledger kept/ledger.toml the release exposes 1,000 people of 1,000 in the file (fewer than "
        "10 people share their values); the budget is 1 %, and by itself the file exposes nobody: leave out town, "
        "raise --budget or lower --k"
    ) in said
    assert (files(), Path("kept/ledger.toml").read_text()) == (before, ledger)
    # The way out is one.
    assert released(f"public/{out}", "--publish", "age")[0] == 0
    assert [table.name for table in read_ledger("kept/ledger.toml").tables] == [
        "spring.people.parquet", "autumn.people.parquet"
    ]  # fmt: skip


def test_what_is_released_passes_a_check_by_the_same_ledger() -> None:
    assert released("public/spring.csv", "--publish", "age,sex")[0] == 0
    Path("discretion.toml").write_text('k = 10\nperson = "id"\nledger = "kept/ledger.toml"\n')
    assert run("check", "kept/spring.people.parquet", "--policy", "discretion.toml")[0] == 0
    PEOPLE[["id", "age", "town"]].to_csv("next.csv", index=False)
    assert run("check", "next.csv", "--policy", "discretion.toml")[0] == 1


def test_the_ledger_of_a_release_is_counted_as_tables_in_memory_are() -> None:
    assert released("public/spring.csv", "--publish", "age,sex")[0] == 0
    new = dc.Population(PEOPLE[["id", "age", "town"]].astype(str), person="id")
    assert joint_exposure(new, read_ledger("kept/ledger.toml"), 10).exposed_people == 1000
    assert joint_exposure(new, read_ledger("kept/ledger.toml"), 1).exposed_people == 0


@pytest.mark.long
def test_without_persons_the_file_itself_is_entered_and_the_next_release_is_bounded() -> None:
    PEOPLE.drop(columns="id").to_csv("people.csv", index=False)
    options = [word for word in RELEASE if word not in ("--person", "id")]
    code, _, said = run("release", "people.csv", "--out", "public/spring.csv", *options, "--publish", "age,sex")
    assert code == 0, said
    (entry,) = tomllib.loads(Path("kept/ledger.toml").read_text())["table"]
    assert (entry["file"], "person" in entry) == ("../public/spring.csv", False)
    code, _, said = run("release", "people.csv", "--out", "public/autumn.csv", *options, "--publish", "age,town")
    assert code == 2
    assert "the release may expose at most 1,000 people of 1,000 in the file" in said
    assert "name the persons (--person), so that they are counted" in said


@pytest.mark.one_in(7)
@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda: Path("kept/ledger.toml").unlink(), "cannot read a ledger from 'kept/ledger.toml': there is no such"),
        (lambda: Path("kept/ledger.toml").write_text("x"), "it is not TOML"),
        (lambda: Path("kept/spring.people.parquet").unlink(), "there is no such file on this machine; put the file"),
        (lambda: Path("kept/spring.people.parquet").write_text("x"), "has changed since it was entered in the ledger"),
        (lambda: Path("kept/next.people.parquet").touch(), "exists and may have the people of an earlier release"),
    ],
)
def test_a_bad_ledger_is_one_sentence_and_nothing_is_written(spoil: object, reason: str) -> None:
    assert released("public/spring.csv", "--publish", "age,sex")[0] == 0
    spoil()  # type: ignore[operator]
    before = {name: Path(name).read_bytes() for name in files()}
    code, said = released("public/next.csv", "--publish", "age")
    assert code == 2
    assert reason in said
    assert {name: Path(name).read_bytes() for name in files()} == before


def test_the_release_does_not_replace_what_the_ledger_lists() -> None:
    assert released("public/spring.csv", "--publish", "age,sex")[0] == 0
    for out in ("kept/spring.people.parquet", "kept/ledger.toml"):
        code, said = released(out, "--publish", "age")
        assert code == 2
        assert "cannot write" in said or "must end in .parquet or .csv" in said
    with pytest.raises(InvalidValueError, match="is an input file"):
        dc.release("people.csv", "kept/spring.people.parquet", ledger="kept/ledger.toml", person="id")


def test_a_ledger_that_changes_meanwhile_is_not_written_over(monkeypatch: pytest.MonkeyPatch) -> None:
    from discretion.jobs.release import job

    def as_bytes(*given: object) -> bytes:
        Path("kept/ledger.toml").write_text("# somebody else\n")
        return real(*given)

    real = job.as_bytes
    monkeypatch.setattr(job, "as_bytes", as_bytes)
    before = files()
    code, said = released("public/spring.csv", "--publish", "age,sex")
    assert code == 2
    assert "the ledger kept/ledger.toml has changed since it was read; run the command again" in said
    assert (files(), Path("kept/ledger.toml").read_text()) == (before, "# somebody else\n")


def test_a_release_that_cannot_be_put_leaves_the_ledger_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    assert released("public/spring.csv", "--publish", "age,sex")[0] == 0
    before = {name: Path(name).read_bytes() for name in files()}
    real = Path.replace

    def replace(self: Path, target: os.PathLike[str]) -> Path:
        if Path(target).name == "next.csv":
            raise OSError(28, "No space left on device")
        return real(self, target)

    monkeypatch.setattr(Path, "replace", replace)
    code, said = released("public/next.csv", "--publish", "age")
    assert code == 2
    assert "no space left" in said
    assert {name: Path(name).read_bytes() for name in files()} == before


def test_a_release_in_python_is_the_same() -> None:
    result = dc.release(
        PEOPLE, "public/spring.csv", person="id", publish=["age", "sex"], max_suppressed=0, ledger="kept/ledger.toml"
    )
    assert result.joint is not None
    assert (result.joint.exposed_people, result.to_dict()["joint"]["exposed_people"]) == (0, 0)
    assert dc.release(PEOPLE, "public/other.csv", person="id", publish=["age"]).joint is None
