"""Risks as regulators name them: prosecutor, journalist and marketer, singling out, linkability and inference."""

from collections.abc import Iterable
from dataclasses import dataclass

from discretion.anonymity.attacks.population_classes import (
    expected_chances,
    least_marketer_risk,
    riskiest_matching,
    safest_matching,
)
from discretion.anonymity.attacks.reidentification_inference import inference
from discretion.anonymity.people.conversion import People, as_population, is_table
from discretion.anonymity.people.population import Population
from discretion.anonymity.people.weights import WeightedClasses, weighted_classes
from discretion.errors import InvalidValueError
from discretion.escaping import printable
from discretion.estimate import Estimate, settled
from discretion.tables.counting.class_sizes import ClassSizes
from discretion.validation import as_count

_MATCHED = "extreme matchings of the table's classes to the population's"
_MODELLED = "expected 1/F given f, F negative binomial (Benedetti and Franconi)"


@dataclass(frozen=True)
class Risk:
    """A risk under the name that regulators use.

    Parameters
    ----------
    name
        Its name.
    value
        In [0, 1]; an `Estimate` where it refers to a population that is only partly known.
    meaning
        Its meaning, in a sentence.
    """

    name: str
    value: float | Estimate
    meaning: str


@dataclass(frozen=True)
class Journalist:
    """The chances of an adversary that matches records with a population: highest, average, and the share found."""

    highest: float | Estimate
    average: float | Estimate
    rate: float | Estimate


def reidentification_risks(
    P: People,
    columns: Iterable[str] | None = None,
    k: int = 10,
    *,
    sensitive: str | None = None,
    population: People | ClassSizes | int | None = None,
    weight: str | None = None,
) -> tuple[Risk, ...]:
    """Return the risks that regulators ask for, against an adversary that knows some columns of the people.

    With f_j people in class j of the table, of n, and F_j in that class of the population: prosecutor ``1/min_j f_j``
    and on average ``classes/n``; journalist ``1/min_j F_j`` and on average ``max(classes/Σ_j F_j, marketer)``; marketer
    ``Σ_j (f_j/F_j) / n``

    Parameters
    ----------
    P
        The people in the table.
    columns
        The columns that the adversary knows; None is all columns, without the sensitive one.
    k
        A person is at risk if their equivalence class has fewer than k people; at least 1.
    sensitive
        The column that the adversary infers, or None.
    population
        The population that the table's people belong to, for the journalist and the marketer. None: they are the whole
        population. A Population or table with the same columns, or its class sizes on them: the risks are between two
        certified bounds, the tightest that class sizes allow. A number N: the table is assumed to be a random sample of
        N people.
    weight
        Instead of the population, a column of sampling weights: how many people each row stands for.

    Returns
    -------
    tuple
        Of :class:`Risk`, each exact unless it is an `Estimate`.

    Raises
    ------
    InvalidValueError
        If both a weight and a population are given.
    InvalidTableError
        If a weight is missing, not a number, or below 1.

    Notes
    -----
    The definitions are those of ARX, whose summary takes the same maximum for the average journalist risk; El Emam,
    "Guide to the De-Identification of Personal Health Information", 2013. For a sample of N people the value is the
    expectation of 1/F with F negative binomial, the trials until f people are drawn at rate ``p = n/N``, which is
    sdcMicro's individual risk with equal weights (Franconi and Polettini, 2004): ``(p/f)·₂F₁(1, 1; f+1; 1-p)``. The
    value rests on that assumption, its interval only on the number of people.
    With weights, ``p = f/Σw`` of each class. Singling out, linkability and inference are terms of the Article 29
    Working Party, opinion 05/2014; that these numbers measure them is Discretion's interpretation.

    Examples
    --------
    >>> adult = Population("example:adult")
    >>> risks = reidentification_risks(adult, ["sex", "race", "education"], k=11)
    >>> [(risk.name, round(risk.value, 5)) for risk in risks[:3]]
    [('prosecutor risk, highest', 1.0), ('prosecutor risk, average', 0.00467), ('people at risk', 0.01007)]
    """
    people, k = as_population(P), as_count(k, "k", at_least=1)
    rest = [column for column in people.columns if column not in (sensitive, weight)]
    known = people.known(rest if columns is None else columns)
    sizes = people.class_sizes(known)
    if weight is not None and population is not None:
        raise InvalidValueError("give weight or population, not both: each sets how many people there are")
    journalist = (
        _journalist(sizes, known, population) if weight is None else _weighted(weighted_classes(people, known, weight))
    )
    risks = class_risks(sizes, k, journalist)
    if sensitive is not None:
        guess, secret = inference(people, known, sensitive), printable(sensitive)
        risks += [
            Risk(
                "inference",
                guess.posterior,
                f"How often the best guess of {secret} is correct; {guess.prior:.4g} without the columns.",
            ),
            Risk("certain inference", guess.certain, f"The share of the people whose {secret} is known for certain."),
        ]
    return tuple(risks)


