"""The channels on whole datasets: Tables I to V and Propositions 9 to 28 of the shuffle paper."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import discretion as dc
from oracles import channels, measures, shuffling as slow
from oracles.promise import exactly
from oracles.strategies import SMALL, stochastic

PS = [Fraction(1, 2), Fraction(3, 5), Fraction(3, 4), Fraction(9, 10), Fraction(1)]
each_p = pytest.mark.parametrize("p", PS, ids=str)
CROWDS = [(1, 2), (2, 2), (3, 2), (4, 2), (1, 3), (2, 3), (3, 3), (4, 3)]
FEW = st.integers(2, 3)
each_crowd = pytest.mark.parametrize(("n", "k"), CROWDS)

# The datasets of three binary values, by their names in the paper.
NAMES = ["aaa", "aab", "aba", "baa", "abb", "bab", "bba", "bbb"]
DATASETS = [tuple("ab".index(letter) for letter in name) for name in NAMES]
HISTOGRAMS = [(3, 0), (2, 1), (1, 2), (0, 3)]


def cells(C, rows, columns):
    """The channel's entries, rows and columns in the order of a printed table."""
    matrix = C.matrix
    return matrix[np.ix_([C.inputs.index(x) for x in rows], [C.outputs.index(y) for y in columns])]


def agree(matrix, table):
    assert np.allclose(matrix, np.array(table, dtype=float), rtol=1e-14, atol=1e-16)


def table_3(p):
    """With the last row as it should be: printed are ``3p²p̄`` and ``3pp̄²`` the other way round."""
    r = 1 - p
    aab = [p**2 * r, p**3 + 2 * p * r**2, 2 * p**2 * r + r**3, p * r**2]
    abb = [p * r**2, 2 * p**2 * r + r**3, p**3 + 2 * p * r**2, p**2 * r]
    return [[p**3, 3 * p**2 * r, 3 * p * r**2, r**3], *[aab] * 3, *[abb] * 3, [r**3, 3 * p * r**2, 3 * p**2 * r, p**3]]


@each_p
def test_table_1a_noise_on_three_binary_values(p):
    r = 1 - p
    printed = [
        [p**3, p**2 * r, p**2 * r, p**2 * r, p * r**2, p * r**2, p * r**2, r**3],
        [p**2 * r, p**3, p * r**2, p * r**2, p**2 * r, p**2 * r, r**3, p * r**2],
        [p**2 * r, p * r**2, p**3, p * r**2, p**2 * r, r**3, p**2 * r, p * r**2],
        [p**2 * r, p * r**2, p * r**2, p**3, r**3, p**2 * r, p**2 * r, p * r**2],
        [p * r**2, p**2 * r, p**2 * r, r**3, p**3, p * r**2, p * r**2, p**2 * r],
        [p * r**2, p**2 * r, r**3, p**2 * r, p * r**2, p**3, p * r**2, p**2 * r],
        [p * r**2, r**3, p**2 * r, p**2 * r, p * r**2, p * r**2, p**3, p**2 * r],
        [r**3, p * r**2, p * r**2, p * r**2, p**2 * r, p**2 * r, p**2 * r, p**3],
    ]
    agree(cells(dc.shuffling.dataset_channel(dc.RandomizedResponse(2, p=float(p)), 3), DATASETS, DATASETS), printed)


def test_table_1b_shuffling_three_binary_values():
    third = Fraction(1, 3)
    one_b, two_b = [0, third, third, third, 0, 0, 0, 0], [0, 0, 0, 0, third, third, third, 0]
    printed = [[1, *[0] * 7], *[one_b] * 3, *[two_b] * 3, [*[0] * 7, 1]]
    agree(cells(dc.shuffling.full_shuffle_channel(3, 2), DATASETS, DATASETS), printed)


def test_table_1c_showing_the_histogram():
    printed = [[1, 0, 0, 0], *[[0, 1, 0, 0]] * 3, *[[0, 0, 1, 0]] * 3, [0, 0, 0, 1]]
    agree(cells(dc.shuffling.reduced_shuffle_channel(3, 2), DATASETS, HISTOGRAMS), printed)


@each_p
def test_table_2_noise_and_shuffle_in_either_order(p):
    r = 1 - p
    same, other = (p**3 + 2 * p * r**2) / 3, (2 * p**2 * r + r**3) / 3
    aab = [p**2 * r, *[same] * 3, *[other] * 3, p * r**2]
    abb = [p * r**2, *[other] * 3, *[same] * 3, p**2 * r]
    first = [p**3, *[p**2 * r] * 3, *[p * r**2] * 3, r**3]
    printed = [first, *[aab] * 3, *[abb] * 3, first[::-1]]
    N, S = (
        dc.shuffling.dataset_channel(dc.RandomizedResponse(2, p=float(p)), 3),
        dc.shuffling.full_shuffle_channel(3, 2),
    )
    agree(cells(N >> S, DATASETS, DATASETS), printed)
    agree(cells(S >> N, DATASETS, DATASETS), printed)


