"""What a table of people gives away, exactly."""

from collections.abc import Iterable

from discretion.anonymity.people.conversion import as_population
from discretion.anonymity.people.population import Population
from discretion.tables.counting.class_sizes import ExposureCurve
from discretion.tables.counting.threshold import Threshold


def exposure(
    P: Population,
    k: int | None = None,
    threshold: Threshold | None = None,
    columns: Iterable[str] | None = None,
) -> float:
    """Return the exposure: the share of the people with fewer than k alike, or fewer than a share t of all.

    ``Q(t) = Σ_v p(v)·1{p(v) < t}``, where p(v) is the share of the people whose values are v

    Parameters
    ----------
    P
        The people.
    k, threshold
        Exactly one: a number of people, or a share t of them in [0, 1]. A float stands for the simplest fraction that
        rounds to it; sizes are compared in integers.
    columns
        What is known of people; None is all columns, ``()`` nothing.

    Returns
    -------
    float
        In [0, 1], exact.

    Raises
    ------
    UnsupportedError
        If P is not a Population, or none or both of k and threshold are given.
    InvalidValueError
        If the one given is out of range.
    UnknownColumnError
        If the population has no such column.

    Notes
    -----
    Source: Anonymity, Definition 1.

    Examples
    --------
    >>> adult = Population("example:adult", columns=["sex", "income", "race", "workclass"])
    >>> round(exposure(adult, threshold="0.001"), 10)
    0.0206074752
    """
    return as_population(P).class_sizes(columns).exposure(k=k, threshold=threshold)


def exposure_curve(P: Population, columns: Iterable[str] | None = None) -> ExposureCurve:
    """Return the exposure at every threshold, as the step function that it is.

    ``t ↦ Q(t) = Σ_v p(v)·1{p(v) < t}``

    Parameters
    ----------
    P
        The people.
    columns
        What is known of people; None is all columns.

    Returns
    -------
    ExposureCurve
        Call it at a threshold; its steps are at ``sizes / people``.

    Raises
    ------
    UnsupportedError
        If P is not a Population.
    UnknownColumnError
        If the population has no such column.

    Notes
    -----
    Source: Anonymity, Definition 1.

    Examples
    --------
    >>> curve = exposure_curve(Population("example:adult"), ["sex"])
    >>> curve("0.33"), round(curve("0.34"), 6)
    (0.0, 0.330795)
    """
    return as_population(P, "exposure_bound_curve").class_sizes(columns).curve()


def reidentification_vulnerability(P: Population, columns: Iterable[str]) -> float:
    """Return how likely an adversary who knows the columns of a random person picks the person out in one try.

    ``V = (number of classes) / n``: in a class of size s she is right once in s, so each class adds 1/n

    Parameters
    ----------
    P
        The people, one of whom is drawn uniformly.
    columns
        What is known of that person; ``()`` gives the prior vulnerability, 1/n.

    Returns
    -------
    float
        In [1/n, 1], exact: the posterior Bayes vulnerability of who it is.

    Raises
    ------
    UnsupportedError
        If P is not a Population.
    UnknownColumnError
        If the population has no such column.

    Notes
    -----
    Source: QIF, the posterior Bayes vulnerability of a deterministic channel under a uniform prior.

    Examples
    --------
    >>> adult = Population("example:adult")
    >>> round(reidentification_vulnerability(adult, ["sex", "income", "race", "workclass"]) * adult.people)
    131
    """
    population = as_population(P)
    return population.class_sizes(columns).classes / population.people


def inference_vulnerability(P: Population, columns: Iterable[str], sensitive: str) -> float:
    """Return how likely an adversary who knows the columns of a random person guesses the sensitive one.

    ``V = (1/n) Σ_v max_s #{people with values v and sensitive value s}``

    Parameters
    ----------
    P
        The people, one of whom is drawn uniformly; the adversary knows the whole table.
    columns
        What is known of that person; ``()`` gives the prior vulnerability, the share of the commonest value.
    sensitive
        The column that is guessed; in a population with ``person=``, the bag of a person's values.

    Returns
    -------
    float
        In (0, 1], exact.

    Raises
    ------
    UnsupportedError
        If P is not a Population.
    UnknownColumnError
        If the population has no such column.
    InvalidValueError
        If the sensitive column is among those known.

    Notes
    -----
    Source: QIF, the posterior Bayes vulnerability of the sensitive value through the channel to the columns.

    Examples
    --------
    >>> adult = Population("example:adult")
    >>> round(inference_vulnerability(adult, (), "income"), 6)
    0.75919
    >>> round(inference_vulnerability(adult, ["education", "marital_status"], "income"), 6)
    0.82003
    """
    population = as_population(P)
    return population.best_guesses(columns, sensitive) / population.people
