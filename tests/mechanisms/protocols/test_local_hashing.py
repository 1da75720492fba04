"""Local hashing: exact collisions, the wire format, fast tallies, closed forms."""

import functools
import itertools
import math
import tracemalloc
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

import discretion as dc
from discretion.mechanisms.reporting import Sender, reporting
from discretion.numerics.draws import coin_flips, random_source
from measures.table import CASES
from mechanisms import test_any_mechanism as generic
from oracles.promise import exactly

MILLION = 1_000_000

# Primes, powers of primes, products of both.
CLASSES = [2, 3, 4, 5, 6, 7, 8, 9, 10, 12]
COMPOSITE = [
    pytest.param(dc.LocalHashing(2, 1, g=6), id="k=2, g=6"),
    pytest.param(dc.LocalHashing(3, 2, g=6), id="k=3, g=6"),
    pytest.param(dc.LocalHashing(5, 0.5, g=6), id="k=5, g=6"),
    pytest.param(dc.LocalHashing(4, 700, g=10), id="k=4, g=10"),
    pytest.param(dc.LocalHashing(2, math.inf, g=12), id="k=2, g=12"),
    pytest.param(dc.LocalHashing(3, 0, g=6), id="epsilon=0"),
]


def each_support(mechanism):
    """Which values each report supports, one report at a time."""
    channel = dc.LocalHashing(mechanism.k, math.inf, g=mechanism.g).channel()
    assert channel.outputs == tuple(range(mechanism.functions * mechanism.g))
    return channel.matrix.T > 0


@functools.cache
def optimum(epsilon):
    """The least variance of a rare value's share, times n, by search: over prime powers, and over all numbers."""
    with localcontext() as context:
        context.prec = 50
        odds = Decimal(epsilon).exp()
        variances = {g: (odds + g - 1) ** 2 / ((odds - 1) ** 2 * (g - 1)) for g in range(2, int(3 * odds) + 5)}
    prime = [g for g in variances if all(g % r for r in range(2, math.isqrt(g) + 1))]
    powers = {p**e for p in prime for e in range(1, 20) if p**e in variances}
    return min(variances[g] for g in powers), min(variances.values())


@pytest.mark.parametrize("g", CLASSES)
@pytest.mark.parametrize("k", [2, 5, 9])
def test_two_values_collide_in_exactly_one_of_g_functions(k, g):
    mechanism = dc.LocalHashing(k, 1, g=g)
    classes = each_support(mechanism).reshape(mechanism.functions, g, k)
    assert np.all(classes.sum(axis=1) == 1)
    for v, w in itertools.combinations(range(k), 2):
        assert Fraction(int((classes[:, :, v] & classes[:, :, w]).sum()), mechanism.functions) == Fraction(1, g)


@pytest.mark.parametrize("g", [2, 3, 5, 7, 23])
def test_a_report_of_a_prime_number_of_classes_is_read_with_pencil_and_paper(g):
    mechanism = dc.LocalHashing(100, math.inf, g=g)
    values = np.random.default_rng(1).integers(100, size=200)
    for value, report in zip(values.tolist(), mechanism.sample(values, rng=2).tolist(), strict=True):
        function, shown = divmod(report, g)
        assert 0 <= function < mechanism.functions
        total = 0
        while value:
            total += (function % g) * (value % g)
            function, value = function // g, value // g  # noqa: PLW2901
        assert shown == total % g


@pytest.mark.parametrize("g", [2, 4, 6, 9])
def test_a_lie_is_as_many_classes_further_as_is_drawn(g):
    mechanism, values, source = dc.LocalHashing(20, 1, g=g), np.arange(5000) % 20, random_source(1)
    functions, reported = np.divmod(mechanism.sample(values, rng=1), g)
    assert np.array_equal(functions, source.integers(mechanism.functions, size=values.size))
    steps = coin_flips(mechanism.support.not_own, mechanism.support.own, values.size, source).astype(np.int64)
    steps[steps == 1] += source.integers(g - 1, size=steps.sum())
    assert np.all(each_support(mechanism)[functions * g + (reported - steps) % g, values])


