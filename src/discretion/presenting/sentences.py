"""Sentences that several documents share."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from discretion.estimate import Estimate
from discretion.presenting.numbers import people, percent, within

#: The reason, as a verb, why a search ended before its proof.
ENDED = {
    "time": "reached its time limit",
    "sets": "reached its limit of examined sets",
    "interrupted": "was interrupted",
}


def exposed(count: int, whole: int) -> str:
    """Return a clause on the number of exposed people among some people.

    Examples
    --------
    >>> exposed(0, 10), exposed(1, 10), exposed(3, 10)
    ('nobody is exposed', '1 person (10 %) is exposed', '3 people (30 %) are exposed')
    """
    if count == 0:
        return "nobody is exposed"
    return f"{people(count)} ({percent(count / whole)}) {'is' if count == 1 else 'are'} exposed"


def not_read(parts: Iterable[str]) -> Iterator[str]:
    """Yield a sentence for each part of a table's source that was not read.

    Examples
    --------
    >>> list(not_read(["the sheet 'old'"]))
    ["Not read: the sheet 'old'."]
    """
    return (f"Not read: {part}." for part in parts)


def not_computed(reasons: Mapping[str, str]) -> Iterator[str]:
    """Yield a sentence with the reason for each measure without a result.

    Examples
    --------
    >>> list(not_computed({"leakage": "time is up"}))
    ['leakage is not computed: time is up.']
    """
    return (f"{name} is not computed: {reason}." for name, reason in reasons.items())


def seed_sentence(results: Iterable[Any], seed: int | None) -> Iterator[str]:
    """Yield a sentence on the seed that repeats the results, if one of them is sampled.

    Examples
    --------
    >>> list(seed_sentence([0.5, Estimate(0.3, 0.2, 0.4, 0.95, "samples")], seed=1)), list(seed_sentence([0.5], seed=1))
    (['Seed 1 repeats this.'], [])
    """
    if any(isinstance(result, Estimate) and result.confidence is not None for result in results):
        yield f"Seed {seed} repeats this."


def kind_words(result: Any) -> str:
    """Return the kind of a number: exact, or its interval with the confidence or assumption.

    Examples
    --------
    >>> kind_words(0.5), kind_words(Estimate(0.3, 0.0, 0.3, None, "bound"))
    ('exact', 'certified in [0, 0.3]')
    """
    return within(result) if isinstance(result, Estimate) else "exact"
