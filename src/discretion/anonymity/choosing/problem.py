"""The problem of a selection: the columns to choose from, and how much a set of them may give away."""

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
    """What a selection is asked, whatever sets of columns are worth.

    Parameters
    ----------
    population
        The people, or what is known of their columns.
    by
        Whether exposure is measured, certified by what single columns tell, or so of other people with a confidence.
    columns
        The columns to choose from.
    kept
        Those of them that every set has.
    sensitive
        The columns of which guesses are limited.
    chains
        The told hierarchies, and every other column by itself.
    allowed
        How much a set may give away.
    certificate
        What is certified of a release of other people, if that is asked.
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
        """Codes of the rows, if they may be taken from the engine and are needed: fetched once."""
        if self._one_row_each is None:
            return None
        from discretion.tables.counting.codes import column_codes  # noqa: PLC0415 - imports Ibis

        names = list(dict.fromkeys([*self.columns, *self.sensitive]))
        return self._one_row_each.read_rows(lambda rows, length: column_codes(rows, names, length))

    @cached_property
    def functions(self) -> Dependencies | None:
        """Which columns follow from which; None where that is not looked for."""
        if self._one_row_each is None:
            return None
        alone = [chain[0] for chain in self.chains if len(chain) == 1]
        alone.sort(key=lambda name: name in self.sensitive)  # of copies the first one stands for the others
        return find_dependencies(self._one_row_each, alone, self.codes)

    @property
    def _one_row_each(self) -> Population | None:
        """The people whose rows may be looked at: each has one, and not only single columns are counted."""
        if self.by != "measured" or not isinstance(self.population, Population):
            return None
        return self.population if self.population.person is None else None


def check_kept_or_dropped(kept: Iterable[str], dropped: Iterable[str]) -> None:
    """Refuse a column that is to go out in any case and in none."""
    if both := next((name for name in kept if name in dropped), None):
        raise InvalidValueError(f"the column {both!r} cannot be kept and dropped; leave it in one")


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
    """Return the problem of a selection, from the arguments of :func:`select_columns`; it raises the same."""
    if by not in get_args(By):
        raise InvalidValueError(f"by must be 'measured', 'certified' or 'statistical', got {by!r}")
    if by != "statistical" and (n is not None or confidence is not None or isinstance(P, SampledMarginals)):
        raise UnsupportedError(
            "a release of other people is certified by='statistical' only; without it leave out n, confidence and "
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
                "counts of a sample do not bound how well a sensitive column is guessed of other people; leave out "
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
