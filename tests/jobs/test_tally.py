"""A tally of received reports: the shares of the mechanism's estimators, from an array or a file, whatever is in it."""

import json

import numpy as np
import pytest

import discretion as dc
from discretion.jobs import received_reports
from discretion.jobs.tally import tally
from mechanisms.table import KINDS

KRR = dc.RandomizedResponse(3, epsilon=2)


def written(path, *lines):
    path.write_bytes(b"".join(line if isinstance(line, bytes) else f"{line}\n".encode() for line in lines))
    return path


def sampled(mechanism, n=500):
    return mechanism.sample(np.arange(n) % mechanism.k, rng=1)


@pytest.mark.parametrize("mechanism", KINDS)
@pytest.mark.parametrize("encoding", ["hex", "json"])
@pytest.mark.parametrize("at_once", [7, 1 << 20])
def test_a_file_gives_what_the_reports_give(mechanism, encoding, at_once, tmp_path, monkeypatch):
    monkeypatch.setattr(received_reports, "_AT_ONCE", at_once)
    reports = sampled(mechanism)
    lines = [mechanism.encode(r).hex() if encoding == "hex" else json.dumps(r.tolist()) for r in reports]
    file = written(tmp_path / "reports.txt", *lines)
    whole, read = tally(reports, mechanism), tally(file, mechanism, encoding=encoding)
    assert read.to_dict() == whole.to_dict()
    assert (read.reports, read.bad_reports) == (500, 0)
    assert read.shares == pytest.approx(mechanism.estimate_frequencies(reports))


def test_estimators_are_the_named_ones_and_the_intervals_are_the_same():
    reports = KRR.sample([0] * 60 + [1] * 2, rng=0)
    raw = KRR.estimate_frequencies(reports)
    assert raw.min() < 0
    expected = {
        "raw": raw,
        "clipped": dc.mechanisms.clipped(raw),
        "norm_sub": dc.mechanisms.norm_sub(raw),
        "ibu": dc.mechanisms.iterative_bayesian_update(KRR, reports).frequencies,
    }
    results = {name: tally(reports, KRR, estimator=name) for name in expected}
    for name, shares in expected.items():
        assert results[name].shares == pytest.approx(shares)
        assert np.array_equal(results[name].high, results["raw"].high)
    assert results["ibu"].document().title == "krr:k=3,epsilon=2"


def test_lines_that_are_no_reports_are_left_out_counted_and_named(tmp_path):
    bad = ["3", "-1", "1.0", "true", '"1"', "[1]", "", "NaN", "1e0", "9" * 30]
    file = written(tmp_path / "reports.jsonl", *[1] * 20, *bad, 2)
    result = tally(file, KRR)
    assert (result.reports, result.bad_reports) == (21, len(bad))
    assert len(result.bad_lines) == 5
    assert sorted(line.partition(":")[0] for line in result.bad_lines) == [f"line {n}" for n in (23, 24, 25, 27, 28)]
    assert "Left out: 10 lines that are no reports (line " in result.to_markdown()
    assert "…)" in result.to_markdown()


def test_bad_lines_in_hex_name_their_fault(tmp_path):
    file = written(tmp_path / "reports.hex", *["01"] * 9, "0", "03", "zz", "é", "0102")
    assert tally(file, KRR).bad_lines == (
        "line 10: a report has 2 hex digits, and the line has 1 characters",
        "line 11: an encoded report must be a number in 0..2, got 3",
        "line 12: it is not hex digits: 'zz'",
        "line 13: it is not hex digits: 'é'",
        "line 14: a report has 2 hex digits, and the line has 4 characters",
    )


@pytest.mark.parametrize("content", [b"\xef\xbb\xbf01\r\n02\r\n00", b"01\n02\n00", b"01\r\n02\r\n00\r\n"])
def test_the_ends_of_lines_and_a_mark_at_the_start_are_no_part_of_reports(content, tmp_path):
    result = tally(written(tmp_path / "reports.HEX", content), KRR)
    assert (result.reports, result.bad_reports) == (3, 0)


@pytest.mark.parametrize(
    ("name", "lines", "mechanism", "words"),
    [
        ("r.hex", [], KRR, "has no reports: it is empty"),
        ("r.txt", ["01"], KRR, "does not show the encoding of its reports; choose --encoding hex"),
        ("r.hex", ["01"] * 3, dc.RandomizedResponse(1000, epsilon=1), "3 of 3 lines .* has 4 hex digits, and the line"),
        ("r.hex", ["0b", "0a"], KRR, "2 of 2 lines .* a number in 0..2, got 11"),
        ("r.jsonl", ["[0,1,0]"], dc.UnaryEncoding.oue(4, epsilon=1), "1 of 1 lines .* must be rows of 4 bits"),
        ("r.jsonl", ["[0,1,2]"], dc.UnaryEncoding.oue(3, epsilon=1), "must be bits, 0 or 1, got 2"),
        ("r.jsonl", ["[" * 50], KRR, "neither a whole number nor a list"),
        ("r.jsonl", [b"1" * 1000], KRR, "line 1 of .* is longer than"),
        ("r.jsonl", ["1"], dc.RandomizedResponse(3, epsilon=0), "have no information on the values"),
    ],
)
def test_a_file_of_something_else_is_refused_in_one_sentence(name, lines, mechanism, words, tmp_path):
    with pytest.raises(dc.errors.InvalidValueError, match=words) as caught:
        tally(written(tmp_path / name, *lines), mechanism)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"labels": ["a", "b"]}, "labels must be 3 texts, one for each value of the mechanism, got 2"),
        ({"labels": ["a", "b", "a"]}, "labels must be different, got 'a' twice"),
        ({"estimator": "mean"}, "no estimator called"),
        ({"confidence": 0}, "confidence must be in"),
    ],
)
def test_options_that_make_no_sense_are_refused(arguments, words):
    with pytest.raises(dc.errors.InvalidValueError, match=words):
        tally([0, 1, 2], KRR, **arguments)


@pytest.mark.parametrize("system", [dc.Laplace(1), dc.Channel(np.eye(2)), dc.Shuffled(KRR, 5), "krr"])
def test_what_is_no_local_mechanism_is_refused(system):
    with pytest.raises(dc.errors.UnsupportedError, match="a tally needs a local mechanism on k values"):
        tally([0, 1], system)


def test_no_reports_are_refused():
    with pytest.raises(dc.errors.InvalidValueError, match="at least one report, got none"):
        tally([], KRR)


def test_the_chart_has_a_row_for_each_of_the_largest_shares():
    large = dc.RandomizedResponse(40, epsilon=3)
    result = tally(sampled(large, 4000), large)
    assert result.chart().to_dict()["description"].startswith("Points with intervals: the shares of people by 25")
    assert "people, with an interval for each share" in result.chart().to_json()
    together = tally(sampled(large, 4000), large, simultaneous=True)
    assert "people, with intervals that hold together" in together.chart().to_json()
    assert [section.level for section in result.document().sections] == ["first", "full"]