def test_a_report_of_several_factors_is_one_of_each():
    mechanism, values = dc.LocalHashing(50, math.inf, g=60), np.arange(50)
    reports = mechanism.sample(values, rng=1)
    functions, classes = reports // 60, reports % 60
    for g in (4, 3, 5):  # in the order of the primes
        alone = dc.LocalHashing(50, math.inf, g=g)
        part = functions % alone.functions * g + classes % g
        functions, classes = functions // alone.functions, classes // g
        assert np.all(alone.channel().matrix[values, part] > 0)
    assert not functions.any()


@pytest.mark.parametrize("g", [4, 9, 6])
def test_reports_survive_the_wire(g):
    mechanism = dc.LocalHashing(30, 1, g=g)
    reports = mechanism.sample(np.arange(30), rng=3)
    assert reports.dtype == np.int64
    received = np.array([int(text) for text in " ".join(map(str, reports.tolist())).split()])
    assert np.array_equal(mechanism.aggregate(received), mechanism.aggregate(reports))
    assert np.array_equal(mechanism.aggregate(reports.astype(np.uint32)), mechanism.aggregate(reports))


@pytest.mark.parametrize("epsilon", [0.01, 0.5, 1.0, 1.589, 2.0, 2.6, 3.0, 3.4, 4.0, 5.0, 6.0])
def test_the_best_number_of_classes_by_search(epsilon):
    best, best_of_all = optimum(epsilon)
    mechanism = dc.LocalHashing(100, epsilon)
    variance = mechanism.frequency_variance(1, np.eye(100)[0])[1]  # of a value that nobody holds
    assert variance == pytest.approx(float(best), rel=1e-12)
    assert variance < 1.0103 * float(best_of_all)


@pytest.mark.parametrize(
    ("epsilon", "g"), [(0, 2), (1e-9, 2), (1, 4), (2, 8), (3, 23), (700, 999_983), (math.inf, 999_983)]
)
def test_the_best_number_of_classes_is_next_to_that_of_the_paper(epsilon, g):
    mechanism = dc.LocalHashing(1000, epsilon)
    assert mechanism.g == g
    assert mechanism.epsilon == dc.ldp_epsilon(mechanism) == epsilon


@pytest.mark.parametrize("epsilon", [1e-9, 0.1, 1.0, 5.0, 50.0, 700.0])
@pytest.mark.parametrize("g", [2, 4, 6, 1000])
def test_the_published_variance_to_full_precision(epsilon, g):
    mechanism = dc.LocalHashing(5, epsilon, g=g)
    with localcontext() as context:
        context.prec = 400
        odds = Decimal(epsilon).exp()
        own, other = odds / (odds + g - 1), 1 / Decimal(g)
        rare = other * (1 - other) / (own - other) ** 2
        held = own * (1 - own) / (own - other) ** 2
        assert rare == pytest.approx((odds + g - 1) ** 2 / ((odds - 1) ** 2 * (g - 1)))
        kept = (own, 1 - own, other, 1 - other, own - other)
    for value, expected in zip(mechanism.support, kept, strict=True):
        assert value == pytest.approx(float(expected), rel=1e-14, abs=0)
    variance = mechanism.frequency_variance(1000, [1, 0, 0, 0, 0])
    assert variance == pytest.approx([float(held) / 1000, *[float(rare) / 1000] * 4], rel=1e-12, abs=0)


@st.composite
def reported(draw):
    """A mechanism and any reports to it."""
    mechanism = dc.LocalHashing(draw(st.integers(2, 40)), 1, g=draw(st.sampled_from([2, 3, 4, 5, 6, 8, 9, 12, 30])))
    report = st.one_of(st.integers(0, 9), st.integers(0, mechanism.functions * mechanism.g - 1))
    return mechanism, draw(st.lists(report, min_size=1, max_size=300))


