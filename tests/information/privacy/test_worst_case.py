"""The report and the two values at which worst-case privacy is attained: by enumeration, and by what is left hidden."""

import math
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, strategies as st

import discretion as dc
from oracles.strategies import matrices
from support.cli_runner import run

worst = dc.information.worst_case_report


def losses(matrix):
    """Return the logarithm of every ratio of two entries of a column, by report and ordered pair of values."""
    log = {0: -math.inf}
    return {
        (y, a, b): log.get(column[a], math.log(column[a]) if column[a] else -math.inf)
        - (math.log(column[b]) if column[b] else -math.inf)
        for y, column in enumerate(np.transpose(matrix))
        for a, b in permutations(range(len(column)), 2)
        if column[a] > 0
    }


@given(matrices(rows=st.integers(2, 4)))
def test_the_worst_case_is_the_first_of_the_largest_ratios(matrix):
    found, ratios = worst(dc.Channel(matrix)), losses(matrix)
    most = max(ratios.values())
    assert ratios[found.report, found.value, found.other_value] == pytest.approx(most, abs=1e-9)
    assert not any(ratio > most - 1e-13 for (y, *_), ratio in ratios.items() if y < found.report)
    assert math.exp(-most) == pytest.approx(dc.information.worst_case_privacy(dc.Channel(matrix)), abs=1e-12)


@pytest.mark.parametrize(
    "mechanism",
    [
        dc.RandomizedResponse(4, epsilon=1), dc.RandomizedResponse(3, p=1), dc.UnaryEncoding.oue(4, 2),
        dc.UnaryEncoding(3, kappa=1, lam=0.3), dc.UnaryEncoding(3, kappa=0.5, lam=0), dc.SubsetSelection(5, 1),
        dc.LocalHashing(5, 1), dc.LocalHashing(7, 1, g=6), dc.HadamardResponse(5, 1),
    ],
    ids=repr,
)  # fmt: skip
def test_all_reports_that_a_protocol_describes_attain_it(mechanism):
    found, matrix = worst(mechanism), mechanism.channel().dense()
    assert (found.value, found.other_value) == (0, 1)
    supports = (matrix > 0) & (matrix >= matrix.max(axis=0) * (1 - 1e-9))
    described = np.flatnonzero(supports[0] & ~supports[1])
    assert described.size
    assert found.report in ("any that supports 0 and not 1", described[0])
    ratios = losses(matrix)
    for y in described:
        assert ratios[y, 0, 1] == pytest.approx(mechanism.epsilon, rel=1e-9)
    assert max(ratios.values()) == pytest.approx(mechanism.epsilon, rel=1e-9)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([[1, 0], [0, 1]], (0, 0, 1)),
        ([[0.5, 0.5], [0.25, 0.75]], (0, 0, 1)),
        ([[0.5, 0.5, 0], [0.5, 0.5, 0]], (0, 0, 1)),  # all are alike
        ([[0, 0.5, 0.5], [0, 0.5, 0.5]], (1, 0, 1)),  # a report that never comes tells nothing
        ([[0.4, 0.6], [0.3, 0.7], [0.4, 0.6]], (0, 0, 1)),
        ([[Fraction(1, 3), Fraction(2, 3)], [Fraction(2, 3), Fraction(1, 3)]], (0, 1, 0)),
    ],
)
def test_the_lowest_of_the_tied(rows, expected):
    found = worst(dc.Channel(rows))
    assert (found.report, found.value, found.other_value) == expected


def test_mechanisms_without_noise_or_with_nothing_but_noise():
    assert worst(dc.UnaryEncoding(3, kappa=0.5, lam=0.5)).report == "any"
    assert worst(dc.RandomizedResponse(3, epsilon=0)) == dc.information.WorstCaseReport(0, 0, 1)


def test_nobody_does_better_than_a_population_that_is_nearly_all_of_one_value():
    """Remark 5.4: of every report and pair of values, what is left hidden is least at the one that is returned."""
    matrix = np.array([[0.5, 0.3, 0.2], [0.2, 0.3, 0.5], [0.3, 0.6, 0.1]])
    rare, left = 1e-200, {}
    for y, a, b in losses(matrix):
        posterior = rare * matrix[b, y] / matrix[a, y]  # of value b on seeing y, where nearly everybody has a
        left[y, a, b] = posterior * (1 - math.log(posterior)) / (rare * (1 - math.log(rare)))
    found = worst(dc.Channel(matrix))
    assert min(left, key=left.__getitem__) == (found.report, found.value, found.other_value) == (2, 1, 2)
    assert left[2, 1, 2] == pytest.approx(dc.information.worst_case_privacy(dc.Channel(matrix)), rel=0.01)


@pytest.mark.parametrize(
    ("system", "words"),
    [
        (dc.Channel([[0.5, 0.5]]), "at least two values"),
        (dc.Shuffled(dc.RandomizedResponse(3, p=0.7), 10), "mechanism alone"),
        (dc.Laplace(1.0), "continuum"),
        ("krr", "discretion.Channel"),
    ],
)
def test_what_has_no_worst_report_is_refused(system, words):
    with pytest.raises((dc.errors.InvalidValueError, dc.errors.UnsupportedError), match=words):
        worst(system)


def test_measure_shows_it_beside_worst_case_privacy(tmp_path):
    file = tmp_path / "channel.csv"
    file.write_text("0.75,0.25\n0.5,0.5\n")
    code, out, err = run("measure", f"channel:{file}", "--population", "jeffreys")
    assert (code, err) == (0, "")
    assert "1 against 0, report: 1" in out
