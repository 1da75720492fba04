"""Confidence limits on β for all pairs of secrets with discrete observations."""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from discretion import limits
from discretion.blackbox.distinct import distinct_integers
from discretion.blackbox.fair_trials import FairTrials, fair_trials, number_of_trials
from discretion.blackbox.progressive_validation import COUNTED
from discretion.blackbox.samples import Samples
from discretion.errors import TooLargeError
from discretion.numerics.arrays import Integers, Reals
from discretion.numerics.laws.binomial_limits import lower_limit, upper_limit

# (secret, observation) that are compared over all pairs of secrets.
MAX_CELLS_COMPARED = 2 * 10**10
# Pairs of secrets.
MAX_PAIRS_COMPARED = 10**7
# Cells of the pairs that are validated; one pair is in any case.
MAX_CELLS_VALIDATED = 10**7

# A tail bound above the mean of a binomial law holds for its limits up to this probability of a miss.
_MOST_MISSES = 0.25


@dataclass(frozen=True)
class ComparedPairs:
    """Pairs of secrets: least training errors with their numbers of samples, and errors with trials and lost trials."""

    first: Integers
    second: Integers
    least: Integers
    each: Integers
    errors: Integers
    lost: Integers
    trials: Integers
    validated: int

    def lows(self, misses: float) -> Reals:
        """Return a lower limit on each pair's β."""
        return lower_limit_of_sum(self.least, self.each, misses)

    def highs(self, misses: float) -> Reals:
        """Return upper limits that all hold together, except with the given probability."""
        return np.minimum(1.0, 2 * upper_limit(self.errors + self.lost, self.trials, misses / self.least.size))

    def leakiest(self, misses: float) -> int:
        """Return the pair with the lowest upper limit; among tied pairs, the one with the lowest training error."""
        trained = np.where(self.each > 0, self.least / np.maximum(self.each, 1), 1.0)
        return int(np.lexsort((-self.each, trained, self.highs(misses)))[0])


def compared_pairs(samples: Samples, rng: np.random.Generator) -> ComparedPairs:
    """Return all pairs; those that are likeliest to leak are validated."""
    table = secret_table(samples)
    first, second = np.triu_indices(samples.k, 1)
    least, trials, each = overlaps(table), trials_of(table), table.sizes[first]
    errors, lost = np.zeros_like(trials), trials.copy()
    affordable = affordable_pairs(table, np.where(each > 0, least / np.maximum(each, 1), 1.0))
    errors[affordable], lost[affordable] = held_out_errors(table, affordable, rng)
    return ComparedPairs(
        table.secrets[first], table.secrets[second], least, each, errors, lost, trials, affordable.size
    )


def lower_limit_of_sum(errors: ArrayLike, each: ArrayLike, misses: float) -> Reals:
    """Return a lower limit on ``p + q`` from the errors in ``each`` trials of p and ``each`` trials of q.

    It is twice the limit on ``(p + q)/2`` from as many trials of it. By Hoeffding's theorem (On the distribution of the
    number of successes in independent trials, 1956, Theorem 4) the errors' upper tail is below that of
    Binomial(2·each, (p + q)/2) from one past the mean on. The limit misses only where that binomial's tail is under
    ``misses``, which is at least one past the mean: a binomial exceeds its mean with probability at least 1/4 if the
    mean is at least 0.29 (Doerr, An elementary analysis of the probability that a binomial random variable exceeds
    its expectation, 2018), so ``misses`` must be at most 1/4; below that mean, two errors are one past it. A single
    error takes a limit of its own: ``P(errors >= 1) = 1 - ((1-p)(1-q))^each <= 1 - (1-p-q)^each``.
    """
    x, n = np.asarray(errors, dtype=np.float64), np.asarray(each, dtype=np.float64)
    rate = min(misses, _MOST_MISSES)
    single = -np.expm1(np.log1p(-rate) / np.maximum(n, 1))
    return np.where(x == 1, single, np.minimum(1.0, 2 * lower_limit(x, 2 * n, rate)))


@dataclass(frozen=True)
class SecretTable:
    """Samples by secret, the rarest secret first, in random order within each.

    ``cell`` is, for each sample, the index of its (secret, observation) among the distinct ones, which have the same
    order. ``secrets`` are the secrets' numbers among the samples' labels, ``sizes`` their numbers of samples.
    """

    secrets: Integers
    sizes: Integers
    cell: Integers
    secret_of_cell: Integers
    observation: Integers

    @cached_property
    def first_sample(self) -> Integers:
        """The index of each secret's first sample, and, last, the end of all samples."""
        return np.concatenate([[0], np.cumsum(self.sizes)])

    @cached_property
    def first_cell(self) -> Integers:
        """The index of each secret's first cell, and, last, the end of all cells."""
        return np.searchsorted(self.secret_of_cell, np.arange(self.sizes.size + 1))

    @cached_property
    def observations(self) -> int:
        """The number of distinct observations."""
        return int(self.observation.max()) + 1

    def cells_at(self, secrets: Integers, start: int, end: int) -> Integers:
        """Return the cells of these secrets' samples from one place to another."""
        return self.cell[(self.first_sample[secrets][:, None] + np.arange(start, end)).ravel()]

    def own_counts(self, secret: int, start: int, end: int) -> Integers:
        """Return the counts of each observation among one secret's samples from one place to another."""
        cells = self.cell[self.first_sample[secret] + start : self.first_sample[secret] + end]
        return np.bincount(self.observation[cells], minlength=self.observations)


