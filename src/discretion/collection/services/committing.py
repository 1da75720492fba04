"""Group commit: uploads that arrive while others are written to disk are then written in one transaction."""

import asyncio
from collections.abc import Callable, Sequence

from anyio.to_thread import run_sync

from discretion import limits
from discretion.collection.errors import CollectionError, UnavailableError
from discretion.collection.wire.uploads import Upload

# The most uploads that wait to be stored; the senders of further ones have to try again.
MAX_UPLOADS_WAITING = 1 << 14

_AT_ONCE = 500


class GroupCommit:
    """A writer that stores many uploads at a time, and confirms each once it is on disk.

    Parameters
    ----------
    add
        A function that stores uploads of a round, and returns for each None or the reason why it does not count.
    """

    def __init__(self, add: Callable[[int, list[Upload]], Sequence[CollectionError | None]]) -> None:
        self._add = add
        self._waiting: list[tuple[int, Upload, asyncio.Future[None]]] = []
        self._writing: asyncio.Task[None] | None = None

    @property
    def waiting(self) -> int:
        """The number of uploads that wait to be stored."""
        return len(self._waiting)

    async def put(self, number: int, upload: Upload) -> None:
        """Wait until an upload is stored, or raise the reason why it is not."""
        if len(self._waiting) >= limits.current().numbers(MAX_UPLOADS_WAITING, each=1 << 16):
            raise UnavailableError("more uploads wait than can be stored soon; try again later")
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((number, upload, done))
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write())
        await done

    async def _write(self) -> None:
        while self._waiting:
            number = self._waiting[0][0]
            now = [each for each in self._waiting if each[0] == number][:_AT_ONCE]
            chosen = {id(each) for each in now}
            self._waiting = [each for each in self._waiting if id(each) not in chosen]
            try:
                outcomes = await run_sync(self._add, number, [upload for _, upload, _ in now])
            except Exception as error:
                outcomes = [error] * len(now)
            for (_, _, done), why in zip(now, outcomes, strict=True):
                if done.cancelled():
                    continue
                if why is None:
                    done.set_result(None)
                else:
                    done.set_exception(why)