@given(reported())
def test_tallies_are_those_of_the_double_loop_over_people_and_values(problem):
    mechanism, reports = problem
    parts, functions, classes = [], np.array(reports) // mechanism.g, np.array(reports) % mechanism.g
    for family in mechanism.families:
        parts.append((family, functions % family.functions, classes % family.classes))
        functions, classes = functions // family.functions, classes // family.classes
    expected = [
        sum(
            all(family.classes_of(a[[i]], np.array([v])) == y[i] for family, a, y in parts)
            for i in range(len(reports))
        )
        for v in range(mechanism.k)
    ]  # fmt: skip
    assert mechanism.aggregate(reports).tolist() == expected
    assert mechanism.aggregate([]).tolist() == [0] * mechanism.k


@pytest.mark.parametrize("g", [2, 4, 6, 9])
def test_tallies_add_up_the_rows_of_the_channel(g):
    mechanism = dc.LocalHashing(9, 1, g=g)
    reports = np.random.default_rng(g).integers(mechanism.functions * g, size=1000)
    assert np.array_equal(mechanism.aggregate(reports), each_support(mechanism)[reports].sum(axis=0))


@pytest.mark.parametrize("mechanism", COMPOSITE)
def test_several_factors_keep_what_every_mechanism_promises(mechanism):
    generic.test_its_epsilon_is_the_local_privacy_of_its_channel(mechanism)
    generic.test_its_leakiest_pair_is_that_of_its_channel(mechanism)
    generic.test_reports_follow_the_law_of_the_channel(mechanism, 7)
    generic.test_each_report_is_of_the_person_s_own_value(mechanism)
    generic.test_the_same_seed_gives_the_same_reports(mechanism)
    if mechanism.epsilon > 0 and mechanism.functions * mechanism.g < 300:
        generic.test_estimates_are_unbiased_and_their_variance_is_as_stated(mechanism, (1,))


def test_two_people_s_estimates_with_several_factors():
    generic.test_estimates_are_unbiased_and_their_variance_is_as_stated(dc.LocalHashing(2, 1, g=6), (1, 0))


@pytest.mark.one_in(11)
@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in CASES])
@pytest.mark.parametrize(
    ("k", "epsilon", "g"),
    [(4, 1, 2), (6, 2, 2), (7, 0.5, 2), (8, 1, 2), (4, 1, 3), (5, 30, 3), (7, 2, 3), (9, 1, 3), (3, 1, 5), (4, 1, 4),
     (5, 1, 4), (2, math.inf, 3), (3, 1, 6), (2, 1e-9, 2)],
)  # fmt: skip
def test_a_closed_form_agrees_with_the_definition_on_the_explicit_channel(case, k, epsilon, g):
    mechanism = dc.LocalHashing(k, epsilon, g=g)
    matrix = mechanism.channel().matrix
    for prior in (None, np.arange(k) / sum(range(k)), np.eye(k)[k - 1]):
        if case.meaningful(k, prior, None):
            assert case.ask(mechanism, prior, None) == exactly(case.expected(matrix, prior, None))


@pytest.mark.long
@given(st.integers(2, 130), st.sampled_from([2, 3, 4, 5, 7, 8, 9, 11]), st.sampled_from([0.0, 1e-3, 0.7, 3.0, 40.0]))
def test_closed_forms_agree_with_the_sum_over_the_channel_at_any_size(k, g, epsilon):
    mechanism = dc.LocalHashing(k, epsilon, g=g)
    channel = mechanism.channel()
    for measure in (
        dc.posterior_vulnerability, dc.bayes_risk, dc.mutual_information, dc.multiplicative_bayes_capacity,
        dc.bayes_security,
    ):  # fmt: skip
        assert measure(mechanism) == exactly(measure(channel))


