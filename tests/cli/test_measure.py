"""`tacit measure`: what it prints, as the issue and the papers have it."""

import json
import math

import pytest

import tacit as tc
from cli_runner import run


def measured(*arguments: str) -> dict:
    code, out, err = run("measure", *arguments, "--json")
    assert (code, err) == (0, "")
    answer = json.loads(out)
    assert answer["schema_version"] == 1
    assert answer["command"] == "measure"
    return answer["results"]


@pytest.mark.parametrize(("p", "printed"), [("0.9", 0.52254), ("1", 0.52817), ("0.6", 0.50563)])
def test_the_shuffled_binary_guess_is_the_papers(p: str, printed: float) -> None:
    results = measured(f"krr:k=2,p={p}", "--users", "200", "--shuffled")
    assert round(results["posterior_vulnerability"], 5) == printed


@pytest.mark.parametrize(("counts", "printed"), [("0,200", 0.52111), ("100,100", 0.52116)])
def test_the_strong_adversarys_guess_is_the_papers(counts: str, printed: float) -> None:
    results = measured("krr:k=2,p=0.8", "--users", "201", "--shuffled", "--adversary", f"all-but-one:{counts}")
    assert round(results["posterior_vulnerability"], 5) == printed


def test_every_result_is_the_function_of_its_name() -> None:
    mechanism = tc.RandomizedResponse(5, epsilon=1)
    prior = [0.5, 0.2, 0.1, 0.1, 0.1]
    results = measured("krr:k=5,epsilon=1", "--prior", "0.5,0.2,0.1,0.1,0.1", "--users", "1000")
    error = results.pop("frequency_error")
    assert error == tc.frequency_error(mechanism, 1000)._asdict()
    assert results.pop("prior_vulnerability") == 0.5
    assert tuple(results.pop("leakiest_pair")) == tc.leakiest_pair(mechanism)
    assert results.pop("ldp_epsilon") == tc.ldp_epsilon(mechanism)
    assert results.pop("multiplicative_bayes_capacity") == tc.multiplicative_bayes_capacity(mechanism)
    for name, value in results.items():
        assert value == getattr(tc, name)(mechanism, prior), name


def test_infinity_is_the_word_for_it() -> None:
    assert measured("krr:k=3,p=1", "--only", "ldp_epsilon") == {"ldp_epsilon": "inf"}


def test_a_bound_is_the_object_of_its_fields_and_what_is_not_computed_says_why() -> None:
    known = "all-but-one:0,0,50000,49999"
    results = measured("krr:k=4,epsilon=1", "--users", "100000", "--shuffled", "--adversary", known)
    bound = results["posterior_vulnerability"]
    assert set(bound) == {"value", "low", "high", "confidence", "method"}
    assert bound["confidence"] is None
    assert 0.25 == bound["low"] < bound["value"] == bound["high"] < 0.26
    assert "too many to list" in results["not_computed"]["bayes_security"]


def test_a_gain_from_a_file_counts(tmp_path) -> None:
    file = tmp_path / "gain.csv"
    file.write_text("1,0,0\n0,1,1\n")
    results = measured("krr:k=3,p=0.8", "--gain", f"matrix:{file}")
    gain = tc.gain_matrix([[1, 0, 0], [0, 1, 1]])
    assert results["posterior_vulnerability"] == tc.posterior_vulnerability(tc.RandomizedResponse(3, p=0.8), gain=gain)
    assert set(results) == {"prior_vulnerability", "posterior_vulnerability", "leakage"}


def test_a_channel_from_a_file_is_measured(tmp_path) -> None:
    file = tmp_path / "channel.csv"
    file.write_text("0.9,0.1\n0.2,0.8\n")
    results = measured(f"channel:{file}")
    assert math.isclose(results["posterior_vulnerability"], 0.85)
    assert math.isclose(results["bayes_security"], 0.3)


def test_a_million_values_need_no_matrix() -> None:
    results = measured("krr:k=1000000,epsilon=700")
    assert results["posterior_vulnerability"] == 1.0
    assert 0 < results["bayes_risk"] < 1e-290


def test_text_names_the_kind_of_every_number() -> None:
    code, out, _ = run("measure", "krr:k=2,p=0.9", "--users", "200", "--shuffled")
    assert code == 0
    assert "0.522539391604" in out
    assert "exact" in out


