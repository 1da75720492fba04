"""Samples of a black box: pairs of an input secret and an output, checked once and in random order."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discretion.blackbox.distinct import NUMBERS, codes_of_rows, distinct, first_places
from discretion.errors import InvalidValueError
from discretion.numerics.arrays import Integers
from discretion.numerics.draws import Seed, generator
from discretion.validation import are_masked, check_length, size_of

Rows = NDArray[Any]

_KINDS = NUMBERS + "USOMm"

# In fewer samples, secrets need not repeat.
_FEWEST = 20

# From here on, floats skip whole numbers.
_LEAST_ROUNDED = 2.0**53


@dataclass(frozen=True)
class Samples:
    """Pairs of a secret and an observation, in random order.

    Secrets are numbered by their first place in that order, so that no result depends on their names.
    """

    labels: Rows
    secrets: Integers
    _order: Integers
    _unordered: Rows

    @property
    def size(self) -> int:
        """The number of samples."""
        return self.secrets.size

    @property
    def k(self) -> int:
        """The number of secrets."""
        return self.labels.size

    @cached_property
    def named_secrets(self) -> Rows:
        """The names of the secrets."""
        return self.labels[self.secrets]

    @cached_property
    def observations(self) -> Rows:
        """The observations, a number or a row of features each."""
        return self._unordered[self._order]

    @cached_property
    def codes(self) -> Integers:
        """The observations as codes, which are the same for equal rows."""
        return codes_of_rows(self._unordered)[self._order]

    @property
    def kind(self) -> str:
        """The kind of the observations, as NumPy abbreviates it."""
        return self._unordered.dtype.kind

    def take(self, places: Integers | slice) -> "Samples":
        """Return the samples at these places."""
        return Samples(self.labels, self.secrets[places], self._order[places], self._unordered)

    def first(self, count: int) -> "Samples":
        """Return the first samples."""
        return self.take(slice(count))

    def after(self, count: int) -> "Samples":
        """Return all but the first samples."""
        return self.take(slice(count, None))

    def coded(self) -> "Samples":
        """Return the samples with codes for observations."""
        return Samples(self.labels, self.secrets, np.arange(self.size), self.codes)

    def repeats(self) -> bool:
        """Return whether fewer than half of the observations are distinct."""
        return 2 * np.unique(codes_of_rows(self.observations)).size < self.size


def as_samples(secrets: ArrayLike, observations: ArrayLike, rng: Seed) -> tuple[Samples, np.random.Generator]:
    """Return the samples in random order and the generator that drew it, or raise an error."""
    source = generator(rng)
    inputs, outputs = checked_pairs(secrets, observations)
    labels, codes = distinct(inputs, "secrets")
    if labels.size < 2:
        raise InvalidValueError("samples must have at least two different secrets, got one")
    check_secrets_repeat(int(np.count_nonzero(np.bincount(codes) == 1)), codes.size)
    order = source.permutation(codes.size)
    drawn = codes[order]
    by_first = np.argsort(first_places(drawn, labels.size))
    rank = np.empty_like(by_first)
    rank[by_first] = np.arange(labels.size)
    return Samples(labels[by_first], rank[drawn], order, outputs), source


def check_secrets_repeat(single: int, samples: int) -> None:
    """Raise if most samples have a secret that no other sample has, so that no test is possible."""
    if are_mostly_single(single, samples):
        raise InvalidValueError(
            f"each secret must have several samples, but {single:,} of {samples:,} samples have a secret that no other "
            "sample has; pass the secrets first and the observations second, and several samples of each secret"
        )


def are_mostly_single(single: int, samples: int) -> bool:
    """Return whether most samples have a secret that no other has, among enough samples for secrets to repeat."""
    return samples >= _FEWEST and 2 * single > samples


def distinct_secrets(values: ArrayLike, name: str) -> tuple[Rows, Integers]:
    """Return the distinct secrets of a list, and the code of each entry."""
    given = _as_array(values, name)
    if given.ndim != 1:
        raise InvalidValueError(f"{name} must be a list of secrets, got shape {given.shape}")
    return distinct(given, name)


def checked_pairs(secrets: ArrayLike, observations: ArrayLike) -> tuple[Rows, Rows]:
    """Return secrets and observations as arrays of one length, or raise an error."""
    inputs, outputs = _as_array(secrets, "secrets"), _as_array(observations, "observations", rows=True)
    if inputs.ndim != 1:
        raise InvalidValueError(f"secrets must be a list with one secret for each sample, got shape {inputs.shape}")
    _check_shape(outputs, "observations")
    if inputs.size != len(outputs):
        raise InvalidValueError(
            f"secrets and observations must have one length, got {inputs.size} secrets and {len(outputs)} observations"
        )
    if not inputs.size:
        raise InvalidValueError("samples must not be empty, got none")
    return inputs, outputs


def checked_sides(x: ArrayLike, y: ArrayLike, *, counted: bool) -> tuple[Rows, Rows]:
    """Return the outputs on two inputs as arrays with the same number of columns, or raise an error.

    If they are to be ``counted``, they must be values that can be compared for equality.
    """
    sides = _as_array(x, "x", rows=True), _as_array(y, "y", rows=True)
    for name, side in zip("xy", sides, strict=True):
        if not side.size:
            raise InvalidValueError(f"{name} must not be empty; give outputs on both inputs")
        _check_shape(side, name)
        if counted and side.dtype.kind not in NUMBERS:
            codes_of_rows(side, name)
    if sides[0].shape[1:] != sides[1].shape[1:]:
        x_columns, y_columns = (columns(side.shape[1:]) for side in sides)
        raise InvalidValueError(f"x and y must be outputs of one mechanism, got {x_columns} and {y_columns}")
    return sides


def columns(shape: tuple[int, ...]) -> str:
    """Return a description of an observation of this shape."""
    return f"rows of {shape[0]}" if shape else "single values"


def join_samples(batches: Sequence[Rows]) -> Rows:
    """Return all samples of some batches; different values stay different."""
    kinds = {batch.dtype.kind for batch in batches}
    if len(kinds) > 1:  # else 1 and "1" would be one value
        batches = [batch.astype(object) for batch in batches]
    return np.concatenate(batches)


def _check_shape(rows: Rows, name: str) -> None:
    if rows.ndim not in {1, 2} or (rows.ndim == 2 and not rows.shape[1]):
        raise InvalidValueError(f"{name} must be of shape (m,), or (m, d) with a row for each sample, got {rows.shape}")


def _as_array(values: Any, name: str, *, rows: bool = False) -> Rows:
    array: Rows
    check_length(size_of(values))
    if are_masked(values):
        raise InvalidValueError(f"{name} must not be masked; leave such samples out")
    try:
        array = np.asarray(values)
        if not isinstance(values, np.ndarray) and (array.dtype.kind in "US" or _rounded(values, array)):
            array = np.asarray(values, dtype=object)  # else 1 and "1" would be one value, and so would 2⁵³ and 2⁵³ + 1
        if array.ndim == 2 and not rows and not isinstance(values, np.ndarray):
            array = _as_objects(values)  # tuples
    except ValueError:  # sequences of several lengths
        array = _as_objects(values)
    if array.dtype.kind not in _KINDS:
        raise InvalidValueError(f"{name} must be numbers, text or objects that can be compared, got {array.dtype}")
    if array.ndim and array.dtype.kind == "f" and not np.isfinite(array).all():
        row = int(np.flatnonzero(~np.isfinite(array).reshape(len(array), -1).all(axis=1))[0])
        raise InvalidValueError(
            f"{name} must be finite, got {array[row].tolist()} in row {row} (the first is 0); leave such samples out"
        )
    return array


def _rounded(values: Any, array: Rows) -> bool:
    """Return whether some whole numbers among the values change when they become floats."""
    if array.dtype.kind != "f" or not (np.abs(array) >= _LEAST_ROUNDED).any():
        return False
    return any(isinstance(v, int) and float(v) != v for v in np.asarray(values, dtype=object).ravel().tolist())


def _as_objects(values: Any) -> Rows:
    entries = list(values)
    return np.fromiter(entries, dtype=object, count=len(entries))