@each_p
def test_tables_3_and_5_noise_and_histogram_in_either_order(p):
    mechanism, shown = dc.RandomizedResponse(2, p=float(p)), dc.shuffling.reduced_shuffle_channel(3, 2)
    agree(cells(dc.shuffling.dataset_channel(mechanism, 3) >> shown, DATASETS, HISTOGRAMS), table_3(p))
    agree(cells(shown >> dc.shuffling.reduced_dataset_channel(mechanism, 3), DATASETS, HISTOGRAMS), table_3(p))


@each_p
def test_table_4_noise_on_histograms(p):
    # Without the stray /3 of the printed rows 2 and 3.
    table = table_3(p)
    corrected = [table[0], table[1], table[4], table[7]]
    assert all(sum(row) == 1 for row in corrected)
    agree(
        cells(dc.shuffling.reduced_dataset_channel(dc.RandomizedResponse(2, p=float(p)), 3), HISTOGRAMS, HISTOGRAMS),
        corrected,
    )


def test_datasets_and_histograms_are_listed_in_order():
    C = dc.shuffling.reduced_shuffle_channel(2, 3)
    assert C.inputs == tuple(itertools.product(range(3), repeat=2))
    assert C.outputs == ((2, 0, 0), (1, 1, 0), (1, 0, 1), (0, 2, 0), (0, 1, 1), (0, 0, 2))


@each_crowd
def test_the_shuffler_applies_every_order_alike(n, k):
    agree(dc.shuffling.full_shuffle_channel(n, k).matrix, slow.shuffle(n, k))


@each_crowd
def test_the_reduced_shuffler_shows_the_histogram_and_nothing_else(n, k):
    C = dc.shuffling.reduced_shuffle_channel(n, k)
    assert all(C.outputs[row.argmax()] == slow.histogram(x, k) for x, row in zip(C.inputs, C.matrix, strict=True))
    assert np.array_equal(np.sort(C.matrix, axis=1)[:, -1:], np.ones((k**n, 1)))
    assert C.matrix.sum() == k**n


@st.composite
def local_channels(draw, values=SMALL, reports=SMALL):
    return draw(stochastic(draw(values), draw(reports)))


@given(local_channels(), st.integers(1, 3))
@settings(max_examples=30)
def test_every_user_randomizes_her_own_value(Q, n):
    expected = np.array(slow.noise(channels.exact(Q), n), dtype=float)
    assert np.allclose(dc.shuffling.dataset_channel(dc.Channel(Q), n).matrix, expected, rtol=1e-13, atol=1e-16)


@given(local_channels(FEW, FEW), st.integers(1, 4))
@settings(max_examples=40)
def test_shuffling_commutes_with_any_local_randomizer(Q, n):
    k, m = Q.shape
    N = dc.shuffling.dataset_channel(dc.Channel(Q), n)
    before, after = dc.shuffling.full_shuffle_channel(n, k) >> N, N >> dc.shuffling.full_shuffle_channel(n, m)
    assert np.allclose(before.matrix, after.matrix, rtol=1e-13, atol=1e-16)
    first = N >> dc.shuffling.reduced_shuffle_channel(n, m)
    second = dc.shuffling.reduced_shuffle_channel(n, k) >> dc.shuffling.reduced_dataset_channel(dc.Channel(Q), n)
    assert np.allclose(first.matrix, second.matrix, rtol=1e-13, atol=1e-16)
    assert first.outputs == second.outputs


@given(local_channels(FEW, FEW), st.integers(1, 3))
@settings(max_examples=30)
def test_definition_23_reduced_noise_averages_over_the_datasets_of_a_histogram(Q, n):
    k, m = Q.shape
    rows, N = dc.shuffling.reduced_dataset_channel(dc.Channel(Q), n), slow.noise(channels.exact(Q), n)
    for z1, row in zip(rows.inputs, rows.matrix, strict=True):
        alike = [i for i, x in enumerate(slow.datasets(n, k)) if slow.histogram(x, k) == z1]
        for z2, entry in zip(rows.outputs, row, strict=True):
            shown = [j for j, y in enumerate(slow.datasets(n, m)) if slow.histogram(y, m) == z2]
            assert entry == exactly(sum(N[i][j] for i in alike for j in shown) / len(alike))


