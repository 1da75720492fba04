"""The tables that a process keeps open, so that one set of columns after another is counted at once."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING

from discretion.jobs.options.tables import TableOptions
from discretion.web.files import file_state

if TYPE_CHECKING:
    from discretion.jobs.columns import OpenTable

# A table may take gigabytes: those that were asked about longest ago are released.
MOST_TABLES_KEPT = 3


class OpenTables:
    """The tables that were asked about last."""

    def __init__(self) -> None:
        self._tables: OrderedDict[Hashable, OpenTable] = OrderedDict()

    def opener(self, options: TableOptions) -> "Callable[[str], OpenTable]":
        """Return what opens a table by its place as options read it, or finds it open if its file is the same still."""

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
