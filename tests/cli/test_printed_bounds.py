"""No command prints, or gives in JSON, a number between ends that are far apart as if it were a value."""

import contextlib
import itertools
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from discretion.estimate import Estimate, is_wide
from discretion.presenting.numbers import in_brief, percent
from support.cli_runner import run

# What is safe at its low end; all else that the commands give is safe at its high one, a target's largest ε aside.
PROTECTS = {
    "bayes_security", "bayes_risk", "tradeoff", "average_privacy", "worst_case_privacy", "asymptotic_utility",
    "effective_participation", "population_information", "distribution_utility", "tally_utility", "digit_utility",
    "largest_epsilon",
}  # fmt: skip
CROWDS = {
    "krr:k=3,epsilon=1": ("uninformed:0.5,0.3,0.2", "all-but-one:333,333,333"),
    "oue:k=3,epsilon=1": ("all-but-one:333,333,333", "exchangeable:1,1,1"),
    "ss:k=6,epsilon=1": ("partly-informed:9,9,9,0,0,0",),
    "channel:0.9,0.1,0;0.1,0.8,0.1;0,0.2,0.8": ("all-but-one:400,300,299",),
}
ALONE = (
    "krr:k=4,epsilon=1", "oue:k=40,epsilon=1", "hadamard:k=5,epsilon=2", "gaussian:sigma=1,sensitivity=1",
    "dpsgd:sigma=1,rate=0.01,steps=100", "channel:0.9,0.1;0.2,0.8",
)  # fmt: skip


MEASURES = ("posterior_vulnerability", "mutual_information", "privacy_profile")


class _NotMeasuredError(Exception):
    """A crowd of which a measure is refused, in words."""


def number(value: Any) -> float:
    return float(value)


def estimates(results: Any, name: str = "") -> Iterator[tuple[str, Estimate, dict[str, Any]]]:
    """Yield each estimate in a JSON answer with the last name on the way to it."""
    if isinstance(results, list):
        for each in results:
            yield from estimates(each, name)
    elif isinstance(results, dict):
        if {"value", "low", "high", "confidence"} <= set(results):
            ends = [number(results[key]) for key in ("value", "low", "high")]
            yield name, Estimate(*ends, results["confidence"], results["method"], results["assuming"]), results
        else:
            for key, each in results.items():
                yield from estimates(each, key)


def check_json(results: Any) -> list[tuple[str, Estimate]]:
    """Return the bounds whose ends are far apart, after a check that each stands at its safe end and says so."""
    wide = []
    for name, estimate, said in estimates(results):
        assert said["kind"] == estimate.kind, name
        assert said["value_is"] == estimate.value_is, name
        if is_wide(estimate):
            end = estimate.low if name in PROTECTS else estimate.high
            assert estimate.value == pytest.approx(end, rel=1e-9, abs=1e-12), (name, said)
            assert said["value_is"] == ("lower bound" if name in PROTECTS else "upper bound"), (name, said)
            wide.append((name, estimate))
    return wide


def answered(*arguments: str) -> tuple[Any, str]:
    """Return a command's results as JSON, and what it prints."""
    code, out, err = run(*arguments, "--json")
    if code == 2 and "--only" in arguments:
        raise _NotMeasuredError(err)
    assert code == 0, err
    code, text, err = run(*arguments)
    assert code == 0, err
    return json.loads(out)["results"], text


def check_measured(*arguments: str) -> int:
    results, text = answered("measure", *arguments, "--seed", "1")
    wide = check_json(results)
    assert results
    flat = " ".join(text.split())
    for name, estimate in wide:
        row = flat[flat.index(f" {name} ") :].removeprefix(f" {name} ")
        assert re.match(r"(between .* and|at most|at least) ", row), (name, estimate, row[:60])
    return len(wide)


@pytest.mark.parametrize(
    "mechanism", [pytest.param(name, marks=[pytest.mark.long] * name.startswith("dpsgd")) for name in ALONE]
)
def test_measures_of_one_report(mechanism: str) -> None:
    check_measured(mechanism, "--epsilon", "0.5", "--delta", "1e-3", "--false-positive-rate", "0.01")


@pytest.mark.long
def test_measures_of_crowds() -> None:
    wide = 0
    for (mechanism, adversaries), only in itertools.product(CROWDS.items(), MEASURES):
        for adversary in adversaries:
            crowd = ["--users", "1000", "--shuffled", "--adversary", adversary, "--only", only, *levels(only)]
            with contextlib.suppress(_NotMeasuredError):
                wide += check_measured(mechanism, *crowd)
    assert wide > 1  # most ends of crowds are close to each other


def levels(measure: str) -> list[str]:
    return ["--epsilon", "0.1"] if measure == "privacy_profile" else []


@pytest.mark.long
def test_comparisons() -> None:
    wide = 0
    for mechanism, users in itertools.product(("ss:k=12,epsilon=1", "oue:k=12,epsilon=1"), (2, 2000)):
        crowd = ["--users", str(users), "--epsilon", "0.1", "--seed", "1"]
        results, text = answered("compare", mechanism, *crowd)
        for name, estimate in check_json(results):
            wide += 1
            assert in_brief(estimate)[0] == ("≥" if name in PROTECTS else "≤")
            assert in_brief(estimate) in text, (name, estimate, text)
    assert wide > 0


@pytest.mark.parametrize("seed", range(3))
def test_estimates_of_samples(tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)
    rows = [f"{secret},{draw.choice([secret, draw.randrange(4)])}" for secret in (0, 1) for _ in range(20 + 100 * seed)]
    file = tmp_path / "samples.csv"
    file.write_text("\n".join(["secret,seen", *rows]) + "\n")
    results, _ = answered("estimate", str(file), "--epsilon", "0.5", "--delta", "0.01", "--seed", "1")
    assert not check_json(results)  # all of them hold with a confidence


@pytest.mark.long
@pytest.mark.parametrize("people", [7, 60, 700])
def test_audits_of_tables(tmp_path: Path, people: int) -> None:
    draw = random.Random(people)
    rows = [f"{draw.choice('abc')},{draw.randrange(4)},{draw.randrange(90)},{draw.choice('yn')}" for _ in range(people)]
    file = tmp_path / "people.csv"
    file.write_text("\n".join(["town,job,age,ill", *rows]) + "\n")
    results, text = answered("audit", str(file), "--sensitive", "ill", "--population", str(20 * people))
    wide = check_json(results)
    assert wide
    for name, estimate in wide:
        middle = percent((estimate.low + estimate.high) / 2)
        assert estimate.low <= 0 or middle not in text, (name, estimate)
