"""Every measure equals its definition, however the channel is stored, and obeys the laws of information flow."""

import inspect
import math

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from scipy import sparse

import discretion as dc
from discretion.exact import Exact
from measures.table import CASES, wrapped
from oracles import measures as slow
from oracles.promise import exactly
from oracles.strategies import SMALL, gains, matrices, priors, problems, stochastic
from support.public_names import PUBLIC

each_measure = pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in CASES])
STORAGES = st.sampled_from([np.array, sparse.csr_array, sparse.coo_matrix, sparse.csc_array])


@pytest.mark.one_in(5)
@each_measure
@given(problems(), STORAGES)
def test_a_measure_is_its_definition_on_any_channel(case, problem, storage):
    matrix, prior, gain = problem
    assume(case.meaningful(len(matrix), prior, gain))
    assert case.ask(dc.Channel(storage(matrix)), prior, gain) == exactly(case.expected(matrix, prior, gain))


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
            assert case.ask(dc.Channel(storage(matrix)), prior, None) == exactly(case.expected(matrix, prior, None))


@pytest.mark.long
@each_measure
@given(st.data())
def test_post_processing_never_helps_the_adversary(case, data):
    C = data.draw(matrices())
    D = data.draw(stochastic(C.shape[1], data.draw(SMALL)))
    prior, gain = data.draw(priors(len(C))), data.draw(gains(len(C)))
    assume(case.meaningful(len(C), prior, gain))
    before, after = (case.ask(system, prior, gain) for system in (dc.Channel(C), dc.Channel(C) >> dc.Channel(D)))
    keeps_secrets = case.name.startswith(("bayes_", "posterior_entropy", "posterior_guessing_entropy"))
    assert (after >= before - 1e-12) if keeps_secrets else (after <= before + 1e-12)


@pytest.mark.one_in(3)
@each_measure
@given(problems(rows=st.integers(2, 4)), STORAGES)
def test_reducing_a_channel_changes_no_measure(case, problem, storage):
    matrix, prior, gain = problem
    assume(case.meaningful(len(matrix), prior, gain))
    split = np.hstack([matrix / 4, matrix / 2, np.zeros((len(matrix), 1)), matrix / 4])
    system = dc.Channel(storage(split))
    assert case.ask(system.reduced(), prior, gain) == exactly(case.ask(system, prior, gain))
    assert case.ask(system, prior, gain) == exactly(case.expected(matrix, prior, gain))


@given(st.data())
def test_prior_vulnerability_is_its_definition(data):
    k = data.draw(SMALL)
    prior, gain = data.draw(stochastic(1, k))[0], data.draw(gains(k))
    expected = slow.prior_vulnerability(
        slow.fractions(prior), slow.identity(k) if gain is None else [slow.fractions(guess) for guess in gain]
    )
    assert dc.prior_vulnerability(prior, wrapped(gain)) == exactly(expected)


@given(st.data())
def test_total_variation_is_its_definition(data):
    p, q = data.draw(stochastic(2, data.draw(SMALL)))
    assert dc.total_variation(p, q) == exactly(slow.total_variation(slow.fractions(p), slow.fractions(q)))
    assert dc.total_variation(p, q) == dc.total_variation(q, p)


@given(problems())
def test_information_is_at_most_the_entropy_of_the_secret(problem):
    matrix, prior, _ = problem
    law = slow.fractions(np.full(len(matrix), 1 / len(matrix)) if prior is None else prior)
    information = dc.mutual_information(dc.Channel(matrix), prior)
    assert 0 <= information <= float(slow.entropy(law)) + 1e-12


@given(problems())
def test_capacity_bounds_the_leakage_of_every_prior_and_non_negative_gain(problem):
    matrix, prior, gain = problem
    gain = None if gain is None else np.abs(gain)
    law = np.full(len(matrix), 1 / len(matrix)) if prior is None else prior
    assume(dc.prior_vulnerability(law, wrapped(gain)) > 1e-9)
    C = dc.Channel(matrix)
    assert dc.leakage(C, prior, wrapped(gain)) <= dc.multiplicative_bayes_capacity(C) * (1 + 1e-12)
    assert dc.leakage(C) == exactly(dc.multiplicative_bayes_capacity(C))


def test_nothing_leaks_through_a_constant_and_everything_through_the_identity():
    nothing, everything = dc.Channel([[0.3, 0.7]] * 3), dc.Channel(np.eye(3))
    assert (dc.ldp_epsilon(nothing), dc.ldp_epsilon(everything)) == (0.0, math.inf)
    assert (dc.bayes_security(nothing), dc.bayes_security(everything)) == (1.0, 0.0)
    assert dc.mutual_information(nothing) == 0.0
    assert dc.mutual_information(everything) == exactly(math.log(3))


