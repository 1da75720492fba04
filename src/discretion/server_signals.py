"""End a uvicorn server by a signal, once."""

import signal
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import FrameType

# Those that end a command; there is no SIGHUP on Windows.
_ENDING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


@contextmanager
def handled_by(handle: Callable[[int, FrameType | None], None]) -> Generator[None]:
    """Let a server handle the signals that end it, then call the previous handler of the first signal received.

    uvicorn itself raises the signal again when it ends. To a caller that looks like a second signal, which would cut
    its own shutdown short.

    Parameters
    ----------
    handle
        The function that begins the shutdown of the server.
    """
    if threading.current_thread() is not threading.main_thread():  # which alone may handle signals
        yield
        return
    received: list[int] = []

    def receive(number: int, frame: FrameType | None) -> None:
        received.append(number)
        handle(number, frame)

    handlers = {number: signal.getsignal(number) for number in _ENDING}
    for number, handler in handlers.items():
        if handler != signal.SIG_IGN:  # as nohup has it
            signal.signal(number, receive)
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    if received:
        handler = handlers[received[0]]
        if callable(handler):
            handler(received[0], None)
        else:
            signal.raise_signal(received[0])
