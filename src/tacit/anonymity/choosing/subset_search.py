"""Sets of columns, level by level, and none of those that are above one over the budget.

What a set gives away only grows when a column is added or made finer. So a set need not be examined if one below it is
over already: the search of frequent sets of Agrawal and Srikant ("Apriori", 1994), along hierarchies of columns as in
LeFevre and others ("Incognito", 2005).
"""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product
from math import prod

from tacit import limits
from tacit.errors import TooLargeError

Columns = tuple[str, ...]


@dataclass(frozen=True)
class Searched:
    """What a search found out about sets of columns.

    Parameters
    ----------
    within
        The sets within the limit → how much they give away.
    over
        The same of the sets over the limit, all of whose predecessors are within, if some were left out.
    """

    within: Mapping[Columns, int]
    over: Mapping[Columns, int]


class ColumnSets:
    """The sets with at most one column of each chain, ordered by refinement.

    One set is below another if each of its columns, or a finer one of its chain, is in the other. The predecessors of
    a set are those just below it.

    Parameters
    ----------
    chains
        Views of one column each, from the finest to the coarsest. No column is in two.

    Examples
    --------
    >>> sets = ColumnSets([("age", "decade"), ("sex",)])
    >>> sets.possible, list(sets.predecessors(("age", "sex")))
    (6, [('decade', 'sex'), ('age',)])
    """

    def __init__(self, chains: Sequence[Columns]) -> None:
        self.chains = tuple(chains)
        self._chain_of = {column: i for i, chain in enumerate(chains) for column in chain}
        self._coarser = {column: chain[i + 1 : i + 2] for chain in chains for i, column in enumerate(chain)}
        self._finer = {coarser: column for column, above in self._coarser.items() for coarser in above}

    @property
    def possible(self) -> int:
        """How many sets there are, the empty one included."""
        return prod(len(chain) + 1 for chain in self.chains)

    def __iter__(self) -> Iterator[Columns]:
        """Yield every set, its columns in the order of their chains."""
        for picked in product(*[((), *((column,) for column in chain)) for chain in self.chains]):
            yield sum(picked, ())

    def predecessors(self, columns: Columns) -> Iterator[Columns]:
        """Yield the sets with one column a step coarser, or left out where it is the coarsest."""
        for i, column in enumerate(columns):
            yield (*columns[:i], *self._coarser[column], *columns[i + 1 :])

    def next_level(self, level: Iterable[Columns], within: Container[Columns]) -> Iterator[Columns]:
        """Yield the sets just above those of a level, all of whose predecessors are within."""
        for columns in level:
            for above in self._extensions(columns):
                if all(below in within for below in self.predecessors(above)):
                    yield above

    def search(self, examine: Callable[[Sequence[Columns]], Iterable[int]], allowed: int, most: int) -> Searched:
        """Examine the sets by levels, but for those above one that gives away more than is allowed.

        Parameters
        ----------
        examine
            Says of each of some sets how much it gives away: at least as much as each set below it.
        allowed
            How much a set may give away.
        most
            How much a set can give away. If that is allowed, the sets are examined all at once.

        Raises
        ------
        TooLargeError
            If there are more than a million sets to examine.
        """
        within: dict[Columns, int] = {}
        over: dict[Columns, int] = {}
        at_once = allowed >= most
        if at_once:
            self._check_affordable(self.possible)
        level = list(self) if at_once else [()]
        while level:
            for columns, amount in zip(level, examine(level), strict=True):
                (within if amount <= allowed else over)[columns] = amount
            passed = () if at_once else (columns for columns in level if columns in within)
            examined = len(within) + len(over)
            most = limits.current().most_sets_examined
            level = list(islice(self.next_level(passed, within), max(0, most + 2 - examined)))
            self._check_affordable(examined + len(level))
        return Searched(within, over)

    def _extensions(self, columns: Columns) -> Iterator[Columns]:
        """Yield sets just above, so that each set comes from one: the last column finer, or one of a later chain."""
        if columns and columns[-1] in self._finer:
            yield (*columns[:-1], self._finer[columns[-1]])
        for chain in self.chains[self._chain_of[columns[-1]] + 1 if columns else 0 :]:
            yield (*columns, chain[-1])

    def _check_affordable(self, examined: int) -> None:
        if examined - 1 > (most := limits.current().most_sets_examined):  # the empty set is for free
            raise TooLargeError(
                f"more than {most:,} of the {self.possible - 1:,} sets of columns would have to be examined; "
                "lower the budget or name fewer columns"
            )