def secret_table(samples: Samples) -> SecretTable:
    """Return the samples by secret."""
    sizes = np.bincount(samples.secrets, minlength=samples.k)
    rarest = np.argsort(sizes, kind="stable")
    rank = np.empty_like(rarest)
    rank[rarest] = np.arange(samples.k)
    secrets = rank[samples.secrets]
    # 16-bit keys sort in linear time.
    order = np.argsort(secrets.astype(np.uint16) if samples.k < 1 << 16 else secrets, kind="stable")
    span = int(samples.codes.max()) + 1
    cells, cell = distinct_integers((secrets * span + samples.codes)[order])
    table = SecretTable(rarest, sizes[rarest], cell, cells // span, cells % span)
    allowed, pairs = limits.current(), samples.k * (samples.k - 1) // 2
    few = pairs <= allowed.numbers(MAX_PAIRS_COMPARED, each=64)
    if not few or samples.k * cells.size > allowed.steps(MAX_CELLS_COMPARED):
        raise TooLargeError(
            f"all pairs of {samples.k:,} secrets with {cells.size:,} distinct samples are too many to compare; "
            "keep the secrets that matter"
        )
    return table


def overlaps(table: SecretTable) -> Integers:
    """Return, for each pair, the least training errors of any test: ``Σ_o min(count_a(o), count_b(o))``.

    Pairs are in the order of `numpy.triu_indices`. For each pair, both secrets have as many samples as the rarer one.
    """
    k = table.sizes.size
    counts = np.bincount(table.cell, minlength=table.observation.size)
    rows: list[Integers] = []
    for secret in range(k - 2, -1, -1):
        later = np.arange(secret + 1, k)
        cells = slice(int(table.first_cell[secret + 1]), None)
        dropped = table.cells_at(later, int(table.sizes[secret]), int(table.sizes[secret + 1]))
        if dropped.size:
            counts -= np.bincount(dropped, minlength=counts.size)
        own = table.own_counts(secret, 0, int(table.sizes[secret]))
        common = np.minimum(counts[cells], own[table.observation[cells]])
        rows.append(_sums(common, table.first_cell[secret + 1 :] - cells.start))
    return np.concatenate(rows[::-1])


def affordable_pairs(table: SecretTable, estimates: Reals) -> Integers:
    """Return the pairs with the lowest estimates, as many as the limit on work allows to validate."""
    first, second = np.triu_indices(table.sizes.size, 1)
    cost = np.diff(table.first_cell)
    order = np.argsort(estimates, kind="stable")
    order = order[trials_of(table)[order] > 0]
    few = np.cumsum((cost[first] + cost[second])[order]) <= limits.current().steps(MAX_CELLS_VALIDATED, each=64)
    few[:1] = True
    return np.sort(order[few])


def held_out_errors(table: SecretTable, pairs: Integers, rng: np.random.Generator) -> tuple[Integers, Integers]:
    """Return, for each of these pairs, in ascending order, the errors on its held-out samples, and the lost trials."""
    first, second = (members[pairs] for members in np.triu_indices(table.sizes.size, 1))
    starts = np.flatnonzero(np.diff(first, prepend=-1))
    errors, lost = np.empty(pairs.size, dtype=np.int64), np.empty(pairs.size, dtype=np.int64)
    for start, end in pairwise([*starts.tolist(), pairs.size]):
        plan = fair_trials(int(table.sizes[first[start]]), COUNTED, rng)
        errors[start:end] = _errors_against(table, int(first[start]), second[start:end], plan)
        lost[start:end] = plan.lost
    return errors, lost


def trials_of(table: SecretTable) -> Integers:
    """Return the number of held-out trials of each pair, which the samples of its rarer secret determine."""
    k = table.sizes.size
    by_secret = [number_of_trials(int(size)) for size in table.sizes[:-1]]
    return np.repeat(np.array(by_secret, dtype=np.int64), np.arange(k - 1, 0, -1))


def _errors_against(table: SecretTable, secret: int, others: Integers, plan: FairTrials) -> Integers:
    lengths: Integers = np.diff(table.first_cell)[others]
    ends: Integers = np.concatenate([[0], np.cumsum(lengths)])
    cells: Integers = np.arange(int(ends[-1])) + np.repeat(table.first_cell[others] - ends[:-1], lengths)
    place = np.empty(table.observation.size, dtype=np.int64)
    place[cells] = np.arange(cells.size)
    observation = table.observation[cells]

    def counts(start: int, end: int) -> Integers:
        return np.bincount(place[table.cells_at(others, start, end)], minlength=cells.size)

    known, own = counts(0, int(plan.second[0])), table.own_counts(secret, 0, int(plan.first[0]))
    errors = np.zeros(others.size, dtype=np.int64)
    for block in range(plan.first.size - 1):
        (a, a_end), (b, b_end) = plan.first[block : block + 2].tolist(), plan.second[block : block + 2].tolist()
        tested, own_tested = counts(b, b_end), table.own_counts(secret, a, a_end)
        # Guess the larger relative frequency; the rarer secret in ties, such as for a new observation.
        named = own[observation] * b >= known * a
        errors += _sums(np.where(named, tested, own_tested[observation]), ends)
        known += tested
        own += own_tested
    return errors


def _sums(values: Integers, edges: Integers) -> Integers:
    total = np.concatenate([[0], np.cumsum(values)])
    return total[edges[1:]] - total[edges[:-1]]
