"""Every measure equals its definition, however the channel is stored, and obeys the laws of information flow."""

import inspect
import math

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from scipy import sparse

import tacit as tc
from measures.table import CASES, wrapped
from oracles import measures as slow
from oracles.promise import exactly
from oracles.strategies import SMALL, gains, matrices, priors, problems, stochastic
from public_names import PUBLIC

each_measure = pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in CASES])
STORAGES = st.sampled_from([np.array, sparse.csr_array, sparse.coo_matrix, sparse.csc_array])


@each_measure
@given(problems(), STORAGES)
def test_a_measure_is_its_definition_on_any_channel(case, problem, storage):
    matrix, prior, gain = problem
    assume(case.meaningful(len(matrix), prior, gain))
    assert case.ask(tc.Channel(storage(matrix)), prior, gain) == exactly(case.expected(matrix, prior, gain))


@each_measure
@pytest.mark.parametrize("storage", [np.array, sparse.csr_array])
@pytest.mark.parametrize(
    "matrix",
    [
        [[0.25, 0.5, 0.25]],
        [[1.0]],
        [[1.0], [1.0], [1.0]],
        [[0.0, 1.0, 0.0], [0.0, 0.5, 0.5]],
        np.eye(4),
        [[0.5, 0.5, 0, 0], [0, 0, 0.5, 0.5]],
    ],
    ids=["1×m", "1×1", "n×1", "zero column", "identity", "disjoint"],
)
def test_a_measure_is_its_definition_on_degenerate_channels(case, storage, matrix):
    matrix = np.array(matrix, dtype=float)
    for prior in (None, np.eye(len(matrix))[0]):
        if case.meaningful(len(matrix), prior, None):
            assert case.ask(tc.Channel(storage(matrix)), prior, None) == exactly(case.expected(matrix, prior, None))


@pytest.mark.long
@each_measure
@given(st.data())
def test_post_processing_never_helps_the_adversary(case, data):
    C = data.draw(matrices())
    D = data.draw(stochastic(C.shape[1], data.draw(SMALL)))
    prior, gain = data.draw(priors(len(C))), data.draw(gains(len(C)))
    assume(case.meaningful(len(C), prior, gain))
    before, after = (case.ask(system, prior, gain) for system in (tc.Channel(C), tc.Channel(C) >> tc.Channel(D)))
    keeps_secrets = case.name.startswith(("bayes_", "posterior_entropy", "posterior_guessing_entropy"))
    assert (after >= before - 1e-12) if keeps_secrets else (after <= before + 1e-12)


@each_measure
@given(problems(rows=st.integers(2, 4)), STORAGES)
def test_reducing_a_channel_changes_no_measure(case, problem, storage):
    matrix, prior, gain = problem
    assume(case.meaningful(len(matrix), prior, gain))
    split = np.hstack([matrix / 4, matrix / 2, np.zeros((len(matrix), 1)), matrix / 4])
    system = tc.Channel(storage(split))
    assert case.ask(system.reduced(), prior, gain) == exactly(case.ask(system, prior, gain))
    assert case.ask(system, prior, gain) == exactly(case.expected(matrix, prior, gain))


@given(st.data())
def test_prior_vulnerability_is_its_definition(data):
    k = data.draw(SMALL)
    prior, gain = data.draw(stochastic(1, k))[0], data.draw(gains(k))
    expected = slow.prior_vulnerability(
        slow.fractions(prior), slow.identity(k) if gain is None else [slow.fractions(guess) for guess in gain]
    )
    assert tc.prior_vulnerability(prior, wrapped(gain)) == exactly(expected)


@given(st.data())
def test_total_variation_is_its_definition(data):
    p, q = data.draw(stochastic(2, data.draw(SMALL)))
    assert tc.total_variation(p, q) == exactly(slow.total_variation(slow.fractions(p), slow.fractions(q)))
    assert tc.total_variation(p, q) == tc.total_variation(q, p)


