"""The tables that a process keeps open, so that it counts one set of columns after another without reading again."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING

from discretion.jobs.options.tables import TableOptions
from discretion.web.files import file_state

if TYPE_CHECKING:
    from discretion.jobs.columns import OpenTable

# A table may take gigabytes: the least recently used ones are released.
MOST_TABLES_KEPT = 3


class OpenTables:
    """The most recently used tables."""

    def __init__(self) -> None:
        self._tables: OrderedDict[Hashable, OpenTable] = OrderedDict()

    def opener(self, options: TableOptions) -> "Callable[[str], OpenTable]":
        """Return a function that opens a table by its place, or returns the open table if its file is unchanged."""

        def opened(place: str) -> "OpenTable":
            from discretion.jobs.columns import OpenTable  # noqa: PLC0415 - the engine takes a second

            key = (place, options.person, options.header, options.delimiter, options.encoding, file_state(place))
            if key not in self._tables:
                while len(self._tables) >= MOST_TABLES_KEPT:
                    self._tables.popitem(last=False)
                self._tables[key] = OpenTable(place, options.person, options.form)
            self._tables.move_to_end(key)
            return self._tables[key]

        return opened
