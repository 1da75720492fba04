"""Files written whole or not at all: written to the disk first, then put in their place at once."""

import errno
import os
import stat
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from discretion.errors import InvalidValueError
from discretion.input_files import was_read

Contents = list[str | bytes]
CHART_FORMATS = ("svg", "png", "pdf", "html")

# The errors of file systems that cannot write a folder to the disk by itself.
_NO_SYNC = (errno.EINVAL, errno.ENOTSUP, errno.EBADF)


@contextmanager
def written_whole(path: str) -> Generator[Contents]:
    """Yield a list for a file's contents, text or bytes, and put the file in its place only if no error occurs.

    An error for an unwritable place is raised first, before any work.
    """
    target = writable(path)
    contents: Contents = []
    yield contents
    with _explained(f"cannot write {path}"):
        _put({target: contents})


def writable(path: str) -> Path:
    """Return the path of a file to write, or raise an error with the reason why it cannot be written."""
    _check_name(path)
    with _explained(f"cannot write {path}", "name a file in a writable folder"):
        target = Path(path).resolve()
        _check_target(target, path)
        _try_folder(target.parent)
    return target


def check_new(*targets: Path) -> None:
    """Raise an error if a file exists."""
    if there := next((target for target in targets if os.path.lexists(target)), None):
        raise InvalidValueError(f"{there} exists already, and is not replaced; name a new file")


def put_checked(
    target: Path,
    content: Contents,
    check: Callable[[BinaryIO], Mapping[Path, Contents]],
    *,
    continued: Collection[Path] = (),
) -> None:
    """Put a file in its place after a check has read it from the disk, with the files that the check returns; or none.

    The other files are put first, so that the file never exists without them, even if the process ends. Files that are
    ``continued`` may have been read: their new contents begin with the old ones.
    """
    with _explained(f"cannot write {target}"), ExitStack() as files:
        file, named = files.enter_context(_on_disk(target, content))
        beside = {path: files.enter_context(_on_disk(path, more))[1] for path, more in check(file).items()}
        for path in (target, *beside):
            if path not in continued:
                _check_target(path, str(path))
        before = {path: path.read_bytes() if path.exists() else None for path in beside}
        try:
            for path, name in {**beside, target: named}.items():
                name().replace(path)
        except BaseException:
            for path, old in before.items():
                path.unlink(missing_ok=True) if old is None else _put({path: [old]})
            raise
        _sync(target.parent)


@contextmanager
def folder_written_whole(folder: str, names: Iterable[str]) -> Generator[dict[str, Contents]]:
    """Yield for each name a list for that file's contents, and put the files in the folder only if no error occurs."""
    _check_name(folder)
    target = Path(folder).absolute()
    contents: dict[str, Contents] = {name: [] for name in names}
    with _explained(f"cannot make the folder {folder}", "name a writable one"):
        missing = [path for path in (target, *target.parents) if not path.exists()]
        if not missing and not target.is_dir():
            raise InvalidValueError(f"cannot write into {folder}: it is not a folder; name another one")
        _try_folder(missing[-1].parent if missing else target)
        for name in contents:
            _check_target(target / name, str(Path(folder, name)))
    yield contents
    with ExitStack() as undone, _explained(f"cannot write into {folder}"):
        for path in reversed(missing):
            undone.callback(_remove_folder, path)
            path.mkdir(exist_ok=True)
        _put({(target / name).resolve(): content for name, content in contents.items()})
        undone.pop_all()


@contextmanager
def _explained(failed: str, way_out: str | None = None) -> Generator[None]:
    try:
        yield
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise InvalidValueError(f"{failed}: {reason}" + (f"; {way_out}" if way_out else "")) from None


def _check_name(path: str) -> None:
    if "\0" in path:
        raise InvalidValueError(f"cannot write {path!r}: the name of a file cannot have a NUL; remove it")


def _check_target(target: Path, path: str) -> None:
    if target.is_dir():
        raise InvalidValueError(f"cannot write {path}: it is a directory; name a file in it")
    if target.exists() and not target.is_file():
        raise InvalidValueError(f"cannot write {path}: it is not a regular file; name another one")
    if was_read(target):
        raise InvalidValueError(f"cannot write {path}: it is an input file; name another file")


