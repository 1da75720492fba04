"""What an adversary sees of a shuffled crowd: a system whose secret is the target's value, by what she knows."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from discretion import limits
from discretion.adversaries.knowledge import Exchangeable
from discretion.channels.channel import Channel, Composable, System
from discretion.errors import TooLargeError, UnsupportedError
from discretion.measures.attack_curves.tradeoff import pair_indices
from discretion.measures.guesses.bayes_security import Pair
from discretion.measures.privacy_loss.differential_privacy import plan_ldp_epsilon
from discretion.mechanisms.reporting import Response, reporting
from discretion.numerics.arrays import Reals
from discretion.numerics.draws.randomness import fresh_seed
from discretion.numerics.histograms.histogram_simplex import simplex_law, with_draws
from discretion.numerics.histograms.histograms import (
    add_draw,
    dirichlet_multinomial_pmf,
    histogram_count,
    histograms,
    places,
    sequence_count,
)
from discretion.numerics.histograms.mixed_histograms import mixed_law
from discretion.numerics.laws.binomial import split_binomials
from discretion.numerics.laws.poisson_multinomial import box_cells, histogram_box, with_target
from discretion.shuffling.laws.blanket import Blanket
from discretion.shuffling.laws.groups import AlikePairs, Ends, Group, Others, alike_pairs, is_symmetric, report_types
from discretion.shuffling.laws.pairs import PairOfValues
from discretion.shuffling.laws.report_histograms import ListedOthers

_MAX_REPORTS, _FEW_LISTED = 16, 1 << 12


@dataclass(frozen=True, eq=False)
class View(Composable):
    """A crowd as one adversary sees it: a system, made by `discretion.Shuffled.seen_by`.

    ``seed`` is where its samples start, if only sampling answers.
    """

    mechanism: System
    n: int
    seed: int = field(default_factory=fresh_seed, kw_only=True)

    @property
    def secrets(self) -> int:
        """How many values the target can have."""
        return self.mechanism.secrets

    @property
    def response(self) -> Response | None:
        """The mechanism, if it is k-RR."""
        return reporting(self.mechanism).response

    @property
    def ldp_epsilon(self) -> float:
        """The largest logarithm of a ratio of likelihoods."""
        return plan_ldp_epsilon(self).compute()

    @cached_property
    def blanket(self) -> Blanket:
        """What hides the target whatever the others hold."""
        return Blanket(self.mechanism, self.n)

    def channel(self) -> Channel:
        """Return the explicit channel from the target's value to the histogram, or raise TooLargeError."""
        raise TooLargeError(
            f"the histograms of {self.n:,} users with {self.secrets:,} values cannot all be listed, which this needs; "
            "take fewer users or two kinds of report, or ask for the guess or the privacy profile"
        )

    def labels(self, ends: Ends) -> Pair:
        """Return the labels of two values."""
        a, b = ends
        return self._inputs[a], self._inputs[b]

    def ends(self, pair: Pair) -> Ends:
        """Return the places of two values, or refuse what is no label."""
        return pair_indices(pair, self._inputs)

    @property
    def _inputs(self) -> Sequence[Hashable]:
        return self.mechanism.inputs if isinstance(self.mechanism, Channel) else range(self.secrets)


@dataclass(frozen=True, eq=False)
class AmongOthers(View):
    """A crowd whose others report independently: each group of them by a law that the adversary knows."""

    groups: Others

    @property
    def group(self) -> Group | None:
        """The only group of others, if there is just one."""
        return self.groups[0] if len(self.groups) == 1 else None

    @property
    def uniform_response(self) -> Response | None:
        """The mechanism, if it is k-RR and hides the target among uniform reports: there closed forms are known."""
        return self.response if all(group.is_uniform for group in self.groups) else None

    @property
    def leaves_only_the_target(self) -> bool:
        """Whether the target's own report is plain to see: she is alone, or all others' are known without noise."""
        known = all(group.value is not None for group in self.groups)
        return known and (not self.groups or (self.response is not None and not self.response.q))

    def pair(self, a: int, b: int) -> PairOfValues:
        """Return two values of the target as this adversary sees them."""
        return PairOfValues(self.mechanism, a, b, self.groups, self.blanket, self._listed)

    @cached_property
    def pairs(self) -> list[PairOfValues]:
        """Two values of the target each, such that every other two are like some of these or their reverse."""
        return [self.pair(a, b) for a, b in self.alike.representatives]

    @cached_property
    def alike(self) -> AlikePairs:
        """Two values of the target each, by how this adversary tells them apart."""
        return alike_pairs(self.mechanism, self.groups)

    @property
    def is_listable(self) -> bool:
        """Whether the likelihoods of all histograms fit in memory and in some seconds."""
        allowed = limits.current()
        if self.secrets > allowed.most_values_listed and is_symmetric(self.mechanism):
            return False
        try:
            return self.cells <= allowed.most_histograms
        except TooLargeError:
            return False

    @property
    def cells(self) -> float:
        """How many likelihoods there are to list."""
        return self._others.cells * self.secrets

    def likelihoods(self) -> Reals:
        """Return ``P(h | x)``: a row per value, a column per histogram of the types of report."""
        return np.stack(
            ListedOthers(self._counts, self._types[self.secrets :]).likelihoods(self._types[: self.secrets])
        )

    def channel(self) -> Channel:
        """Return the explicit channel from the target's value to the histogram of reports.

        Histograms are tuples of counts; those that are left out hold less than 1e-17 of the probability.
        """
        explicit = self.mechanism.channel()
        rows = explicit.dense()
        if not self.groups:
            reports = np.eye(rows.shape[1], dtype=int).tolist()
            return Channel(rows, explicit.inputs, map(tuple, reports))
        laws = np.stack([group.law(self.secrets) @ rows for group in self.groups])
        most = limits.current().most_crowd_cells
        if histogram_count(self.n, rows.shape[1]) <= _FEW_LISTED:
            found = with_draws(simplex_law(self._counts, laws), self.n, rows)
            return Channel(found, explicit.inputs, map(tuple, histograms(self.n, rows.shape[1]).tolist()))
        if rows.shape[1] > _MAX_REPORTS or box_cells(self._counts, laws) * self.secrets > most:
            return super().channel()
        corner, likelihoods = with_target(histogram_box(self._counts, laws), rows)
        grid = np.indices(likelihoods.shape[1:]).reshape(len(corner), -1).T + np.array(corner, dtype=int)
        found = np.column_stack([grid, self.n - grid.sum(axis=1)])
        flat = np.maximum(likelihoods.reshape(len(rows), -1), 0.0)
        kept = (found.min(axis=1) >= 0) & (flat > 0).any(axis=0)
        return Channel(flat[:, kept], explicit.inputs, map(tuple, found[kept].tolist()))

    @cached_property
    def _others(self) -> ListedOthers:
        return ListedOthers(self._counts, self._types[self.secrets :])

    @cached_property
    def _listed(self) -> dict[bytes, ListedOthers]:
        return {}

    @cached_property
    def _types(self) -> Reals:
        types = report_types(self.mechanism, self.groups, range(self.secrets))
        others = types[self.secrets :]
        return types[:, np.argsort(others.mean(axis=0))]

    @property
    def _counts(self) -> tuple[int, ...]:
        return tuple(group.count for group in self.groups)


