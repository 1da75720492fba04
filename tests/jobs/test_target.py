"""What meets a target is exact where the answers are, and else at most or at least a number that is sufficient."""

import json
import math
from collections.abc import Callable

import pytest

import discretion as dc
from discretion.estimate import Estimate
from discretion.jobs.scenario import Scenario
from discretion.jobs.target import Target, sufficient_crowd, sufficient_epsilon, target_of
from discretion.shuffling import Shuffled
from support.cli_runner import run

OFF = 0.02


def coin(epsilon: float) -> dc.RandomizedResponse:
    return dc.RandomizedResponse(2, epsilon)


def guess(crowd: Shuffled) -> float:
    return float(dc.posterior_vulnerability(crowd))


def bounds(crowd: Shuffled) -> Estimate:
    return Estimate.between(guess(crowd) - OFF, guess(crowd) + OFF, "bounds")


def sampled(crowd: Shuffled) -> Estimate:
    return Estimate(guess(crowd), guess(crowd) - OFF, guess(crowd) + OFF, 0.95, "sample")


def goal(question: Callable[[Shuffled], float | Estimate], level: float) -> Target:
    return Target("posterior_vulnerability", "<=", level, question, level)


def first(level: float) -> int:
    return next(n for n in range(1, 3000) if guess(Shuffled(coin(1), n)) <= level)


@pytest.mark.parametrize("level", [0.73, 0.6, 0.55, 0.53])
def test_a_crowd_is_between_those_of_both_ends(level: float) -> None:
    assert sufficient_crowd(goal(guess, level), coin(1)) == first(level)
    found = sufficient_crowd(goal(bounds, level), coin(1))
    assert isinstance(found, Estimate)
    assert (found.low, found.high, found.value) == (first(level + OFF), first(level - OFF), first(level - OFF))
    assert (found.kind, found.value_is, found.safe) == ("bound", "upper bound", "high")
    assert found.low <= first(level) <= found.high


@pytest.mark.parametrize("level", [0.7, 0.6, 0.55])
def test_an_epsilon_is_between_those_of_both_ends(level: float) -> None:
    def largest(most: float) -> float:
        return dc.shuffling.largest_epsilon(coin, 3, guess, at_most=most)

    assert sufficient_epsilon(goal(guess, level), coin, 3) == largest(level)
    found = sufficient_epsilon(goal(bounds, level), coin, 3)
    assert isinstance(found, Estimate)
    assert found.value == found.low == pytest.approx(largest(level - OFF), rel=1e-8)
    assert found.high == pytest.approx(largest(level + OFF), rel=1e-8)
    assert (found.kind, found.value_is, found.safe) == ("bound", "lower bound", "low")


def test_bounds_that_part_two_neighbours_give_an_exact_answer() -> None:
    def narrow(crowd: Shuffled) -> Estimate:
        return Estimate.between(guess(crowd) - 1e-9, guess(crowd) + 1e-9, "bounds")

    assert sufficient_crowd(goal(narrow, 0.6), coin(1)) == first(0.6)


def test_what_every_epsilon_may_meet_has_no_upper_end() -> None:
    def loose(crowd: Shuffled) -> Estimate:
        return Estimate.between(0.5, guess(crowd), "bounds")

    found = sufficient_epsilon(goal(loose, 0.6), coin, 3)
    assert isinstance(found, Estimate)
    assert found.value == pytest.approx(dc.shuffling.largest_epsilon(coin, 3, guess, at_most=0.6), rel=1e-8)
    assert found.high == math.inf


def test_what_rests_on_samples_names_the_assumption_that_none_misses() -> None:
    found = sufficient_crowd(goal(sampled, 0.6), coin(1))
    assert isinstance(found, Estimate)
    assert (found.low, found.high) == (first(0.6 + OFF), first(0.6 - OFF))
    assert (found.kind, found.value_is) == ("assumption", "upper bound")
    assert "sampled results misses, each with 95 % confidence" in str(found.assuming)


def test_samples_of_smaller_crowds_take_nothing_from_a_certified_one() -> None:
    def mixed(crowd: Shuffled) -> Estimate:
        return sampled(crowd) if crowd.n < 50 else bounds(crowd)

    found = sufficient_crowd(goal(mixed, 0.53), coin(1))
    assert isinstance(found, Estimate)
    assert (found.kind, found.high) == ("bound", first(0.53 - OFF))
    assert found.low <= first(0.53)


def test_a_target_from_below_is_met_by_the_lower_end() -> None:
    at_least = target_of("bayes_security>=0.9", Scenario())

    def kept(crowd: Shuffled) -> Estimate:
        exact = float(dc.bayes_security(crowd))
        return Estimate.between(exact - OFF, min(1.0, exact + OFF), "bounds", safe="low", span=1)

    found = sufficient_crowd(Target(at_least.name, ">=", 0.9, kept, 0.9), coin(1))
    assert isinstance(found, Estimate)
    by_hand = [
        next(n for n in range(1, 3000) if dc.bayes_security(Shuffled(coin(1), n)) >= level)
        for level in (0.9 - OFF, 0.9 + OFF)
    ]
    assert [found.low, found.high] == by_hand


@pytest.mark.long
def test_the_crowd_and_the_epsilon_of_a_simulation_lie_between_what_is_said_of_them() -> None:
    name = "oue:k=100,epsilon=1"
    told = ["--users", "100000", "--target", "posterior_vulnerability<=0.0101", "--seed", "1"]
    target = json.loads(run("compare", name, *told, "--json")[1])["results"][name]["target"]
    text = " ".join(run("compare", name, *told)[1].split())
    assert ("users are sufficient" in text) == isinstance(target["smallest_crowd"], dict)
    assert ("is sufficient, " in text) == isinstance(target["largest_epsilon"], dict)
    # Of 60 simulated collections of 100,000 people the mean guess is .010094 at ε = 2 and .010102 at 2.14, ± .000002.
    for answer, simulated in ((target["smallest_crowd"], 18_000), (target["largest_epsilon"], 2.11)):
        if isinstance(answer, dict):
            assert answer["kind"] == "bound"
            assert answer["value"] in (answer["low"], answer["high"])
            assert float(answer["low"]) <= simulated <= float(answer["high"])
        else:
            assert answer == pytest.approx(simulated, rel=0.2)
