"""What a set of columns is called where there is no room for all its names."""

from functools import cached_property

from discretion.jobs.audit.decision_result import Columns
from discretion.jobs.audit.result import SHOWN, Audit
from discretion.presenting.names import among


class SetNames:
    """Names of the sets of columns of an audit: their columns, those that are missing, or their number.

    Sets that may go out and that only their number would be said of are counted, so that they can be told apart.

    Parameters
    ----------
    found
        The audit.
    """

    def __init__(self, found: Audit) -> None:
        self._found = found

    @cached_property
    def counted(self) -> tuple[Columns, ...]:
        """The sets that are called by their place among these."""
        front = self._found.decision.front[-SHOWN:]
        offered = (report.columns for report in (*self._found.selected, *self._found.certified_selection, *front))
        return tuple(dict.fromkeys(columns for columns in offered if self._is_brief(columns, None)))

    def of(self, columns: Columns, but: str | None = None) -> str:
        """Return what a set is called, among all columns but one."""
        said = among(columns, self._whole(but))
        if not self._is_brief(columns, but):
            return said
        places = (place for place, known in enumerate(self.counted, 1) if {*known} - {but} == {*columns})
        return next((f"{said} (set {place})" for place in places), said)

    def _is_brief(self, columns: Columns, but: str | None) -> bool:
        return among(columns, self._whole(but)) == f"{len(columns):,} columns"

    def _whole(self, but: str | None) -> Columns:
        return tuple(column for column in self._found.sets.whole.columns if column != but)
