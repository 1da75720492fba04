"""Functions of numbers applied to each number of an array."""

from collections.abc import Callable, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from discretion.errors import InvalidValueError
from discretion.estimate import Estimate, as_answer
from discretion.exact import Exact
from discretion.numerics.arrays import Reals
from discretion.validation import NotNumbersError, as_array, check_length

Levels = Sequence[float] | NDArray[np.floating[Any]] | NDArray[np.integer[Any]]
Number = float | Estimate
Answer = Exact | Estimate
Answers = Reals | NDArray[np.object_]


def is_array(levels: object) -> bool:
    """Return whether the argument is a list or an array, and not a number or a text."""
    return isinstance(levels, list | tuple) or getattr(levels, "ndim", 0) > 0


@overload
def elementwise(function: Callable[[float], Number], first: float | Levels, /) -> Answer | Answers: ...
@overload
def elementwise(
    function: Callable[[float, float], Number], first: float | Levels, second: float | Levels, /
) -> Answer | Answers: ...
def elementwise(function: Callable[..., Number], *levels: float | Levels) -> Answer | Answers:
    """Return a function of a number, or of each number in arrays.

    Parameters
    ----------
    function
        A function of as many numbers as there are levels.
    *levels
        Numbers, or lists or arrays of them; arrays are broadcast to one shape.

    Returns
    -------
    float, Estimate or numpy.ndarray
        For numbers the result itself. For arrays an array of the same shape: of floats if every result is exact, else
        of objects, each a float or an `Estimate`.

    Examples
    --------
    >>> elementwise(lambda x: x / 2, [1, 2, 3])
    array([0.5, 1. , 1.5])
    >>> elementwise(lambda x: x if x else Estimate(0, 0, 1, None, "bound"), [1.0, 0.0]).dtype
    dtype('O')
    """
    if not any(map(is_array, levels)):
        return as_answer(function(*levels))
    for level in levels:
        check_length(getattr(level, "size", 0))
    try:
        arrays = [as_array(level).astype(np.object_) for level in levels]
    except NotNumbersError:
        return as_answer(function(*levels))  # which names the level that is no number
    try:
        given = np.broadcast_arrays(*arrays)
    except ValueError:
        shapes = " and ".join(str(array.shape) for array in arrays)
        raise InvalidValueError(f"arrays of numbers must have shapes that fit, got the shapes {shapes}") from None
    answers = [function(*each) for each in zip(*(part.ravel().tolist() for part in given), strict=True)]
    shape = given[0].shape
    if any(isinstance(answer, Estimate) for answer in answers):
        objects: Any = list(map(as_answer, answers))
        return np.array(objects, dtype=np.object_).reshape(shape)
    return np.array(list(map(float, answers)), dtype=np.float64).reshape(shape)
