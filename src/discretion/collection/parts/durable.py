"""Write files that survive a power cut, whole or not at all."""

import os
from pathlib import Path

from discretion.collection.errors import UnavailableError


def write_whole(path: Path, content: bytes, mode: int = 0o600) -> None:
    """Write a file and its name to disk.

    Raises
    ------
    UnavailableError
        If the disk has no room for the file; then nothing of it remains.
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
        raise UnavailableError(f"the disk cannot store now ({error.strerror}); try again later") from None


def new_folder(path: Path) -> None:
    """Make a folder, and write its name to disk.

    Raises
    ------
    UnavailableError
        If the disk has no room for it.
    """
    try:
        path.mkdir()
        keep_name(path.parent)
    except OSError as error:
        raise UnavailableError(f"the disk cannot store now ({error.strerror}); try again later") from None


def keep_name(folder: Path) -> None:
    """Write the names in a folder to disk; otherwise a power cut may remove the name of a new file."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
