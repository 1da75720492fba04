"""k-anonymity, l-diversity and t-closeness: guarantees of the equivalence classes of a table."""

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

import numpy as np

from discretion.anonymity.people.conversion import People, as_population
from discretion.anonymity.people.ground_distances import hierarchical_distance, ordered_distance
from discretion.anonymity.people.hierarchies import Hierarchy, read_hierarchy
from discretion.anonymity.people.population import Population
from discretion.errors import InvalidValueError, TooLargeError, UnsupportedError
from discretion.estimate import quantity
from discretion.validation import as_count

if TYPE_CHECKING:
    from discretion.tables.counting.grouping import SensitiveCounts

# People for t-closeness: the square of it fits in 64 bits.
MAX_PEOPLE_COMPARED = 3 * 10**9


def k_anonymity(P: People, columns: Iterable[str] | None = None) -> int:
    """Return the size of the smallest equivalence class on the columns: the largest k of a k-anonymous table.

    ``k = min_c n_c`` over the classes c of people who share their values

    Parameters
    ----------
    P
        The people.
    columns
        The columns that the adversary knows; None is all columns, ``()`` none.

    Returns
    -------
    int
        From 1 to n.

    Notes
    -----
    Null is a value: two people with a null share it. Source: Samarati and Sweeney, 1998.

    Examples
    --------
    >>> k_anonymity("example:adult", ["sex", "race"])
    109
    """
    return as_population(P).class_sizes(columns).smallest


def l_diversity(P: People, columns: Iterable[str], sensitive: str) -> int:
    """Return the fewest distinct sensitive values of an equivalence class: distinct l-diversity.

    ``l = min_c #{s : n_cs > 0}``, with n_cs people of class c who have the sensitive value s

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
    int
        At least 1.

    Notes
    -----
    Null is a value. Source: Machanavajjhala and others, "l-diversity", 2007, section 4.

    Examples
    --------
    >>> l_diversity("example:adult", ["sex", "race"], "workclass")
    5
    """
    from discretion.tables.counting.sensitive_values import fewest_values  # noqa: PLC0415 - imports Ibis

    return fewest_values(as_population(P).joint(columns, sensitive))


@quantity
def entropy_l_diversity(P: People, columns: Iterable[str], sensitive: str) -> float:
    """Return the largest l for which the table is entropy l-diverse.

    ``l = min_c exp(H_c)``, with the entropy ``H_c = Σ_s (n_cs/n_c) ln (n_c/n_cs)`` of the sensitive value in class c

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
        At least 1, at most the distinct l-diversity.

    Notes
    -----
    Null is a value. Source: Machanavajjhala and others, "l-diversity", 2007, Definition 4.1.

    Examples
    --------
    >>> round(entropy_l_diversity("example:adult", ["sex", "race"], "workclass"), 6)
    2.032871
    """
    from discretion.tables.counting.sensitive_values import least_entropy  # noqa: PLC0415

    return math.exp(max(0.0, least_entropy(as_population(P).joint(columns, sensitive))))


@quantity
def recursive_c_l_diversity(P: People, columns: Iterable[str], sensitive: str, l: int) -> float:  # noqa: E741
    """Return the c above which the table is recursive (c, l)-diverse.

    ``c = max_c r_1 / (r_l + … + r_m)``, with the numbers ``r_1 ≥ r_2 ≥ … ≥ r_m`` of people in a class with each value

    Parameters
    ----------
    P
        The people.
    columns
        The columns that the adversary knows; ``()`` is none.
    sensitive
        The column that is to stay hidden; in a population with ``person=`` a value is the bag of a person's values.
    l
        From the l-th commonest value on values count as rare; at least 2.

    Returns
    -------
    float
        Above 0; infinite if a class has fewer than l values. A table is (c, l)-diverse for each larger c.

    Notes
    -----
    Null is a value. With l = 2 it is the best odds of a guess. Source: Machanavajjhala and others, "l-diversity", 2007,
    Definition 4.2.

    Examples
    --------
    >>> round(recursive_c_l_diversity("example:adult", ["sex", "race"], "workclass", 3), 6)
    12.285714
    """
    from discretion.tables.counting.sensitive_values import largest_recursive_ratio  # noqa: PLC0415

    return largest_recursive_ratio(as_population(P).joint(columns, sensitive), as_count(l, "l", at_least=2))


