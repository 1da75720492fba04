"""Gains of each guess by its distance from the secret, or by a function of your own."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from discretion.adversaries.gains.gain import Gain, check_listable
from discretion.adversaries.gains.matrix import MatrixGain, as_matrix, fractions_in, gain_matrix
from discretion.errors import InvalidGainError
from discretion.numerics.arrays import Reals

# Comparisons of NumPy's numbers give its own booleans.
_REAL: tuple[type[Any], ...] = (Real, np.bool_)


@dataclass(frozen=True, eq=False)
class DistanceGain(MatrixGain):
    """Gain 1 minus the distance as a share of the largest one; it stays exact for whole distances and fractions."""

    distances: MatrixGain = field(kw_only=True)

    def as_exact(self) -> Gain | None:
        """Return the gain of the distances as fractions, or None if one has been rounded."""
        exact = self.distances.as_exact()
        return None if exact is None else MatrixGain(_nearness(exact.guesses()))


def distance_gain(distances: ArrayLike) -> Gain:
    """Return the gain of a guess by its distance from the secret: ``g(w, x) = 1 - d(w, x)/d_max``.

    Parameters
    ----------
    distances
        Distance of each guess (row) from each secret (column), at least 0; square where the guesses are the secrets.

    Raises
    ------
    InvalidGainError
        If a distance is negative.

    Notes
    -----
    The most distant guess has gain 0; where all distances are 0, every guess has gain 1. Whole distances and fractions
    stay exact for channels of fractions.

    Examples
    --------
    >>> import discretion as dc
    >>> ages = [20, 30, 60]
    >>> near = distance_gain([[abs(guess - age) for age in ages] for guess in ages])
    >>> near.guesses().tolist()
    [[1.0, 0.75, 0.0], [0.75, 1.0, 0.25], [0.0, 0.25, 1.0]]
    >>> round(dc.prior_vulnerability(dc.uniform(3), near), 12)
    0.666666666667
    """
    matrix = as_matrix(distances, "distance", "distances")
    if matrix.min() < 0:
        w, x = np.unravel_index(matrix.argmin(), matrix.shape)
        raise InvalidGainError(f"a distance must not be negative, got {matrix[w, x]} for guess {w} and secret {x}")
    return DistanceGain(_nearness(matrix), distances=MatrixGain(matrix, fractions_in(distances)))


def _nearness(distances: Reals) -> Reals:
    furthest = distances.max()
    return 1 - distances / furthest if furthest > 0 else distances + 1


def gain_function(function: Callable[[Any, Any], float], guesses: Iterable[Any], secrets: Iterable[Any]) -> Gain:
    """Return the gain ``g(w, x) = function(w, x)``; the function is called once for each guess and each secret.

    Parameters
    ----------
    function
        Takes a guess and a secret and returns a real number; True is 1. Fractions stay exact for channels of fractions.
    guesses
        The guesses, objects of any kind.
    secrets
        The secrets in the order of the system's rows, such as the labels ``C.inputs``.

    Raises
    ------
    InvalidGainError
        If there are no guesses or no secrets, or the function raises an error or returns anything but a finite number;
        the message names the guess and the secret.
    TooLargeError
        If the matrix of the gain would have too many entries.

    Examples
    --------
    >>> import itertools
    >>> people = list(itertools.product([0, 1], repeat=2))  # two people, with or without the disease
    >>> alike = gain_function(lambda w, x: 1 - sum(a != b for a, b in zip(w, x)) / 2, people, people)  # Hamming
    >>> alike.guesses()[0].tolist()
    [1.0, 0.5, 0.5, 0.0]
    """
    if not callable(function):
        raise InvalidGainError(f"a gain function must take a guess and a secret, got {function!r:.60}")
    rows, columns = _listed(guesses, "guesses"), _listed(secrets, "secrets")
    check_listable(math.log(len(rows)), len(columns))
    return gain_matrix([[_asked(function, w, x) for x in columns] for w in rows])


def _listed(values: Iterable[Any], name: str) -> Sequence[Any]:
    try:
        items = list(values)
    except TypeError:
        raise InvalidGainError(f"{name} must be a list, such as a channel's inputs, got {values!r:.60}") from None
    if not items:
        raise InvalidGainError(f"a gain needs {name}, got none")
    return items


def _asked(function: Callable[[Any, Any], Any], guess: Any, secret: Any) -> Any:
    where = f"for guess {guess!r:.60} and secret {secret!r:.60}"
    try:
        gain = function(guess, secret)
    except Exception as error:
        raise InvalidGainError(f"the gain function raised {type(error).__name__}: {error!s:.80} {where}") from error
    try:
        finite = isinstance(gain, _REAL) and math.isfinite(gain)
    except OverflowError:  # a whole number, or a fraction, beyond all doubles
        finite = False
    if not finite:
        raise InvalidGainError(f"a gain function must return a finite number, got {gain!r:.60} {where}")
    return gain
