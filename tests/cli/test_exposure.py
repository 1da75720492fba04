"""`discretion exposure`: who stands out, and what cannot be read."""

import json
from fractions import Fraction
from xml.etree import ElementTree as ET

import pytest

import discretion as dc
from support.cli_runner import run


def exposed(*arguments: str) -> dict:
    code, out, err = run("exposure", *arguments, "--json")
    assert (code, err) == (0, "")
    answer = json.loads(out)
    assert (answer["schema_version"], answer["command"]) == (1, "exposure")
    return answer["results"]


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("threshold", "expected"), [("0.001", 0.0206074752), ("0.01", 0.1515002610), ("0.05", 0.4236970609)]
)
def test_adults_exposure_is_the_issues(threshold: str, expected: float) -> None:
    results = exposed("example:adult", "--columns", "sex,income,race,workclass", "--threshold", threshold)
    assert round(results["exposure"], 10) == expected
    assert results["classes"] == 131


@pytest.mark.long
def test_a_number_of_people_and_its_share_agree() -> None:
    arguments = ["example:adult", "--columns", "race,workclass"]
    by_people = exposed(*arguments, "--k", "50")
    assert by_people == exposed(*arguments, "--threshold", str(Fraction(50, 32561)))


@pytest.mark.long
def test_without_a_threshold_k_is_10_as_it_is_everywhere() -> None:
    arguments = ["example:adult", "--columns", "race,workclass"]
    assert exposed(*arguments) == exposed(*arguments, "--k", "10")
    assert "fewer than 10 people share their values" in " ".join(run("exposure", *arguments)[1].split())


def test_both_a_number_and_a_share_are_refused_before_the_table_is_read() -> None:
    code, out, err = run("exposure", "missing.csv", "--k", "3", "--threshold", "0.1")
    assert (code, out) == (2, "")
    assert all(option in err for option in ("--k", "--threshold"))
    assert "missing.csv" not in err


def test_counts_of_columns_show_who_counts_as_exposed(tmp_path) -> None:
    (tmp_path / "counts.csv").write_text("column,value,count\nsex,f,6\nsex,m,14\n")
    code, out, _ = run("exposure", str(tmp_path / "counts.csv"), "--marginals")
    assert code == 0
    assert "fewer than 10 people share their values" in " ".join(out.split())


def test_bounds_are_certified_and_hold() -> None:
    results = exposed("example:adult", "--columns", "sex,race", "--k", "400", "--bounds")
    assert results["exposure_bound"]["confidence"] is None
    assert results["exposure"] <= results["exposure_bound"]["value"]


@pytest.mark.long
def test_the_curve_is_an_svg_file(tmp_path) -> None:
    file = tmp_path / "curve.svg"
    exposed("example:adult", "--columns", "sex,race", "--k", "10", "--chart", str(file))
    assert ET.parse(file).getroot().tag.endswith("svg")


def test_text_says_it_in_odds() -> None:
    code, out, _ = run("exposure", "example:adult", "--columns", "sex,income,race,workclass", "--threshold", "0.001")
    assert code == 0
    assert "about 1 in 49" in out
    assert "131 different rows" in out


@pytest.mark.long
def test_where_nobody_is_exposed_no_group_is_said_to_be_small() -> None:
    columns = ("exposure", "example:adult", "--columns", "sex")
    said = " ".join(run(*columns, "--k", "10")[1].split())
    assert (
        "sex: nobody is exposed 0 of 32,561 people (0 %, exact): at least 10 people share every person's values."
        in said
    )
    said = " ".join(run(*columns, "--threshold", "0.01")[1].split())
    assert "exact): no less than a share of 0.01 of the people share every person's values." in said


@pytest.mark.long
def test_fail_over_is_the_only_way_to_exit_with_1() -> None:
    arguments = ["exposure", "example:adult", "--columns", "sex,race", "--k", "300"]
    share = dc.exposure(dc.Population("example:adult"), k=300, columns=["sex", "race"])
    assert share > 0
    assert run(*arguments, "--fail-over", f"exposure>{share}")[0] == 0
    assert run(*arguments, "--fail-over", f"exposure>{share / 2}")[0] == 1


def written(folder, name: str, content: bytes):
    file = folder / name
    file.write_bytes(content)
    return file