@given(problems())
def test_information_is_at_most_the_entropy_of_the_secret(problem):
    matrix, prior, _ = problem
    law = slow.fractions(np.full(len(matrix), 1 / len(matrix)) if prior is None else prior)
    information = tc.mutual_information(tc.Channel(matrix), prior)
    assert 0 <= information <= float(slow.entropy(law)) + 1e-12


@given(problems())
def test_capacity_bounds_the_leakage_of_every_prior_and_non_negative_gain(problem):
    matrix, prior, gain = problem
    gain = None if gain is None else np.abs(gain)
    law = np.full(len(matrix), 1 / len(matrix)) if prior is None else prior
    assume(tc.prior_vulnerability(law, wrapped(gain)) > 1e-9)
    C = tc.Channel(matrix)
    assert tc.leakage(C, prior, wrapped(gain)) <= tc.multiplicative_bayes_capacity(C) * (1 + 1e-12)
    assert tc.leakage(C) == exactly(tc.multiplicative_bayes_capacity(C))


def test_nothing_leaks_through_a_constant_and_everything_through_the_identity():
    nothing, everything = tc.Channel([[0.3, 0.7]] * 3), tc.Channel(np.eye(3))
    assert (tc.ldp_epsilon(nothing), tc.ldp_epsilon(everything)) == (0.0, math.inf)
    assert (tc.bayes_security(nothing), tc.bayes_security(everything)) == (1.0, 0.0)
    assert tc.mutual_information(nothing) == 0.0
    assert tc.mutual_information(everything) == exactly(math.log(3))


def test_information_too_small_for_cancelling_logarithms_keeps_its_digits():
    # Two rows 2·10⁻⁷ apart: I is 2·10⁻¹⁴, of which entropies in doubles would keep one digit.
    gap = 2.0**-23
    C = tc.Channel([[0.5 + gap, 0.5 - gap], [0.5 - gap, 0.5 + gap]])
    expected = slow.mutual_information([slow.fractions(row) for row in C.matrix], slow.fractions([0.5, 0.5]))
    assert tc.mutual_information(C) == pytest.approx(float(expected), rel=1e-9, abs=0)


def test_gains_may_be_negative_but_then_have_no_ratio():
    C, gain = tc.Channel([[0.9, 0.1], [0.2, 0.8]]), tc.gain_matrix([[-1, 0], [0, -2]])
    assert tc.posterior_vulnerability(C, gain=gain) == exactly(-(0.1 / 2 + 0.2 / 2 * 2) - 0 * 1)
    assert tc.leakage(C, gain=gain, kind="additive") == exactly(-0.25 + 0.5)
    with pytest.raises(tc.errors.InvalidGainError, match=r"-0\.5.*additive"):
        tc.leakage(C, gain=gain)


def test_every_answer_on_a_channel_is_a_plain_float():
    C = tc.Channel(sparse.csr_array([[0.5, 0.5], [0.25, 0.75]]))
    assert {type(case.ask(system, None, None)) for case in CASES for system in (C, tc.Channel([[1, 0], [0, 1]]))} == {
        float
    }


def test_the_method_of_an_explicit_channel_is_named_by_what_it_sums():
    C = tc.Channel([[0.9, 0.1], [0.2, 0.8]])
    assert tc.method(tc.posterior_vulnerability, C) == ("sum over the explicit channel", "exact")
    assert tc.method(tc.leakage, C, kind="additive") == ("sum over the explicit channel", "exact")
    assert tc.method(tc.bayes_security, C) == ("all pairs of rows", "exact")
    assert tc.method(tc.multiplicative_bayes_capacity, C) == ("sum of column maxima", "exact")
    assert tc.method(tc.ldp_epsilon, C) == ("extremes of every column", "exact")


def test_the_method_of_a_measure_is_checked_like_the_measure():
    C = tc.Channel([[0.9, 0.1], [0.2, 0.8]])
    with pytest.raises(tc.errors.InvalidPriorError):
        tc.method(tc.posterior_vulnerability, C, prior=[0.5, 0.6])
    with pytest.raises(tc.errors.UnsupportedError, match="total_variation"):
        tc.method(tc.total_variation, C)


