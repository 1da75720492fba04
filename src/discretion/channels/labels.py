"""The names of secrets and observations."""

from collections.abc import Hashable, Iterable, Sequence

from discretion.errors import InvalidChannelError
from discretion.escaping import short_repr
from discretion.validation import check_length

# Numbers are a range where there may be too many to list.
Labels = Sequence[Hashable]


def as_labels(labels: Iterable[Hashable] | None, size: int, name: str, what: str) -> tuple[Hashable, ...]:
    """Return one distinct label for each row or column; numbers if no labels are given."""
    if labels is None:
        return tuple(range(size))
    check_length(getattr(labels, "size", 0))
    try:
        result = tuple(labels)
        hash(result)
    except (TypeError, RecursionError):
        raise InvalidChannelError(f"{name} must be a sequence of hashable labels, got {short_repr(labels)}") from None
    if len(result) != size:
        raise InvalidChannelError(f"{name} must have one label per {what} ({size}), got {len(result)}")
    if len(set(result)) != size:
        twice = next(label for label in result if result.count(label) > 1)
        raise InvalidChannelError(f"{name} must be distinct, got {twice!r} more than once")
    return result


def unlabelled(labels: Labels) -> bool:
    """Return whether the labels are only the numbers from 0."""
    return tuple(labels) == tuple(range(len(labels)))


def check_labels(left: Labels, right: Labels, left_name: str, right_name: str) -> None:
    """Raise an error for different numbers of labels, or for different labels where both sides have some."""
    if len(left) != len(right):
        raise InvalidChannelError(f"{left_name} ({len(left)}) and {right_name} ({len(right)}) must be equal in number")
    if left != right and not unlabelled(left) and not unlabelled(right):
        at = next(i for i, (a, b) in enumerate(zip(left, right, strict=True)) if a != b)
        raise InvalidChannelError(
            f"{left_name} and {right_name} must have the same labels in the same order, got {left[at]!r} and "
            f"{right[at]!r} at position {at}"
        )


def named_row(row: int, inputs: Labels) -> str:
    """Return the number of a row, and its label if it has one."""
    return f"{row}" if inputs[row] == row else f"{row} ({inputs[row]!r})"