def class_risks(sizes: ClassSizes, k: int, journalist: Journalist | None = None) -> list[Risk]:
    """Return the risks of being found, from the sizes of classes; None: the table's people are the whole population."""
    journalist = journalist or _journalist(sizes, (), None)
    average = sizes.classes / sizes.people
    return [
        Risk(
            "prosecutor risk, highest",
            1 / sizes.smallest,
            "The chance of finding the record of the person who is easiest to find, known to be in the table.",
        ),
        Risk(
            "prosecutor risk, average",
            average,
            "The chance of finding the record of a person drawn at random from the table, known to be in it.",
        ),
        Risk(
            "people at risk",
            sizes.exposure(k=k),
            f"The share of the people in a class of fewer than {k} people in the table: their record is found more "
            f"often than 1 in {k} times.",
        ),
        Risk(
            "journalist risk, highest",
            journalist.highest,
            "The chance of finding the person of a record in the population, for the record that is easiest to match.",
        ),
        Risk(
            "journalist risk, average",
            journalist.average,
            "The same for a record or for a person of the population, drawn at random, whichever chance is higher.",
        ),
        Risk(
            "marketer risk",
            journalist.rate,
            "The expected share of the records whose person is found when all are matched with the population.",
        ),
        Risk("singling out", sizes.unique / sizes.people, "The share of the people who are unique in the table."),
        Risk(
            "linkability",
            average,
            "The expected share of the records that are linked correctly to another table of the same people with the "
            "same columns.",
        ),
    ]


def _journalist(
    sizes: ClassSizes, columns: tuple[str, ...], population: People | ClassSizes | int | None
) -> Journalist:
    if population is None:
        average = sizes.classes / sizes.people
        return Journalist(1 / sizes.smallest, average, average)
    if isinstance(population, ClassSizes):
        return _known_population(sizes, population)
    if isinstance(population, Population) or is_table(population):
        return _known_population(sizes, as_population(population).class_sizes(columns))
    return _sampled_population(sizes, as_count(population, "population", at_least=1))


def _weighted(sample: WeightedClasses) -> Journalist:
    """Return the risks of a sample whose weights estimate the number of people in each class."""
    people, classes = int(sample.sizes.sum()), sample.sizes.size
    share = sample.sizes / sample.weights
    chances = expected_chances(sample.sizes, share, 1 - share)
    marketer = float(sample.sizes @ chances) / people

    def modelled(value: float, most: float) -> Estimate:
        assuming = f"that each row's weight is the number of people it stands for, {sample.people:,.0f} in all"
        return Estimate(min(value, most), 0.0, most, None, _MODELLED, assuming)

    average = classes / people
    return Journalist(
        modelled(float(chances.max()), 1 / int(sample.sizes.min())),
        modelled(max(classes / sample.people, marketer), average),
        modelled(marketer, average),
    )


def _known_population(sizes: ClassSizes, everybody: ClassSizes) -> Journalist:
    """Return the risks against a population whose class sizes are known, but not the values of each class."""
    least, most = safest_matching(sizes, everybody), riskiest_matching(sizes, everybody)

    def between(low: float, high: float) -> float | Estimate:
        return settled(Estimate(high, min(low, high), high, None, _MATCHED))

    return Journalist(
        between(1 / least.smallest, 1 / most.smallest),
        between(max(least.inverse, least.rate), max(most.inverse, most.rate)),
        between(least.rate, most.rate),
    )


def _sampled_population(sizes: ClassSizes, everybody: int) -> Journalist:
    """Return the risks against a population of this many people, of which the table is a random sample."""
    if everybody < sizes.people:
        raise InvalidValueError(
            f"population must be at least {sizes.people:,}, the number of people in the table; got {everybody:,}"
        )
    left = everybody - sizes.people
    chances = expected_chances(sizes.sizes, sizes.people / everybody, left / everybody)
    # The smallest of all classes has its share of the people at most, and the table's smallest all that are left.
    smallest = min(everybody // sizes.classes, left + sizes.smallest)

    def modelled(value: float, low: float, high: float) -> float | Estimate:
        if not left:
            return high
        assuming = f"a random sample of {everybody:,} people"
        return Estimate(min(max(value, low), high), low, high, None, _MODELLED, assuming)

    average, everywhere = sizes.classes / sizes.people, sizes.classes / everybody
    marketer = float((sizes.sizes * sizes.counts) @ chances) / sizes.people
    least = min(least_marketer_risk(sizes, everybody), average)
    highest = modelled(float(chances[0]), 1 / max(smallest, sizes.smallest), 1 / sizes.smallest)
    return Journalist(highest, modelled(marketer, max(least, everywhere), average), modelled(marketer, least, average))
