"""The problem of a selection: the columns to choose from, and the limits on what a set of them gives away."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

from discretion.anonymity.choosing.choices import Columns, chains_among
from discretion.anonymity.choosing.constraints import PARTS, Constraints, constraints_of
from discretion.anonymity.choosing.dependencies import Dependencies, find_dependencies
from discretion.anonymity.people.conversion import People, as_counts, as_population
from discretion.anonymity.people.marginals import Marginals
from discretion.anonymity.people.population import Population
from discretion.anonymity.sampling.future_bound import FutureCertificate, SampledMarginals
from discretion.errors import InvalidValueError, UnsupportedError
from discretion.numerics.equivalence_classes import Column
from discretion.tables.counting.threshold import Threshold, least_unexposed, most_exposed
from discretion.validation import as_confidence, as_crowd

By = Literal["measured", "certified", "statistical"]


@dataclass(frozen=True)
class SelectionProblem:
    """The columns and constraints of a selection, without the utility of sets.

    Parameters
    ----------
    population
        The people, or the counts of their columns.
    by
        The kind of exposure: measured; certified by the counts of single columns; or certified for other people with a
        confidence.
    columns
        The columns to choose from.
    kept
        The columns that are in every set.
    sensitive
        The columns whose best guesses are limited.
    chains
        The given hierarchies, and every other column by itself.
    allowed
        The limits on what a set gives away.
    certificate
        The bounds for a release of other people, if exposure is certified for one.
    """

    population: Population | Marginals
    by: By
    columns: Columns
    kept: Columns
    sensitive: Columns
    chains: Sequence[Columns]
    allowed: Constraints
    certificate: FutureCertificate | None = None

    @cached_property
    def codes(self) -> Mapping[str, Column] | None:
        """The codes of the rows, fetched once, if they are needed and the engine may hand them out."""
        if self._one_row_each is None:
            return None
        from discretion.tables.counting.codes import column_codes  # noqa: PLC0415 - imports Ibis

        names = list(dict.fromkeys([*self.columns, *self.sensitive]))
        return self._one_row_each.read_rows(lambda rows, length: column_codes(rows, names, length))

    @cached_property
    def functions(self) -> Dependencies | None:
        """The columns that follow from other ones; None where there is no search for them."""
        if self._one_row_each is None:
            return None
        alone = [chain[0] for chain in self.chains if len(chain) == 1]
        alone.sort(key=lambda name: name in self.sensitive)  # of copies the first one stands for the others
        return find_dependencies(self._one_row_each, alone, self.codes)

    @property
    def _one_row_each(self) -> Population | None:
        """The people if each has one row, and exposure is measured on the rows; else None."""
        if self.by != "measured" or not isinstance(self.population, Population):
            return None
        return self.population if self.population.person is None else None


def check_kept_or_dropped(kept: Iterable[str], dropped: Iterable[str]) -> None:
    """Refuse a column that is both kept and dropped."""
    if both := next((name for name in kept if name in dropped), None):
        raise InvalidValueError(f"the column {both!r} cannot be both kept and dropped; remove it from keep= or drop=")


def statistical_problem(
    known: Population | Marginals,
    certificate: FutureCertificate,
    budget: Threshold,
    kept: Columns = (),
    chains: Sequence[Columns] | None = None,
) -> SelectionProblem:
    """Return the problem of a selection for a future release, among the columns that a certificate bounds."""
    columns = tuple(name for name, *_ in certificate.counts)
    allowed = Constraints(certificate.k, most_exposed(PARTS, budget), {}, None)
    alone = [(name,) for name in columns]
    return SelectionProblem(known, "statistical", columns, kept, (), chains or alone, allowed, certificate)


def selection_problem(
    P: People | Marginals | SampledMarginals,
    budget: Threshold,
    k: int | None = None,
    threshold: Threshold | None = None,
    by: By = "measured",
    *,
    columns: Iterable[str] | None = None,
    keep: Iterable[str] = (),
    drop: Iterable[str] = (),
    sensitive: Iterable[str] = (),
    guess_budget: float | None = None,
    certain_budget: Threshold | None = None,
    hierarchies: Iterable[Sequence[str]] = (),
    n: int | None = None,
    confidence: float | None = None,
) -> SelectionProblem:
    """Return the problem of a selection, from the arguments of :func:`select_columns`; raise the same errors."""
    if by not in get_args(By):
        raise InvalidValueError(f"by must be 'measured', 'certified' or 'statistical', got {by!r}")
    if by != "statistical" and (n is not None or confidence is not None or isinstance(P, SampledMarginals)):
        raise UnsupportedError(
            "only by='statistical' certifies a release of other people; use it, or leave out n, confidence and "
            "SampledMarginals"
        )
    if by == "measured":
        population = as_population(P, "select_columns(by='certified')")
    else:
        population = P.known if isinstance(P, SampledMarginals) else as_counts(P)
    kept, dropped, secret = (population.known(names) for names in (keep, drop, sensitive))
    check_kept_or_dropped(kept, dropped)
    candidates = population.known(columns)
    chosen = (
        *(name for name in candidates if name in kept or name not in (*dropped, *secret)),
        *(name for name in kept if name not in candidates),
    )
    chains = chains_among(population, chosen, hierarchies)
    if by == "statistical":
        if n is None:
            raise UnsupportedError("by='statistical' certifies a release of other people; give their number, n=")
        if secret:
            raise UnsupportedError(
                "the counts of a sample do not bound the best guess of a sensitive column for other people; leave out "
                "sensitive, or select by='measured'"
            )
        people = as_crowd(n, "n")
        sampled = P if isinstance(P, SampledMarginals) else SampledMarginals(P)
        if randomized := next(
            (name for chain in chains if len(chain) > 1 for name in chain if name in sampled.randomizers), None
        ):
            raise UnsupportedError(f"{randomized!r} is randomized and in a hierarchy; leave the hierarchy out")
        certificate = FutureCertificate(
            {(name,): sampled.values((name,)) for name in chosen},
            people,
            max(1, least_unexposed(people, k, threshold)),
            as_confidence(0.95 if confidence is None else confidence),
            {name: chain[:place] for chain in chains for place, name in enumerate(chain) if place},
        )
        return statistical_problem(population, certificate, budget, kept, chains)
    least = least_unexposed(population.people, k, threshold)
    exposed = most_exposed(population.people, budget)
    allowed = constraints_of(population, least, exposed, secret, guess_budget, certain_budget)
    return SelectionProblem(population, by, chosen, kept, secret, chains, allowed)
