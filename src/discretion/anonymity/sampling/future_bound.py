"""Bound on the exposure of the people of a future release, from the counts of single columns in a sample."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING

from discretion.anonymity.exposure.bounds import as_group, covering_lines
from discretion.anonymity.people.conversion import People, as_counts
from discretion.anonymity.people.marginals import Marginals
from discretion.anonymity.people.population import Population
from discretion.anonymity.sampling.future_release import future_exposure
from discretion.anonymity.sampling.rare_values import SampledValues
from discretion.anonymity.sampling.statistical_exposure import largest_exposed_part
from discretion.errors import InvalidValueError, UnsupportedError
from discretion.escaping import short_repr
from discretion.estimate import Estimate
from discretion.numerics.convex_hulls import Line, lower_envelope
from discretion.validation import as_confidence, as_count, as_crowd

if TYPE_CHECKING:
    from discretion.mechanisms.reporting import Reporting, Response

METHOD = "counting, with limits of the probabilities of rare values"
# The relative rounding error of special functions and sums, for the most people.
_ROUNDING = 1e-10

Columns = tuple[str, ...]


@dataclass(frozen=True)
class SampledMarginals:
    """The counts of single columns of a sample of people, and the randomizers of their reports.

    Parameters
    ----------
    counts
        The sampled people, or the counts of their columns. In a randomized column, the counts are those of reports.
    domain
        A column → the number of its possible values, including values that are not in the sample. Columns may be left
        out.
    randomizers
        A column → the k-ary randomized response by which each person reported their value there, independently.
        Columns that are left out hold the values themselves.

    Raises
    ------
    InvalidValueError
        If the sample has more values than are possible.
    UnsupportedError
        If people have several rows, or a randomizer is not k-ary randomized response.

    Examples
    --------
    >>> from discretion.mechanisms import RandomizedResponse
    >>> counts = Marginals({"sex": {"f": 520, "m": 480}, "vote": {"a": 610, "b": 390}})
    >>> sampled = SampledMarginals(counts, domain={"sex": 2}, randomizers={"vote": RandomizedResponse(2, epsilon=1)})
    >>> future_exposure_bound(sampled, n=1000, k=10, columns=["sex"]).value < 0.02
    True
    """

    counts: People | Marginals
    domain: Mapping[str, int] = field(default_factory=dict[str, int], hash=False)
    randomizers: Mapping[str, "Reporting"] = field(default_factory=dict[str, "Reporting"], hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "counts", as_counts(self.counts))
        for what, given in (("domain", self.domain), ("randomizers", self.randomizers)):
            if not isinstance(given, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise UnsupportedError(f"{what} of SampledMarginals is a mapping by column, got {given!r:.40}")
        domain = {name: self.domain[name] for name in self.known.known(self.domain)}
        for name in self.known.known(self.randomizers):
            possible = _response_of(name, self.randomizers[name]).k
            if domain.setdefault(name, possible) != possible:
                raise InvalidValueError(
                    f"{name!r} has {domain[name]} possible values and its randomizer {possible}; give one number"
                )
        for name, possible in domain.items():
            seen = self.known.class_sizes([name]).classes
            if as_count(possible, f"the domain of {name!r}", at_least=1) < seen:
                raise InvalidValueError(
                    f"the domain of {name!r} is the number of its possible values; {seen} were seen, got {possible}"
                )
        object.__setattr__(self, "domain", domain)

    @property
    def known(self) -> Population | Marginals:
        """The people, or the counts of their columns."""
        assert isinstance(self.counts, Population | Marginals)
        return self.counts

    def values(self, columns: Columns) -> SampledValues:
        """Return how often each value of a column, or of a group of columns, was reported."""
        randomized = next((name for name in columns if name in self.randomizers), None)
        if randomized is not None and len(columns) > 1:
            raise UnsupportedError(
                f"a group must have no randomized columns, got {randomized!r} in {' and '.join(columns)}"
            )
        sizes = self.known.class_sizes(columns)
        of_each = [self.domain.get(name) for name in columns]
        possible = None if None in of_each else prod(values for values in of_each if values is not None)
        response = None if randomized is None else _response_of(randomized, self.randomizers[randomized])
        return SampledValues(sizes.sizes, sizes.counts, sizes.people, possible, response)


def _response_of(column: str, randomizer: "Reporting") -> "Response":
    from discretion.mechanisms.reporting import reporting  # noqa: PLC0415 - it imports all measures

    if (response := reporting(randomizer).response) is None:
        raise UnsupportedError(
            f"the reports of {column!r} must be those of k-ary randomized response, each of one value, got "
            f"{short_repr(randomizer)}; give a RandomizedResponse"
        )
    return response


@dataclass(frozen=True)
class FutureCertificate:
    """The bounds that a sample's counts certify for a release of n other people, for all sets of columns at once.

    Parameters
    ----------
    counts
        A column, or a group of columns → the numbers of people of the sample with each value.
    n, k
        The number of people of the release; a person is exposed if their class in it has fewer than k people.
    confidence
        The confidence that all bounds hold together, in (0, 1).
    finer
        A column → columns of which it is a function. A bound for one of these also holds for the column.
    """

    counts: Mapping[Columns, SampledValues]
    n: int
    k: int
    confidence: float
    finer: Mapping[str, Columns] = field(default_factory=dict[str, Columns])

    def exposure(self, columns: Iterable[str]) -> Estimate:
        """Return the upper bound on the statistical exposure of some of the columns together."""
        bound = self._bound(tuple(columns))
        return Estimate(bound, 0.0, bound, self.confidence, METHOD)

    def _bound(self, columns: Columns) -> float:
        if self.k > self.n:
            return 1.0
        if self.k == 1 or not columns:
            return 0.0
        cuts = {as_group(group, columns): lines for group, lines in self._lines.items() if set(group) <= set(columns)}
        slack = largest_exposed_part(self.n, self.k)
        bounds = (rare + slack * cells for rare, cells, _ in covering_lines(cuts, slack, 1.0))
        return min(1.0, min(bounds, default=1.0) * (1 + _ROUNDING))

    @cached_property
    def _lines(self) -> Mapping[Columns, Sequence[Line[float]]]:
        misses = (1 - self.confidence) / max(1, len(self.counts))
        lines = {group: values.rare_lines(misses) for group, values in self.counts.items()}
        own = dict(lines)
        for name, others in self.finer.items():
            lines[name,] = [line for each in (name, *others) for line in own[each,]]
        return {group: lower_envelope(each) for group, each in lines.items()}


def future_exposure_bound(
    P: People | Marginals | SampledMarginals,
    n: int,
    k: int,
    confidence: float = 0.95,
    *,
    columns: Iterable[str] | None = None,
    groups: Sequence[Iterable[str]] = (),
) -> Estimate:
    """Return an upper bound, from single columns, on the chance that a person of a future release is exposed.

    The bound is on the statistical exposure of n people drawn independently from the unknown joint law p, given the
    counts of each value of each single column among m other people drawn from p:

    ``𝒬_p(n, k) ≤ min over N of Σ_j u_j(N_j) + max_q φ(q)·Π_j N_j``, ``φ(q) = q·P(Bin(n-1, q) ≤ k-2)``

    where ``u_j(N)`` is an upper limit of the probability that a value of column j is none of N frequent ones.

    Parameters
    ----------
    P
        The sampled people, or the counts of their columns; as :class:`SampledMarginals` with the number of possible
        values, or with randomized reports.
    n
        The number of people in the release, at least 1 and at most 10¹⁰.
    k
        The size below which a class is exposed, at least 1.
    confidence
        The confidence of the bound, in (0, 1).
    columns
        The columns to release; None is all columns.
    groups
        Groups of these columns whose class sizes the bound may also use, as if each were one column. They may overlap.

    Returns
    -------
    Estimate
        ``value`` and ``high`` are the bound; for every joint law it is below the statistical exposure with probability
        at most ``1 - confidence``; ``low`` is 0.

    Raises
    ------
    UnsupportedError
        If people have several rows, or a group has a randomized column.

    Notes
    -----
    A person who is exposed has a rare value in some column, or is in one of at most ``Π N_j`` cells of frequent values;
    a cell of probability q adds ``φ(q)`` to the exposure, which is at most (k-1)/n, and about a third of that for
    k = 2. The limits of all columns, groups and N hold at once, so the result may be their minimum. The order of values
    by their counts depends on the sample; the limits allow for this, either by a union over all sets of N values (which
    needs the number of possible values), or by counting values near a threshold on both sides. If the columns were
    counted together, :func:`future_exposure` gets half of the allowed misses, and the lower bound of the two is
    returned. Source: Discretion; Anonymity, section 7 and Definition 7.

    Examples
    --------
    >>> from discretion.anonymity import Marginals
    >>> counts = Marginals({"sex": {"f": 5210, "m": 4790}, "town": {"A": 7000, "B": 2900, "C": 60, "D": 40}})
    >>> bound = future_exposure_bound(counts, n=50_000, k=10)
    >>> round(bound.value, 4), bound.confidence, bound.value_is
    (0.0023, 0.95, 'upper bound')
    >>> sampled = SampledMarginals(counts, domain={"sex": 2, "town": 4})
    >>> round(future_exposure_bound(sampled, n=50_000, k=10).value, 4)
    0.0008
    """
    sampled = P if isinstance(P, SampledMarginals) else SampledMarginals(P)
    n, k, confidence = as_crowd(n, "n"), as_count(k, "k", at_least=1), as_confidence(confidence)
    known = sampled.known.marginals(columns, groups)
    names = known.columns
    counts = {group: sampled.values(group) for group in (*((name,) for name in names), *known.groups)}
    if names not in counts or counts[names].response is not None:
        return FutureCertificate(counts, n, k, confidence).exposure(names)
    half = (1 + confidence) / 2
    bounds = (
        FutureCertificate({names: counts[names]}, n, k, half).exposure(names),
        future_exposure(known.class_sizes(names), n, k, half, domain=counts[names].domain),
    )
    least = min(bounds, key=lambda bound: bound.high)
    return Estimate(least.high, 0.0, least.high, confidence, least.method)