@pytest.mark.parametrize(("g", "digits"), [(2, 10), (3, 6), (4, 5), (10007, 1)])
@pytest.mark.parametrize("epsilon", [0.25, 1.0, 8.0])
def test_where_all_values_are_spread_evenly_the_class_tells_as_much_as_randomized_response(g, digits, epsilon):
    mechanism, answer = dc.LocalHashing(g**digits, epsilon, g=g), dc.RandomizedResponse(g, epsilon=epsilon)
    telling = 1 - g**-digits  # all functions but the one that is 0
    assert dc.mutual_information(mechanism) == exactly(telling * dc.mutual_information(answer))
    assert dc.bayes_security(mechanism) == exactly(1 - (1 - 1 / g) * (1 - dc.bayes_security(answer)))
    guessed = telling * g * answer.p + (1 - telling)
    assert dc.multiplicative_bayes_capacity(mechanism) == exactly(guessed)


@pytest.mark.parametrize("epsilon", [0.0, 1.0, 3.0, 8.0, 700.0, math.inf])
def test_a_million_values_need_no_matrix(epsilon):
    mechanism = dc.LocalHashing(MILLION, epsilon)
    right, wrong = dc.posterior_vulnerability(mechanism), dc.bayes_risk(mechanism)
    assert right + wrong == exactly(1)
    assert 0 <= dc.mutual_information(mechanism) <= min(math.log(mechanism.g), epsilon)
    assert dc.leakiest_pair(mechanism) == (0, 1)
    assert dc.bayes_security(mechanism) == exactly(1 - mechanism.support.gap)


def test_more_classes_than_values_need_no_matrix_at_any_prior():
    mechanism, prior = dc.LocalHashing(10, 9), np.arange(1, 11) / 55
    with pytest.raises(dc.errors.TooLargeError, match=r"k = 10 and g = 8,101, which has 65,626,201 reports"):
        mechanism.channel()
    # A function that is 0 tells nothing, any other one all that k-RR tells, on classes some of which nobody is in.
    answer, padded = dc.RandomizedResponse(8101, epsilon=9), np.pad(prior, (0, 8091))
    blind = 1 / 8101
    for measure, untold in (
        (dc.posterior_vulnerability, 10 / 55), (dc.bayes_risk, 45 / 55), (dc.mutual_information, 0)
    ):  # fmt: skip
        assert measure(mechanism, prior) == exactly(blind * untold + (1 - blind) * measure(answer, padded))
    assert dc.mutual_information(mechanism) == exactly(dc.mutual_information(mechanism, dc.uniform(10)))


@pytest.mark.parametrize(("k", "g"), [(2, 2), (3, 4), (4, 4), (5, 7), (5, 2), (3, 6)])
def test_types_of_report_and_the_blanket_are_those_of_the_explicit_channel(k, g):
    mechanism = dc.LocalHashing(k, 1.5, g)
    explicit = reporting(dc.Channel(mechanism.channel().matrix))
    senders = (
        Sender(),
        Sender(blanket=True),
        Sender(value=1),
        Sender(population=np.arange(1.0, k + 1) / sum(range(k + 1))),
    )

    def in_order(types):
        return types[:, np.lexsort(np.round(types / types.sum(axis=0), 9))]

    expected = in_order(explicit.report_types(range(k), senders))
    assert in_order(mechanism.report_types(range(k), senders)) == pytest.approx(expected, abs=1e-15)
    assert mechanism.blanket_probability == pytest.approx(explicit.blanket_probability, rel=1e-14)
    supports = mechanism.channel().matrix > 0.999 * mechanism.channel().matrix.max()
    (event,) = mechanism.events()
    assert event == pytest.approx((mechanism.channel().matrix * supports[0]).sum(axis=1), rel=1e-14)


