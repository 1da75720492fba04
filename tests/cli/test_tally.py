"""`discretion tally`: from a file of reports to shares, as JSON, as text and as exit codes."""

import json

import numpy as np
import pytest

import discretion as dc
from support.cli_runner import run

KRR = dc.RandomizedResponse(3, epsilon=2)
REPORTS = KRR.sample(np.repeat([0, 1, 2], [60, 30, 10]), rng=1)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "reports.hex"
    path.write_text("".join(f"{KRR.encode(report).hex()}\n" for report in REPORTS) + "ff\n")
    return str(path)


def test_it_answers_as_the_function_does(file):
    arguments = ("--mechanism", "krr:k=3,epsilon=2", "--labels", 'yes,no,"it, depends"', "--simultaneous")
    code, out, err = run("tally", file, *arguments, "--estimator", "norm_sub", "--confidence", "0.9", "--json")
    assert (code, err) == (0, "")
    results = json.loads(out)["results"]
    labels = ["yes", "no", "it, depends"]
    expected = dc.tally(REPORTS, KRR, labels=labels, estimator="norm_sub", confidence=0.9, simultaneous=True)
    assert results["values"] == expected.to_dict()["values"]
    assert (results["reports"], results["bad_reports"]) == (100, 1)
    assert results["bad_lines"] == ["line 101: an encoded report must be a number in 0..2, got 255"]


def test_the_text_has_a_line_for_each_value(file):
    code, out, _ = run("tally", file, "--mechanism", "krr:k=3,epsilon=2", "--labels", "yes,no,perhaps")
    assert code == 0
    assert [label for label in ("yes", "no", "perhaps") if f"\n {label} " in out] == ["yes", "no", "perhaps"]
    assert "100 reports of krr:k=3,epsilon=2" in out
    assert "Left out: 1 line that is no report" in out


@pytest.mark.parametrize(("gate", "code"), [("bad_reports>0", 1), ("share:0>0.95", 0), ("share:0>0.6", 3)])
def test_a_gate_decides_the_exit_code(file, gate, code):
    assert run("tally", file, "--mechanism", "krr:k=3,epsilon=2", "--fail-over", gate)[0] == code


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "mechanism"),
        (["--mechanism", "krr:k=3"], "exactly one of epsilon and p"),
        (["--mechanism", "laplace:scale=1"], "a tally needs a local mechanism on k values, such as krr or oue"),
        (["--mechanism", "channel:0.9,0.1;0.2,0.8"], "wrap it with discretion.ChannelMechanism"),
        (["--mechanism", "oue:k=12,epsilon=1"], "a report has 4 hex digits, and the line has 2"),
        (["--mechanism", "krr:k=3,epsilon=2", "--labels", "a,b"], "labels must be 3 texts"),
        (["--mechanism", "krr:k=3,epsilon=2", "--fail-over", "share>1"], "no measure here called"),
        (["--mechanism", "krr:k=3,epsilon=2", "--encoding", "csv"], "encoding"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(file, arguments, words):
    code, out, err = run("tally", file, *arguments)
    assert (code, out) == (2, "")
    assert words in err
    assert err.count("\n") == 1
