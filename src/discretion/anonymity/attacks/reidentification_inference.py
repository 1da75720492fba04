"""Reidentification and inference: the gain of an adversary that knows some columns of a person."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, combinations
from math import comb
from typing import TYPE_CHECKING, Any, cast

from discretion import limits
from discretion.anonymity.people.conversion import People, as_population
from discretion.anonymity.people.population import OPERATIONS_PER_QUESTION, Population
from discretion.errors import InvalidValueError, TooLargeError
from discretion.tables.counting.class_sizes import ClassSizes
from discretion.validation import as_count

if TYPE_CHECKING:
    from discretion.tables.counting.sensitive_values import Guesses

# Sets of columns that are attacked at once.
MAX_SETS_ATTACKED = 100_000


@dataclass(frozen=True)
class Attack:
    """The chances of an adversary that holds the whole table and learns some columns of a person drawn uniformly.

    Parameters
    ----------
    columns
        The columns that the adversary learns.
    sensitive
        The column whose value it then guesses; None: it guesses the person.
    prior
        The prior Bayes vulnerability: the adversary's chance to guess correctly in one try before it learns anything.
        For the person it is 1/n; for the sensitive value, the share of the commonest one.
    posterior
        The posterior Bayes vulnerability: its chance after that. For the person it is ``1/n`` for each equivalence
        class on the columns; for the sensitive value, ``(1/n) Σ_c max_s n_cs`` with n_cs people of class c who have the
        sensitive value s.
    worst_person
        Its highest chance after that, over the classes: ``1 / min_c n_c``, or ``max_c max_s n_cs / n_c``. It is the
        chance against a person drawn from the class where the adversary guesses best.
    certain_people
        The number of people whose answer it knows for certain: people alone in their class, or people in a class where
        all have the same sensitive value.
    people
        The number of people, n.
    """

    columns: tuple[str, ...]
    sensitive: str | None
    prior: float
    posterior: float
    worst_person: float
    certain_people: int
    people: int

    @property
    def certain(self) -> float:
        """The share of the people whose answer the adversary knows for certain."""
        return self.certain_people / self.people

    @property
    def multiplicative_leakage(self) -> float:
        """The factor by which a correct guess has become likelier: ``posterior / prior``, at least 1."""
        return self.posterior / self.prior

    @property
    def additive_leakage(self) -> float:
        """The increase of the chance of a correct guess: ``posterior - prior``, at least 0."""
        return self.posterior - self.prior


def reidentification(P: People, columns: Iterable[str]) -> Attack:
    """Return the chances of an adversary that knows some columns of a person and guesses the person.

    ``V = (number of classes) / n``, from ``1/n``

    Parameters
    ----------
    P
        The people; the adversary attacks one of them, drawn uniformly.
    columns
        The columns that it knows of that person; with none of them, ``()``, the posterior is the prior.

    Returns
    -------
    Attack
        Exact.

    Notes
    -----
    Source: QIF, Bayes vulnerability of a deterministic channel under a uniform prior; Alvim and others, "Flexible and
    scalable privacy assessment for very large datasets", 2022, whose deterministic attack is ``certain``.

    Examples
    --------
    >>> attack = reidentification("example:adult", ["age", "sex", "race"])
    >>> round(attack.multiplicative_leakage), attack.certain_people, attack.worst_person
    (546, 65, 1.0)
    """
    population = as_population(P)
    known = population.known(columns)
    return _reidentification(known, population.class_sizes(known))


def inference(P: People, columns: Iterable[str], sensitive: str) -> Attack:
    """Return the chances of an adversary that knows some columns of a person and guesses the sensitive one.

    ``V = (1/n) Σ_c max_s n_cs``, from ``max_s n_s / n``, with n_cs people of class c who have the sensitive value s

    Parameters
    ----------
    P
        The people; the adversary attacks one of them, drawn uniformly.
    columns
        The columns that it knows of that person; with none of them, ``()``, the posterior is the prior.
    sensitive
        The column whose value it guesses; in a population with ``person=``, the bag of a person's values.

    Returns
    -------
    Attack
        Exact.

    Notes
    -----
    Source: as for :func:`reidentification`.

    Examples
    --------
    >>> attack = inference("example:adult", ["education", "marital_status"], "income")
    >>> round(attack.prior, 4), round(attack.posterior, 4), attack.worst_person, attack.certain_people
    (0.7592, 0.82, 1.0, 484)
    """
    population = as_population(P)
    (attack,) = inferences(population, [population.known(columns)], sensitive)
    return attack


def attacks_on_all(
    P: People,
    columns: Iterable[str] | None = None,
    sensitive: str | None = None,
    sizes: Iterable[int] | None = None,
) -> tuple[Attack, ...]:
    """Return the chances of an adversary that knows some of the columns, for every set of them.

    Parameters
    ----------
    P
        The people; the adversary attacks one of them, drawn uniformly.
    columns
        The columns that it may know; None is all columns, without the sensitive one.
    sensitive
        The column whose value it guesses; None: it guesses the person.
    sizes
        How many columns it knows: numbers from 1 to the number of columns; None is all of these.

    Returns
    -------
    tuple
        An :class:`Attack` for each set: by the number of columns, then in the order of the columns.

    Raises
    ------
    InvalidValueError
        If the sensitive column is among the columns, or a size is no such number.
    TooLargeError
        If there are more than 100,000 sets.

    Notes
    -----
    For reidentification of people with one row each, the sets share the engine's work; for inference, the engine counts
    several sets in each query. Source: as for :func:`reidentification`.

    Examples
    --------
    >>> attacks = attacks_on_all("example:adult", ["sex", "race", "age"], sizes=[2])
    >>> [(attack.columns, attack.certain_people) for attack in attacks]
    [(('sex', 'race'), 0), (('sex', 'age'), 5), (('race', 'age'), 23)]
    """
    population = as_population(P)
    if columns is None:
        known = tuple(column for column in population.columns if column != sensitive)
    else:
        known = population.known(columns)
    numbers = range(1, len(known) + 1) if sizes is None else _as_sizes(sizes, len(known))
    most = limits.current().steps(MAX_SETS_ATTACKED, each=OPERATIONS_PER_QUESTION + population.people)
    if any(count > most for count in accumulate(comb(len(known), number) for number in numbers)):
        raise TooLargeError(
            f"{len(known)} columns have more than {most:,} such sets; give fewer columns=, or sizes=[1, 2] for "
            "the small sets"
        )
    sets = [chosen for number in numbers for chosen in combinations(known, number)]
    if sensitive is not None:
        return inferences(population, sets, sensitive)
    return tuple(map(_reidentification, sets, population.class_sizes_of_all(sets)))


def _reidentification(columns: tuple[str, ...], sizes: ClassSizes) -> Attack:
    return Attack(
        columns,
        sensitive=None,
        prior=1 / sizes.people,
        posterior=sizes.classes / sizes.people,
        worst_person=1 / sizes.smallest,
        certain_people=sizes.unique,
        people=sizes.people,
    )


def inferences(population: Population, sets: Sequence[tuple[str, ...]], sensitive: str) -> tuple[Attack, ...]:
    """Return the results of :func:`inference` for several sets of columns at once."""
    from discretion.tables.counting.sensitive_values import guesses_of_all  # noqa: PLC0415 - imports Ibis

    joints = [population.joint(columns, sensitive) for columns in [(), *sets]]
    before, *after = guesses_of_all(joints, population.rows)
    ((prior, _),) = before
    return tuple(_inference(columns, sensitive, prior, guesses) for columns, guesses in zip(sets, after, strict=True))


def _inference(columns: tuple[str, ...], sensitive: str, prior: int, guesses: "Guesses") -> Attack:
    people = sum(size * classes for (_, size), classes in guesses.items())
    return Attack(
        columns,
        sensitive=sensitive,
        prior=prior / people,
        posterior=sum(best * classes for (best, _), classes in guesses.items()) / people,
        worst_person=max(best / size for best, size in guesses),
        certain_people=sum(size * classes for (best, size), classes in guesses.items() if best == size),
        people=people,
    )


def _as_sizes(sizes: Any, columns: int) -> list[int]:
    if not isinstance(sizes, Iterable):
        raise InvalidValueError(f"sizes must be numbers of columns, got {sizes!r}; write [{sizes!r}]")
    numbers = {as_count(size, "a size", at_least=1) for size in cast("Iterable[object]", sizes)}
    if max(numbers, default=0) > columns:
        raise InvalidValueError(f"sizes must be at most {columns}, the number of columns; got {max(numbers)}")
    return sorted(numbers)