def test_information_too_small_for_cancelling_logarithms_keeps_its_digits():
    # Two rows 2·10⁻⁷ apart: I is 2·10⁻¹⁴, of which entropies in doubles would keep one digit.
    gap = 2.0**-23
    C = dc.Channel([[0.5 + gap, 0.5 - gap], [0.5 - gap, 0.5 + gap]])
    expected = slow.mutual_information([slow.fractions(row) for row in C.matrix], slow.fractions([0.5, 0.5]))
    assert dc.mutual_information(C) == pytest.approx(float(expected), rel=1e-9, abs=0)


def test_gains_may_be_negative_but_then_have_no_ratio():
    C, gain = dc.Channel([[0.9, 0.1], [0.2, 0.8]]), dc.gain_matrix([[-1, 0], [0, -2]])
    assert dc.posterior_vulnerability(C, gain=gain) == exactly(-(0.1 / 2 + 0.2 / 2 * 2) - 0 * 1)
    assert dc.leakage(C, gain=gain, kind="additive") == exactly(-0.25 + 0.5)
    with pytest.raises(dc.errors.InvalidGainError, match=r"-0\.5.*additive"):
        dc.leakage(C, gain=gain)


def test_every_answer_on_a_channel_is_an_exact_float():
    C = dc.Channel(sparse.csr_array([[0.5, 0.5], [0.25, 0.75]]))
    assert {type(case.ask(system, None, None)) for case in CASES for system in (C, dc.Channel([[1, 0], [0, 1]]))} == {
        Exact
    }


def test_the_method_of_an_explicit_channel_is_named_by_what_it_sums():
    C = dc.Channel([[0.9, 0.1], [0.2, 0.8]])
    assert dc.method(dc.posterior_vulnerability, C) == ("sum over the explicit channel", "exact")
    assert dc.method(dc.leakage, C, kind="additive") == ("sum over the explicit channel", "exact")
    assert dc.method(dc.bayes_security, C) == ("all pairs of rows", "exact")
    assert dc.method(dc.multiplicative_bayes_capacity, C) == ("sum of column maxima", "exact")
    assert dc.method(dc.ldp_epsilon, C) == ("extremes of every column", "exact")


def test_the_method_of_a_measure_is_checked_like_the_measure():
    C = dc.Channel([[0.9, 0.1], [0.2, 0.8]])
    with pytest.raises(dc.errors.InvalidPriorError):
        dc.method(dc.posterior_vulnerability, C, prior=[0.5, 0.6])
    with pytest.raises(dc.errors.UnsupportedError, match="total_variation"):
        dc.method(dc.total_variation, C)


@pytest.mark.parametrize(
    ("ask", "error", "words"),
    [
        (
            lambda C: dc.posterior_vulnerability([[1, 0], [0, 1]]),
            dc.errors.UnsupportedError,
            "list.*discretion.Channel",
        ),
        (lambda C: dc.posterior_vulnerability(C, [0.5, 0.6]), dc.errors.InvalidPriorError, r"1\.1"),
        (lambda C: dc.posterior_vulnerability(C, [1.5, -0.5]), dc.errors.InvalidPriorError, r"-0\.5 at index 1"),
        (lambda C: dc.posterior_vulnerability(C, [math.nan, 1]), dc.errors.InvalidPriorError, "nan at index 0"),
        (lambda C: dc.posterior_vulnerability(C, [0.2, 0.3, 0.5]), dc.errors.InvalidPriorError, r"\(2\), got 3"),
        (lambda C: dc.posterior_vulnerability(C, []), dc.errors.InvalidPriorError, r"shape \(0,\)"),
        (lambda C: dc.posterior_vulnerability(C, [[0.5, 0.5]]), dc.errors.InvalidPriorError, r"shape \(1, 2\)"),
        (lambda C: dc.posterior_vulnerability(C, ["half", 0.5]), dc.errors.InvalidPriorError, "half"),
        (lambda C: dc.posterior_vulnerability(C, gain=[[1, 0]]), dc.errors.UnsupportedError, "list.*gain_matrix"),
        (lambda C: dc.posterior_vulnerability(C, gain=dc.identity_gain(3)), dc.errors.InvalidGainError, "3 .*2"),
        (lambda C: dc.leakage(C, kind="log"), dc.errors.InvalidValueError, "'log'"),
        (lambda C: dc.mutual_information(C, unit="bytes"), dc.errors.InvalidValueError, "'bytes'"),
        (lambda C: dc.bayes_security(C, [1, 0]), dc.errors.InvalidPriorError, "at least two possible secrets"),
        (lambda C: dc.leakiest_pairs(C, tol=-1), dc.errors.InvalidValueError, "-1"),
        (lambda C: dc.leakiest_pair(dc.Channel([[1.0]])), dc.errors.InvalidValueError, "two secrets"),
        (lambda C: dc.total_variation([0.5, 0.5], [1]), dc.errors.InvalidPriorError, "2 and 1"),
        (lambda C: dc.gain_matrix([[1, 2], [3]]), dc.errors.InvalidGainError, "equal length"),
        (lambda C: dc.gain_matrix([[1, math.inf]]), dc.errors.InvalidGainError, "inf for guess 0 and secret 1"),
        (lambda C: dc.gain_matrix([1, 2]), dc.errors.InvalidGainError, r"shape \(2,\)"),
    ],
)
def test_what_has_no_meaning_is_refused_in_a_sentence_that_says_what_was_given(ask, error, words):
    with pytest.raises(error, match=words) as caught:
        ask(dc.Channel([[0.9, 0.1], [0.2, 0.8]]))
    assert isinstance(caught.value, dc.errors.DiscretionError)
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
    assert case.ask(dc.Channel(storage(rows * off[:, None])), law, None) == exactly(expected)


