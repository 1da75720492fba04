"""Files that are there after a power cut, whole or not at all."""

import os
from pathlib import Path

from discretion.collection.errors import UnavailableError


def write_whole(path: Path, content: bytes, mode: int = 0o600) -> None:
    """Write a file and its name to disk.

    Raises
    ------
    UnavailableError
        If there is no room for it; nothing of it is left then.
    """
    part = path.with_name(f".{path.name}.part")
    try:
        with open(part, "wb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
        keep_name(path.parent)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise UnavailableError(f"nothing can be kept now ({error.strerror}); try again later") from None


def new_folder(path: Path) -> None:
    """Make a folder, and have its name on disk.

    Raises
    ------
    UnavailableError
        If there is no room for it.
    """
    try:
        path.mkdir()
        keep_name(path.parent)
    except OSError as error:
        raise UnavailableError(f"nothing can be kept now ({error.strerror}); try again later") from None


def keep_name(folder: Path) -> None:
    """Have the names in a folder on disk, without which a power cut may take a new file's away."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
