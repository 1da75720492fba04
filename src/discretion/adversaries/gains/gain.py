"""The interface of a gain function: the gain of the best guess under a joint law of secret and observation."""

import math
from abc import ABC, abstractmethod
from typing import Protocol

from discretion import limits
from discretion.errors import TooLargeError
from discretion.numerics.arrays import Integers, Reals
from discretion.validation import MAX_ENTRIES

_ROUNDING = 1e-9  # of logarithms


class JointLaw(Protocol):
    """A joint law of secret and observation with entries ``[x, y]``: sums and maxima that need no explicit array."""

    def column_maxima(self) -> Reals:
        """Return the largest entry of each column."""
        ...

    def mixtures(self, weights: Reals) -> Reals:
        """Return ``weights @ joint``."""
        ...

    def ranked_sums(self, weights: Reals) -> Reals:
        """Return for each column the weighted sum of its entries: the i-th largest entry times the i-th weight."""
        ...

    def class_maxima(self, class_of: Integers) -> Reals:
        """Return for each column the largest sum over a class of rows; ``class_of`` has the class of each row."""
        ...


class Gain(ABC):
    """A gain function over k secrets; a subclass computes the gain of the best guess."""

    secrets: int

    @abstractmethod
    def best(self, joint: Reals) -> Reals:
        """Return ``max_w Σ_x g(w, x) joint[x, y]`` for every column y of ``joint``, whose entries are non-negative."""

    @abstractmethod
    def best_of_law(self, joint: JointLaw) -> Reals:
        """Return ``max_w Σ_x g(w, x) joint[x, y]`` for every column y of a joint law that need not be an array."""

    @abstractmethod
    def gain_of_best(self, believed: Reals, joint: Reals) -> Reals:
        """Return, for each column of ``joint``, the gain of the guess that is best for that column of ``believed``."""

    @abstractmethod
    def guesses(self) -> Reals:
        """Return the gain function as a matrix, a row per guess and a column per secret, or raise TooLargeError."""

    @abstractmethod
    def from_least(self) -> "Gain":
        """Return the gain less the least gain of each secret: its vulnerabilities are sums of small terms."""

    def as_exact(self) -> "Gain | None":
        """Return the gain function for joint laws of fractions, or None if it has been rounded to doubles."""
        return None

    @abstractmethod
    def largest_shift(self, moved: Reals) -> float:
        """Return ``max_w Σ_x |g(w, x)| moved[x]``, the most by which moving the secrets' law changes a guess's gain."""

    @property
    @abstractmethod
    def width(self) -> float:
        """The largest gain minus the smallest."""

    @property
    @abstractmethod
    def is_symmetric(self) -> bool:
        """Whether the gain is symmetric in the secrets: any renaming of the secrets only renames the guesses."""


class RightOrWrong(Gain):
    """A gain of 1 for a correct guess, else 0."""

    def from_least(self) -> Gain:
        """Return the gain itself, since its least is 0 or makes no difference."""
        return self

    def as_exact(self) -> Gain:
        """Return the gain itself, since it only adds and compares."""
        return self

    def largest_shift(self, moved: Reals) -> float:
        """Return the gain of the best guess, since no gain is negative."""
        return float(self.best(moved[:, None])[0])

    @property
    def width(self) -> float:
        """The width is 1: a guess is correct or not."""
        return 1.0


def check_listable(log_guesses: float, secrets: int) -> None:
    """Raise TooLargeError if a gain has too many guesses to write its matrix in memory."""
    most = limits.current().numbers(MAX_ENTRIES)
    if log_guesses + math.log(secrets) > math.log(most) + _ROUNDING:
        raise TooLargeError(
            f"a gain over {secrets:,} secrets with a row for each guess would have more than {most:,} entries; call "
            "posterior_vulnerability, which needs no matrix for a gain with a name, or take fewer secrets"
        )
