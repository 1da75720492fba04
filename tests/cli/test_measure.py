"""`discretion measure`: what it prints, as the issue and the papers have it."""

import gc
import json
import math
import sys
from pathlib import Path

import numpy as np
import pytest

import discretion as dc
from discretion.cli import _command
from discretion.mechanisms import Mechanism
from discretion.presenting.numbers import rounded_down, rounded_up
from discretion.spelling.mechanisms import MECHANISMS
from support.cli_runner import run
from support.public_names import BY_NAME


def measured(*arguments: str) -> dict:
    code, out, err = run("measure", *arguments, "--json")
    assert (code, err) == (0, "")
    answer = json.loads(out)
    assert answer["schema_version"] == 1
    assert answer["command"] == "measure"
    return answer["results"]


def test_garbage_is_looked_for_from_when_all_has_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["discretion", "measure", "krr:k=2,epsilon=1"])
    often = gc.get_threshold()
    try:
        assert _command() == 0
        assert gc.isenabled()
        assert gc.get_freeze_count() > 0
    finally:
        gc.set_threshold(*often)
        gc.enable()
        gc.unfreeze()


@pytest.mark.parametrize(("p", "printed"), [("0.9", 0.52254), ("1", 0.52817), ("0.6", 0.50563)])
def test_the_shuffled_binary_guess_is_the_papers(p: str, printed: float) -> None:
    results = measured(f"krr:k=2,p={p}", "--users", "200", "--shuffled")
    assert round(results["posterior_vulnerability"], 5) == printed


@pytest.mark.parametrize(("counts", "printed"), [("0,200", 0.52111), ("100,100", 0.52116)])
def test_the_strong_adversarys_guess_is_the_papers(counts: str, printed: float) -> None:
    results = measured("krr:k=2,p=0.8", "--users", "201", "--shuffled", "--adversary", f"all-but-one:{counts}")
    assert round(results["posterior_vulnerability"], 5) == printed


def test_every_result_is_the_function_of_its_name() -> None:
    mechanism = dc.RandomizedResponse(5, epsilon=1)
    prior = [0.5, 0.2, 0.1, 0.1, 0.1]
    results = measured("krr:k=5,epsilon=1", "--prior", "0.5,0.2,0.1,0.1,0.1", "--users", "1000")
    error = results.pop("frequency_error")
    assert error == dc.frequency_error(mechanism, 1000)._asdict()
    assert results.pop("prior_vulnerability") == 0.5
    assert tuple(results.pop("leakiest_pair")) == dc.leakiest_pair(mechanism)
    assert results.pop("ldp_epsilon") == dc.ldp_epsilon(mechanism)
    assert results.pop("multiplicative_bayes_capacity") == dc.multiplicative_bayes_capacity(mechanism)
    assert results.pop("shannon_capacity")["value"] == dc.mutual_information(mechanism)
    for name, value in results.items():
        assert value == BY_NAME[name](mechanism, prior), name


def test_a_rate_of_false_positives_adds_what_the_best_attack_misses() -> None:
    assert measured("gaussian:sigma=1", "--false-positive-rate", "0.01", "--only", "tradeoff") == {
        "tradeoff": dc.tradeoff(dc.Gaussian(1)).at(0.01)
    }
    crowd = dc.Shuffled(dc.RandomizedResponse(2, epsilon=1), 20)
    asked = ("krr:k=2,epsilon=1", "--users", "20", "--shuffled", "--false-positive-rate", "0.1")
    assert measured(*asked)["tradeoff"] == dc.tradeoff(crowd.seen_by(dc.WorstAllButOne())).at(0.1)
    known = measured(*asked, "--adversary", "all-but-one:9,10")["tradeoff"]
    assert known == dc.tradeoff(crowd.seen_by(dc.AllButOne([9, 10]))).at(0.1)
    code, out, _ = run("measure", "gaussian:sigma=1", "--false-positive-rate", "0.01", "--fail-over", "tradeoff<0.95")
    assert (code, out.splitlines()[-1].split()[:2]) == (1, ["FAILED", "tradeoff"])