def test_what_would_need_the_matrix_is_refused():
    mechanism, prior = dc.LocalHashing(10**4, 1), np.append(0.5, np.full(9999, 0.5 / 9999))
    for ask in (
        mechanism.channel,
        lambda: dc.mutual_information(mechanism, prior),
        lambda: dc.bayes_risk(mechanism, prior),
        lambda: dc.posterior_vulnerability(mechanism, gain=dc.gain_matrix(np.ones((1, 10**4)))),
        lambda: dc.mutual_information(dc.LocalHashing(10**4, 1, g=6)),
    ):
        with pytest.raises(dc.errors.TooLargeError, match="k = 10,000 and g ="):
            ask()


@pytest.mark.parametrize("seed", [11, None], ids=["seeded", "the system's randomness"])
@pytest.mark.parametrize(
    ("k", "epsilon", "g"), [(1000, 1, None), (1000, 3, None), (1000, 1, 2), (100, 1, 6), (500, 1, 9)]
)
def test_a_hundred_thousand_people(k, epsilon, g, seed):
    people, mechanism = 100_000, dc.LocalHashing(k, epsilon, g=g)
    values = np.minimum(np.random.default_rng(3).geometric(0.02, people) - 1, k - 1)
    estimate = mechanism.estimate_frequencies(mechanism.sample(values, rng=seed))
    shares = np.bincount(values, minlength=k) / people
    errors = (estimate - shares) / np.sqrt(mechanism.frequency_variance(people, shares))
    assert np.abs(errors).max() < 7
    # The sum of k squared standard errors has mean k and variance near 2k.
    assert abs((errors**2).sum() - k) < 7 * math.sqrt(2 * k)


@pytest.mark.long
def test_a_million_people_and_a_million_values():
    mechanism = dc.LocalHashing(MILLION, 2)
    values = np.random.default_rng(1).permutation(np.repeat([0, 7, MILLION - 1, 123_456], 250_000))
    reports = mechanism.sample(values, rng=2)
    estimate = mechanism.estimate_frequencies(reports)
    held = [0, 7, MILLION - 1, 123_456]
    error = math.sqrt(mechanism.frequency_variance(MILLION, dc.point(MILLION, 1))[0])
    assert np.abs(estimate[held] - 0.25).max() < 6 * error
    assert np.std(np.delete(estimate, held)) == pytest.approx(error, rel=0.01)


@pytest.mark.parametrize("g", [4, 6])
def test_tallying_holds_no_table_of_people_and_values(g):
    mechanism = dc.LocalHashing(1000, 1, g=g)
    reports = mechanism.sample(np.arange(50_000) % 1000, rng=1)
    tracemalloc.start()
    mechanism.estimate_frequencies(reports)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 50_000 * 1000 / 4


@pytest.mark.parametrize("epsilon", [600.0, 700.0, 800.0, math.inf])
def test_next_to_no_noise(epsilon):
    mechanism, values = dc.LocalHashing(50, epsilon, g=5), np.arange(50)
    reports = mechanism.sample(values, rng=None)
    assert np.all(each_support(mechanism)[reports, values])
    assert mechanism.support.own == 1.0
    # What is left is that others share the class.
    assert mechanism.frequency_variance(1, np.eye(50)[0])[1] == exactly(1 / 4)


@pytest.mark.parametrize("epsilon", [0.0, 1e-200, 5e-324])
@pytest.mark.parametrize("g", [None, 6])
def test_next_to_nothing_is_no_estimate(epsilon, g):
    mechanism = dc.LocalHashing(3, epsilon, g=g)
    assert np.all(np.isinf(mechanism.frequency_variance(10)))
    with pytest.raises(dc.errors.InvalidValueError, match="have no information on"):
        mechanism.estimate_frequencies([0, 1])