BAD_FILES = {
    "ragged rows": ("t.csv", b"a,b\n1,2\n3\n", "row"),
    "a row too long": ("t.csv", b"a,b\n1,2\n3,4,5\n", "row"),
    "duplicate names": ("t.csv", b"a,a\n1,2\n", "columns 1 and 2"),
    "names that differ by case": ("t.csv", b"a,A\n1,2\n", "columns 1 and 2"),
    "a preamble": ("t.csv", b"Exported on Monday\n\na,b\n1,2\n", "row"),
    "not UTF-8": ("t.csv", b"a,b\n\xff\xfe,2\n", "UTF-8"),
    "no rows": ("t.csv", b"a,b\n", "no rows"),
    "nothing": ("t.csv", b"", "empty"),
    "a truncated JSON": ("t.json", b'[{"a":1},{"a":2},', "cut short"),
    "a truncated Parquet": ("t.parquet", b"PAR1\x00\x00", "Parquet"),
    "an unknown suffix": ("t.ods", b"a,b\n1,2\n", "csv"),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_a_file_that_cannot_be_read_is_one_sentence_and_exit_code_2(tmp_path, name: str) -> None:
    file, content, expected = BAD_FILES[name]
    code, out, err = run("exposure", written(tmp_path, file, content), "--k", "2")
    assert (code, out) == (2, "")
    assert err.startswith("discretion: ")
    assert err.count("\n") == 1
    assert expected in err


BAD_ARGUMENTS = {
    "an unknown column": (["example:adult", "--columns", "sexx", "--k", "2"], "did you mean 'sex'"),
    "a missing file": (["nowhere.csv", "--k", "2"], "nowhere.csv"),
    "a directory": ([".", "--k", "2"], "which is no Parquet file"),
    "k=0": (["example:adult", "--k", "0"], "k"),
    "both": (["example:adult", "--k", "2", "--threshold", "0.1"], "threshold"),
    "a threshold above 1": (["example:adult", "--threshold", "2"], "[0, 1]"),
    "a threshold with a billion digits": (["example:adult", "--threshold", "1e999999999"], "[0, 1]"),
    "half a person": (["example:adult", "--k", "2.7"], "2.7"),
    "no regular file": (["/dev/stdin.csv", "--k", "2"], "no such file"),
    "a threshold in words": (["example:adult", "--threshold", "little"], "little"),
}


@pytest.mark.long
@pytest.mark.parametrize("name", BAD_ARGUMENTS)
def test_bad_arguments_are_one_sentence_and_exit_code_2(name: str) -> None:
    arguments, expected = BAD_ARGUMENTS[name]
    code, out, err = run("exposure", *arguments)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert expected in err


def test_a_chart_that_cannot_be_written_leaves_nothing(tmp_path) -> None:
    code, _, err = run(
        "exposure", "example:adult", "--columns", "sex", "--k", "2", "--chart", tmp_path / "no" / "c.svg"
    )
    assert code == 2
    assert "cannot write" in err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.long
def test_bounds_stand_beside_the_papers_and_the_assumption_of_independence(tmp_path) -> None:
    arguments = ["example:adult", "--columns", "sex,income,race,workclass", "--threshold", "0.001", "--bounds"]
    results = exposed(*arguments, "--chart", str(tmp_path / "curve.svg"))
    # MATHS section 5: Theorems 2 and 3 at their best.
    assert round(results["theorem_bound"]["value"], 10) == 0.4697786644
    assert results["exposure"] <= results["exposure_bound"]["value"] <= results["theorem_bound"]["value"]
    assert results["exposure_if_independent"]["assuming"] == "independent columns"
    code, out, _ = run("exposure", *arguments)
    assert code == 0
    said = " ".join(out.split())
    assert "Theorem 3 of the paper would give at most 46.98 %" in said
    assert "If the columns were independent, they would expose 2.359 % (assuming independent columns:" in said


@pytest.mark.long
def test_a_file_of_counts_gives_the_bounds_of_its_people(tmp_path) -> None:
    columns = ["sex", "income", "race", "workclass"]
    adult = dc.Population("example:adult", columns=columns)
    file = tmp_path / "counts.json"
    file.write_text(adult.marginals(groups=[("sex", "income")]).to_json())
    arguments = [str(file), "--marginals", "--threshold", "0.001"]
    results = exposed(*arguments)
    told = exposed("example:adult", "--columns", ",".join(columns), "--threshold", "0.001", "--bounds")
    bound = dc.exposure_bound(adult, threshold="0.001", groups=[("sex", "income")])
    assert set(results) == {"people", "exposure_bound", "theorem_bound", "exposure_if_independent"}
    assert (results["people"], results["exposure_bound"]["high"]) == (adult.people, bound.high)
    assert [results[name] for name in list(results)[2:]] == [told[name] for name in list(results)[2:]]
    assert sorted(results["theorem_bound"]["thresholds"]) == sorted(columns)
    without = exposed(*arguments, "--columns", "sex,race")
    assert (
        without["exposure_bound"]
        == exposed("example:adult", "--columns", "sex,race", *arguments[2:], "--bounds")["exposure_bound"]
    )
    code, out, err = run("exposure", *arguments)
    assert (code, err) == (0, "")
    assert "32,561 people, from the counts of the columns only" in " ".join(out.split())
    assert "with sex and income together); Theorem 3 of the paper would give at most 46.98 %" in " ".join(out.split())
    assert run("exposure", *arguments, "--fail-over", f"exposure_bound>{bound.high}")[0] == 0
    undecided = run("exposure", *arguments, "--fail-over", f"exposure_bound>{bound.high / 2 + bound.low / 2}")
    assert undecided[0] == 3
    assert "the table of people" in undecided[1].splitlines()[-1]
    assert bound.low > 0
    assert run("exposure", *arguments, "--fail-over", f"exposure_bound>{bound.low / 2}")[0] == 1


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--person", "sex"], "--chart, --person, --header, --delimiter and --encoding"),
        (["--columns", "sexx"], "did you mean 'sex'"),
        (["--threshold", "0.1"], "use either --k"),
    ],
)
def test_what_a_file_of_counts_cannot_answer(tmp_path, arguments: list[str], expected: str) -> None:
    file = written(tmp_path, "counts.csv", b"column,value,count\nsex,f,2\nsex,m,3\n")
    code, out, err = run("exposure", file, "--marginals", "--k", "2", *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert expected in err
