"""Beta-likeness and delta-disclosure privacy: how much commoner or rarer a value is in a class than in the table."""

import math
from collections.abc import Iterable

from discretion.anonymity.attacks.k_l_t import MAX_PEOPLE_COMPARED
from discretion.anonymity.people.conversion import People, as_population
from discretion.anonymity.people.population import Population
from discretion.errors import TooLargeError
from discretion.estimate import quantity


@quantity
def beta_likeness(P: People, columns: Iterable[str], sensitive: str, *, enhanced: bool = False) -> float:
    """Return the largest relative gain of a sensitive value in an equivalence class: basic or enhanced beta-likeness.

    ``beta = max_c max_s (p_c(s) - p(s)) / p(s)``, with the shares of the sensitive value s in class c and of all people

    Parameters
    ----------
    P
        The people.
    columns
        The columns that the adversary knows; ``()`` is none.
    sensitive
        The column that is to stay hidden; in a population with ``person=`` a value is the bag of a person's values.
    enhanced
        Whether each gain must be at most ``-ln p(s)`` too, which limits the frequent values, whatever beta.

    Returns
    -------
    float
        At least 0; at most n - 1. With ``enhanced`` infinite if a gain is more than ``-ln p(s)``: then the table is
        enhanced beta-like for no beta.

    Raises
    ------
    TooLargeError
        If there are more than 3·10⁹ people.

    Notes
    -----
    Null is a value. A value that a class lacks has no gain there. Source: Cao and Karras, "Publishing microdata with a
    robust privacy guarantee", 2012, Definitions 2 and 3.

    Examples
    --------
    >>> round(beta_likeness("example:adult", ["sex", "race"], "income"), 6)
    0.396204
    >>> round(beta_likeness("example:adult", ["education"], "income"), 6)
    2.076789
    >>> print(beta_likeness("example:adult", ["education"], "income", enhanced=True))
    inf
    """
    if not enhanced:
        return spread_measures(P, columns, sensitive)[1]
    from discretion.tables.counting.sensitive_values import largest_gains  # noqa: PLC0415 - imports Ibis

    population = _comparable(P)
    n = population.people
    gains = largest_gains(population.joint(columns, sensitive), n)
    allowed = all(gain <= math.log1p((n - having) / having) for having, gain in gains)
    return likeness_of(max(gain for _, gain in gains)) if allowed else math.inf


@quantity
def delta_disclosure(P: People, columns: Iterable[str], sensitive: str) -> float:
    """Return the delta above which the table has delta-disclosure privacy.

    ``delta = max_c max_s |ln(p_c(s) / p(s))|``, with the shares of the sensitive value s in class c and of all people

    Parameters
    ----------
    P
        The people.
    columns
        The columns that the adversary knows; ``()`` is none.
    sensitive
        The column that is to stay hidden; in a population with ``person=`` a value is the bag of a person's values.

    Returns
    -------
    float
        At least 0; infinite if a class lacks a value that somebody has. A table has the privacy of each larger delta.

    Raises
    ------
    TooLargeError
        If there are more than 3·10⁹ people.

    Notes
    -----
    Null is a value. ARX has the logarithm to base 2, and ARX and pycanon leave out values that a class lacks. Source:
    Brickell and Shmatikov, "The cost of privacy", 2008.

    Examples
    --------
    >>> round(delta_disclosure("example:adult", ["sex", "race"], "income"), 6)
    1.47584
    """
    return spread_measures(P, columns, sensitive)[2]


def spread_measures(P: People, columns: Iterable[str], sensitive: str) -> tuple[float, float, float]:
    """Return t of t-closeness, beta of beta-likeness and delta of delta-disclosure privacy, counted in one pass."""
    from discretion.tables.counting.sensitive_values import spread_of  # noqa: PLC0415 - imports Ibis

    population = _comparable(P)
    n = population.people
    spread = spread_of(population.joint(columns, sensitive), n)
    return (
        max(excess / (n * size) for size, excess in spread.excesses),
        likeness_of(spread.highest),
        disclosure_of(spread.highest, spread.lowest, lacking=spread.lacking),
    )


def _comparable(P: People) -> Population:
    population = as_population(P)
    n = population.people
    if n > MAX_PEOPLE_COMPARED:
        raise TooLargeError(f"shares are compared for at most {MAX_PEOPLE_COMPARED:,} people, got {n:,}; take a sample")
    return population


def likeness_of(highest: float) -> float:
    """Return beta from the highest ``p_c(s) / p(s) - 1``."""
    return max(0.0, highest)


def disclosure_of(highest: float, lowest: float, *, lacking: bool) -> float:
    """Return delta from the highest and the lowest ``p_c(s) / p(s) - 1``; infinite if a class lacks a value."""
    return math.inf if lacking else max(0.0, math.log1p(highest), -math.log1p(lowest))
