"""The trade-off of trust, privacy and utility: the share of a person's record that each party receives, by design."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

import altair as alt

from discretion.charts.style import DIGITS, INK, PALE, Row, figure, inline, label, names, numbers, points, shares
from discretion.presenting.numbers import percent_upwards
from discretion.presenting.views.document import MOST_ROWS

_LOOKS = {"curator": ("circle", INK), "analyst": ("diamond", "white"), "participants": ("square", PALE)}


def information_by_design(designs: Sequence[Row], record_bits: float) -> alt.LayerChart:
    """Draw the share of a person's record that each party receives, and the exposure of the publication, by design.

    Parameters
    ----------
    designs
        Mappings with ``name``, ``curator``, ``analyst`` and ``participants``, mappings with ``questions`` and
        ``record_bits``; and ``certified_exposure``, which is a share, or the mapping of an `Estimate` that bounds it.
    record_bits
        The number of bits of a whole record.

    Returns
    -------
    altair.LayerChart
        At most `MOST_ROWS` rows. The analyst's share is the utility of the publication.

    Examples
    --------
    >>> some, none = {"questions": 1, "record_bits": 1.5}, {"questions": 0, "record_bits": 0.0}
    >>> rounds = {"name": "two rounds", "curator": some, "analyst": some, "participants": none}
    >>> drawn = information_by_design([rounds | {"certified_exposure": 0.01}], 3.0)
    >>> drawn.to_dict()["description"].partition(" by design. ")[2]
    'two rounds: curator 50 %, analyst 50 %; 1 % exposed.'
    """
    rows: list[dict[str, Any]] = []
    marks: list[dict[str, Any]] = []
    for place, design in enumerate(designs[:MOST_ROWS]):
        received = {
            party: design[party]["record_bits"] / (record_bits or 1.0) for party in _LOOKS if design[party]["questions"]
        }
        rows.append({"row": place, "name": design["name"], "label": _exposed(design), "received": received})
        marks += [
            {"row": place, "kind": party, "share": share, "name": design["name"], "label": label(share)}
            for party, share in received.items()
        ]
    x = shares("bits of a person's record, in one message", 1.0)
    drawn = points(inline(marks), x, _LOOKS).encode(
        tooltip=[
            alt.Tooltip("name:N", title="design"),
            alt.Tooltip("kind:N", title="party"),
            alt.Tooltip("label:N", title="of a record"),
        ]
    )
    words = " ".join(
        f"{row['name']}: {', '.join(f'{party} {label(share)}' for party, share in row.pop('received').items())}; "
        f"{row['label']}."
        for row in rows
    )
    data = inline(rows)
    description = f"Points: the share of a record that each party receives, by design. {words}"
    return figure([drawn, names(data, room=120), numbers(data)], len(rows), description)


def _exposed(design: Row) -> str:
    exposure: Any = design["certified_exposure"]
    if not isinstance(exposure, Mapping):
        return f"{label(exposure)} exposed"
    high = cast(float, cast(Mapping[str, Any], exposure)["high"])
    return f"≤ {percent_upwards(high, DIGITS)} exposed" if high < 1 else "nothing certified"