@pytest.mark.long
@given(st.data())
@settings(max_examples=40)
def test_propositions_9_12_and_28_no_adversary_prefers_the_full_channels(data):
    n, k = data.draw(st.sampled_from([(1, 2), (2, 2), (3, 2), (2, 3)]))
    prior = data.draw(stochastic(1, k**n))[0]
    gain = dc.gain_matrix(data.draw(stochastic(3, k**n)) - 0.25)
    mechanism = dc.RandomizedResponse(k, p=data.draw(st.floats(1 / k, 1)))
    S, Sr, N = (
        dc.shuffling.full_shuffle_channel(n, k),
        dc.shuffling.reduced_shuffle_channel(n, k),
        dc.shuffling.dataset_channel(mechanism, n),
    )
    Nr = dc.shuffling.reduced_dataset_channel(mechanism, n)
    for group in ([S, Sr], [N >> S, S >> N, N >> Sr, Sr >> Nr]):
        first, *others = (dc.posterior_vulnerability(C, prior, gain) for C in group)
        assert others == [exactly(first)] * len(others)
    assert (N >> S).reduced().shape == (N >> Sr).reduced().shape


def vulnerability(channel, n, k):
    prior = [Fraction(1, k**n)] * k**n
    return measures.posterior_vulnerability(channel, prior, slow.single_target_gain(n, k))


@pytest.mark.parametrize(("n", "k"), [(1, 2), (2, 2), (3, 2), (4, 2), (5, 2), (1, 3), (2, 3), (3, 3), (2, 4)])
@pytest.mark.parametrize("p", [Fraction(1, 1), Fraction(7, 10)], ids=str)
def test_propositions_14_to_21_are_sums_over_datasets(n, k, p):
    Q = channels.randomized_response(k, p)
    N = slow.noise(Q, n)
    shown = [[Fraction(int(slow.histogram(x, k) == z)) for z in histograms(n, k)] for x in slow.datasets(n, k)]
    mechanism = dc.RandomizedResponse(k, p=float(p))
    prior = [Fraction(1, k**n)] * k**n
    assert measures.prior_vulnerability(prior, slow.single_target_gain(n, k)) == Fraction(1, k)
    assert dc.posterior_vulnerability(mechanism) == exactly(vulnerability(N, n, k))
    shuffled = vulnerability(shown, n, k)
    assert dc.shuffling.maximum_load(n, k) / n == exactly(shuffled)
    assert dc.posterior_vulnerability(dc.Shuffled(dc.RandomizedResponse(k, p=1), n)) == exactly(shuffled)
    assert dc.posterior_vulnerability(dc.Shuffled(mechanism, n)) == exactly(vulnerability(cascade(N, shown), n, k))


def cascade(C, D):
    """`oracles.channels.cascade` for a D that is 0 or 1: only where it is 1 is there something to add."""
    return [[sum(C[x][y] for y in range(len(D)) if D[y][z]) for z in range(len(D[0]))] for x in range(len(C))]


def histograms(n, k):
    return sorted({slow.histogram(x, k) for x in slow.datasets(n, k)})


@pytest.mark.parametrize("n", [1, 3])
def test_where_all_values_are_alike_there_is_one_dataset(n):
    Q = dc.Channel([[1.0]])
    channels_of_one = [
        dc.shuffling.full_shuffle_channel(n, 1),
        dc.shuffling.reduced_shuffle_channel(n, 1),
        dc.shuffling.dataset_channel(Q, n),
    ]
    assert all(C.matrix.tolist() == [[1.0]] for C in [*channels_of_one, dc.shuffling.reduced_dataset_channel(Q, n)])
    blind = dc.shuffling.reduced_dataset_channel(dc.Channel([[1.0], [1.0]]), n)
    assert blind.matrix.tolist() == [[1.0]] * (n + 1)
    assert blind.outputs == ((n,),)


@pytest.mark.parametrize("n", [30, 5000, 20_000, 10**6])
def test_what_cannot_be_built_is_refused_politely(n):
    mechanism = dc.RandomizedResponse(3, p=0.5)
    attempts = [
        lambda: dc.shuffling.full_shuffle_channel(n, 3),
        lambda: dc.shuffling.reduced_shuffle_channel(n, 3),
        lambda: dc.shuffling.dataset_channel(mechanism, n).channel(),
    ]
    for attempt in attempts:
        with pytest.raises(dc.errors.TooLargeError, match=r"discretion\.Shuffled") as caught:
            attempt()
        # A sentence fit for a terminal, not the digits of 3ⁿ.
        assert len(str(caught.value)) < 400


@pytest.mark.parametrize(("n", "k"), [(0, 2), (2, 0), (1.5, 2), (2, -1)])
def test_users_and_values_are_counted(n, k):
    for build in (dc.shuffling.full_shuffle_channel, dc.shuffling.reduced_shuffle_channel):
        with pytest.raises(dc.errors.InvalidValueError):
            build(n, k)


def test_a_dataset_channel_needs_a_local_system():
    for build in (dc.shuffling.dataset_channel, dc.shuffling.reduced_dataset_channel):
        with pytest.raises(dc.errors.UnsupportedError, match=r"discretion\.Channel"):
            build([[1, 0], [0, 1]], 2)
        with pytest.raises(dc.errors.InvalidValueError):
            build(dc.RandomizedResponse(2, p=0.5), 0)
