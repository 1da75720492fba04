"""What a forked process does not share: the locks of properties that are worked out once.

Before Python 3.12 all objects of a class share one for each such property. A process that is forked while another
thread works one out would wait for ever for that thread, which it does not have.
"""

import os
import sys


def renew_locks() -> None:
    """Give every cached property of ours a lock that nobody holds."""
    from functools import cached_property  # noqa: PLC0415 - Discretion's import loads next to nothing
    from threading import RLock  # noqa: PLC0415

    ours = [module for name, module in list(sys.modules.items()) if name.startswith("discretion.")]
    for kind in {thing for module in ours for thing in vars(module).values() if isinstance(thing, type)}:
        for held in vars(kind).values():
            if isinstance(held, cached_property):
                vars(held)["lock"] = RLock()


if sys.version_info < (3, 12) and hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=renew_locks)
