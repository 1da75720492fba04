"""A gate says what a direct comparison of fractions says, and nothing where an interval holds its limit."""

import subprocess
import sys
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, strategies as st

from discretion.errors import InvalidValueError
from discretion.estimate import Estimate
from discretion.jobs.gates import Gate, gate_of, gates_of, judged, numbers_in

LIMITS = st.decimals(-1000, 1000, allow_nan=False, allow_infinity=False, places=6)
COUNTS = st.integers(0, 10**6)


def verdict(gate: str, value: object) -> str:
    (found,) = judged([gate_of(gate)], {"m": value}, "a way out")
    assert (found.settle is None) == (found.verdict != "not decided")
    return found.verdict


def compared(operator: str, value: Fraction, limit: Fraction) -> str:
    """The oracle: passed, or failed by being on the wrong side."""
    return "failed" if (value > limit if operator == ">" else value < limit) else "passed"


@given(COUNTS, st.integers(1, 10**6), LIMITS, st.sampled_from("<>"))
def test_a_share_is_compared_as_a_fraction(part: int, whole: int, limit, operator: str) -> None:
    share = Fraction(part, whole)
    assert verdict(f"m{operator}{limit}", share) == compared(operator, share, Fraction(limit))
    assert verdict(f"m{operator}{limit}", part) == compared(operator, Fraction(part), Fraction(limit))


@given(COUNTS, st.integers(1, 8), st.sampled_from("<>"))
def test_a_share_at_the_limit_passes_and_one_person_more_or_fewer_does_not(
    part: int, digits: int, operator: str
) -> None:
    whole = 10**digits
    more = Fraction(part + (1 if operator == ">" else -1), whole)
    gate = f"m{operator}{part}e-{digits}"
    assert verdict(gate, Fraction(part, whole)) == "passed"
    assert verdict(gate, part / whole) == "passed"
    assert verdict(gate, more) == verdict(gate, float(more)) == "failed"


@given(st.floats(allow_nan=False), LIMITS, st.sampled_from("<>"))
def test_a_float_is_compared_as_the_fraction_it_is_but_for_its_rounding(value: float, limit, operator: str) -> None:
    found, limit = verdict(f"m{operator}{limit}", value), Fraction(limit)
    if abs(value) == float("inf"):
        assert found == ("failed" if (value > 0) == (operator == ">") else "passed")
    elif abs(Fraction(value) - limit) > abs(limit) / 10**9:
        assert found == compared(operator, Fraction(value), limit)
    elif abs(Fraction(value) - limit) < abs(limit) / 10**11:
        assert found == "passed"


@given(st.lists(st.floats(-100, 100), min_size=3, max_size=3).map(sorted), LIMITS, st.sampled_from("<>"))
def test_an_interval_decides_if_both_its_ends_agree(ends: list[float], limit, operator: str) -> None:
    low, value, high = ends
    gate = f"m{operator}{limit}"
    both = {verdict(gate, low), verdict(gate, high)}
    for confidence in (None, 0.95):
        found = verdict(gate, Estimate(value, low, high, confidence, "a way"))
        assert found == (both.pop() if len(both) == 1 else "not decided")
        both = {verdict(gate, low), verdict(gate, high)}


@pytest.mark.parametrize("value", [None, float("nan")])
@pytest.mark.parametrize("operator", "<>")
def test_what_is_no_number_is_not_decided(value: float | None, operator: str) -> None:
    gate = gate_of(f"m{operator}0.5")
    (found,) = judged([gate], {"m": value}, "a way out", {"m": "it was too large"})
    assert (found.verdict, found.value, found.settle) == ("not decided", None, "it was too large")
    assert str(found) == f"not decided m {operator} 0.5: it was too large"


