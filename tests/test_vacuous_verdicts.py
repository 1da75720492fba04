"""No command puts a reassuring word to an interval that holds everything: it says that nothing can be concluded."""

import csv
import re
from types import SimpleNamespace

import numpy as np
import pytest

from discretion.estimate import Estimate
from discretion.jobs.audit.summary import unique_among_all
from discretion.jobs.estimate import privacy_sentence
from discretion.jobs.gates import gate_of, judged
from discretion.jobs.scenario import Scenario
from discretion.jobs.target import target_of
from discretion.presenting.numbers import interval
from support.cli_runner import run

ANY_SHARE = Estimate(1.0, 0.0, 1.0, None, "bound")
REASSURING = re.compile(
    r"no sign\b|no leakage|agrees? with the table|may go out beside|expose nobody|find nobody|no guess gains|"
    r"certif\w+:? at most|at most 100 %|is at least 0[ .,]|passed",
    re.IGNORECASE,
)

# An open question has the words of its answer.
QUESTION = re.compile(r"whether .*? (may go out beside|agree with the table)")


def written(path, **columns):
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return str(path)


def printed(*arguments):
    _, out, err = run(*map(str, arguments))
    return " ".join(f"{out} {err}".split())


def people(seed, count=60):
    draw = np.random.default_rng(seed)
    return {
        "age": draw.integers(18, 90, count),
        "town": draw.integers(40, size=count),
        "ill": draw.integers(2, size=count),
    }


def of_the_original_held_out(path):
    original = written(path / "original.csv", **people(1))
    return printed("synthetic", original, original, "--control", original, "--sensitive", "ill", "--seed", 1)


def of_one_column(path):
    tables = [written(path / f"{seed}.csv", ill=people(seed)["ill"]) for seed in (1, 2, 3)]
    return printed("synthetic", *tables[:2], "--control", tables[2], "--seed", 1)


def of_few_samples(path):
    return printed("estimate", written(path / "s.csv", s=["a", "b"] * 6, o=[1, 1, 2, 2] * 3), "--seed", 1)


def of_few_points(path):
    outputs = np.random.default_rng(1).normal(size=12)
    return printed("estimate", written(path / "s.csv", s=["a", "b"] * 6, o=outputs), "--seed", 1, "--all-secrets")


def of_swapped_columns(path):
    return printed("estimate", written(path / "s.csv", cycles=range(100), key=[0, 1] * 50), "--seed", 1)


def of_a_claim(epsilon, delta):
    profile = None if epsilon is None else Estimate(0.0, 0.0, 1.0, 0.95, "bets")
    least = None if delta is None else Estimate(0.0, 0.0, np.inf, 0.95, "bets")
    return privacy_sentence(profile, least, epsilon, delta)


def of_columns_apart(path):
    table = written(path / "t.csv", a=[i % 50 for i in range(2500)], b=[i // 50 for i in range(2500)])
    words = printed("exposure", table, "--k", 5, "--bounds")
    return words.partition("of them occur once.")[2].partition("If the columns")[0]


def of_a_join(path):
    rows = range(60)
    old = written(path / "old.csv", land=["x"] * 60, a=[i % 6 for i in rows])
    new = written(path / "new.csv", land=["x"] * 60, b=[i % 6 for i in rows])
    words = printed("diff", old, new)
    assert words.startswith("Not decided")
    return words


def results(module):
    return pytest.importorskip(f"discretion.collection.results.{module}", reason="the extra collect")


def of_a_guess(_):
    guess = results("guesses").Guess(("ill",), 0.5, ANY_SHARE)
    return results("documents")._in_short(SimpleNamespace(people=9, single=[guess], joint=None))


def of_a_choice(_):
    return results("documents").certified_words(ANY_SHARE, 10)


def of_few_answers(_):
    truth = results("truth")
    table = truth.ComparedTable(("ill",), True, 2, 0, 2, 0.1, agrees=True, is_inconclusive=True)
    found = truth.TruthComparison(9, 9, (table,), None)
    assert found.to_dict()["is_inconclusive"]
    return found.verdict


def of_everybody(_):
    told = SimpleNamespace(
        columns=("age",), unique_people=3, people=9, population=10**6, population_unique=ANY_SHARE, models=()
    )
    return " ".join(unique_among_all(SimpleNamespace(uniqueness=told)))


VERDICTS = {
    "synthetic: the original held out": of_the_original_held_out,
    "synthetic: one column": of_one_column,
    "estimate: few samples": of_few_samples,
    "estimate: few points": of_few_points,
    "estimate: swapped columns": of_swapped_columns,
    "estimate: a claim of ε and δ": lambda _: of_a_claim(1.0, 1e-5),
    "estimate: a claim of ε": lambda _: of_a_claim(1.0, None),
    "estimate: the least ε": lambda _: of_a_claim(None, 1e-5),
    "exposure: the columns apart": of_columns_apart,
    "diff: a join": of_a_join,
    "collect: what a party guesses": of_a_guess,
    "collect: what may go out": of_a_choice,
    "collect: few answers beside the truth": of_few_answers,
    "audit: who is unique among everybody": of_everybody,
}


@pytest.mark.parametrize("place", VERDICTS)
def test_what_holds_everything_concludes_nothing(place, tmp_path):
    words = VERDICTS[place](tmp_path)
    assert "nothing can be concluded" in words.lower()
    assert REASSURING.findall(QUESTION.sub("", words)) == []


@pytest.mark.parametrize("spelled", ["exposure>0.99", "exposure>0", "exposure<0.01", "exposure<1"])
@pytest.mark.parametrize("value", [ANY_SHARE, Estimate(0.0, -1.0, 1.0, 0.95, "m"), None, float("nan")])
def test_no_gate_passes_or_fails_by_it(spelled, value):
    (verdict,) = judged([gate_of(spelled)], {"exposure": value})
    assert verdict.verdict == "not decided"


@pytest.mark.parametrize("target", ["posterior_vulnerability<=0.99", "bayes_security>=0.01"])
def test_no_target_is_met_or_missed_by_it(target):
    assert target_of(target, Scenario(users=9)).is_met(ANY_SHARE) is None


def test_no_number_is_shown_for_it():
    for value in (0.0, 0.5, 1.0):
        assert interval(Estimate(value, 0.0, 1.0, 0.95, "tries")).startswith("not known")