BAD = {
    "k=1": (["krr:k=1,epsilon=1"], "at least 2, got 1"),
    "p above 1": (["krr:k=2,p=1.2"], "[0.5, 1]"),
    "p below 1/k": (["krr:k=4,p=0.2"], "[0.25, 1]"),
    "negative epsilon": (["krr:k=2,epsilon=-1"], "at least 0"),
    "epsilon not a number": (["krr:k=2,epsilon=nan"], "must be a number"),
    "both": (["krr:k=2,epsilon=1,p=0.7"], "got both"),
    "neither": (["krr:k=2"], "got none"),
    "no k": (["krr:epsilon=1"], "needs k"),
    "n=0": (["krr:k=2,p=0.7", "--users", "0", "--shuffled"], "at least 1, got 0"),
    "misspelt mechanism": (["kr:k=2,p=0.7"], "did you mean 'krr'"),
    "misspelt parameter": (["krr:k=2,epsilom=1"], "did you mean 'epsilon'"),
    "misspelt measure": (["krr:k=2,p=0.7", "--only", "leakag"], "did you mean 'leakage'"),
    "misspelt adversary": (["krr:k=2,p=0.7", "--users", "3", "--shuffled", "--adversary", "uninform"], "uninformed"),
    "adversary of nobody": (["krr:k=2,p=0.7", "--adversary", "uninformed"], "--shuffled"),
    "a crowd of unknown size": (["krr:k=2,p=0.7", "--shuffled"], "--users N"),
    "wrong counts": (
        ["krr:k=2,p=0.7", "--users", "3", "--shuffled", "--adversary", "all-but-one:1,2"], "n-1 = 2 other users"
    ),
    "prior too short": (["krr:k=3,p=0.7", "--prior", "0.5,0.5"], "one probability per secret (3), got 2"),
    "prior not a law": (["krr:k=2,p=0.7", "--prior", "0.5,0.6"], "a sum of 1.1"),
    "prior of words": (["krr:k=2,p=0.7", "--prior", "a,b"], "numbers separated by commas"),
    "prior too short for what needs none": (
        ["krr:k=2,p=0.7", "--prior", "0.2,0.3,0.5", "--only", "prior_vulnerability"], "one probability per secret"
    ),
    "half a user": (["krr:k=2,p=0.7", "--users", "2.5"], "2.5"),
    "k twice": (["krr:k=2,p=0.7,k=3"], "k twice"),
    "too many values": (["krr:k=1000000000000,epsilon=1"], "at most 100,000,000"),
    "too many users": (["krr:k=2,p=0.7", "--users", "1" + "0" * 18, "--shuffled"], "at most 10,000,000,000"),
    "far too many users": (["krr:k=2,p=0.7", "--users", "1" + "0" * 400, "--shuffled"], "at most 10,000,000,000"),
    "a channel that is no file": (["channel:/dev/null"], "not a regular file"),
    "missing channel": (["channel:nowhere.csv"], "no such file"),
    "unknown option": (["krr:k=2,p=0.7", "--user", "3"], "--user"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_one_sentence_and_exit_code_2(name: str) -> None:
    arguments, expected = BAD[name]
    code, out, err = run("measure", *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("tacit: ")
    assert err.count("\n") == 1
    assert expected in err


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0.5,0.6\n0.5,0.5\n", "row 0 sums to 1.1"),
        ("0.5,0.5\n1.2,-0.2\n", "row 1 has an entry that is negative: -0.2"),
        ("0.5,0.5\nnan,0.5\n", "row 1 has an entry that is not a number: nan"),
        ("0.5,0.5\n1\n", "row 2 has 1 of 2"),
        ("a,b\n0.5,0.5\n", "row 1 does not"),
        ("", "a row per secret"),
    ],
)
def test_a_file_that_is_no_channel_says_where(tmp_path, text: str, expected: str) -> None:
    file = tmp_path / "channel.csv"
    file.write_text(text)
    code, _, err = run("measure", f"channel:{file}")
    assert code == 2
    assert expected in err


def test_one_measure_without_meaning_leaves_the_others() -> None:
    results = measured("krr:k=2,epsilon=1", "--prior", "1,0")
    assert results["posterior_vulnerability"] == 1.0
    assert "certain of a single secret" in results["not_computed"]["bayes_security"]


def test_names_are_words_and_never_markup(tmp_path) -> None:
    file = tmp_path / "m[b][bold].csv"
    file.write_text("1,0\n0,1\n")
    code, out, _ = run("measure", f"channel:{file}")
    assert code == 0
    assert "m[b][bold].csv" in out.replace("\n", "")
