"""A channel tells the same in whatever storage: each question that is asked of one, and each measure, in Fractions."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

import discretion as dc
from channels.storage.table import STORAGES
from discretion.channels.storage import leading, storage as room
from discretion.errors import TooLargeError
from measures.table import CASES
from oracles import adversaries as slow_crowds, channels as slow, measures as slow_measures
from oracles.promise import exactly
from support.lowering import lowered

each_storage = pytest.mark.parametrize("make", STORAGES.values(), ids=STORAGES)
each_pair = pytest.mark.parametrize(
    ("make", "other"),
    list(itertools.product(STORAGES.values(), repeat=2)),
    ids=map(", ".join, itertools.product(STORAGES, repeat=2)),
)


def _divided(weights):
    return weights / weights.sum(axis=1, keepdims=True)


def _drawn(rng):
    """A small channel in which zeros, zero columns, ties and copies are common."""
    rows, columns = rng.integers(1, 7, 2)
    weights = rng.integers(0, 8, (rows, columns)) * rng.integers(0, 2, (rows, columns)).clip(rng.random() < 0.5)
    weights[weights.sum(axis=1) == 0, rng.integers(columns)] = 1
    return _divided(weights[rng.integers(0, rows, rows)] if rng.random() < 0.2 else weights)


_RNG = np.random.default_rng(0)
CHANNELS = [_drawn(_RNG) for _ in range(24)]


@pytest.fixture(autouse=True)
def _in_several_parts():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(room, "_ENTRIES_AT_ONCE", 5)
        yield


def close(value):
    return pytest.approx(np.array(value, dtype=float), rel=1e-14, abs=1e-15)


def _total(C):
    return sum(map(sum, C))


def _largest(C):
    return [max(column) for column in zip(*C, strict=True)]


def _distances(C):
    return [2 * slow_measures.total_variation(row, C[-1]) for row in C]


WEIGHTS = np.array([0.5, 0.25, 0, 2, 0.125, 1])
EXACT_WEIGHTS = slow_measures.fractions(WEIGHTS)

# What is asked of a storage, and what it is of a list of rows of Fractions.
QUESTIONS = {
    "dense": (lambda rows: rows.dense(), lambda C: C),
    "blocks": (lambda rows: np.vstack([block for _, block in rows.blocks()]), lambda C: C),
    "rows": (lambda rows: rows.rows([rows.shape[0] - 1, 0]).dense(), lambda C: [C[-1], C[0]]),
    "columns": (
        lambda rows: rows.columns(np.arange(rows.shape[1])[::2]).dense(),
        lambda C: [row[::2] for row in C],
    ),
    "weighted": (
        lambda rows: rows.weighted(WEIGHTS[: rows.shape[0]]).dense(),
        lambda C: [[weight * entry for entry in row] for weight, row in zip(EXACT_WEIGHTS, C, strict=False)],
    ),
    "mixtures": (
        lambda rows: rows.mixtures(np.stack([WEIGHTS, WEIGHTS[::-1]])[:, : rows.shape[0]]),
        lambda C: [
            [sum(w * entry for w, entry in zip(weights, column, strict=False)) for column in zip(*C, strict=True)]
            for weights in (EXACT_WEIGHTS, EXACT_WEIGHTS[::-1])
        ],
    ),
    "column_maxima": (lambda rows: rows.column_maxima(), _largest),
    "column_minima": (lambda rows: rows.column_minima(), lambda C: [min(column) for column in zip(*C, strict=True)]),
    "column_means": (
        lambda rows: rows.column_means(),
        lambda C: [sum(column) / len(C) for column in zip(*C, strict=True)],
    ),
    "besides_maxima": (lambda rows: rows.besides_maxima(), lambda C: _total(C) - sum(_largest(C))),
    "row_sums": (
        lambda rows: rows.row_sums(lambda p, y: np.square(p - np.arange(rows.shape[1])[y])),
        lambda C: [sum((entry - y) ** 2 for y, entry in enumerate(row)) for row in C],
    ),
    "weighted_sum": (
        lambda rows: rows.weighted_sum(
            WEIGHTS[: rows.shape[0]], lambda p, y: np.square(p - np.arange(rows.shape[1])[y])
        ),
        lambda C: sum(
            weight * sum((entry - y) ** 2 for y, entry in enumerate(row))
            for weight, row in zip(EXACT_WEIGHTS, C, strict=False)
        ),
    ),
    "distances_to": (lambda rows: rows.distances_to(rows.shape[0] - 1), _distances),
    "furthest_rows": (
        lambda rows: rows.furthest_rows().distance,
        lambda C: 2 * (1 - slow_measures.bayes_security(C)),
    ),
    "merged": (lambda rows: rows.merged()[0].dense(), slow.reduced),
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("ask", "truth"), QUESTIONS.values(), ids=QUESTIONS)
def test_what_is_asked_of_a_storage_is_what_it_is_of_rows_of_fractions(ask, truth):
    for matrix in CHANNELS:
        expected = close(truth(slow.exact(matrix)))
        for name, make in STORAGES.items():
            assert ask(make(matrix).storage) == expected, name


@each_storage
def test_blocks_are_numbered_by_their_first_rows(make):
    for matrix in CHANNELS:
        seen = 0
        for start, block in make(matrix).storage.blocks():
            assert start == seen
            seen += len(block)
        assert seen == len(matrix)


@each_storage
def test_what_a_user_is_given_is_the_matrix(make):
    for matrix in CHANNELS:
        C = make(matrix)
        assert C.shape == C.storage.shape == matrix.shape
        assert np.array_equal(C.dense(), matrix)
        assert slow.exact(C.matrix) == slow.exact(matrix)


@pytest.mark.one_in(3)
@each_pair
def test_storages_of_two_kinds_go_together(make, other):
    for matrix in CHANNELS[:8]:
        left, right = make(matrix).storage, other(matrix[:, ::-1]).storage
        C, D = slow.exact(matrix), slow.exact(matrix[:, ::-1])
        both = leading([left, right])
        assert both.join_columns([left, right]).dense() == close([[*one, *two] for one, two in zip(C, D, strict=True)])
        assert both.row_products(left, right).dense() == close(slow.parallel(C, D))


@pytest.mark.one_in(3)
@each_pair
def test_channels_of_two_kinds_compose(make, other):
    for matrix, w in zip(CHANNELS, (0.25, 0.0, 1.0, 0.7), strict=False):
        C, D, E = make(matrix), other(matrix[::-1]), other(_divided(matrix.T + 1))
        rows, reverse = slow.exact(matrix), slow.exact(matrix[::-1])
        assert (C >> E).dense() == close(slow.cascade(rows, slow.exact(E.matrix)))
        assert (C & D).dense() == close(slow.parallel(rows, reverse))
        parts = [
            [[Fraction(weight) * entry for entry in row] for row in part]
            for weight, part in ((w, rows), (1 - w, reverse))
        ]
        assert dc.visible_choice([C, D], [w, 1 - w]).dense() == close([a + b for a, b in zip(*parts, strict=True)])
        hidden = [[x + y for x, y in zip(a, b, strict=True)] for a, b in zip(*parts, strict=True)]
        assert dc.hidden_choice([C, D], [w, 1 - w]).dense() == close(hidden)


@pytest.mark.long
@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in CASES])
def test_a_measure_is_its_definition_in_any_storage(case):
    rng = np.random.default_rng(1)
    for matrix in CHANNELS:
        k = len(matrix)
        for prior in (None, _divided(rng.integers(1, 8, (1, k)))[0], np.eye(k)[0]):
            for gain in (None, rng.integers(-4, 7, (3, k)) / 3):
                if not case.meaningful(k, prior, gain):
                    continue
                expected = exactly(case.expected(matrix, prior, gain))
                for name, make in STORAGES.items():
                    assert case.ask(make(matrix), prior, gain) == expected, name


@each_storage
def test_pairs_are_those_of_the_definition_in_any_storage(make):
    for matrix in [matrix for matrix in CHANNELS if len(matrix) > 1]:
        distances = slow_measures.pair_distances(slow.exact(matrix))
        largest = max(distances.values())
        tied = [pair for pair, distance in distances.items() if distance >= largest - Fraction(1, 10**12)]
        assert dc.leakiest_pairs(make(matrix)) == tied
        assert dc.leakiest_pair(make(matrix)) == tied[0]


@each_storage
@pytest.mark.parametrize("by", [None, "pivots", "mean row", "first row", "l2"])
def test_bounds_hold_in_any_storage(make, by):
    for matrix in CHANNELS[::3]:
        truth = float(slow_measures.bayes_security(slow.exact(matrix)))
        bounds = dc.security.bayes_security_bounds(make(matrix), by)
        assert bounds.low - 1e-12 <= truth <= bounds.high + 1e-12


@each_storage
def test_divergences_of_rows_are_those_of_the_definition_in_any_storage(make):
    for matrix, epsilon in itertools.product(CHANNELS[::2], (0.0, 0.4, 1.5)):
        C, exp = slow.exact(matrix), slow_crowds.power(epsilon)
        assert dc.privacy_profile(make(matrix), epsilon) == exactly(slow_crowds.privacy_profile(C, exp))
    for matrix in [matrix for matrix in CHANNELS if (matrix > 0).all()]:
        divergences = [slow_crowds.renyi_divergence(p, q, 2) for p, q in itertools.permutations(slow.exact(matrix), 2)]
        assert dc.renyi_dp(make(matrix), 2) == exactly(max(divergences, default=0))


@each_storage
def test_some_secrets_are_the_same_in_any_storage(make):
    for matrix in CHANNELS:
        rows = [len(matrix) - 1, 0][: len(matrix)]
        assert np.array_equal(dc.restricted(make(matrix), rows).dense(), matrix[rows])


@pytest.mark.long
@pytest.mark.parametrize("name", ["mapped", "rows computed when asked for"])
def test_what_would_not_fit_in_memory_is_asked_some_rows_at_a_time(name):
    matrix = np.random.default_rng(0).dirichlet(np.ones(5), size=40)
    whole, C = dc.Channel(matrix), STORAGES[name](matrix)
    gain = dc.gain_matrix(np.arange(80.0).reshape(2, 40))
    with lowered(MAX_ENTRIES=10):
        for ask in (
            dc.posterior_vulnerability,
            lambda system: dc.posterior_vulnerability(system, gain=gain),
            dc.bayes_risk,
            dc.multiplicative_bayes_capacity,
            dc.ldp_epsilon,
            lambda system: dc.security.bayes_security_bounds(system).low,
        ):
            assert ask(C) == exactly(ask(whole))
        for ask in (
            dc.mutual_information,
            lambda system: dc.privacy_profile(system, 1),
            lambda system: system.reduced(),
        ):
            with pytest.raises(TooLargeError, match="measure it where it is stored"):
                ask(C)
