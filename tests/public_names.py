"""The public names as one writes them after `tc.`: those at the top, and those that stay in their rooms."""

from operator import attrgetter

import tacit as tc

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
IN_ROOMS = [f"{room}.{name}" for room in ROOMS for name in getattr(tc, room).__all__ if name not in tc.__all__]
PUBLIC = {name: attrgetter(name)(tc) for name in [*tc.__all__, *IN_ROOMS]}
BY_NAME = {name.rpartition(".")[2]: thing for name, thing in PUBLIC.items()}
