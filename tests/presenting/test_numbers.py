"""One way to say a number."""

import pytest

from tacit import Estimate
from tacit.presenting.numbers import within


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
