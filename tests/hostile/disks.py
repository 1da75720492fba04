"""Full disks and I/O errors at a random call of a command that writes files."""

import atexit
import errno
import re
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from random import Random

import pytest

from hostile.commands import drawn
from hostile.warm import Forked

_ERRORS = (errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.EINTR, 0)  # 0 is a short write
# Synced, then named and renamed, then the folder synced; at first it is tried.
_ORDER = re.compile(r"s*(w*s)+(l?r)+S")


def case(draw: Random, folder: Path) -> None:
    command, before = drawn(draw, folder)
    log = folder.with_name(f"{folder.name}-calls")
    at = draw.choice((0, *[draw.randint(1, 40)] * 9))
    fault = {
        "FAULT_FOLDER": str(folder.resolve()),
        "FAULT_AT": at,
        "FAULT_FOR": draw.choice((0, 1000)),
        "FAULT_ERROR": draw.choice(_ERRORS),
        "FAULT_NAMELESS": int(draw.random() < 0.5),
        "FAULT_LOG": log,
    }
    if fault["FAULT_ERROR"] == errno.EINTR:
        fault["FAULT_FOR"] = 0  # asked again as long as it takes
    full = draw.random() < 0.2
    process = Forked(
        command.arguments,
        folder.with_name(f"{folder.name}-said"),
        out="/dev/full" if full else "/dev/null",
        environment={name: str(value) for name, value in fault.items()},
        preloaded=_faults(),
    )
    try:
        code, said = process.ended()
        assert code in (0, 2), (command, fault, code, said)
        assert not full or code == 2, (command, "was not read", said)
        assert (code == 2) == (said != ""), (command, fault, code, said)
        command.check(before, code, said, folder)
        assert at or _ORDER.fullmatch(log.read_text()), (command, log.read_text())
    finally:
        process.done()
        log.unlink(missing_ok=True)


@cache
def _faults() -> str:
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler makes calls of the system fail")
    folder = tempfile.TemporaryDirectory(prefix="hostile")
    atexit.register(folder.cleanup)
    library = f"{folder.name}/faults.so"
    source = Path(__file__).with_name("faults.c")
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)
    return library
