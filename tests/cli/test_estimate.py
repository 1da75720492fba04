"""`tacit estimate`: what samples in a CSV file say of a black box, and what cannot be read."""

import json
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import tacit as tc
from cli_runner import run

CHANNEL = np.random.default_rng(0).dirichlet(np.ones(20), size=5)


def estimated(*arguments) -> dict:
    code, out, err = run("estimate", *map(str, arguments), "--seed", "1", "--json")
    assert (code, err) == (0, "")
    answer = json.loads(out)
    assert (answer["schema_version"], answer["command"]) == (1, "estimate")
    return answer["results"]


def written(path, header, *columns):
    rows = (",".join(map(str, row)) for row in zip(*columns, strict=True))
    path.write_text("\n".join([header, *rows, ""]))
    return path


@pytest.fixture
def drawn():
    rng = np.random.default_rng(1)
    secrets = rng.integers(0, 5, 3000)
    return secrets, (rng.random(3000)[:, None] > CHANNEL.cumsum(axis=1)[secrets]).sum(axis=1)


def test_intervals_cover_the_truth_and_are_narrow(tmp_path, drawn):
    secrets, observations = drawn
    results = estimated(written(tmp_path / "s.csv", "page,size", [f"page {s}" for s in secrets], observations))
    risk, security = results["estimate_bayes_risk"], results["estimate_bayes_security"]
    assert risk["low"] < tc.bayes_risk(tc.Channel(CHANNEL)) < risk["high"] < risk["low"] + 0.08
    assert security["low"] < tc.bayes_security(tc.Channel(CHANNEL)) < security["high"]
    assert risk["confidence"] == security["confidence"] == 0.95
    assert (results["samples"], results["secrets"], results["columns"]) == (3000, 5, ["size"])
    assert results["observations"] == "discrete"
    assert results["rarest_secret"] == np.bincount(secrets).min()
    assert results["guessing_error"] == pytest.approx(1 - np.bincount(secrets).max() / 3000)


def test_it_answers_as_the_functions_do(tmp_path, drawn):
    secrets, observations = drawn
    results = estimated(written(tmp_path / "s.csv", "page,size", secrets, observations), "--confidence", "0.9")
    names = secrets.astype(str).astype(object)
    for ask in (tc.estimate_bayes_risk, tc.estimate_bayes_security):
        assert results[ask.__name__]["high"] == ask(names, observations, confidence=0.9, rng=1).high


def test_decimals_are_points_and_whole_numbers_alike_or_not(tmp_path):
    secrets = np.arange(400) % 2
    times = secrets + np.random.default_rng(2).normal(size=400)
    decimals = written(tmp_path / "d.csv", "secret,time", secrets, times)
    results = estimated(decimals)
    assert results["observations"] == "numbers"
    assert results["estimate_bayes_risk"]["method"].startswith("nearest neighbours")
    assert estimated(decimals, "--method", "frequentist")["observations"] == "discrete"
    whole = written(tmp_path / "w.csv", "secret,time", secrets, (10 * times).astype(int))
    assert estimated(whole)["observations"] == "discrete"
    assert estimated(whole, "--method", "nearest-neighbours")["observations"] == "numbers"


def test_text_makes_a_row_discrete_and_is_compared_as_it_stands(tmp_path):
    # 01 is not 1: as numbers all would be alike.
    results = estimated(written(tmp_path / "s.csv", "s,o", ["a", "b"] * 200, ["01", "1"] * 200))
    assert results["estimate_bayes_risk"]["high"] < 0.05
    mixed = written(tmp_path / "m.csv", "s,o,p", ["a", "b"] * 200, [0.5, 1.5] * 200, ["x", "y"] * 200)
    assert estimated(mixed)["observations"] == "discrete"
    code, _, err = run("estimate", str(mixed), "--method", "nearest-neighbours")
    assert code == 2
    assert "take --method frequentist" in err


def test_it_says_how_many_samples_a_width_takes(tmp_path, drawn):
    file = written(tmp_path / "s.csv", "page,size", *drawn)
    needed = estimated(file, "--half-width", "0.01")["samples_needed"]
    assert needed == tc.samples_needed(0.01, drawn[0].astype(str).astype(object), drawn[1], rng=1)
    assert needed > 3000


@pytest.mark.parametrize("rows", [2, 3000])
def test_the_chart_is_an_svg_file(tmp_path, drawn, rows):
    file = written(tmp_path / "s.csv", "page,size", [0, 1, *drawn[0][2:rows]], drawn[1][:rows])
    estimated(file, "--chart", tmp_path / "chart.svg")
    assert ET.parse(tmp_path / "chart.svg").getroot().tag.endswith("svg")


def test_text_says_what_follows(tmp_path, drawn):
    file = written(tmp_path / "s.csv", "page,size", *drawn)
    code, out, err = run("estimate", str(file), "--seed", "1", "--half-width", "0.01")
    assert (code, err) == (0, "")
    assert "3,000 samples of 5 secrets" in out
    assert "The best guess of the secret from an observation is wrong" in out
    assert "samples would give the Bayes risk to ±0.01" in out
    code, out, _ = run("estimate", str(file), "--method", "nearest-neighbours", "--seed", "1")
    assert "is wrong at most" in out


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("secret\na\n", "must have the secret in its first column"),
        ("secret,o\n", "a header and no samples"),
        ("secret,o\na,1\na,2\n", "at least two secrets"),
        ("secret,o\na,1\n,2\n", "no secret in sample 2"),
        ("secret,o\na,1\nb\n", "line 3"),
        ("secret,o\na,1\nb,nan\nc,2\n", "must hold finite numbers"),
        ("secret,o\na,1\nb,2\nc,3\nd,n/a\n", "holds numbers, but also 'n/a'"),
        ("", "is empty"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(tmp_path, content, complaint):
    (tmp_path / "s.csv").write_text(content)
    code, out, err = run("estimate", str(tmp_path / "s.csv"))
    assert (code, out) == (2, "")
    assert complaint in err


def test_what_is_wrong_with_a_call_is_said(tmp_path, drawn):
    file = str(written(tmp_path / "s.csv", "page,size", *drawn))
    for arguments, complaint in [
        ([str(tmp_path / "none.csv")], "there is no such file"),
        ([file, "--confidence", "1"], "confidence must be in (0, 1)"),
        ([file, "--half-width", "0.6"], "half_width must be in (0, 1/2)"),
        ([file, "--method", "guess"], "guess"),
        ([file, "--chart", file], "it is the table itself"),
    ]:
        code, out, err = run("estimate", *arguments)
        assert (code, out) == (2, "")
        assert complaint in err


def test_quoted_line_breaks_and_empty_observations_are_values(tmp_path):
    (tmp_path / "s.csv").write_text("secret,o\n" + 'a,"x\ny"\nb,\n' * 100)
    results = estimated(tmp_path / "s.csv")
    assert results["samples"] == 200
    assert results["estimate_bayes_risk"]["high"] < 0.1
