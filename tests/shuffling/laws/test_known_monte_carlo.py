"""Among known others, a sample narrows what is certified: its interval covers at any size, and the value is in it."""

import math

import numpy as np
import pytest

import discretion as dc
from discretion.adversaries.gains import IdentityGain
from discretion.estimate import Estimate, is_wide
from discretion.numerics.histograms.blanketed_histograms import BlanketedHistograms
from discretion.shuffling.laws import monte_carlo
from discretion.shuffling.laws.groups import groups_of_others
from discretion.shuffling.laws.monte_carlo import mean_among_known
from oracles import adversaries as slow
from support.lowering import lowered

RR = dc.RandomizedResponse
REPETITIONS, LEAST_COVERED = 100, 92
GAIN = [[1.0, 0.0, -0.5], [0.0, 0.75, 0.0], [0.25, 0.25, 1.0]]
LEANING = np.array([0.5, 0.375, 0.125])
UNIFORM = np.full(3, 1 / 3)


def guess(prior):
    return monte_carlo.GuessLeak(prior, IdentityGain(prior.size))


def gains(prior):
    return monte_carlo.GuessLeak(prior, dc.gain_matrix(GAIN))


def information(prior):
    return monte_carlo.InformationLeak(prior)


# Mechanism, users, knowledge, prior and leak: small enough to enumerate what everybody reports.
ENUMERATED = {
    "all but one": (RR(3, p=0.7), 8, dc.AllButOne([4, 2, 1]), UNIFORM, guess),
    "nobody holds a value": (RR(3, p=0.5), 30, dc.AllButOne([20, 9, 0]), UNIFORM, guess),
    "a prior of its own": (RR(3, p=0.5), 12, dc.AllButOne([4, 4, 3]), LEANING, guess),
    "gains": (RR(3, p=0.5), 12, dc.AllButOne([4, 4, 3]), LEANING, gains),
    "information": (RR(3, p=0.5), 12, dc.AllButOne([4, 4, 3]), UNIFORM, information),
    "information, a prior of its own": (RR(3, p=0.7), 8, dc.AllButOne([4, 2, 1]), LEANING, information),
    "information of much noise": (RR(3, p=0.375), 30, dc.AllButOne([10, 10, 9]), UNIFORM, information),
    "partly informed": (RR(3, p=0.7), 8, dc.PartlyInformed([2, 1, 0]), LEANING, guess),
    "hardly any noise": (RR(3, p=0.999), 6, dc.AllButOne([2, 2, 1]), LEANING, guess),
}


def rows_of(mechanism, n, knowledge):
    """P(h | x) over all histograms, by adding one report after the other."""
    rows = mechanism.channel().matrix
    known = slow.holders(knowledge.known_counts)
    laws = [rows[x] for x in known] + [rows.mean(axis=0)] * (n - 1 - len(known))
    return [list(slow.law_of_reports([row, *laws], range(n)).values()) for row in rows]


def truth_of(rows, leak):
    joint = leak.prior[:, None] * np.array(rows, dtype=float)
    if isinstance(leak, monte_carlo.GuessLeak):
        return float((leak.gain.guesses() @ joint).max(axis=0).sum())
    independent = leak.prior[:, None] * joint.sum(axis=0)
    return float(joint.ravel() @ np.log(joint / independent).ravel())


@pytest.fixture
def few_draws(monkeypatch):
    monkeypatch.setattr(monte_carlo, "_FEWEST", 200)
    with lowered(MAX_CROWDS_DRAWN=200):
        yield


@pytest.mark.long
@pytest.mark.usefixtures("few_draws")
@pytest.mark.parametrize("case", ENUMERATED)
def test_intervals_cover_what_enumeration_gives(case, monkeypatch):
    mechanism, n, knowledge, prior, of = ENUMERATED[case]
    leak = of(prior)
    made = []  # once: its tables are the same for all repetitions

    def once(*given):
        made.extend([] if made else [BlanketedHistograms(*given)])
        return made[0]

    monkeypatch.setattr(monte_carlo, "BlanketedHistograms", once)
    truth, rng = truth_of(rows_of(mechanism, n, knowledge), leak), np.random.default_rng(7)
    known = groups_of_others(knowledge, n)
    estimates = [mean_among_known(mechanism.response, known, leak, rng) for _ in range(REPETITIONS)]
    assert sum(e.low <= truth <= e.high for e in estimates) >= LEAST_COVERED
    assert {e.confidence for e in estimates} == {0.95}
    values = np.array([e.value for e in estimates])
    assert abs(values.mean() - truth) <= 5 * values.std() / math.sqrt(REPETITIONS) + 1e-9


# How likely a report that is surely of the common law is each outcome: by the law of all other reports.

BLANKETED = {
    "even": ([3, 2, 4], 1, 0.375, [1 / 3] * 3),
    "strangers": ([10, 0, 3], 5, 0.0625, [0.25, 0.25, 0.5]),
    "hardly any of the common law": ([5, 4, 5], 1, 0.999, [0.25, 0.25, 0.5]),
    "two outcomes": ([30, 20], 1, 0.5, [0.5, 0.5]),
}