def _try_folder(folder: Path) -> None:
    with _on_disk(folder / "tried", []):
        pass


def _put(contents: Mapping[Path, Contents]) -> None:
    """Put each file in its place once all of them are on the disk."""
    with ExitStack() as files:
        written = {target: files.enter_context(_on_disk(target, content))[1] for target, content in contents.items()}
        for target in written:  # inputs may have been read since the first check
            _check_target(target, str(target))
        for target, named in written.items():
            named().replace(target)
    for folder in {target.parent for target in contents}:
        _sync(folder)


@contextmanager
def _on_disk(target: Path, contents: Contents) -> Generator[tuple[BinaryIO, Callable[[], Path]]]:
    """Write a file in the target's folder, and yield it with a function that gives it a name, if it has none yet.

    A file without a name is removed with the process, however that ends.
    """
    part = target.with_name(f".{target.name[:32]}.{os.urandom(4).hex()}.part")
    try:
        with open(_begun(part), "w+b") as file:
            if target.is_file():
                os.fchmod(file.fileno(), stat.S_IMODE(target.stat().st_mode) & 0o777)
            file.writelines(text.encode() if isinstance(text, str) else text for text in contents)
            file.flush()
            os.fsync(file.fileno())
            file.seek(0)
            yield file, lambda: _named(file.fileno(), part)
    finally:
        part.unlink(missing_ok=True)


def _begun(part: Path) -> int:
    """Open a new file, without a name if the system has such files (Linux does on most file systems)."""
    nameless: int = getattr(os, "O_TMPFILE", 0)
    if nameless and Path("/proc/self/fd").is_dir():
        with suppress(OSError):
            return os.open(part.parent, nameless | os.O_RDWR, 0o666)
    return os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)


def _named(handle: int, part: Path) -> Path:
    if not part.exists():
        # The handle for a folder is not needed, but makes Python ask to follow the link, which leads to the file.
        os.link(f"/proc/self/fd/{handle}", part, src_dir_fd=handle)
    return part


def _sync(folder: Path) -> None:
    """Write the names of the folder's files to the disk."""
    with suppress(PermissionError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        except OSError as error:
            if error.errno not in _NO_SYNC:
                raise
        finally:
            os.close(handle)


def _remove_folder(path: Path) -> None:
    with suppress(OSError):  # it may hold something by now
        path.rmdir()


def check_not_an_input(output: str | None, *inputs: str | Path) -> None:
    """Raise an error for an output that is an input file, by any name, or lies in an input folder."""
    for given in inputs:
        if output is not None and _lies_in(output, given):
            what = "lies in an input folder" if Path(given).is_dir() else "is an input file"
            raise InvalidValueError(f"cannot write {output}: it {what}; name another file")


def check_apart(*outputs: str | None) -> None:
    """Raise an error for two outputs with the same name."""
    places: list[Path] = []
    with suppress(OSError):  # writing it raises an error with the reason
        places = [Path(output).resolve() for output in outputs if output is not None and "\0" not in output]
    if len(set(places)) < len(places):
        raise InvalidValueError(f"cannot write two files as {places[-1]}; name another file for one of them")


def chart_format(path: str) -> str:
    """Return the format of a chart's file from its suffix.

    Examples
    --------
    >>> chart_format("front.PNG")
    'png'
    """
    suffix = Path(path).suffix.lower().removeprefix(".")
    if suffix not in CHART_FORMATS:
        raise InvalidValueError(f"--chart must name a file that ends in .{', .'.join(CHART_FORMATS)}, got {path}")
    return suffix


def _lies_in(path: str, given: str | Path) -> bool:
    with suppress(OSError, ValueError):  # reading or writing it raises an error with the reason
        target, read = Path(path).resolve(), Path(given)
        places = set(_files((target, *target.parents)))
        # Files that are linked into a folder are read with it.
        return any(file in places for file in _files(chain((read,), read.rglob("*"))))
    return False


def _files(paths: Iterable[Path]) -> Iterator[tuple[int, int]]:
    """Yield the device and inode of each path that exists."""
    for path in paths:
        with suppress(OSError):
            status = path.stat()
            yield status.st_dev, status.st_ino