@dataclass(frozen=True, eq=False)
class AmongExchangeable(View):
    """A crowd whose values, the target's included, come from one population drawn from a Dirichlet law."""

    knowledge: Exchangeable

    @property
    def alpha(self) -> Reals:
        """The parameters of the Dirichlet law."""
        return np.array(self.knowledge.alpha)

    @property
    def is_listable(self) -> bool:
        """Whether all histograms of the others' values, and of the reports, are few enough to list."""
        ways = histogram_count(self.n - 1, self.secrets)
        allowed = limits.current()
        if ways > allowed.most_ways_listed:
            return False
        reports = self.mechanism.channel().shape[1]
        cells = sequence_count(reports - 1, self.n + 1)
        most = allowed.most_histograms
        return cells * self.secrets * reports <= most and ways * cells <= 8 * most

    def channel(self) -> Channel:
        """Return the explicit channel from the target's value to the histogram of reports.

        Given the target's value x the population is Dirichlet(α + e_x), and the others' values Dirichlet-multinomial.
        """
        if not self.is_listable:
            return super().channel()
        explicit = self.mechanism.channel()
        rows = explicit.dense()
        k = len(rows)
        held = histograms(self.n - 1, k)
        weights = np.stack([dirichlet_multinomial_pmf(held, self.alpha + np.eye(1, k, x)[0]) for x in range(k)])
        others = mixed_law(self.n - 1, rows, weights)
        return _channel_to_histograms(explicit, others, self.n)


@dataclass(frozen=True, eq=False)
class AmongWorst(View):
    """A crowd whose others hold the values that expose the target most, and the adversary knows them."""

    def channel(self) -> Channel:
        """Refuse: others who are the worst to one measure need not be so to another."""
        raise UnsupportedError(
            "no one channel stands for the others who expose the target most, since they are not the same to every "
            "measure; say what the others hold with discretion.AllButOne"
        )

    @cached_property
    def two_types(self) -> Reals | None:
        """The laws of two types of report, of two values of the target, if there are no more and doubles hold both."""
        if self.secrets != 2 or PairOfValues(self.mechanism, 0, 1, ()).is_loud:
            return None
        types = report_types(self.mechanism, (), (0, 1))
        return types if types.shape[1] == 2 else None

    @cached_property
    def split_likelihoods(self) -> list[Reals]:
        """``P(h | x)`` of two types for each way to split the others between two values, in blocks.

        The axes are for the value x, for how many of the others hold the first one, in order, and for h.
        """
        types = self.two_types
        assert types is not None
        seen = (np.pad(law, ((0, 0), (1, 1))) for law in split_binomials(self.n - 1, *types))
        return [np.stack([hit * law[:, :-1] + miss * law[:, 1:] for hit, miss in types]) for law in seen]


def _channel_to_histograms(mechanism: Channel, others: Iterable[Reals], n: int) -> Channel:
    """Return the channel to all histograms of n reports, given the law of the others' for each value of the target."""
    rows = mechanism.dense()
    listed = histograms(n, rows.shape[1])
    index = places(listed)
    found = np.stack([add_draw(law, row)[index] for law, row in zip(others, rows, strict=True)])
    return Channel(found, mechanism.inputs, map(tuple, listed.tolist()))


def known(counts: tuple[int, ...]) -> Others:
    """Return the groups of others who hold so many of each value."""
    return tuple(Group(count, value=value) for value, count in enumerate(counts) if count)


def even(users: int, k: int) -> tuple[int, ...]:
    """Return how so many users hold k values evenly."""
    return tuple(users // k + (value < users % k) for value in range(k))