@pytest.mark.long
def test_a_curve_is_drawn(tmp_path: Path) -> None:
    results = measured("gaussian:sigma=1", "--chart", str(tmp_path / "curve.svg"), "--only", "bayes_security")
    assert set(results) == {"bayes_security"}
    assert "accusing blindly" in (tmp_path / "curve.svg").read_text(encoding="utf-8")


def test_infinity_is_the_word_for_it() -> None:
    assert measured("krr:k=3,p=1", "--only", "ldp_epsilon") == {"ldp_epsilon": "inf"}


def test_a_bound_is_the_object_of_its_fields_and_what_is_not_computed_says_why() -> None:
    known = "all-but-one:0,0,50000,49999"
    results = measured("oue:k=4,epsilon=1", "--users", "100000", "--shuffled", "--adversary", known)
    bound = results["posterior_vulnerability"]
    assert set(bound) == {"value", "low", "high", "confidence", "method", "assuming", "kind", "value_is"}
    assert bound["confidence"] is None
    assert 0.25 <= bound["low"] < bound["value"] < bound["high"] < 0.26
    assert "cannot be decided from bounds" in results["not_computed"]["leakiest_pair"]


def test_a_gain_from_a_file_counts(tmp_path) -> None:
    file = tmp_path / "gain.csv"
    file.write_text("1,0,0\n0,1,1\n")
    results = measured("krr:k=3,p=0.8", "--gain", f"matrix:{file}")
    gain = dc.gain_matrix([[1, 0, 0], [0, 1, 1]])
    assert results["posterior_vulnerability"] == dc.posterior_vulnerability(dc.RandomizedResponse(3, p=0.8), gain=gain)
    assert results["bayes_security"] == dc.bayes_security(dc.RandomizedResponse(3, p=0.8), gain=gain)
    assert set(results) == {"prior_vulnerability", "posterior_vulnerability", "leakage", "bayes_security"}


