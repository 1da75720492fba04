"""What the estimates count, against counting sample by sample; and F-BLEAU's guessers by hand."""

import itertools
from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import given, strategies as st

from discretion.blackbox import (
    BayesRiskStream,
    NearestNeighbours,
    convergence,
    estimate_bayes_risk,
    estimate_bayes_security,
)
from discretion.blackbox.compared_pairs import affordable_pairs, held_out_errors, overlaps, secret_table
from discretion.blackbox.fair_trials import fair_trials
from discretion.blackbox.progressive_validation import COUNTED, FITTED, validate
from discretion.blackbox.samples import as_samples
from oracles import blackbox as slow

# Secrets and observations of at least two secrets; ties and unseen observations are common.
SAMPLES = st.lists(st.tuples(st.integers(0, 3), st.integers(-2, 4)), min_size=4, max_size=60).filter(
    lambda samples: len({secret for secret, _ in samples}) > 1
)
MEASURES = [estimate_bayes_risk, estimate_bayes_security]


@given(SAMPLES, st.integers(0, 5))
def test_every_block_is_guessed_from_all_samples_before_it(samples, seed):
    ordered, _ = as_samples(*zip(*samples, strict=True), seed)
    pairs = list(zip(ordered.secrets.tolist(), ordered.codes.tolist(), strict=True))
    validation = validate(None, ordered)
    assert validation.known[0] + validation.tested.sum() == len(samples)
    for known, tested, errors, least in zip(*astuple(validation), strict=True):
        assert errors == slow.frequentist_errors(pairs[:known], pairs[known : known + tested])
        assert least == slow.least_training_errors(pairs[: known + tested])


def by_secret(table):
    ends = table.first_sample
    seen = table.observation[table.cell].tolist()
    return [seen[start:end] for start, end in itertools.pairwise(ends)]


@given(SAMPLES, st.integers(0, 5))
def test_the_overlap_of_each_pair_counts_as_many_samples_of_both(samples, seed):
    table = secret_table(as_samples(*zip(*samples, strict=True), seed)[0])
    observed = by_secret(table)
    assert sorted(map(len, observed)) == [len(o) for o in observed]
    pairs = zip(*np.triu_indices(len(observed), 1), strict=True)
    expected = [slow.pair_overlap(observed[a], observed[b][: len(observed[a])]) for a, b in pairs]
    assert overlaps(table).tolist() == expected


@given(SAMPLES, st.integers(0, 5))
def test_each_pair_is_validated_by_fair_coins(samples, seed):
    table = secret_table(as_samples(*zip(*samples, strict=True), seed)[0])
    observed = by_secret(table)
    first, second = np.triu_indices(len(observed), 1)
    pairs = affordable_pairs(table, np.zeros(first.size))
    errors, lost = held_out_errors(table, pairs, np.random.default_rng(seed))
    rng, plan = np.random.default_rng(seed), {}
    for a, b, found, missed in zip(first[pairs], second[pairs], errors, lost, strict=True):
        if a not in plan:
            plan[a] = fair_trials(len(observed[a]), COUNTED, rng)
        trials, expected = plan[a], 0
        assert missed == trials.lost
        for block in range(trials.first.size - 1):
            (i, i_end), (j, j_end) = trials.first[block : block + 2], trials.second[block : block + 2]
            learned, tested = (observed[a][:i], observed[b][:j]), (observed[a][i:i_end], observed[b][j:j_end])
            expected += slow.balanced_errors(learned, tested)
        assert found == expected


@pytest.mark.parametrize("each", [1, 2, 3, 10, 1000])
def test_trials_are_as_many_as_planned_and_use_no_sample_twice(each):
    rng = np.random.default_rng(1)
    plans = [fair_trials(each, COUNTED, rng) for _ in range(200)]
    assert len({plan.trials for plan in plans}) == 1
    for plan in plans:
        used = plan.first[-1] - plan.first[0] + plan.second[-1] - plan.second[0]
        assert used + plan.lost == plan.trials
        assert max(plan.first[-1], plan.second[-1]) <= each


def test_a_secret_rarely_runs_out_of_samples():
    rng = np.random.default_rng(2)
    lost = [fair_trials(1000, COUNTED, rng).lost for _ in range(2000)]
    # Beyond three standard deviations of a binomial count: one run in 370.
    assert sum(some > 0 for some in lost) <= 20


