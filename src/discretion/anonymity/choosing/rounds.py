"""Hierarchical rounds of questions: single columns first, then the pairs that are certified as safe, then triples."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice

from discretion import limits
from discretion.anonymity.choosing.choices import Columns
from discretion.anonymity.exposure.bounds import exposure_bound
from discretion.anonymity.people.conversion import People, as_counts
from discretion.anonymity.people.marginals import Marginals
from discretion.anonymity.people.population import Population
from discretion.errors import InvalidValueError, TooLargeError
from discretion.estimate import Estimate
from discretion.tables.counting.class_sizes import ClassSizes
from discretion.tables.counting.threshold import Threshold, least_unexposed, most_exposed
from discretion.validation import as_count

# Sets of columns whose bounds the rounds of a release examine.
MAX_SETS_PROMISED = 100_000

_NOTHING_KNOWN = Estimate(1.0, low=0.0, high=1.0, confidence=None, method="nothing known")


@dataclass(frozen=True)
class ColumnSet:
    """A set of columns that the curator asked for together, or refused to ask for.

    Parameters
    ----------
    columns
        The columns.
    certified
        An upper bound on the share of the people whom the answers expose, by the answers to earlier questions.
    exposure
        The share of the people whom the answers exposed, exact; None if nobody was asked, or the answers are not known
        yet.
    classes
        The number of different answers; None in the same cases.
    """

    columns: Columns
    certified: Estimate
    exposure: float | None
    classes: int | None


@dataclass(frozen=True)
class HierarchicalRound:
    """A round of questions: its questions, the people whom it exposed, and the set that it lets the curator certify.

    Parameters
    ----------
    size
        The number of columns of each question.
    questions, refused
        The sets of this size that were certified as safe to ask for, and those that were not. Sets with a refused part
        are in neither: they expose at least as many people.
    exposed_at_most
        An upper bound on the share of the people whom the round exposed: the sum of the exposures, or of the certified
        bounds of answers not known yet, or 1 if that is less.
    largest_certified
        A largest set of columns that the answers after this round certify to be within the budget; of several, the one
        with the least bound; no column if there is none.
    largest_certified_bound
        The upper bound on the share of the people whom that set exposes.
    """

    size: int
    questions: tuple[ColumnSet, ...]
    refused: tuple[ColumnSet, ...]
    exposed_at_most: float
    largest_certified: Columns
    largest_certified_bound: Estimate


def hierarchical_rounds(
    P: People | Marginals,
    budget: Threshold,
    k: int | None = None,
    threshold: Threshold | None = None,
    columns: Iterable[str] | None = None,
    *,
    rounds: int = 3,
    kept: Mapping[str, int] | None = None,
) -> tuple[HierarchicalRound, ...]:
    """Return the rounds of a curator that asks for more columns together in each round, and never for an unsafe set.

    Round 1 asks for each column by itself. Round r asks for the sets J of r columns with ``bound(Q_J) ≤ budget``, where
    the bound is :func:`exposure_bound` by the answers to the questions of earlier rounds only.

    Parameters
    ----------
    P
        The people who answer, with one row each; or the answers so far, for columns and groups of columns.
    budget
        The share of the people in [0, 1] whom the answers to one question may expose; as for a threshold, a float
        stands for the simplest fraction that rounds to it.
    k, threshold
        Exactly one. A person is exposed if their equivalence class has fewer than k people, or fewer than this share
        of all people, in [0, 1].
    columns
        The columns to ask for; None is all of them.
    rounds
        The largest number of rounds, at least 1.
    kept
        A column → how many of its most frequent values are distinguished in every question and in the published table,
        at least 0; a person with another value answers "other". Columns that are not named keep all values.

    Returns
    -------
    tuple
        One :class:`HierarchicalRound` per round. The last is a round that refuses all sets, or that asks for sets
        without counts in the Marginals: these are the questions to ask next.

    Raises
    ------
    InvalidValueError
        If there is no column to ask for.
    UnsupportedError
        If the people of P have several rows, or ``kept`` distinguishes fewer values of a column than the Marginals hold
        for a group with it.
    TooLargeError
        If more than 100,000 sets of columns would have to be examined in a round.

    Notes
    -----
    Before round 1 nothing is known, so that round has no bound: a column with rare values exposes the people who have
    them, as its ``exposure`` shows. Each bound is about one question; ``exposed_at_most`` adds them up, since each
    question may expose different people. This assumes that answers to different questions are not linked, for example
    because they come through a shuffler. The bound only rises with more columns: restrict a cover of a set by asked
    groups to fewer columns. The rest of each group was asked for too, keeps no fewer people in at most as many frequent
    classes, and so certifies at least as much. Source: Anonymity, section 8.2.

    Examples
    --------
    >>> adult = Population("example:adult", columns=["sex", "income", "race", "workclass"])
    >>> for round in hierarchical_rounds(adult, budget=0.01, k=10):
    ...     print(round.size, len(round.questions), len(round.refused), ", ".join(round.largest_certified))
    1 4 0 sex, income, race
    2 5 1 sex, income, race
    3 2 0 sex, income, race
    """
    population = as_counts(P)
    people = population.people
    least_unexposed(people, k, threshold)
    chosen = population.known(columns)
    if not chosen:
        raise InvalidValueError("hierarchical_rounds needs at least one column to ask for")
    rounds = as_count(rounds, "rounds", at_least=1)
    curator = _Curator(population.marginals(chosen, (), kept), k, threshold, most_exposed(people, budget))
    promises: dict[Columns, Estimate] = {(column,): _NOTHING_KNOWN for column in chosen}
    safe = list(promises)
    known: list[Columns] = []
    done: list[HierarchicalRound] = []
    while promises:
        answers = _answers(population, safe, kept)
        exposed = {columns: sizes.exposed(k=k, threshold=threshold) for columns, sizes in answers.items()}
        known.extend(answers)
        curator.counts = population.marginals(chosen, known, kept)
        largest, bound = curator.largest_certified(chosen)
        measured = {columns: (exposed[columns] / people, sizes.classes) for columns, sizes in answers.items()}
        at_most = {columns: exposed.get(columns, round(promises[columns].value * people)) for columns in safe}
        done.append(
            HierarchicalRound(
                size=len(done) + 1,
                questions=tuple(
                    ColumnSet(columns, promises[columns], *measured.get(columns, (None, None))) for columns in safe
                ),
                refused=tuple(
                    ColumnSet(columns, promise, None, None)
                    for columns, promise in promises.items()
                    if columns not in at_most
                ),
                exposed_at_most=min(people, sum(at_most.values())) / people,
                largest_certified=largest,
                largest_certified_bound=bound,
            )
        )
        if len(done) == rounds or len(answers) < len(safe):
            break
        promises = curator.promises(_next_level(chosen, safe, answers))
        safe = [columns for columns, promise in promises.items() if curator.allows(promise)]
    return tuple(done)


def _next_level(columns: Columns, level: Iterable[Columns], safe: Container[Columns]) -> Iterator[Columns]:
    """Yield the sets with one more column whose subsets with one column less are all safe (Apriori)."""
    for some in level:
        for column in columns[columns.index(some[-1]) + 1 if some else 0 :]:
            above = (*some, column)
            if all(below in safe for below in combinations(above, len(some))):
                yield above


def _answers(
    people: Population | Marginals, sets: Sequence[Columns], kept: Mapping[str, int] | None
) -> dict[Columns, ClassSizes]:
    """Return the class sizes on each set of columns whose counts are known."""
    if isinstance(people, Marginals):
        known_sets = {frozenset(group) for group in (*((column,) for column in people.columns), *people.groups)}
        sets = [columns for columns in sets if frozenset(columns) in known_sets]
    counts = people.marginals({name: None for columns in sets for name in columns}, sets, kept)
    return {columns: counts.class_sizes(columns) for columns in sets}


class _Curator:
    """The bounds that a curator can certify by the answers so far."""

    def __init__(self, counts: Marginals, k: int | None, threshold: Threshold | None, allowed: int) -> None:
        self.counts, self._k, self._threshold = counts, k, threshold
        self._limit = allowed / counts.people

    def promises(self, level: Iterable[Columns], examined: int = 0) -> dict[Columns, Estimate]:
        """Return the bound on the exposure of each set by the known counts of its parts."""
        most = limits.current().steps(MAX_SETS_PROMISED, each=1 << 20)
        few = list(islice(level, max(0, most + 1 - examined)))
        if examined + len(few) > most:
            raise TooLargeError(
                f"more than {most:,} sets of columns would have to be examined; lower the budget or name fewer columns"
            )
        return {columns: self._promise(columns) for columns in few}

    def allows(self, promise: Estimate) -> bool:
        """Return whether a bound is within the budget; both are whole numbers over n, whose floats keep their order."""
        return promise.value <= self._limit

    def largest_certified(self, everything: Columns) -> tuple[Columns, Estimate]:
        """Return a largest set that is certified to be within the budget, with its bound."""
        if self.allows(promise := self._promise(everything)):
            return everything, promise
        best: tuple[Columns, Estimate] = ((), self._promise(()))
        level = self.promises(_next_level(everything, [()], [()]))
        examined = len(level)
        while allowed := {columns: promise for columns, promise in level.items() if self.allows(promise)}:
            best = min(allowed.items(), key=lambda item: item[1].value)
            level = self.promises(_next_level(everything, allowed, allowed), examined)
            examined += len(level)
        return best

    def _promise(self, columns: Columns) -> Estimate:
        groups = [group for group in self.counts.groups if set(group) <= set(columns)]
        return exposure_bound(self.counts, self._k, self._threshold, columns, groups)