@pytest.mark.parametrize(
    ("text", "gate"),
    [
        ("exposure>0.01", Gate("exposure", ">", Fraction(1, 100))),
        ("  k_anonymity <  5 ", Gate("k_anonymity", "<", Fraction(5))),
        ("guess:a>b<c>1e-3", Gate("guess:a>b<c", ">", Fraction(1, 1000))),
        ("m>-2", Gate("m", ">", Fraction(-2))),
    ],
)
def test_a_gate_is_read(text: str, gate: Gate) -> None:
    assert gate_of(text) == gate


@pytest.mark.parametrize(
    "text",
    ["", "0.05", "exposure", "exposure>", ">1", "m>=1", "m=1", "m>nan", "m>inf", "m>1e999999999", "m>1/2", "m>a b"],
)
def test_what_is_no_gate_is_refused_with_what_was_given(text: str) -> None:
    with pytest.raises(InvalidValueError, match="a measure, > ") as raised:
        gate_of(text)
    assert repr(text) in str(raised.value)


def test_an_unknown_measure_names_the_nearest() -> None:
    with pytest.raises(InvalidValueError, match="did you mean 'exposure'"):
        gates_of(["exposur>1"], ["exposure", "k_anonymity"])
    with pytest.raises(InvalidValueError, match="did you mean 'exposure'"):
        judged([gate_of("exposur>1")], {"exposure": 0.5}, "a way out")


@pytest.mark.parametrize(
    ("gate", "value", "line"),
    [
        ("m>0.01", 0.12, "FAILED m 0.12 > 0.01"),
        ("m>0.01", Fraction(1, 100), "passed m 0.01 <= 0.01"),
        ("m<5", 12_345_678, "passed m 12345678 >= 5"),
        ("m>0.1", 0.1000000001234, "FAILED m 0.100000000123 > 0.1"),
        ("m<1", Estimate(0.5, 0.4, 0.6, 0.95, "x"), "FAILED m 0.5 (95 % sure in [0.4, 0.6]) < 1"),
        (
            "m>0.5",
            Estimate(0.5, 0.4, 0.6, None, "x"),
            "not decided m > 0.5: it is between 0.4 and 0.6 (certified in [0.4, 0.6]); to decide it, take a way out",
        ),
        ("m>0.5", float("inf"), "FAILED m inf > 0.5"),
    ],
)
def test_a_verdict_is_said_in_a_line(gate: str, value: object, line: str) -> None:
    (found,) = judged([gate_of(gate)], {"m": value}, "a way out")
    assert str(found) == line


def test_numbers_are_found_among_results_and_nothing_else() -> None:
    bound = Estimate(0.1, 0.0, 0.1, None, "bound")
    results = {"a": 1, "b": {"c": bound, "d": {"e": 0.5}, "f": "text"}, "g": (0, 1), "h": True, "i": None}
    assert numbers_in(results) == {"a": 1, "b.c": bound, "b.d.e": 0.5}


@pytest.mark.parametrize(("low", "high"), [(0.01, 0.5), (0.2, 0.9), (0.0, 1.0), (0.4, 0.7)])
@pytest.mark.parametrize("safe", ["low", "high"])
def test_no_value_of_a_bound_decides_only_its_ends(low: float, high: float, safe: Any) -> None:
    bound = Estimate.between(low, high, "sums", safe=safe, span=1)
    for limit in (low - 0.001, low + 0.001, bound.value, high - 0.001, high + 0.001):
        word = "failed" if limit < low else "not decided" if limit < high else "passed"
        (verdict,) = judged([gate_of(f"m>{limit:.6f}")], {"m": bound})
        assert verdict.verdict == word
        word = "failed" if limit > high else "not decided" if limit > low else "passed"
        (verdict,) = judged([gate_of(f"m<{limit:.6f}")], {"m": bound})
        assert verdict.verdict == word


def test_reading_a_gate_loads_few_modules() -> None:
    code = (
        "import sys; from discretion.jobs.gates import gate_of; gate_of('exposure>0.01'); "
        "print(sum(name.split('.')[0] == 'discretion' for name in sys.modules))"
    )
    answer = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert int(answer.stdout) < 20
