"""What figures say in words is said as everywhere: all is all, and a bound still holds."""

import json

import pytest

from discretion import charts
from discretion.charts.style import label


def words(chart) -> str:
    return json.dumps(chart.to_dict(), ensure_ascii=False)


@pytest.mark.parametrize(
    ("share", "said"),
    [(0.0206074752, "2.06 %"), (0.5, "50 %"), (1.0, "100 %"), (0.0, "0 %"), (0.9996, "over 99.9 %"),
     (3e-8, "under 0.0001 %")],
)  # fmt: skip
def test_a_label_is_short_and_says_all_of_all_only(share: float, said: str) -> None:
    assert label(share) == said


def test_a_certified_bound_is_rounded_upwards() -> None:
    pair = {"columns": ["sex", "race"], "exposure": 0.12341, "bound": {"value": 0.12341}}
    said = words(charts.certified_beside_truth([pair], k=10))
    assert "≤ 12.4 %" in said
    assert '"exact": "12.3 %"' in said


def test_a_guess_that_is_a_bound_is_rounded_upwards() -> None:
    guesses = {"blind": 0.5, "report": 0.73, "knows_all": {"high": 0.50123}}
    option = {"epsilon": 1.0, "best": {"error_share": 0.01}, "shares": guesses}
    report = {"column": "sex", "options": [option], "recommended": option}
    assert "at most 50.2 %" in words(charts.collection_options(report))