@pytest.mark.parametrize(
    ("ask", "error", "words"),
    [
        (lambda C: tc.posterior_vulnerability([[1, 0], [0, 1]]), tc.errors.UnsupportedError, "list.*tacit.Channel"),
        (lambda C: tc.posterior_vulnerability(C, [0.5, 0.6]), tc.errors.InvalidPriorError, r"1\.1"),
        (lambda C: tc.posterior_vulnerability(C, [1.5, -0.5]), tc.errors.InvalidPriorError, r"-0\.5 at index 1"),
        (lambda C: tc.posterior_vulnerability(C, [math.nan, 1]), tc.errors.InvalidPriorError, "nan at index 0"),
        (lambda C: tc.posterior_vulnerability(C, [0.2, 0.3, 0.5]), tc.errors.InvalidPriorError, r"\(2\), got 3"),
        (lambda C: tc.posterior_vulnerability(C, []), tc.errors.InvalidPriorError, r"shape \(0,\)"),
        (lambda C: tc.posterior_vulnerability(C, [[0.5, 0.5]]), tc.errors.InvalidPriorError, r"shape \(1, 2\)"),
        (lambda C: tc.posterior_vulnerability(C, ["half", 0.5]), tc.errors.InvalidPriorError, "half"),
        (lambda C: tc.posterior_vulnerability(C, gain=[[1, 0]]), tc.errors.UnsupportedError, "list.*gain_matrix"),
        (lambda C: tc.posterior_vulnerability(C, gain=tc.identity_gain(3)), tc.errors.InvalidGainError, "3 .*2"),
        (lambda C: tc.leakage(C, kind="log"), tc.errors.InvalidValueError, "'log'"),
        (lambda C: tc.mutual_information(C, unit="bytes"), tc.errors.InvalidValueError, "'bytes'"),
        (lambda C: tc.bayes_security(C, [1, 0]), tc.errors.InvalidPriorError, "certain"),
        (lambda C: tc.leakiest_pairs(C, tol=-1), tc.errors.InvalidValueError, "-1"),
        (lambda C: tc.leakiest_pair(tc.Channel([[1.0]])), tc.errors.InvalidValueError, "two secrets"),
        (lambda C: tc.total_variation([0.5, 0.5], [1]), tc.errors.InvalidPriorError, "2 and 1"),
        (lambda C: tc.gain_matrix([[1, 2], [3]]), tc.errors.InvalidGainError, "equal length"),
        (lambda C: tc.gain_matrix([[1, math.inf]]), tc.errors.InvalidGainError, "inf for guess 0 and secret 1"),
        (lambda C: tc.gain_matrix([1, 2]), tc.errors.InvalidGainError, r"shape \(2,\)"),
    ],
)
def test_what_has_no_meaning_is_refused_in_a_sentence_that_says_what_was_given(ask, error, words):
    with pytest.raises(error, match=words) as caught:
        ask(tc.Channel([[0.9, 0.1], [0.2, 0.8]]))
    assert isinstance(caught.value, tc.errors.TacitError)
    assert "\n" not in str(caught.value)


def with_sum_1(vector):
    law = slow.fractions(vector)
    return [p / sum(law) for p in law]


@each_measure
@pytest.mark.parametrize("storage", [np.array, sparse.csr_array])
def test_what_sums_to_1_only_nearly_is_measured_divided_by_its_sum(case, storage):
    off = 1 + 9e-10 * np.array([1, -1, 0.5, -0.01])
    rows = np.array([[0.7, 0.2, 0.1, 0], [0.1, 0.8, 0.1, 0], [0.2, 0, 0.3, 0.5], [0.25, 0.25, 0.25, 0.25]])
    law = np.array([0.4, 0.3, 0.2, 0.1]) * (1 - 8e-10)
    expected = case.oracle([with_sum_1(row) for row in rows * off[:, None]], with_sum_1(law), slow.identity(4))
    assert case.ask(tc.Channel(storage(rows * off[:, None])), law, None) == exactly(expected)


