"""The public names as one writes them after `dc.`: those at the top, and those that stay in their rooms."""

from operator import attrgetter

import discretion as dc

ROOMS = (
    "anonymity",
    "blackbox",
    "information",
    "measures",
    "mechanisms",
    "refinement",
    "security",
    "shuffling",
    "tables",
)
IN_ROOMS = [f"{room}.{name}" for room in ROOMS for name in getattr(dc, room).__all__ if name not in dc.__all__]
PUBLIC = {name: attrgetter(name)(dc) for name in [*dc.__all__, *IN_ROOMS]}
BY_NAME = {name.rpartition(".")[2]: thing for name, thing in PUBLIC.items()}
