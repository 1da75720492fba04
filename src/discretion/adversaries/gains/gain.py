"""What a gain says: what the best guess gains of a joint law of secret and observation."""

import math
from abc import ABC, abstractmethod
from typing import Protocol

from discretion import limits
from discretion.errors import TooLargeError
from discretion.numerics.arrays import Integers, Reals
from discretion.validation import MAX_ENTRIES

_ROUNDING = 1e-9  # of logarithms


class JointLaw(Protocol):
    """A joint law of secret and observation, entries ``[x, y]``, that is asked and need not be an array."""

    def column_maxima(self) -> Reals:
        """Return the largest entry of each column."""
        ...

    def mixtures(self, weights: Reals) -> Reals:
        """Return ``weights @ joint``."""
        ...

    def ranked_sums(self, weights: Reals) -> Reals:
        """Return for each column the sum of its largest entries, the i-th largest times the i-th weight."""
        ...

    def class_maxima(self, class_of: Integers) -> Reals:
        """Return for each column the largest sum of the entries of a class of rows, given the class of each row."""
        ...


class Gain(ABC):
    """A gain function over k secrets; a subclass computes the gain of the best guess."""

    secrets: int

    @abstractmethod
    def best(self, joint: Reals) -> Reals:
        """Return ``max_w Σ_x g(w, x) joint[x, y]`` for every column y of ``joint``, whose entries are non-negative."""

    @abstractmethod
    def best_of_law(self, joint: JointLaw) -> Reals:
        """Return the same of a joint law that need not be an array."""

    @abstractmethod
    def gain_of_best(self, believed: Reals, joint: Reals) -> Reals:
        """Return the gain in each column of ``joint`` of the guess that is best for that column of ``believed``."""

    @abstractmethod
    def guesses(self) -> Reals:
        """Return the gain as a matrix, rows guesses and columns secrets, or raise TooLargeError."""

    @abstractmethod
    def from_least(self) -> "Gain":
        """Return the gain less each secret's least: it raises the vulnerability by as much, in sums of small terms."""

    def as_exact(self) -> "Gain | None":
        """Return the gain to be asked of a joint law of fractions, None if it has been rounded to doubles."""
        return None

    @abstractmethod
    def largest_shift(self, moved: Reals) -> float:
        """Return ``max_w Σ_x |g(w, x)| moved[x]``, the most by which moving the secrets' law moves a guess's worth."""

    @property
    @abstractmethod
    def width(self) -> float:
        """The largest gain less the least."""

    @property
    @abstractmethod
    def is_symmetric(self) -> bool:
        """Whether all secrets are alike: renaming them renames the guesses."""


class RightOrWrong(Gain):
    """A gain of 1 for a guess that is right, else 0."""

    def from_least(self) -> Gain:
        """Return the gain itself, whose least is 0 or makes no difference."""
        return self

    def as_exact(self) -> Gain:
        """Return the gain itself, which adds up and compares."""
        return self

    def largest_shift(self, moved: Reals) -> float:
        """Return the worth of the best guess, no gain being negative."""
        return float(self.best(moved[:, None])[0])

    @property
    def width(self) -> float:
        """A guess is right or wrong."""
        return 1.0


def check_listable(log_guesses: float, secrets: int) -> None:
    """Refuse to write out a gain with so many guesses that its matrix would not fit in memory."""
    most = limits.current().numbers(MAX_ENTRIES)
    if log_guesses + math.log(secrets) > math.log(most) + _ROUNDING:
        raise TooLargeError(
            f"a gain over {secrets:,} secrets with a row for each guess would have more than {most:,} entries; ask for "
            "posterior_vulnerability, which writes out none that has a name, or take fewer secrets"
        )
