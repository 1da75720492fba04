"""Columns that say the same as another: constants, copies, and functions of one other column."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacit import limits
from tacit.anonymity.people.population import Population
from tacit.numerics.alike import Column
from tacit.tables.counting.class_sizes import ClassSizes

# So many of the rows are looked at first, which rule out most pairs.
_SAMPLE = 4096


@dataclass(frozen=True)
class Functions:
    """Which columns follow from one other.

    Parameters
    ----------
    constants
        Columns with one value.
    copies
        A column that determines an earlier one that determines it → that earlier one.
    determined
        Every other column → those among the others that are functions of it.
    """

    constants: tuple[str, ...]
    copies: Mapping[str, str]
    determined: Mapping[str, frozenset[str]]

    def sources(self, published: Collection[str]) -> Mapping[str, str]:
        """Return, of each column that is a copy or a function of another, the first such other one, if published."""
        found: dict[str, str] = {}
        for source, others in sorted(self.determined.items(), key=lambda item: item[0] not in published):
            found |= {column: source for column in sorted(others) if column not in found}
        return found | dict(self.copies)


def functions_among(population: Population, columns: Sequence[str], coded: Mapping[str, Column] | None) -> Functions:
    """Return which columns are functions of one other, told by codes of the rows or by asking their engine.

    A column is a function of another if as many classes of people are alike on both as on the other.

    Parameters
    ----------
    population
        The people, with one row each.
    columns
        The columns to look at.
    coded
        Their codes, if the rows are at hand. If not, and there are too many pairs to ask about, none is looked at
        but for constants.
    """
    sizes = dict(zip(columns, population.class_sizes_of_all([name] for name in columns), strict=True))
    constants = tuple(name for name in columns if sizes[name].classes == 1)
    varying = [name for name in columns if name not in constants]
    pairs = [
        (fine, coarse) for fine in varying for coarse in varying if fine != coarse and _may_be(sizes, fine, coarse)
    ]
    if coded is not None:
        of_rows = _Coded(coded)
        found = {pair for pair in pairs if of_rows.is_function(*pair)}
    elif len(pairs) <= limits.current().most_pairs_asked:
        together = population.class_sizes_of_all(pairs)
        found = {pair for pair, both in zip(pairs, together, strict=True) if both.classes == sizes[pair[0]].classes}
    else:
        found = set[tuple[str, str]]()
    copies: dict[str, str] = {}
    for i, name in enumerate(varying):
        first = next((other for other in varying[:i] if {(name, other), (other, name)} <= found), None)
        if first is not None:
            copies[name] = first
    originals = [name for name in varying if name not in copies]
    determined = {fine: frozenset(coarse for coarse in originals if (fine, coarse) in found) for fine in originals}
    return Functions(constants, copies, determined)


def _may_be(sizes: Mapping[str, ClassSizes], fine: str, coarse: str) -> bool:
    """Whether the classes of the coarser column may be unions of the finer one's."""
    one, other = sizes[fine], sizes[coarse]
    return one.classes >= other.classes and one.largest <= other.largest and one.smallest <= other.smallest


class _Coded:
    """Pairs of columns in codes: neighbours in the order of the one that share it must share the other."""

    def __init__(self, columns: Mapping[str, Column]) -> None:
        self._columns = columns
        self._order = dict[tuple[str, int], tuple[NDArray[np.intp], NDArray[np.bool_]]]()

    def is_function(self, fine: str, coarse: str) -> bool:
        rows = self._columns[fine].codes.size
        return all(self._holds(fine, coarse, n) for n in sorted({min(_SAMPLE, rows), rows}))

    def _holds(self, fine: str, coarse: str, rows: int) -> bool:
        if (fine, rows) not in self._order:
            for key in [key for key in self._order if key[1] == rows]:
                del self._order[key]
            codes = self._columns[fine].codes[:rows]
            order = np.argsort(codes, kind="stable")
            self._order[fine, rows] = order, codes[order][1:] == codes[order][:-1]
        order, alike = self._order[fine, rows]
        ordered = self._columns[coarse].codes[:rows][order]
        return not (alike & (ordered[1:] != ordered[:-1])).any()
