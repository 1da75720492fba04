"""The exact exposure of a table."""

from collections.abc import Iterable

from discretion.anonymity.people.conversion import People, as_population
from discretion.estimate import quantity
from discretion.tables.counting.class_sizes import ExposureCurve
from discretion.tables.counting.threshold import Threshold


@quantity
def exposure(
    P: People,
    k: int | None = None,
    threshold: Threshold | None = None,
    columns: Iterable[str] | None = None,
) -> float:
    """Return the exposure: the share of the people whose values fewer than k people share, or less than a share t.

    ``Q(t) = Σ_v p(v)·1{p(v) < t}``, where p(v) is the share of the people whose values are v

    Parameters
    ----------
    P
        The people.
    k, threshold
        Exactly one: a number of people, or a share t of them in [0, 1]. A float stands for the simplest fraction that
        rounds to it; sizes are compared in integers.
    columns
        The columns that the adversary knows; None is all columns, ``()`` none.

    Returns
    -------
    float
        In [0, 1], exact.

    Notes
    -----
    Source: Anonymity, Definition 1.

    Examples
    --------
    >>> from discretion.anonymity import Population
    >>> adult = Population("example:adult", columns=["sex", "income", "race", "workclass"])
    >>> round(exposure(adult, threshold="0.001"), 10)
    0.0206074752
    """
    return as_population(P).class_sizes(columns).exposure(k=k, threshold=threshold)


def exposure_curve(P: People, columns: Iterable[str] | None = None) -> ExposureCurve:
    """Return the exposure at every threshold as a step function.

    ``t ↦ Q(t) = Σ_v p(v)·1{p(v) < t}``

    Parameters
    ----------
    P
        The people.
    columns
        The columns that the adversary knows; None is all columns.

    Returns
    -------
    ExposureCurve
        Call it at a threshold; its steps are at ``sizes / people``.

    Notes
    -----
    Source: Anonymity, Definition 1.

    Examples
    --------
    >>> curve = exposure_curve("example:adult", ["sex"])
    >>> curve("0.33"), round(curve("0.34"), 6)
    (0.0, 0.330795)
    """
    return as_population(P, "exposure_bound_curve").class_sizes(columns).curve()