@pytest.mark.parametrize(
    ("spelled", "gain"),
    [
        ("tries:2", dc.k_tries_gain(3, 2)),
        ("set:0", dc.set_gain(3, [0])),
        ("partition:a,b,a", dc.partition_gain("aba")),
        ("distance:ordinal", dc.distance_gain([[0, 1, 2], [1, 0, 1], [2, 1, 0]])),
        ("loss:0,1,1;5,0,0", dc.loss_matrix([[0, 1, 1], [5, 0, 0]])),
    ],
)
def test_a_gain_counts_by_its_name(spelled, gain) -> None:
    results, mechanism = measured("krr:k=3,p=0.8", "--gain", spelled), dc.RandomizedResponse(3, p=0.8)
    assert results["prior_vulnerability"] == dc.prior_vulnerability(dc.uniform(3), gain)
    assert results["posterior_vulnerability"] == dc.posterior_vulnerability(mechanism, gain=gain)
    assert ("leakage" in results) == (not spelled.startswith("loss"))


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
    "unary encoding without epsilon": (["oue:k=3"], "oue needs epsilon, such as oue:epsilon=…"),
    "unary encoding without lam": (["ue:k=3,kappa=0.5"], "ue needs lam"),
    "own bit rarer than others": (["ue:k=3,kappa=0.25,lam=0.75"], "kappa must be at least lam"),
    "a parameter of another encoding": (["rappor:k=3,kappa=0.5"], "no parameter of rappor, 'kappa'"),
    "misspelt encoding": (["rapor:k=3,epsilon=1"], "did you mean 'rappor'"),
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
    "no counts of some": (
        ["krr:k=2,p=0.7", "--users", "3", "--shuffled", "--adversary", "partly-informed:"], "whole numbers"
    ),
    "too many known": (
        ["krr:k=2,p=0.7", "--users", "3", "--shuffled", "--adversary", "partly-informed:1,2"], "at most the n-1 = 2"
    ),
    "no law of the rest": (
        ["krr:k=2,p=0.7", "--users", "3", "--shuffled", "--adversary", "partly-informed:1,0;1,2"], "a sum of 3"
    ),
    "negative alpha": (
        ["krr:k=2,p=0.7", "--users", "3", "--shuffled", "--adversary", "exchangeable:1,-1"], "alpha must be positive"
    ),
    "a prior of an exchangeable target": (
        ["krr:k=2,p=0.7", "--users", "3", "--shuffled", "--adversary", "exchangeable:1,1", "--prior", "0.5,0.5"],
        "leave prior out",
    ),
    "the worst of some": (
        ["krr:k=2,p=0.7", "--users", "3", "--shuffled", "--adversary", "worst:1,1"], "takes one number"
    ),
    "epsilon below 0": (["krr:k=2,p=0.7", "--epsilon", "-0.5"], "epsilon must be at least 0"),
    "delta above 1": (["krr:k=2,p=0.7", "--delta", "1.5"], "delta must be in [0, 1]"),
    "false positives above 1": (["krr:k=2,p=0.7", "--false-positive-rate", "1.5"], "false_positive_rate must be in"),
    "seed below 0": (["krr:k=2,p=0.7", "--seed", "-3"], "at least 0, got -3"),
    "prior too short": (["krr:k=3,p=0.7", "--prior", "0.5,0.5"], "one probability per secret (3), got 2"),
    "prior not a law": (["krr:k=2,p=0.7", "--prior", "0.5,0.6"], "a sum of 1.1"),
    "prior of words": (["krr:k=2,p=0.7", "--prior", "a,b"], "numbers separated by commas"),
    "prior too short for what needs none": (
        ["krr:k=2,p=0.7", "--prior", "0.2,0.3,0.5", "--only", "prior_vulnerability"], "one probability per secret"
    ),
    "a population of another size": (["krr:k=3,p=0.7", "--population", "dirichlet:1,2"], "2 values and the system 3"),
    "misspelt population": (["krr:k=3,p=0.7", "--population", "jeffrey"], "did you mean 'jeffreys'"),
    "numbers of jeffreys": (["krr:k=3,p=0.7", "--population", "jeffreys:1,1,1"], "takes no numbers"),
    "population of words": (["krr:k=2,p=0.7", "--population", "dirichlet:a,b"], "numbers separated by commas"),
    "a Dirichlet parameter below 0": (["krr:k=2,p=0.7", "--population", "dirichlet:1,-1"], "positive numbers"),
    "no file of points": (["krr:k=2,p=0.7", "--population", "mixture:nowhere.csv"], "no such file"),
    "half a hash": (["olh:k=10,epsilon=1,g=2.5"], "g must be a whole number, got '2.5'"),
    "one hash": (["olh:k=10,epsilon=1,g=1"], "g must be"),
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
    assert err.startswith("discretion: ")
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
    assert "at least two possible secrets" in results["not_computed"]["bayes_security"]


def test_names_are_words_and_never_markup(tmp_path) -> None:
    file = tmp_path / "m[b][bold].csv"
    file.write_text("1,0\n0,1\n")
    code, out, _ = run("measure", f"channel:{file}")
    assert code == 0
    assert "m[b][bold].csv" in out.replace("\n", "")


@pytest.mark.parametrize(
    ("spelled", "mechanism"),
    [
        ("rappor:k=8,epsilon=1", dc.UnaryEncoding.rappor(8, 1)),
        ("oue:k=8,epsilon=1", dc.UnaryEncoding.oue(8, 1)),
        ("blh:k=8,epsilon=1", dc.UnaryEncoding.blh(8, 1)),
        ("ue:k=8,kappa=0.5,lam=0.25", dc.UnaryEncoding(8, kappa=0.5, lam=0.25)),
    ],
)
def test_unary_encodings_are_spelled_by_their_names(spelled: str, mechanism: dc.UnaryEncoding) -> None:
    results = measured(spelled, "--users", "1000")
    assert results["frequency_error"] == dc.frequency_error(mechanism, 1000)._asdict()
    for name in ("posterior_vulnerability", "bayes_security", "bayes_risk", "mutual_information", "ldp_epsilon"):
        assert results[name] == BY_NAME[name](mechanism), name


