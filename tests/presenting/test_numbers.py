"""One way to say a number."""

import math

import pytest

from discretion import Estimate
from discretion.presenting.numbers import in_brief, in_full, interval, within


@pytest.mark.parametrize(
    ("estimate", "said"),
    [
        (Estimate(0.2, 0.1, 0.3, None, "bound"), "certified in [0.1, 0.3]"),
        (Estimate(0.2, 0.1, 0.3, 0.95, "sample"), "95 % sure in [0.1, 0.3]"),
        (Estimate(0.2, 0.1, 0.3, None, "product", "independent columns"), "in [0.1, 0.3] assuming independent columns"),
        (Estimate(0.2, 0.1, 0.3, 0.9, "sample", "no drift"), "90 % sure in [0.1, 0.3] assuming no drift"),
    ],
)
def test_an_interval_is_told_with_what_it_takes_to_hold(estimate: Estimate, said: str) -> None:
    assert within(estimate) == said


@pytest.mark.parametrize("confidence", [None, 0.95])
@pytest.mark.parametrize("end", [0.0, 1.0])
def test_what_may_be_any_share_is_never_shown_as_one_of_its_ends(confidence: float | None, end: float) -> None:
    unknown = Estimate(end, 0.0, 1.0, confidence, "too few tries")
    assert in_full(unknown) == f"at {'most' if end else 'least'} {end:g}"
    assert in_brief(unknown) == f"{'≤' if end else '≥'}{end:g}*"
    assert interval(unknown).startswith("not known (")


def test_an_estimate_at_the_end_of_its_interval_is_a_number_and_a_bound_is_none() -> None:
    assert in_full(Estimate(0.0, 0.0, 0.1, 0.95, "none of many tries")) == "0"
    assert in_full(Estimate(0.1, 0.0, 0.1, None, "bound")) == "at most 0.1"
    assert in_full(Estimate(1.0, 1.0, 1.0, None, "certain")) == "1"


def test_what_is_known_between_two_ends_is_said_with_both_rounded_outwards() -> None:
    assert in_full(Estimate.between(0.12345678, 0.98765432, "sums")) == "between 0.123456 and 0.987655"
    assert in_full(Estimate(0.3, 0.1234567, 0.98765432, None, "sums")) == "between 0.123456 and 0.987655"
    assert in_full(Estimate(0.9, 0.3, math.inf, None, "sums")) == "at least 0.3"
    assert in_brief(Estimate(0.3, 0.12345, 0.98765, None, "sums")) == "0.123 to 0.988*"
    assert in_brief(Estimate(12345, 1, 12345, None, "sums")) == "≤12,345*"
    assert within(Estimate(12345678, 2, 12345678, None, "sums")) == "certified in [2, 12,345,678]"
    assert interval(Estimate(0.12344, 0.0, 0.12344, 0.95, "limits")) == "at most 12.35 % (95 %: 0 % to 12.35 %)"
    assert interval(Estimate(0.2, 0.1, 0.5, None, "sums")) == "between 10 % and 50 % (certified: 10 % to 50 %)"