def test_a_block_that_is_cut_short_is_lost_whole_to_a_classifier():
    class Tails:
        def integers(self, high, size):
            return np.ones(size, dtype=np.int64)

    plan = fair_trials(1000, FITTED, Tails())
    whole = plan.whole_blocks()
    assert plan.lost > 0
    assert whole.first.size == plan.first.size - 1
    assert (
        whole.trials == plan.trials == whole.lost + (whole.first + whole.second)[-1] - (whole.first + whole.second)[0]
    )


def test_the_frequentist_guesses_of_a_hand_worked_example():
    # 1: a a b, 2: b b, 3: a b, 4: b. Most frequent overall: b. Guessed 1 → a, 2 → b, unseen → b.
    stream = BayesRiskStream()
    stream.add(list("aabbbabb"), [1, 1, 1, 2, 2, 3, 3, 4])
    stream.add(list("abab" + "ba"), [1, 1, 2, 2, 5, 6])
    # Wrong: b at 1, a at 2, a at 6. Of all fourteen, best guesses leave 2 at 1, 1 at 2 and 1 at 3.
    method = stream.estimate().method
    assert "3 errors of 6 held out" in method
    assert "4 training errors of 14" in method


LEARNED = list("aababbba"), [0, 1, 3, 4, 6, 7, 10, 11]
ASKED = list("abbaba"), [0.4, 3.4, 4.2, 9, 6.4, 11.5]
# The nearest are 0, 3, 4, 10, 6 and 11; the 3 nearest (ln 8 = 2.08) 0 1 3, 3 4 1, 4 3 6, 10 7 11, 6 7 4 and 11 10 7.


@pytest.mark.parametrize(("k", "guessed", "errors"), [(1, "ababba", 2), (None, "aabbbb", 3)])
@pytest.mark.parametrize("metric", [None, lambda x, y: abs(x - y)])
def test_the_nearest_neighbours_of_a_hand_worked_example(k, guessed, errors, metric):
    secrets, observations = LEARNED
    nearest = NearestNeighbours(k, metric).fit(observations, secrets)
    assert "".join(nearest.predict(ASKED[1])) == guessed
    stream = BayesRiskStream(NearestNeighbours(k, metric))
    stream.add(*LEARNED)
    stream.add(*ASKED)
    assert f"{errors} errors of 6 held out" in stream.estimate().method


@pytest.mark.parametrize("metric", [None, lambda x, y: abs(x - y)])
def test_all_that_are_as_near_as_the_last_vote(metric):
    # Around 1 the nearest are 0 and 2, at a distance of 1 all: a once, b twice, though k is 1.
    assert NearestNeighbours(1, metric).fit([0.0, 2.0, 2.0], list("abb")).predict([1.0]).tolist() == ["b"]
    # Around 5 the third nearest are 2 and 8, at a distance of 3: with 4 and 6, a a b b b.
    assert NearestNeighbours(3, metric).fit([4, 6, 2, 8, 8], list("aabbb")).predict([5]).tolist() == ["b"]
    # Twelve points with whole coordinates lie on the circle of radius 5.
    circle = [(x, y) for x in range(-5, 6) for y in range(-5, 6) if x * x + y * y == 25]
    by_row = None if metric is None else lambda x, y: np.hypot(*np.subtract(x, y))
    assert NearestNeighbours(1, by_row).fit(circle, list("aaaaabbbbbbb")).predict([(0, 0)]).tolist() == ["b"]


