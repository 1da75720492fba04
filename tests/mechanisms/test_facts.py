"""What a mechanism states of its reports is what its explicit channel says."""

import itertools

import numpy as np
import pytest

import discretion as dc
from discretion.mechanisms import Reporting, Sender, reporting
from mechanisms.table import MECHANISMS

each = pytest.mark.parametrize("mechanism", MECHANISMS)


def told(types, rows):
    """What the best guess gets out of the types, for some gains of so many rows."""
    gains = np.random.default_rng(rows).normal(size=(40, 3, rows))
    return (gains @ types).max(axis=1).sum(axis=1)


def columns(matrix):
    """The columns in an order of their own, to as many digits as rounding leaves."""
    return sorted(tuple(float(f"{entry:.9g}") for entry in column) for column in matrix.T.tolist())


def others_of(k):
    """Nobody besides two values, or the blanket, uniform ones, some of a law, or some whose value is known too."""
    return [
        [],
        [Sender()],
        [Sender(blanket=True)],
        [Sender(population=np.arange(1, k + 1) / sum(range(1, k + 1)))],
        [Sender(value=1), Sender()],
    ]


@each
def test_types_of_report_tell_as_much_as_the_reports(mechanism):
    values = 0, mechanism.k - 1
    for others in others_of(mechanism.k):
        if any(sender.blanket for sender in others) and mechanism.blanket_probability < 1e-12:
            continue  # there is none, or none that its own rounding leaves
        types, general = mechanism.report_types(values, others), Reporting.report_types(mechanism, values, others)
        assert types.sum(axis=1) == pytest.approx(1)
        assert told(types, len(types)) == pytest.approx(told(general, len(types)), rel=1e-10, abs=1e-12)


@each
def test_logarithms_of_types_are_those_of_their_probabilities(mechanism):
    if mechanism.epsilon > 600:  # where they are there because the probabilities are not
        return
    for others in others_of(mechanism.k)[:2]:
        types = mechanism.report_types((0, mechanism.k - 1), others)
        assert np.exp(mechanism.log_report_types((0, mechanism.k - 1), others)) == pytest.approx(types)


@each
def test_the_blanket_is_as_likely_as_the_channel_says(mechanism):
    assert mechanism.blanket_probability == pytest.approx(mechanism.channel().matrix.min(axis=0).sum(), abs=1e-12)


@each
def test_events_tell_no_two_values_apart_better_than_the_reports(mechanism):
    matrix = mechanism.channel().matrix
    for event in mechanism.events():
        assert np.all((event >= 0) & (event <= 1))
        for a, b in itertools.combinations(range(mechanism.k), 2):
            assert abs(event[a] - event[b]) <= dc.total_variation(matrix[a], matrix[b]) + 1e-12


@each
def test_renaming_the_values_of_a_symmetric_mechanism_renames_its_reports(mechanism):
    if mechanism.is_symmetric:
        matrix = mechanism.channel().matrix
        for a, b in itertools.combinations(range(mechanism.k), 2):
            renamed = matrix.copy()
            renamed[[a, b]] = matrix[[b, a]]
            assert columns(renamed) == columns(matrix)


@each
def test_pairs_of_a_kind_are_told_apart_alike_beside_uniform_values(mechanism):
    kinds = mechanism.pair_kinds()
    if kinds is None:
        return
    k, matrix = mechanism.k, mechanism.channel().matrix
    first = {}
    for a, b in itertools.combinations(range(k), 2):
        assert kinds[a, b] == kinds[b, a]
        seen = [columns(np.stack([matrix[x], matrix[y], matrix.mean(axis=0)])) for x, y in ((a, b), (b, a))]
        assert first.setdefault(int(kinds[a, b]), seen[0]) in seen


@each
def test_randomized_response_is_what_the_channel_is(mechanism):
    if mechanism.response is not None:
        k, p, q, gap, epsilon = mechanism.response
        matrix = mechanism.channel().matrix
        assert matrix == pytest.approx(np.full((k, k), q) + np.eye(k) * (p - q), rel=1e-12)
        assert (gap, epsilon) == (pytest.approx(p - q, abs=1e-15), mechanism.epsilon)


@each
def test_bits_are_independent(mechanism):
    if mechanism.bits is not None:
        own, not_own, other, not_other, _ = mechanism.bits
        channel = mechanism.channel()
        for value, row in enumerate(channel.matrix):
            chances = [(not_own, own) if bit == value else (not_other, other) for bit in range(mechanism.k)]
            expected = [
                np.prod([chances[i][bit] for i, bit in enumerate(bits)]) for bits in mechanism.channel().outputs
            ]
            assert row == pytest.approx(expected, rel=1e-12, abs=1e-300)


def test_of_any_other_system_the_channel_is_asked():
    system = dc.Geometric(epsilon=1, sensitivity=2)
    known, matrix = reporting(system), system.channel().matrix
    assert known.secrets == 3
    assert not known.is_symmetric
    assert known.response is known.bits is known.pair_kinds() is None
    assert known.blanket_probability == pytest.approx(matrix.min(axis=0).sum())
    assert known.report_types(range(3)) == pytest.approx(matrix)


@pytest.mark.parametrize("system", [dc.Laplace(1), dc.SubsampledGaussian(1, 0.1, 5), dc.repeated(dc.Gaussian(1), 3)])
def test_a_continuum_of_reports_has_no_types(system):
    with pytest.raises(dc.errors.UnsupportedError, match="sort continuous reports into bins"):
        reporting(system)
