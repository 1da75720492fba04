"""Rules that suppress the fewest cells such that the exposure stays within a budget."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from time import monotonic

import numpy as np

from discretion import limits
from discretion.anonymity.choosing.redaction import as_suspicion, least_decoys, redacted_exposure, with_a_value_each
from discretion.anonymity.choosing.redaction_rule import RedactionRule
from discretion.anonymity.choosing.suppressed_cuts import ColumnCuts, fewest_suppressed
from discretion.anonymity.choosing.suppressed_values import fewest_hidden
from discretion.anonymity.exposure.bounds import described, exposed_below, exposure_bound, known_sizes, rounded_outward
from discretion.anonymity.exposure.exposure import exposure
from discretion.anonymity.people.conversion import People
from discretion.anonymity.people.marginals import Marginals
from discretion.anonymity.people.population import Population
from discretion.errors import EngineError, InvalidValueError, UnsupportedError
from discretion.estimate import Estimate, highest
from discretion.exact import Exact
from discretion.numerics.arrays import Booleans, Integers
from discretion.tables.counting.threshold import Threshold, least_unexposed, most_exposed
from discretion.validation import as_real


@dataclass(frozen=True)
class FewestSuppressions:
    """Rules that suppress values, with their cost and the exposure that they leave.

    Parameters
    ----------
    rules
        By ``values`` for a table, by ``rarer_than`` for marginals; at most one for each column.
    cells
        The number of suppressed cells; with decoys, its expectation over their coins.
    exposure
        The share of the people in a class of fewer than k people after suppression, where "redacted" is one more value:
        exact, as a float, or a certified bound, as an :class:`Estimate`. With decoys, its expectation over their coins.
    bound
        A lower bound on the cells that any rules of this kind, certified in the same way, suppress.
    """

    rules: tuple[RedactionRule, ...]
    cells: float
    exposure: Exact | Estimate
    bound: float

    @property
    def proved(self) -> bool:
        """Whether no rules of this kind suppress fewer cells."""
        return self.cells <= self.bound


def fewest_suppressions(
    P: People | Marginals,
    budget: Threshold,
    k: int | None = None,
    threshold: Threshold | None = None,
    columns: Iterable[str] | None = None,
    *,
    groups: Sequence[Iterable[str]] = (),
    suspicion: float | None = None,
    time_limit: float = 10.0,
) -> FewestSuppressions:
    """Return the rules that suppress the fewest expected cells such that the exposure is at most the budget.

    ``min Σ_j E[cells of column j that are suppressed]`` subject to ``Q ≤ budget``, with Q the exposure of the columns
    after suppression, where "redacted" is one more value of each column: for a table, :func:`redacted_exposure`; for
    marginals, the counting bound ``Σ_j rare_j + (k - 1)·Π_j kept_j``

    Parameters
    ----------
    P
        The people, with one row each, or the marginals that a curator without the table knows.
    budget
        The share of the people in [0, 1] who may be exposed.
    k, threshold
        Exactly one. A person is exposed if their equivalence class has fewer than k people, or fewer than this share
        of all people, in [0, 1].
    columns
        The columns that people are asked for; None is all of them.
    groups
        Groups of these columns in the Marginals, whose class sizes may also certify the rules.
    suspicion
        The largest probability, in (0, 1], that a suppressed value was suppressed because it is rare: each rule gets
        the decoys of :func:`redaction_rules` for it. None is without decoys.
    time_limit
        In seconds, above 0; at this time the search returns the best rules so far.

    Returns
    -------
    FewestSuppressions
        The rules, with a lower bound on the cells of any such rules.

    Raises
    ------
    InvalidValueError
        If there are fewer than k people: then all of them are exposed, whatever they suppress.
    UnsupportedError
        If the people of P have several rows, groups are given with a table, or groups together with suspicion: decoys
        separate people whom the counts of a group hold in one class.

    Notes
    -----
    **With a table** the rules are by values: everybody with the value suppresses it. Each set of values is a possible
    answer. Without decoys the search is exact (implicit hitting sets by HiGHS's integer programs, each set counted in
    whole numbers), unless it reaches its time limit. With decoys the values come from a search without them, for a
    budget that is lowered until the decoys fit. Then ``bound`` is the number of exposed people over the budget, since
    each of them has a suppressed cell or stays exposed.

    **With marginals** the rules are by rarity, since counts hold no values: a rule for a column suppresses each value
    that fewer people have than its cut, and all cuts are possible answers. The certificate holds for every table with
    these counts: people who are rare in no column are in at most ``Π kept`` classes. With decoys it holds in
    expectation, by expected counts. If all columns but one are suppressed, or all but a group, the counts of that one
    certify its own exposure. The class sizes of a group do not show the effect of a rule for one of its columns. But
    without decoys the new classes are unions of the old ones, so the people in old classes below any size, and the
    number of the other classes, bound both. Source: Anonymity, sections 7 and 8.1; the searches: Discretion.

    Examples
    --------
    >>> from discretion.anonymity import Population
    >>> adult = Population("example:adult", columns=["sex", "race", "workclass"])
    >>> fewest = fewest_suppressions(adult, budget=0.001, k=10)
    >>> [rule.values for rule in fewest.rules]
    [('Amer-Indian-Eskimo', 'Other'), ('Without-pay', 'Never-worked')]
    >>> fewest.cells, fewest.proved, round(fewest.exposure * adult.people)
    (603.0, True, 29)
    >>> blind = fewest_suppressions(adult.marginals(), budget=0.01, k=10)
    >>> [(rule.column, rule.rarer_than) for rule in blind.rules], blind.cells, blind.proved
    ([('race', 3124), ('workclass', 1298)], 3718.0, True)
    """
    people = with_a_value_each(P)
    n = people.people
    least, allowed = least_unexposed(n, k, threshold), most_exposed(n, budget)
    coin = None if suspicion is None else as_suspicion(suspicion)
    seconds = as_real(time_limit, "time_limit")
    if not seconds > 0:
        raise InvalidValueError(f"time_limit must be a number of seconds above 0, got {time_limit!r}")
    seconds = min(seconds, limits.current().seconds)
    chosen = people.known(columns)
    if least > n and allowed < n:
        raise InvalidValueError(
            f"everybody is exposed, whatever is suppressed: there are {n:,} people, and a class needs {least:,}; use a "
            "smaller k or threshold"
        )
    if isinstance(people, Marginals):
        if groups and coin is not None:
            raise UnsupportedError(
                "groups= and suspicion= do not go together: decoys separate people whom the counts of a group hold in "
                "one class; leave out one of the two"
            )
        people = people.marginals(chosen, groups)
        if allowed < n and least > 1:
            return _of_marginals(people, least, allowed, coin, seconds)
        return FewestSuppressions((), 0.0, exposure_bound(people, k, threshold, groups=groups), 0.0)
    if groups:
        raise UnsupportedError("groups= is for Marginals; a table has the counts of all of its columns together")
    if allowed == n or least <= 1 or not chosen:
        return FewestSuppressions((), 0.0, exposure(people, k, threshold, chosen), 0.0)
    codes, sizes = people.coded_classes(chosen)
    counts = [np.bincount(column, sizes).astype(np.int64) for column in codes.T]
    return _of_table(_TableRules(people, chosen, counts, least, coin), codes, sizes, allowed, seconds)


def _of_marginals(
    marginals: Marginals, least: int, allowed: int, suspicion: float | None, seconds: float
) -> FewestSuppressions:
    n, columns = marginals.people, marginals.columns
    known = known_sizes(marginals)

    def hiding(rare: int) -> float:
        return least_decoys(rare, n - rare, least, 1.0 if suspicion is None else suspicion)

    decoys = None if suspicion is None else hiding
    alone = {j: ColumnCuts.of(sizes, decoys) for j, sizes in enumerate(marginals.alone())}

    def rules(cuts: Mapping[int, int]) -> tuple[RedactionRule, ...]:
        made = sorted(cuts.items())
        return tuple(
            RedactionRule(columns[j], below, float(alone[j].decoys[np.searchsorted(alone[j].below, below)]))
            for j, below in made
        )

    exact = min(_of_one_part(marginals, alone, least, allowed), key=lambda one: one[0])
    found, bound = fewest_suppressed(known, least - 1, allowed, decoys, seconds)
    if found is None or exact[0] <= found.cells:
        cells, cuts, share = exact
        return FewestSuppressions(rules(cuts), cells, share, min(cells, bound))
    cells, made = found.cells, rules(found.cuts)
    surely = [float(redacted_exposure(marginals, made, k=least, columns=[name])) for name in columns]
    surely += [sizes.exposure(k=least) for sizes in known.values() if not made]
    method = described(found.groups, marginals) + (", of expected counts" if decoys is not None and made else "")
    certified = rounded_outward(Fraction(max(surely)), found.exposed / n, method)
    return FewestSuppressions(made, cells, certified, min(bound, exact[0]))


def _of_one_part(
    marginals: Marginals, alone: Mapping[int, ColumnCuts], least: int, allowed: int
) -> Iterator[tuple[float, dict[int, int], Exact]]:
    """Yield cells, cuts and exposure where everybody suppresses all columns but one, whose counts are exact."""
    n = marginals.people
    everything = {j: int(cuts.below[-1]) for j, cuts in alone.items() if cuts.below.size > 2 or cuts.kept[0] > 1}
    for group, sizes in {0: marginals.class_sizes(()), **known_sizes(marginals)}.items():
        others = {j: below for j, below in everything.items() if not group >> j & 1}
        if (exposed := exposed_below(sizes, least)) <= allowed:
            yield float(n * len(others)), others, Exact(exposed / n)
        elif group.bit_count() == 1:
            column = group.bit_length() - 1
            cuts, name = alone[column], marginals.columns[column]
            counts = marginals.marginals([name])
            for cut in [cut for cut in np.argsort(cuts.cells, kind="stable").tolist() if cut and cuts.decoys[cut] < 1]:
                rule = RedactionRule(name, int(cuts.below[cut]), float(cuts.decoys[cut]))
                share = Exact(redacted_exposure(counts, [rule], k=least))  # of one column
                if share <= allowed / n:
                    yield float(n * len(others) + cuts.cells[cut]), {**others, column: int(cuts.below[cut])}, share
                    break


def _of_table(
    search: "_TableRules", codes: Integers, sizes: Integers, allowed: int, seconds: float
) -> FewestSuppressions:
    deadline = monotonic() + seconds
    population, least, suspicion = search.people, search.least, search.suspicion
    hidden, fewest = fewest_hidden(codes, sizes, least, allowed, seconds if suspicion is None else seconds / 2)
    rules, share = search.counted(hidden)
    if suspicion is None:
        if (exposed := round(share * population.people)) > allowed:
            raise EngineError(f"{allowed} people may be exposed, and {exposed} were counted; please report this")
        return FewestSuppressions(rules, search.cells(rules, hidden), share, fewest)
    target, most = allowed, allowed / population.people
    while highest(share) > most and target:
        target = max(0, min(target - 1, math.floor(target - (highest(share) - most) * population.people)))
        hidden, _ = fewest_hidden(codes, sizes, least, target, max(0.0, (deadline - monotonic()) / 2))
        rules, share = search.counted(hidden)
    while highest(share) > most:  # a column that everybody suppresses has no decoys
        partly = [out for out in hidden if out.any() and not out.all()]
        max(partly, key=np.sum)[:] = True
        rules, share = search.counted(hidden)
    over = max(0, int(sizes[sizes < least].sum()) - allowed)
    return FewestSuppressions(rules, search.cells(rules, hidden), share, over)


@dataclass(frozen=True)
class _TableRules:
    """The rules for a table that suppress some values of each column.

    Parameters
    ----------
    people, columns
        The table and the columns that people are asked for.
    counts
        For each column the number of people with each of its values.
    least
        A person is exposed if their equivalence class has fewer than this many people.
    suspicion
        The largest probability that a suppressed value was suppressed because it is rare; None is without decoys.
    """

    people: Population
    columns: Sequence[str]
    counts: Sequence[Integers]
    least: int
    suspicion: float | None

    def counted(self, hidden: Sequence[Booleans]) -> tuple[tuple[RedactionRule, ...], Exact | Estimate]:
        """Return the rules, and their exposure as the engine counts it."""
        rules = tuple(
            RedactionRule(
                column,
                values=[text for text, out in zip(self.people.value_texts(column), its, strict=True) if out],
                decoys=self._decoys(int(counts[its].sum())),
            )
            for column, counts, its in zip(self.columns, self.counts, hidden, strict=True)
            if its.any()
        )
        return rules, redacted_exposure(self.people, rules, k=self.least, columns=self.columns)

    def cells(self, rules: Sequence[RedactionRule], hidden: Sequence[Booleans]) -> float:
        """Return the expected number of suppressed cells."""
        suppressed = [int(counts[its].sum()) for counts, its in zip(self.counts, hidden, strict=True) if its.any()]
        n = self.people.people
        return math.fsum(have_to + rule.decoys * (n - have_to) for rule, have_to in zip(rules, suppressed, strict=True))

    def _decoys(self, have_to: int) -> float:
        n = self.people.people
        if self.suspicion is None or have_to == n:
            return 0.0
        return least_decoys(have_to, n - have_to, self.least, self.suspicion)
