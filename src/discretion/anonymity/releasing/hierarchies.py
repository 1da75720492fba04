"""Generalizations of a column by a hierarchy of its values."""

from discretion.anonymity.people.hierarchies import Hierarchy, check_lines, spelled_value
from discretion.anonymity.releasing.generalizations import Generalization, merge_groups
from discretion.errors import InvalidValueError


def generalizations_by(hierarchy: Hierarchy, column: str, finest: Generalization) -> tuple[Generalization, ...]:
    """Return a column and its generalizations by a hierarchy, the finest first; null stays null in each.

    Raises
    ------
    InvalidValueError
        If the hierarchy has no line for a value, or a level is not a function of the one before.
    """
    texts = [None if value is None else spelled_value(value, hierarchy) for value in finest.labels]
    check_lines(hierarchy, column, texts)
    result = [before := finest]
    for level in range(len(next(iter(hierarchy.values()), ()))):
        view = merge_groups(finest, f"level {level + 1}", [None if t is None else hierarchy[t][level] for t in texts])
        alike = before.column.codes.tolist()
        if len({*zip(alike, view.column.codes.tolist(), strict=True)}) > len({*alike}):
            raise InvalidValueError(
                f"the hierarchy of {column!r} is not valid: values in one group on level {level} are in different "
                f"groups on level {level + 1}; each level must follow from the one before"
            )
        before = view
        if 1 < view.column.count < result[-1].column.count:
            result.append(view)
    return tuple(result)
