"""How large a matrix may be to be written down."""

from discretion import limits
from discretion.errors import TooLargeError


def check_size(rows: float, columns: float, what: str, way_out: str) -> None:
    """Refuse to build an explicit matrix that would not fit in memory."""
    if rows * columns > (most := limits.current().most_entries):
        raise TooLargeError(f"{what} would have more than {most:,} entries; {way_out}")
