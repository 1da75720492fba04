"""The memory for a computation: the free memory of the machine, and the part of it that limits allow."""

import os
import re
from pathlib import Path
from typing import Any

from discretion import limits
from discretion.errors import InvalidValueError

LEAST_MEMORY = 50_000_000
_UNITS = {"": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_BINARY_UNITS = {"KIB": 1 << 10, "MIB": 1 << 20, "GIB": 1 << 30, "TIB": 1 << 40}
# What a control group may take and takes, in version 2 and in version 1.
_FILES = (("memory.max", "memory.current"), ("memory.limit_in_bytes", "memory.usage_in_bytes"))
# Assumed of a machine that does not report its memory.
_UNKNOWN = 2 * 10**9


def as_memory(size: int | str | None) -> int:
    """Return an amount of memory in bytes from a number or a text such as ``"2GB"``; None is half of the free memory.

    The result is at most what the limits allow, but at least the minimum that every table needs.
    """
    most = max(LEAST_MEMORY, limits.current().bytes)
    if size is None:
        return min(most, max(LEAST_MEMORY, available_memory() // 2))
    found = re.fullmatch(r"\s*(\d{1,18}(?:\.\d{1,6})?)\s*([KMGT]i?B|)\s*", str(size), re.IGNORECASE)
    if found is None or isinstance(size, bool):
        raise InvalidValueError(f"memory must be a size such as 2GB or 500MB, got {str(size)[:40]!r}")
    taken = int(float(found[1]) * (_UNITS | _BINARY_UNITS)[found[2].upper()])
    if taken < LEAST_MEMORY:
        raise InvalidValueError(f"memory must be at least {said_size(LEAST_MEMORY)}, got {str(size)[:40]!r}")
    return min(most, taken)


def said_size(size: int) -> str:
    """Return a number of bytes as text with a unit, such as ``2 GB``."""
    unit, scale = next(
        ((unit, scale) for unit, scale in (("GB", 10**9), ("MB", 10**6), ("KB", 10**3)) if size >= scale), ("bytes", 1)
    )
    return f"{size / scale:.3g} {unit}"


def available_memory() -> int:
    """Return how many bytes this process may still take: the least that machine, control groups and limits leave."""
    return max(0, min([_of_machine(), *_of_groups(), *_of_process()]))


def held_memory() -> int | None:
    """Return how many bytes this process holds alone, not shared, or None where the system does not report it."""
    try:
        _, resident, shared, *_ = map(int, Path("/proc/self/statm").read_text().split())
    except (OSError, ValueError):
        return None
    return (resident - shared) * _page()


def process_limit(name: str) -> int | None:
    """Return a limit of this process by its name in `resource`, or None if there is none."""
    try:
        import resource  # noqa: PLC0415 - which Windows lacks
    except ImportError:
        return None
    soft: int = resource.getrlimit(getattr(resource, name))[0] if hasattr(resource, name) else resource.RLIM_INFINITY
    return None if soft == resource.RLIM_INFINITY else soft


def _of_machine() -> int:
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        return next(int(line.split()[1]) << 10 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration, ValueError, IndexError):
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * _page()
    except (AttributeError, OSError, ValueError):
        return _UNKNOWN


def _of_groups() -> list[int]:
    """Return the bytes that each control group above this process, of either version, still allows."""
    try:
        lines = [line.split(":", 2) for line in Path("/proc/self/cgroup").read_text().splitlines()]
    except OSError:
        return []
    left: list[int] = []
    for _, controllers, path in (line for line in lines if len(line) == 3):
        if controllers and "memory" not in controllers.split(","):
            continue
        top = Path("/sys/fs/cgroup", "memory" if controllers else "")
        most, taken = _FILES[bool(controllers)]
        group = top / path.lstrip("/")
        for folder in (group, *group.parents):
            if folder == top.parent or not folder.is_relative_to(top):
                break
            limit, used = _number_in(folder / most), _number_in(folder / taken)
            if limit is not None and used is not None:
                left.append(limit - used + _reclaimable(folder / "memory.stat"))
    return left


def _number_in(file: Path) -> int | None:
    try:
        return int(file.read_text())
    except (OSError, ValueError):  # there is none, or it is "max"
        return None


def _reclaimable(statistics: Path) -> int:
    """Return how many bytes of a group's memory only cache files."""
    try:
        told = dict(line.split() for line in statistics.read_text().splitlines())
        return int(told.get("inactive_file", 0))
    except (OSError, ValueError):
        return 0


def _of_process() -> list[int]:
    """Return the bytes that ``ulimit -v`` and ``ulimit -d`` still allow."""
    try:
        told = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    except OSError:
        told: dict[str, Any] = {}
    left: list[int] = []
    for name, line in (("RLIMIT_AS", "VmSize"), ("RLIMIT_DATA", "VmData")):
        limit = process_limit(name)
        if limit is not None:
            left.append(limit - (int(told[line].split()[0]) << 10 if line in told else 0))
    return left


def _page() -> int:
    return os.sysconf("SC_PAGE_SIZE")