def test_the_guess_is_right_or_wrong_whatever_the_sums_given(tmp_path):
    rows, law = np.array([[0.9, 0.1 + 8e-10], [0.2, 0.8 - 9e-10]]), [0.3 + 4e-10, 0.7 + 4e-10]
    np.save(tmp_path / "rows.npy", rows)
    crowd = tc.Shuffled(tc.ChannelMechanism(tc.Channel(rows)), 7)
    for system in (
        tc.Channel(rows),
        tc.Channel(sparse.csr_array(rows)),
        tc.StoredChannel(tmp_path / "rows.npy"),
        crowd,
    ):
        assert tc.posterior_vulnerability(system, law) + tc.bayes_risk(system, law) == pytest.approx(1, abs=1e-14)


def test_measures_take_nothing_that_depends_on_the_kind_of_system():
    rooms = ("tacit.measures.", "tacit.security.")
    asked = [asked for asked in PUBLIC.values() if hasattr(asked, "plan") and asked.__module__.startswith(rooms)]
    assert {tc.bayes_security, tc.security.bayes_risk_bounds} <= {*asked}
    for measure in asked:
        assert not {"adversary", "rng"} & set(inspect.signature(measure).parameters), measure


def test_a_population_that_sums_to_1_only_nearly_is_divided_by_its_sum():
    crowd, off = tc.Shuffled(tc.RandomizedResponse(2, p=0.75), 30), np.array([0.3, 0.7]) * (1 + 9e-10)
    for measure in (tc.posterior_vulnerability, tc.bayes_security, tc.mutual_information):
        found = measure(crowd.seen_by(tc.Uninformed(off)))
        assert found == exactly(measure(crowd.seen_by(tc.Uninformed([0.3, 0.7]))))
    points = np.array([[0.3, 0.7], [0.9, 0.1]])
    nearly = tc.PointMixture(points * (1 - 9e-10), [0.5 + 4e-10, 0.5 + 4e-10])
    noise = tc.RandomizedResponse(2, p=0.75)
    exact_answer = tc.information.average_privacy(noise, tc.PointMixture(points, [0.5, 0.5]))
    assert tc.information.average_privacy(noise, nearly) == exactly(exact_answer)


@pytest.mark.long
@pytest.mark.parametrize("offset", [0, 1e6, -1e6, 1e9])
@given(st.data())
def test_a_difference_is_exact_in_units_of_the_gains_width_however_large_the_gains(offset, data):
    matrix, prior = data.draw(matrices()), None
    gain = np.array(data.draw(gains(len(matrix)).filter(lambda gain: gain is not None))) + offset
    rows, law = [with_sum_1(row) for row in matrix], with_sum_1(np.ones(len(matrix)))
    wanted = [slow.fractions(guess) for guess in gain]
    before, after = slow.prior_vulnerability(law, wanted), slow.posterior_vulnerability(rows, law, wanted)
    width = max(1.0, float(gain.max() - gain.min()))
    found = tc.leakage(tc.Channel(matrix), prior, wrapped(gain), kind="additive")
    assert found == pytest.approx(float(after - before), rel=1e-10, abs=1e-12 * width)
    assert tc.posterior_vulnerability(tc.Channel(matrix), prior, wrapped(gain)) == pytest.approx(
        float(after), rel=1e-10, abs=1e-12 * width
    )


def test_the_leakage_of_a_large_gain_is_that_of_the_small_one():
    C = tc.Channel([[0.9, 0.1], [0.2, 0.8]])
    large = tc.gain_matrix([[1e6, 1e6], [1e6 + 1, 1e6 - 1]])
    assert tc.leakage(C, gain=large, kind="additive") == exactly(0.35)
    crowd = tc.Shuffled(tc.RandomizedResponse(2, p=0.75), 30)
    small = tc.leakage(crowd, gain=tc.gain_matrix([[0, 0], [1, -1]]), kind="additive")
    assert tc.leakage(crowd, gain=large, kind="additive") == exactly(small)
