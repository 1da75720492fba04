"""Population uniqueness from a sample: an exact limit, and the estimates of each model."""

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
# For a sample of a larger share of the people the rule uses other models (Dankar and others, 2012).
_SMALL_SAMPLE = 0.1


@dataclass(frozen=True)
class PopulationUniqueness:
    """The people who are unique in a population, estimated from a sample.

    Parameters
    ----------
    columns
        The columns that the adversary knows.
    people, population
        The numbers of people in the sample and in the population.
    unique_people
        The number of people who are unique in the sample. Nobody else in the sample is unique in the population.
    population_unique
        The share of the population's people who are unique in it: an upper limit that holds for every population if the
        sample was drawn at random, or the exact share if everybody is in the sample.
    models
        The estimates of models, each with its assumption.
    advised
        The model that the rule of Dankar and others (2012) chooses, None if no model has an estimate.
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
    """Return the share of unique people in a population, from a table that is a sample of it.

    With u_1 unique people among n of N people, the share is at most ``S/N`` for the largest S with ``P(X ≤ u_1) > 1 −
    confidence``, where X of S people are among n drawn from N

    Parameters
    ----------
    P
        The sample, with one row each.
    population
        The number of people N in the population, at least that of the sample.
    columns
        The columns that the adversary knows; None is all columns.
    confidence
        The confidence of the upper limit, in (0, 1).
    seed
        The seed of the random draws of the last two models.

    Raises
    ------
    InvalidValueError
        If the population has fewer people than the table.
    UnsupportedError
        If the people of P have several rows.

    Notes
    -----
    The rule of Dankar, El Emam, Neisa and Roffey, "Estimating the re-identification risk of clinical data sets", 2012:
    for a sample of at most a tenth of the people Pitman's model, or Zayatz' where Pitman's has no estimate; for a
    larger one the lower estimate of the slide negative binomial and Zayatz' model. Models may be far off, each in its
    own way, and the sample does not show how far: see docs/explanation/uniqueness.md.

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
        P, "population uniqueness takes people with one row each; make a table with one row per person first"
    )
    everybody, confidence = as_count(population, "population", at_least=1), as_confidence(confidence)
    known = people.known(columns)
    sizes = people.class_sizes(known)
    if everybody < sizes.people:
        raise InvalidValueError(
            f"population must be at least {sizes.people:,}, the number of people in the table; got {everybody:,}"
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
        why = "it needs the rows, but they are not in this process, or too many"
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
    """Return the most unique people of a population so that a sample has this few with probability above ``misses``."""
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