@pytest.mark.parametrize("g", [2, 4, 6])
def test_equal_reports_are_weighed_once(g):
    mechanism = dc.LocalHashing(6, 1, g=g)
    reports = mechanism.sample(np.arange(3000) % 6, rng=1)
    supports = each_support(mechanism)[reports]
    telling = supports[supports.any(axis=1) & ~supports.all(axis=1)]
    blocks = list(mechanism.likelihood_blocks(reports))
    likelihoods, counts = (np.concatenate(part) for part in zip(*blocks, strict=True))
    assert len(np.unique(reports)) >= len(counts)
    assert counts.sum() == len(telling)
    guess = np.arange(1, 7) / 21
    assert counts @ np.log(likelihoods @ guess) == exactly(np.log(np.where(telling, 1, math.exp(-1)) @ guess).sum())


@pytest.mark.parametrize(
    ("reports", "words"),
    [
        ([32], r"0\.\.31, got 32"),
        ([-1], r"0\.\.31, got -1"),
        ([[0]], r"shape \(1, 1\)"),
        ([2**63], "got 9223372036854775808"),
    ],
)
def test_a_report_is_a_function_and_a_class(reports, words):
    with pytest.raises(dc.errors.InvalidValueError, match=words):
        dc.LocalHashing(9, 1, g=2).aggregate(reports)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"k": 1, "epsilon": 1}, "k .*at least 2, got 1"),
        ({"k": 10**9, "epsilon": 1}, "at most 100,000,000"),
        ({"k": 4, "epsilon": -0.1}, r"epsilon must be at least 0, got -0\.1"),
        ({"k": 4, "epsilon": math.nan}, "epsilon must be a number, got nan"),
        ({"k": 4, "epsilon": "1"}, "epsilon must be a number, got '1'"),
        ({"k": 4, "epsilon": 1, "g": 1}, "g must be a whole number of at least 2, got 1"),
        ({"k": 4, "epsilon": 1, "g": True}, "got True"),
        ({"k": 4, "epsilon": 1, "g": 4.0}, r"got 4\.0"),
        ({"k": 4, "epsilon": 1, "g": MILLION + 1}, "g must be at most 1,000,000, got 1,000,001; leave g out"),
        ({"k": MILLION, "epsilon": 1, "g": 2982}, r"g = 2,982 does not fit in 63 bits; .* such as 2971"),
    ],
)
def test_parameters_out_of_range_are_refused(arguments, words):
    with pytest.raises(dc.errors.InvalidValueError, match=words):
        dc.LocalHashing(**arguments)


@pytest.mark.parametrize("g", [MILLION, 999_983, 8192, 4489, 30_030])
def test_any_number_of_classes_up_to_a_million(g):
    mechanism = dc.LocalHashing(3, 2, g=g)
    assert mechanism.g == math.prod(family.classes for family in mechanism.families) == g
    reports = mechanism.sample(np.array([0, 1, 2] * 2000), rng=1)
    error = math.sqrt(mechanism.frequency_variance(6000)[0])
    assert np.abs(mechanism.estimate_frequencies(reports) - 1 / 3).max() < 5 * error


@pytest.mark.parametrize("name", ["k", "g", "functions", "epsilon"])
def test_a_mechanism_does_not_change(name):
    with pytest.raises(AttributeError):
        setattr(dc.LocalHashing(3, 1), name, 1)


def test_the_methods_are_named():
    mechanism, composite = dc.LocalHashing(30, 1, g=4), dc.LocalHashing(30, 1, g=6)
    for measure in (
        dc.posterior_vulnerability, dc.bayes_risk, dc.bayes_security, dc.ldp_epsilon, dc.mutual_information,
        dc.multiplicative_bayes_capacity,
    ):  # fmt: skip
        assert dc.method(measure, mechanism) == ("closed form of local hashing", "closed form")
    assert dc.method(dc.bayes_security, composite) == ("closed form of local hashing", "closed form")
    skewed = np.arange(30) / 435
    for arguments in ((composite,), (mechanism, skewed)):
        assert dc.method(dc.mutual_information, *arguments) == ("sum over the explicit channel", "exact")
    assert dc.method(dc.mutual_information, dc.LocalHashing(3, 1, g=4), [0.5, 0.5, 0]) == (
        "closed form of local hashing",
        "closed form",
    )