LOCAL = {
    "krr": ("k=6,epsilon=1", dc.RandomizedResponse(6, 1)),
    "ue": ("k=6,kappa=0.5,lam=0.25", dc.UnaryEncoding(6, 0.5, 0.25)),
    "rappor": ("k=6,epsilon=1", dc.UnaryEncoding.rappor(6, 1)),
    "oue": ("k=6,epsilon=1", dc.UnaryEncoding.oue(6, 1)),
    "blh": ("k=6,epsilon=1", dc.UnaryEncoding.blh(6, 1)),
    "olh": ("k=6,epsilon=1,g=4", dc.LocalHashing(6, 1, g=4)),
    "ss": ("k=6,epsilon=1,size=2", dc.SubsetSelection(6, 1, size=2)),
    "hadamard": ("k=6,epsilon=1", dc.HadamardResponse(6, 1)),
    "exponential": ("epsilon=1,scores=3,1,0;1,3,0;0,0,2", dc.Exponential([[3, 1, 0], [1, 3, 0], [0, 0, 2]], 1)),
}


def test_every_local_mechanism_is_among_these() -> None:
    assert set(LOCAL) == {name for name, make in MECHANISMS.items() if issubclass(_kind(make), Mechanism)}


def _kind(make) -> type:
    return getattr(make, "__self__", make)


@pytest.mark.parametrize("name", LOCAL)
def test_every_local_mechanism_is_measured_by_its_name(name: str) -> None:
    parameters, mechanism = LOCAL[name]
    results = measured(f"{name}:{parameters}", "--users", "100")
    assert "not_computed" not in results
    assert results["frequency_error"] == dc.frequency_error(mechanism, 100)._asdict()
    for measure in ("posterior_vulnerability", "bayes_security", "mutual_information", "ldp_epsilon"):
        assert results[measure] == getattr(dc, measure)(mechanism), measure


@pytest.mark.parametrize("spelled", ["olh:k=10,epsilon=1", "ss:k=10,epsilon=1", "olh:k=10,epsilon=1,g=2"])
def test_the_best_number_of_hashes_or_values_is_found_and_another_one_may_be_named(spelled: str) -> None:
    assert measured(spelled, "--only", "ldp_epsilon")["ldp_epsilon"] == pytest.approx(1)


INFORMATION = ("worst_case_privacy", "average_privacy", "asymptotic_utility", "effective_participation")
OF_REPORTS = ("population_information", "distribution_utility", "tally_utility", "digit_utility")


def test_information_is_measured_where_a_population_is_given_or_a_measure_is_named() -> None:
    assert not set(measured("krr:k=3,epsilon=2", "--users", "10")) & {*INFORMATION, *OF_REPORTS}
    assert set(measured("krr:k=3,epsilon=2", "--only", ",".join(INFORMATION))) == set(INFORMATION)
    assert set(measured("krr:k=3,epsilon=2", "--population", "jeffreys")) >= set(INFORMATION)


def test_information_is_that_of_the_tables_in_the_issue() -> None:
    results = measured("krr:k=3,epsilon=2", "--population", "jeffreys", "--users", "10")
    assert results["worst_case_privacy"] == pytest.approx(math.exp(-2))
    assert results["average_privacy"] == pytest.approx(0.62140509, abs=1e-8)
    assert results["asymptotic_utility"] == pytest.approx(-0.83284001, abs=1e-8)
    assert results["effective_participation"] == pytest.approx(0.16076639, abs=1e-8)
    assert results["population_information"] == pytest.approx(1.00860663, abs=1e-8)
    # I(X;P) of ten people: 1.73852718.
    assert results["distribution_utility"] == pytest.approx(1.00860663 / 1.73852718, abs=1e-8)