@quantity
def t_closeness(
    P: People,
    columns: Iterable[str],
    sensitive: str,
    order: Sequence[str | None] | Literal["numeric"] | None = None,
    hierarchy: str | Path | Mapping[str, Sequence[str]] | None = None,
) -> float:
    """Return the largest distance between the sensitive values of an equivalence class and of all people: t-closeness.

    ``t = max_c D(p_c, p)``, the earth mover's distance between the laws of the sensitive value in class c and of all

    Parameters
    ----------
    P
        The people.
    columns
        The columns that the adversary knows; ``()`` is none: then the result is 0.
    sensitive
        The column that is to stay hidden.
    order
        The distance between two values. None: 1 between any two, so that ``D = ½ Σ_s |p_c(s) - p(s)|``. The m values
        as text (None for null), each once from low to high: ``|i-j|/(m-1)``, so that
        ``D = Σ_i |Σ_{j≤i} (p_c(j) - p(j))| / (m-1)``. ``"numeric"``: the same in the order of numbers, for a column of
        numbers or of text that is numbers, all compared exactly; equal numbers are one value.
    hierarchy
        Instead of an order, a file in the format of ARX, ``value;coarser;coarsest`` a line, or a mapping from each
        value as text to its coarser groups. With H levels above the values, of which the last has one group, two values
        that first share a group on level h have the distance ``h/H``.

    Returns
    -------
    float
        In [0, 1], exact.

    Raises
    ------
    InvalidValueError
        If both an order and a hierarchy are given.
    UnsupportedError
        If P has ``person=`` and the values are ordered: bags of values are not.
    TooLargeError
        If there are more than 3·10⁹ people, or more than 10,000 numbers as text that double precision does not hold.

    Notes
    -----
    Null is a value. People are counted and compared in integers. Without an order, in a population with ``person=``, a
    value is the bag of a person's values; with one, the work grows with classes times values. Source: Li, Li and
    Venkatasubramanian, "t-closeness", 2007, section 4.

    Examples
    --------
    >>> from discretion.anonymity import Population
    >>> adult = Population("example:adult")
    >>> round(t_closeness(adult, ["sex"], "income"), 6), round(t_closeness(adult, ["sex"], "age", "numeric"), 6)
    (0.131349, 0.023959)
    """
    from discretion.tables.counting.sensitive_values import (  # noqa: PLC0415
        largest_excesses,
        largest_transports,
        largest_tree_excesses,
    )

    population = as_population(P)
    n = population.people
    joint = population.joint(columns, sensitive)
    if order is not None and hierarchy is not None:
        raise InvalidValueError("order and hierarchy both set the distances between values; give only one of them")
    _check_size(n)
    if hierarchy is not None:
        levels = _levels(population, joint, sensitive, hierarchy)
        excesses = largest_tree_excesses(joint, n, levels)
        return max(excess / (n * size * len(levels)) for size, excess in excesses)
    if order is None:
        return max(excess / (n * size) for size, excess in largest_excesses(joint, n))
    if population.person is not None:
        raise UnsupportedError("the bags of values of people with several rows have no order; leave order= out")
    values = None if isinstance(order, str) and order == "numeric" else _as_order(order, joint)
    if values is None:
        _check_numbers(joint, sensitive)
    places = None if values is None else {text: place for place, text in enumerate(values)}
    return _largest_distance(n, *largest_transports(joint, n, places))


