"""Population uniqueness from a sample: an exact limit, and the numbers of each model."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from discretion.anonymity.people.conversion import People, as_population_of_rows
from discretion.anonymity.people.population import Population
from discretion.anonymity.uniqueness.copula import IN_PAIRS, copula
from discretion.anonymity.uniqueness.model import (
    INDEPENDENT,
    ModelName,
    UniquenessModel,
    log_linear,
    pitman,
    slide_negative_binomial,
    zayatz,
)
from discretion.errors import InvalidValueError
from discretion.estimate import Estimate
from discretion.numerics.equivalence_classes import Column
from discretion.numerics.laws.binomial_limits import hypergeometric_cdf
from discretion.tables.counting.class_sizes import ClassSizes
from discretion.validation import as_confidence, as_count

_METHOD = "exact limit of the hypergeometric law"
# A sample of a larger share of the people is judged by other models (Dankar and others, 2012).
_SMALL_SAMPLE = 0.1


@dataclass(frozen=True)
class PopulationUniqueness:
    """The people who are unique among all, estimated from a sample.

    Parameters
    ----------
    columns
        What is known of them.
    people, population
        How many are in the sample, and how many there are.
    unique_people
        How many of the sample's are unique in it. Nobody else of them is unique among all.
    population_unique
        The share of all people who are unique among them: the end that holds whatever the population is like, for a
        sample drawn at random, or the number if all are in it.
    models
        What models say of it, each by its assumption.
    advised
        The model that the rule of Dankar and others (2012) takes, None if none says anything.
    """

    columns: tuple[str, ...]
    people: int
    population: int
    unique_people: int
    population_unique: float | Estimate
    models: tuple[UniquenessModel, ...]
    advised: ModelName | None


def population_uniqueness(
    P: People,
    population: int,
    columns: Iterable[str] | None = None,
    *,
    confidence: float = 0.95,
    seed: int = 0,
) -> PopulationUniqueness:
    """Return the share of unique people in a population of which the table's are a sample.

    With u_1 unique ones among n of N people, the share is at most ``S/N`` for the largest S with ``P(X ≤ u_1) > 1 −
    confidence``, X of S being among n drawn from N

    Parameters
    ----------
    P
        The sample, with one row each.
    population
        N, at least as many as in the sample.
    columns
        What is known of people; None is all columns.
    confidence
        With what probability the end holds, in (0, 1).
    seed
        Of what the last two models draw.

    Raises
    ------
    InvalidValueError
        If the population has fewer people than the table.
    UnsupportedError
        If the people of P have several rows.

    Notes
    -----
    The rule of Dankar, El Emam, Neisa and Roffey, "Estimating the re-identification risk of clinical data sets", 2012:
    of a sample of a tenth of the people or less Pitman's model, or Zayatz' where that says nothing; of a larger one
    whichever of the slide negative binomial and Zayatz' says less. Models may be far off, each in its own way, and
    nothing in the sample says how far: see docs/explanation/uniqueness.md.

    Examples
    --------
    >>> adult = Population("example:adult")
    >>> found = population_uniqueness(adult, 325_610, ["age", "sex", "race", "education"])
    >>> found.unique_people, found.advised, round(found.population_unique.high, 4)
    (1268, 'Pitman', 0.0407)
    >>> [(model.name, round(model.population_unique, 4)) for model in found.models[:3]]
    [('Zayatz', 0.0077), ('Pitman', 0.008), ('slide negative binomial', 0.0206)]
    """
    people = as_population_of_rows(
        P, "population uniqueness takes people with one row each; make a table with one row a person first"
    )
    everybody, confidence = as_count(population, "population", at_least=1), as_confidence(confidence)
    known = people.known(columns)
    sizes = people.class_sizes(known)
    if everybody < sizes.people:
        raise InvalidValueError(
            f"the table's {sizes.people:,} people are among the population's, which are only {everybody:,}"
        )
    if everybody == sizes.people:
        share: float | Estimate = sizes.unique / sizes.people
        return PopulationUniqueness(known, sizes.people, everybody, sizes.unique, share, (), None)
    most = most_unique(sizes.unique, sizes.people, everybody, 1 - confidence) / everybody
    assuming = f"a random sample of {everybody:,} people"
    share = Estimate(most, 0.0, most, confidence, _METHOD, assuming)
    models = tuple(_models(people, known, sizes, everybody, seed)) if sizes.unique else ()
    return PopulationUniqueness(
        known, sizes.people, everybody, sizes.unique, share, models, _advised(models, sizes.people / everybody)
    )


def _models(
    people: Population, known: Sequence[str], sizes: ClassSizes, everybody: int, seed: int
) -> Iterator[UniquenessModel]:
    yield zayatz(sizes, everybody)
    yield pitman(sizes, everybody)
    yield slide_negative_binomial(sizes, everybody)
    from discretion.tables.counting.codes import column_values  # noqa: PLC0415 - imports Ibis

    coded = people.read_rows(lambda rows, length: column_values(rows, known, length))
    if coded is None:
        why = "it needs the rows, and these are not in this process, or too many"
        yield UniquenessModel("Poisson log-linear", INDEPENDENT, None, None, why_not=why)
        yield UniquenessModel("Gaussian copula", IN_PAIRS, None, None, why_not=why)
        return
    rng, columns = np.random.default_rng(seed), [_in_order(column, values) for column, values in coded.values()]
    yield log_linear(columns, everybody, rng)
    yield copula(columns, everybody, rng)


def _in_order(column: Column, values: Any) -> Column:
    """Return the column with codes in the order of its values, NaN and null last."""
    listed = values.to_pylist()
    ranks = np.empty(column.count, np.int32)

    def place(code: int) -> tuple[bool, bool, Any]:
        value = listed[code]
        stray = value is None or value != value  # noqa: PLR0124 - NaN, which is neither less nor more than a number
        return value is None, stray, None if stray else value

    ranks[sorted(range(column.count), key=place)] = np.arange(column.count)
    return Column(ranks[column.codes], column.count)


def most_unique(seen: int, sample: int, population: int, misses: float) -> int:
    """Return the most unique people there may be, of whom so few are seen with a probability above ``misses``."""
    low, high = seen, population - (sample - seen)  # who is not unique in the sample is not so among all
    while low < high:
        middle = (low + high + 1) // 2
        if hypergeometric_cdf(seen, middle, population, sample) > misses:
            low = middle
        else:
            high = middle - 1
    return low


def _advised(models: Iterable[UniquenessModel], share: float) -> ModelName | None:
    shares = {model.name: model.population_unique for model in models if model.population_unique is not None}
    if share <= _SMALL_SAMPLE:
        order: tuple[ModelName, ...] = ("Pitman", "Zayatz")
        return next((name for name in order if name in shares), None)
    some: tuple[ModelName, ...] = ("Zayatz", "slide negative binomial")
    return min((name for name in some if name in shares), key=shares.__getitem__, default=None)