@pytest.mark.parametrize(("n", "k"), [(1, 1), (3, 3), (20, 3), (21, 5), (148, 5), (149, 7)])
def test_as_many_vote_as_ln_n_rounded_up_to_an_odd_number(n, k):
    # e³ = 20.1 and e⁵ = 148.4. Of the n nearest to 0, one to n, the last of k alone says "a" at the k-th place.
    known = np.arange(1.0, n + 1)
    majority = ["far"] * n
    majority[: k // 2] = ["near"] * (k // 2)
    assert NearestNeighbours().fit(known, majority).predict([0.0]).tolist() == ["far"]
    majority[: k // 2 + 1] = ["near"] * (k // 2 + 1)
    assert NearestNeighbours().fit(known, majority).predict([0.0]).tolist() == ["near"]


@pytest.mark.parametrize("metric", [None, lambda x, y: abs(x - y)])
def test_more_vote_where_neighbours_are_alike(metric):
    # Secrets hang on the side of 0 only in the first case, on each twentieth of the line in the second.
    rng = np.random.default_rng(3)
    x = rng.uniform(-1, 1, 400)
    sides = np.where(rng.random(400) < 0.3, x < 0, x > 0)
    asked = np.linspace(-1, 1, 401)
    few, learned = (NearestNeighbours(k, metric).fit(x, sides).predict(asked) for k in (7, None))
    assert np.mean(learned != (asked > 0)) < 0.7 * np.mean(few != (asked > 0))
    striped = np.floor(10 * x).astype(int) % 2
    assert NearestNeighbours(None, metric).fit(list(x), striped).predict(asked).tolist() == (
        NearestNeighbours(7, metric).fit(x, striped).predict(asked).tolist()
    )


@given(SAMPLES, st.lists(st.integers(-3, 5), min_size=1, max_size=9), st.integers(1, 7))
def test_a_tree_and_a_metric_agree_on_votes(samples, asked, k):
    secrets, observations = zip(*samples, strict=True)
    by_tree = NearestNeighbours(k).fit(observations, secrets).predict(asked)
    for x, guess in zip(asked, by_tree.tolist(), strict=True):
        votes = slow.neighbours_votes(samples, x, k)
        assert votes[guess] == max(votes.values())


@pytest.mark.parametrize("scale", [1e-300, 1e-200, 1.0, 1e200, 1e308])
def test_neighbours_are_as_near_on_any_scale(scale):
    nearest = NearestNeighbours(1).fit(scale * np.array([0.1, 0.5, -1.0]), list("abc"))
    assert "".join(nearest.predict(scale * np.array([0.2, 0.45, -0.7, 1.0]))) == "abcb"
    assert NearestNeighbours(1).fit([0.0, 1e-300], list("ab")).predict([1e300]).size == 1


def test_tied_votes_go_to_the_nearest():
    assert NearestNeighbours(k=2).fit([0.0, 3.0], ["far", "near"]).predict([2.0]).tolist() == ["near"]


@pytest.mark.long
@given(SAMPLES, st.integers(0, 5), st.permutations("wxyz"), st.permutations(range(100, 107)))
@pytest.mark.parametrize("measure", MEASURES)
def test_names_do_not_matter(measure, samples, seed, names, outputs):
    secrets, observations = zip(*samples, strict=True)
    estimate = measure(secrets, observations, rng=seed)
    renamed = measure([names[s] for s in secrets], [outputs[o + 2] for o in observations], rng=seed)
    assert (renamed.value, renamed.low, renamed.high) == (estimate.value, estimate.low, estimate.high)
    assert measure(secrets, [f"output {o}" for o in observations], rng=seed) == estimate


@given(SAMPLES, st.integers(0, 5))
@pytest.mark.parametrize("measure", MEASURES)
def test_rows_are_compared_whole(measure, samples, seed):
    secrets, observations = zip(*samples, strict=True)
    rows = [(o // 2, "even" if o % 2 else "odd") for o in observations]
    assert measure(secrets, rows, rng=seed) == measure(secrets, observations, rng=seed)


@pytest.mark.parametrize("measure", MEASURES)
def test_the_same_seed_gives_the_same_estimate(measure):
    samples = slow.drawn(slow.random_channel(3, 5), 200, np.random.default_rng(1))
    assert measure(*samples, rng=4) == measure(*samples, rng=np.random.default_rng(4))
    assert measure(*samples, rng=4) != measure(*samples, rng=5)


def test_the_last_point_of_the_convergence_is_the_estimate():
    samples = slow.drawn(slow.random_channel(3, 5), 500, np.random.default_rng(2))
    curve, estimate = convergence(*samples, rng=3), estimate_bayes_risk(*samples, rng=3)
    assert (curve.low[-1], curve.high[-1]) == (estimate.low, estimate.high)
    assert curve.sizes[-1] == 500
    assert (np.diff(curve.training_sizes) > 0).all()
    assert not curve.high.flags.writeable


@given(st.lists(SAMPLES, min_size=2, max_size=5))
def test_a_stream_counts_what_all_its_batches_together_would(batches):
    stream = BayesRiskStream()
    for batch in batches:
        stream.add(*zip(*batch, strict=True))
    estimate, samples = stream.estimate(), list(itertools.chain(*batches))
    assert f"{slow.least_training_errors(samples)} training errors of {len(samples)}" in estimate.method
    assert f"of {len(samples) - len(batches[0])} held out" in estimate.method