def test_every_information_measure_is_the_function_of_its_name() -> None:
    mechanism, law = dc.RandomizedResponse(3, 1), dc.Dirichlet([1, 2, 0.5])
    results = measured("krr:k=3,epsilon=1", "--population", "dirichlet:1,2,0.5", "--users", "4")
    assert results["worst_case_privacy"] == dc.information.worst_case_privacy(mechanism)
    for name in INFORMATION[1:]:
        assert results[name] == BY_NAME[name](mechanism, law), name
    for name in OF_REPORTS:
        assert results[name] == BY_NAME[name](mechanism, 4, law), name


def test_shuffling_takes_nothing_from_what_reports_tell_of_a_population() -> None:
    arguments = ["krr:k=2,epsilon=1", "--population", "jeffreys", "--users", "9"]
    alone, shuffled = measured(*arguments), measured(*arguments, "--shuffled")
    assert {"worst_case_privacy", "average_privacy"} & set(shuffled) == set()
    for name in ("asymptotic_utility", "effective_participation", *OF_REPORTS):
        assert shuffled[name] == alone[name], name


def test_a_population_may_be_one_of_some_points(tmp_path) -> None:
    file = tmp_path / "points.csv"
    file.write_text("0.25,1,0\n0.75,0.5,0.5\n")
    law = dc.PointMixture([[1, 0], [0.5, 0.5]], [0.25, 0.75])
    results = measured("krr:k=2,epsilon=1", "--population", f"mixture:{file}", "--users", "3")
    mechanism = dc.RandomizedResponse(2, 1)
    assert results["average_privacy"] == dc.information.average_privacy(mechanism, law)
    assert results["distribution_utility"] == dc.information.distribution_utility(mechanism, 3, law)
    for name in ("asymptotic_utility", "effective_participation", "digit_utility"):
        assert "needs a density" in results["not_computed"][name]


@pytest.mark.parametrize(
    ("spelled", "reason"),
    [("krr:k=3,epsilon=0", "not faithful"), ("rappor:k=100,epsilon=400", "2^100 reports")],
)
def test_a_utility_without_an_answer_says_why_and_leaves_the_others(spelled: str, reason: str) -> None:
    results = measured(spelled, "--population", "jeffreys")
    assert reason in results["not_computed"]["asymptotic_utility"]
    assert 0 < results["average_privacy"] <= 1


def test_a_million_bits_need_no_matrix() -> None:
    results = measured("rappor:k=1000000,epsilon=700", "--users", "1000")
    assert "not_computed" not in results
    assert results["posterior_vulnerability"] == 1.0
    assert 0 < results["bayes_risk"] < 1e-140


@pytest.mark.parametrize(
    ("spelled", "adversary"),
    [
        ("uninformed:0.2,0.3,0.5", dc.Uninformed([0.2, 0.3, 0.5])),
        ("all-but-one:3,1,2", dc.AllButOne([3, 1, 2])),
        ("partly-informed:1,0,2", dc.PartlyInformed([1, 0, 2])),
        ("partly-informed:1,0,2;0.2,0.3,0.5", dc.PartlyInformed([1, 0, 2], [0.2, 0.3, 0.5])),
        ("exchangeable:1,2,0.5", dc.Exchangeable([1, 2, 0.5])),
        ("worst", dc.WorstAllButOne()),
    ],
)
def test_every_adversary_has_a_spelling(spelled: str, adversary) -> None:
    results = measured(
        "krr:k=3,epsilon=1", "--users", "7", "--shuffled", "--adversary", spelled, "--epsilon", "0.3", "--delta", "0.01"
    )
    crowd = dc.Shuffled(dc.RandomizedResponse(3, 1), 7)
    for name in ("posterior_vulnerability", "leakage", "bayes_risk", "bayes_security", "mutual_information"):
        assert results[name] == BY_NAME[name](crowd.seen_by(adversary)), name
    assert tuple(results["leakiest_pair"]) == dc.leakiest_pair(crowd.seen_by(adversary))
    assert results["privacy_profile"] == dc.privacy_profile(crowd.seen_by(adversary), 0.3)
    assert results["dp_epsilon"] == dc.dp_epsilon(crowd.seen_by(adversary), 0.01)
    before = adversary.prior if isinstance(adversary, dc.Exchangeable) else [1 / 3] * 3
    assert results["prior_vulnerability"] == max(before)