def test_the_guess_is_right_or_wrong_whatever_the_sums_given(tmp_path):
    rows, law = np.array([[0.9, 0.1 + 8e-10], [0.2, 0.8 - 9e-10]]), [0.3 + 4e-10, 0.7 + 4e-10]
    np.save(tmp_path / "rows.npy", rows)
    crowd = dc.Shuffled(dc.ChannelMechanism(dc.Channel(rows)), 7)
    for system in (
        dc.Channel(rows),
        dc.Channel(sparse.csr_array(rows)),
        dc.StoredChannel(tmp_path / "rows.npy"),
        crowd,
    ):
        assert dc.posterior_vulnerability(system, law) + dc.bayes_risk(system, law) == pytest.approx(1, abs=1e-14)


def test_measures_take_nothing_that_depends_on_the_kind_of_system():
    rooms = ("discretion.measures.", "discretion.security.")
    asked = [asked for asked in PUBLIC.values() if hasattr(asked, "plan") and asked.__module__.startswith(rooms)]
    assert {dc.bayes_security, dc.security.bayes_risk_bounds} <= {*asked}
    for measure in asked:
        assert not {"adversary", "rng"} & set(inspect.signature(measure).parameters), measure


def test_a_population_that_sums_to_1_only_nearly_is_divided_by_its_sum():
    crowd, off = dc.Shuffled(dc.RandomizedResponse(2, p=0.75), 30), np.array([0.3, 0.7]) * (1 + 9e-10)
    for measure in (dc.posterior_vulnerability, dc.bayes_security, dc.mutual_information):
        found = measure(crowd.seen_by(dc.Uninformed(off)))
        assert found == exactly(measure(crowd.seen_by(dc.Uninformed([0.3, 0.7]))))
    points = np.array([[0.3, 0.7], [0.9, 0.1]])
    nearly = dc.PointMixture(points * (1 - 9e-10), [0.5 + 4e-10, 0.5 + 4e-10])
    noise = dc.RandomizedResponse(2, p=0.75)
    exact_answer = dc.information.average_privacy(noise, dc.PointMixture(points, [0.5, 0.5]))
    assert dc.information.average_privacy(noise, nearly) == exactly(exact_answer)


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
    found = dc.leakage(dc.Channel(matrix), prior, wrapped(gain), kind="additive")
    assert found == pytest.approx(float(after - before), rel=1e-10, abs=1e-12 * width)
    assert dc.posterior_vulnerability(dc.Channel(matrix), prior, wrapped(gain)) == pytest.approx(
        float(after), rel=1e-10, abs=1e-12 * width
    )


def test_the_leakage_of_a_large_gain_is_that_of_the_small_one():
    C = dc.Channel([[0.9, 0.1], [0.2, 0.8]])
    large = dc.gain_matrix([[1e6, 1e6], [1e6 + 1, 1e6 - 1]])
    assert dc.leakage(C, gain=large, kind="additive") == exactly(0.35)
    crowd = dc.Shuffled(dc.RandomizedResponse(2, p=0.75), 30)
    small = dc.leakage(crowd, gain=dc.gain_matrix([[0, 0], [1, -1]]), kind="additive")
    assert dc.leakage(crowd, gain=large, kind="additive") == exactly(small)
