"""Gains of naming the secret: in one try, or in several."""

import itertools
import math
from dataclasses import dataclass

import numpy as np

from discretion.adversaries.gains.gain import Gain, JointLaw, RightOrWrong, check_listable
from discretion.errors import InvalidGainError, UnsupportedError
from discretion.numerics.arrays import Reals
from discretion.numerics.matrices import largest_entries
from discretion.validation import as_count


@dataclass(frozen=True)
class IdentityGain(RightOrWrong):
    """Gain 1 for naming the secret in one try, else 0."""

    secrets: int

    def best(self, joint: Reals) -> Reals:
        """Return the largest entry of every column."""
        return joint.max(axis=0)

    def best_of_law(self, joint: JointLaw) -> Reals:
        """Return the largest entry of every column."""
        return joint.column_maxima()

    def gain_of_best(self, believed: Reals, joint: Reals) -> Reals:
        """Return the entry of each column at the largest entry of the believed column."""
        return np.take_along_axis(joint, believed.argmax(axis=0)[None, :], axis=0)[0]

    def guesses(self) -> Reals:
        """Return the identity matrix."""
        check_listable(math.log(self.secrets), self.secrets)
        return np.eye(self.secrets)

    @property
    def is_symmetric(self) -> bool:
        """No secret has a higher gain than another."""
        return True


@dataclass(frozen=True)
class TriesGain(RightOrWrong):
    """Gain 1 for naming the secret in two to k tries, else 0: a guess is a set of secrets."""

    secrets: int
    tries: int

    def best(self, joint: Reals) -> Reals:
        """Return the sum of the largest entries of every column."""
        return largest_entries(joint, self.tries).sum(axis=0)

    def best_of_law(self, joint: JointLaw) -> Reals:
        """Return the sum of the largest entries of every column."""
        return joint.ranked_sums(np.ones(self.tries))

    def gain_of_best(self, believed: Reals, joint: Reals) -> Reals:
        """Return for each column the sum of its entries where the entries of the believed column are largest."""
        first = self.secrets - self.tries
        likeliest = np.argpartition(believed, first, axis=0)[first:] if first else np.arange(self.secrets)[:, None]
        return np.take_along_axis(joint, likeliest, axis=0).sum(axis=0)

    def guesses(self) -> Reals:
        """Return a row for each set of ``tries`` secrets."""
        k, tries = self.secrets, self.tries
        check_listable(math.lgamma(k + 1) - math.lgamma(tries + 1) - math.lgamma(k - tries + 1), k)
        sets = np.array(list(itertools.combinations(range(k), tries)))
        matrix = np.zeros((len(sets), k))
        np.put_along_axis(matrix, sets, 1.0, axis=1)
        return matrix

    @property
    def is_symmetric(self) -> bool:
        """No secret has a higher gain than another."""
        return True


def identity_gain(k: int) -> Gain:
    """Return the gain of naming the secret in one try: ``g(w, x) = 1`` if ``w = x``, else 0.

    Parameters
    ----------
    k
        Number of secrets, at least 1.

    Notes
    -----
    The vulnerability of this gain is the Bayes vulnerability. For datasets it is the single-target gain (Shuffle,
    Definition 13) when the secret is the target's value.

    Examples
    --------
    >>> identity_gain(3).secrets
    3
    """
    return IdentityGain(as_count(k, "k", at_least=1))


def k_tries_gain(k: int, tries: int) -> Gain:
    """Return the gain of naming the secret in ``tries`` tries: ``g(w, x) = 1`` if x is in the set w, else 0.

    Parameters
    ----------
    k
        Number of secrets, at least 1.
    tries
        The number of secrets that a guess names, at least 1; with k or more every guess is correct.

    Notes
    -----
    No set of secrets is listed: for each observation the best guess is the set of the ``tries`` likeliest secrets.

    Examples
    --------
    >>> import discretion as dc
    >>> round(dc.posterior_vulnerability(dc.RandomizedResponse(4, p=0.7), gain=k_tries_gain(4, tries=2)), 12)
    0.8
    """
    k, tries = as_count(k, "k", at_least=1), as_count(tries, "tries", at_least=1)
    return IdentityGain(k) if min(k, tries) == 1 else TriesGain(k, min(k, tries))


def as_gain(gain: Gain | None, k: int) -> Gain:
    """Return the gain on k secrets; None is the identity gain."""
    if gain is None:
        return IdentityGain(k)
    if not isinstance(gain, Gain):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise UnsupportedError(
            f"gain must be None or a gain function, got {type(gain).__name__}; wrap a matrix with "
            f"discretion.gain_matrix, "
            "a function with discretion.gain_function"
        )
    if gain.secrets != k:
        raise InvalidGainError(f"the gain is over {gain.secrets} secrets and the system has {k}")
    return gain