def test_a_profile_has_no_adversary_but_the_worst_unless_one_is_named() -> None:
    arguments = ["krr:k=2,epsilon=1", "--epsilon", "0.2", "--delta", "0.01"]
    crowd = dc.Shuffled(dc.RandomizedResponse(2, 1), 20)
    alone, shuffled = measured(*arguments), measured(*arguments, "--users", "20", "--shuffled")
    assert shuffled["privacy_profile"] == dc.privacy_profile(crowd.seen_by(dc.WorstAllButOne()), 0.2)
    assert shuffled["dp_epsilon"] == dc.dp_epsilon(crowd.seen_by(dc.WorstAllButOne()), 0.01)
    # Binary randomized response itself: p - e^ε q.
    p = 1 / (1 + math.exp(-1))
    assert math.isclose(alone["privacy_profile"], p - math.exp(0.2) * (1 - p))
    assert math.isclose(alone["dp_epsilon"], math.log((p - 0.01) / (1 - p)))


@pytest.mark.long
def test_the_same_seed_gives_the_same_sample_and_the_text_its_interval(monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    arguments = [
        "krr:k=3,epsilon=1",
        "--users",
        "300",
        "--shuffled",
        "--adversary",
        "exchangeable:1,1,1",
        "--seed",
        "7",
    ]
    asked = [*arguments, "--only", "posterior_vulnerability"]
    estimate = measured(*asked)["posterior_vulnerability"]
    assert estimate == measured(*asked)["posterior_vulnerability"]
    assert estimate["confidence"] == 0.95
    code, out, _ = run("measure", *asked)
    assert code == 0
    assert f"95 % sure in [{rounded_down(estimate['low'], 6)}, {rounded_up(estimate['high'], 6)}]" in out
    assert estimate["method"] in " ".join(out.split())


@pytest.mark.parametrize(
    ("spelled", "security"),
    [
        ("laplace:scale=2,sensitivity=3", math.exp(-3 / 4)),
        ("gaussian:sigma=1", math.erfc(1 / math.sqrt(8))),
        ("geometric:epsilon=1", 2 / (1 + math.e)),
        ("discrete-gaussian:sigma=2,sensitivity=3", dc.bayes_security(dc.DiscreteGaussian(2, 3))),
    ],
)
def test_noise_is_measured_between_its_two_furthest_values(spelled: str, security: float) -> None:
    assert measured(spelled, "--only", "bayes_security")["bayes_security"] == pytest.approx(security, rel=1e-12)


@pytest.mark.long
def test_dp_sgd_is_certified_beside_its_approximation() -> None:
    results = measured("dpsgd:sigma=1,rate=0.01,steps=1000")
    exact, asymptote = results["bayes_security"], results["asymptotic_bayes_security"]
    assert exact["confidence"] is None
    assert exact["high"] - exact["low"] < 1e-5
    assert asymptote["method"].startswith("approximate")
    assert asymptote["low"] <= exact["low"] <= exact["high"] <= asymptote["high"]
    assert results["mutual_information"]["confidence"] is None
    assert 0 < results["mutual_information"]["low"] <= results["mutual_information"]["high"] < 1 - exact["low"]
    assert "not_computed" not in results


def test_a_channel_may_stay_on_disk(tmp_path) -> None:
    np.save(tmp_path / "channel.npy", [[0.9, 0.1], [0.2, 0.8]])
    assert measured(f"channel:{tmp_path}/channel.npy")["bayes_security"] == pytest.approx(0.3, rel=1e-12)
