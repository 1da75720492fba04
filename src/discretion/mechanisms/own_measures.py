"""Measures that mechanisms of one kind have and other systems have not."""

from collections.abc import Callable, Mapping
from functools import singledispatch
from typing import Any

from discretion.channels.channel import System


@singledispatch
def own_measures(system: System, users: int | None) -> Mapping[str, Callable[[], Any]]:
    """Return what only this kind of system is asked, each by its name as JSON has it; in general nothing.

    ``users`` is how many people report; where it is None, what depends on it is left out.
    """
    return {}