@pytest.mark.parametrize("case", BLANKETED)
def test_the_share_of_each_outcome_is_that_of_enumeration(case):
    counts, more, own, common = BLANKETED[case]
    m = len(counts)
    laws = [own * np.eye(m)[v] + (1 - own) * np.array(common) for v in range(m)] + [np.array(common)]
    drawn = [v for v, count in enumerate(counts) for _ in range(count)]
    rest = slow.law_of_reports(laws, [*drawn, *[m] * (more - 1)])
    whole = slow.law_of_reports(laws, [*drawn, *[m] * more])
    law = BlanketedHistograms(np.array(counts), more, own, 1 - own, np.array(common))
    seen = [h for h, mass in whole.items() if mass > 1e-7]
    found = law.hidden_shares(np.array(seen))
    for h, shares in zip(seen, found, strict=True):
        less = [rest.get((*h[:y], h[y] - 1, *h[y + 1 :]), 0.0) for y in range(m)]
        assert shares == pytest.approx(np.array(common) * less / whole[h], rel=1e-8, abs=1e-9)
    sample = law.draw(np.random.default_rng(1), 20_000)
    expected = np.array([*counts, more], dtype=float) @ np.array(laws)
    assert (abs(sample.mean(axis=0) - expected) <= 5 * sample.std(axis=0) / math.sqrt(20_000)).all()
    assert (sample.sum(axis=1) == sum(counts) + more).all()


def simulated_guess(k, p, counts, draws, rng):
    """What guessing the value with the most reports beyond the expected ones gets, by the definition of everything."""
    q, target = (1 - p) / (k - 1), rng.integers(k, size=draws)
    law = np.full((k, k), q) + (p - q) * np.eye(k)
    reports = sum(rng.multinomial(count, law[v], size=draws) for v, count in enumerate(counts))
    own = np.where(rng.random(draws) < (k * p - 1) / (k - 1), target, rng.integers(k, size=draws))
    reports[np.arange(draws), own] += 1
    expected = np.array(counts) @ law
    beyond = (reports - expected) / (expected * (1 - expected / sum(counts)))
    return float((beyond.argmax(axis=1) == target).mean())


LARGE = {
    "k = 4, n = 1000": (4, 0.5, [250, 250, 250, 249]),
    "k = 5, n = 100": (5, 0.5, [20, 20, 20, 20, 19]),
    "k = 6, n = 3000": (6, 0.5, [500, 500, 500, 500, 500, 499]),
}


@pytest.mark.long
@pytest.mark.parametrize("case", LARGE)
def test_crowds_of_many_values_have_an_interval_that_says_something(case):
    k, p, counts = LARGE[case]
    crowd, adversary = dc.Shuffled(RR(k, p=p), sum(counts) + 1), dc.AllButOne(counts)
    with lowered(MAX_CROWDS_DRAWN=1 << 14):
        found = dc.posterior_vulnerability(crowd.seen_by(adversary, seed=1))
        risk = dc.bayes_risk(crowd.seen_by(adversary, seed=1))
    assert found.confidence == 0.95
    assert found.low > 1 / k
    assert found.high - found.low < 0.15 * (found.value - 1 / k) + 0.003
    assert dc.method(dc.posterior_vulnerability, crowd.seen_by(adversary)) == monte_carlo.SAMPLED_AMONG_KNOWN
    # A guess that is as good as the best at this size, but is drawn and not computed.
    draws = 200_000
    drawn = simulated_guess(k, p, counts, draws, np.random.default_rng(2))
    assert drawn == pytest.approx(found.value, abs=(found.high - found.low) / 2 + 4 / math.sqrt(draws))
    assert (risk.low, risk.high) == pytest.approx((1 - found.high, 1 - found.low))


@pytest.mark.usefixtures("few_draws")
def test_a_seed_repeats_the_estimate_and_another_does_not():
    crowd, adversary = dc.Shuffled(RR(4, p=0.5), 1000), dc.AllButOne([250, 250, 250, 249])
    first, again, other = (dc.posterior_vulnerability(crowd.seen_by(adversary, seed=rng)) for rng in (3, 3, 4))
    assert first == again != other


def test_the_tighter_end_of_both_is_taken_and_the_certificate_kept_where_it_is_tighter():
    bounds = Estimate(0.5, 0.25, 0.75, None, "bounds")
    within = Estimate(0.375, 0.3125, 0.5, 0.95, "sample")
    assert bounds.narrowed(within) == within
    halfway = bounds.narrowed(Estimate(0.3125, 0.125, 0.5, 0.95, "sample"))
    assert (halfway.low, halfway.high, halfway.confidence) == (0.25, 0.5, 0.95)
    wide = bounds.narrowed(Estimate(0.625, 0.0, 1.0, 0.95, "sample"))
    assert wide == Estimate(0.625, 0.25, 0.75, None, "bounds")
    assert bounds.narrowed(Estimate(0.9, 0.875, 1.0, 0.95, "sample")) == bounds


@pytest.mark.long
def test_the_value_does_not_jump_where_a_sample_takes_over():
    values = []
    for n in (41, 250):
        crowd = dc.Shuffled(RR(5, epsilon=2), n)
        with lowered(MAX_CROWDS_DRAWN=1 << 14):
            found = dc.mutual_information(crowd.seen_by(dc.PartlyInformed([5, 4, 3, 2, 1]), seed=1))
        values.append(n * float(found))
    assert values[1] == pytest.approx(values[0], rel=0.2)


@pytest.mark.parametrize("p", [0.501, 0.75])
def test_a_bound_quotes_its_middle_or_where_its_ends_are_far_apart_the_safe_one(p):
    crowd = dc.Shuffled(dc.UnaryEncoding(5, p, 0.25), 1000)
    seen = crowd.seen_by(dc.AllButOne([200, 200, 200, 200, 199]))
    for measure, safe in (
        (dc.posterior_vulnerability, "high"),
        (dc.mutual_information, "high"),
        (dc.bayes_security, "low"),
    ):
        found = measure(seen)
        assert found.certified
        middle = [] if is_wide(found) else [pytest.approx((found.low + found.high) / 2, rel=1e-9)]
        assert found.value in [getattr(found, safe), *middle]
