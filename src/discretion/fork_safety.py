"""Renew the locks of cached properties in a forked process.

Before Python 3.12 all objects of a class share one lock for each cached property. If a process is forked while another
thread computes such a property, the forked process waits for ever for that thread, because it does not have the thread.
"""

import os
import sys


def renew_locks() -> None:
    """Give every cached property of this package a new lock that no thread holds."""
    from functools import cached_property  # noqa: PLC0415 - Discretion's import loads next to nothing
    from threading import RLock  # noqa: PLC0415

    ours = [module for name, module in list(sys.modules.items()) if name.startswith("discretion.")]
    for kind in {thing for module in ours for thing in vars(module).values() if isinstance(thing, type)}:
        for held in vars(kind).values():
            if isinstance(held, cached_property):
                vars(held)["lock"] = RLock()


if sys.version_info < (3, 12) and hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=renew_locks)