def ordered_t_closeness(
    P: People, columns: Iterable[str], sensitive: str, hierarchy: Hierarchy | None, way_out: str
) -> float:
    """Return t of t-closeness by the places of numbers, of dates, or of the lines of a hierarchy.

    The places are those of :func:`~discretion.anonymity.people.ground_distances.ordered_distance`, for the values in
    the table. ``way_out`` is the advice in the message where values have no order.
    """
    from discretion.tables.counting.sensitive_values import (  # noqa: PLC0415
        count_without_number,
        largest_transports,
        texts_of,
    )

    population = as_population(P)
    if population.person is not None:
        raise UnsupportedError(
            "an ordered distance is of people with one row each; here a person has a bag of values of "
            f"{sensitive!r}, and bags have no order; {way_out}"
        )
    _check_size(population.people)
    joint = population.joint(columns, sensitive)
    places: dict[str | None, int] | None = None
    if hierarchy is not None or count_without_number(joint):
        texts = texts_of(joint)
        written = [None if text is None else joint.rows.spell(text) for text in texts]
        distance = ordered_distance(sensitive, written, np.ones(len(texts), np.int64), hierarchy, way_out)
        places = dict(zip(texts, distance.places, strict=True))
    return _largest_distance(population.people, *largest_transports(joint, population.people, places))


def _check_size(people: int) -> None:
    if people > MAX_PEOPLE_COMPARED:
        raise TooLargeError(
            f"t-closeness is computed for at most {MAX_PEOPLE_COMPARED:,} people, got {people:,}; take a sample"
        )


def _largest_distance(people: int, places: int, costs: Iterable[tuple[int, int]]) -> float:
    """Return the largest distance of a class of values in this many places, by the costs of moving them."""
    return max(cost / (people * size * max(1, places - 1)) for size, cost in costs)


def _levels(
    population: Population,
    joint: "SensitiveCounts",
    sensitive: str,
    hierarchy: str | Path | Mapping[str, Sequence[str]],
) -> list[dict[str | None, int]]:
    """Return the group of each sensitive value on each level below the last, with values as the engine writes them."""
    from discretion.tables.counting.sensitive_values import texts_of  # noqa: PLC0415

    if population.person is not None:
        raise UnsupportedError("the bags of values of people with several rows have no hierarchy; leave hierarchy= out")
    given = hierarchy if isinstance(hierarchy, Mapping) else read_hierarchy(hierarchy)
    texts = texts_of(joint)
    written = [None if text is None else joint.rows.spell(text) for text in texts]
    distance = hierarchical_distance(sensitive, written, np.ones(len(texts), np.int64), given)
    return [dict(zip(texts, groups, strict=True)) for groups in distance.levels or (range(len(texts)),)]


def _check_numbers(joint: "SensitiveCounts", sensitive: str) -> None:
    from discretion.tables.counting.sensitive_values import count_without_number  # noqa: PLC0415

    if lacking := count_without_number(joint):
        raise InvalidValueError(
            f"the sensitive column {sensitive!r} is null or not a number for {lacking} people; fill it in, or list its "
            "values from low to high in order="
        )


def _as_order(order: object, joint: "SensitiveCounts") -> list[str | None]:
    """Return the values as the engine writes them, if they are all of the sensitive values and each is there once."""
    from discretion.tables.counting.sensitive_values import texts_of  # noqa: PLC0415

    if isinstance(order, str) or not isinstance(order, Sequence):
        raise InvalidValueError(f"order must be 'numeric' or the values as text from low to high, got {order!r}")
    texts = texts_of(joint)
    written = {None if text is None else joint.rows.spell(text): text for text in texts}
    if len(written) < len(texts):
        raise InvalidValueError("two sensitive values are the same as text, so that no order distinguishes them")
    ordered: dict[str | None, str | None] = {}
    for value in cast("Sequence[object]", order):
        if not isinstance(value, str | None):
            raise InvalidValueError(f"order must give values as text, or None for null, got {value!r}")
        if value in ordered or value not in written:
            fault = "twice" if value in ordered else "though nobody has it"
            raise InvalidValueError(f"order must give each of the sensitive values once; it gives {value!r} {fault}")
        ordered[value] = written[value]
    if lacking := len(written) - len(ordered):
        raise InvalidValueError(f"order must give each of the {len(written)} sensitive values; it lacks {lacking}")
    return list(ordered.values())
