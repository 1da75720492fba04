"""A network that delays and cuts: it stands between a party and whoever calls it, and remembers what was sent."""

import re
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from random import Random

HOST = "127.0.0.1"


class Wire:
    """What listens in a party's place and passes bytes on, as long as it likes."""

    def __init__(self, to: int, draw: Random) -> None:
        self._to, self._draw = to, draw
        self._listens = socket.create_server((HOST, 0))
        self._faults = draw.randrange(12)
        self.cuts = 0
        self.port: int = self._listens.getsockname()[1]
        self.said: list[bytearray] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def calm(self) -> None:
        self._faults = 0

    def close(self) -> None:
        with suppress(OSError):
            self._listens.shutdown(socket.SHUT_RDWR)
        self._listens.close()

    def sent(self) -> Iterator[tuple[str, str, bytes]]:
        """Yield the method, the path and as much of the body as was sent, of each request."""
        for said in self.said:
            rest = bytes(said)
            while (end := rest.find(b"\r\n\r\n")) >= 0:
                head = rest[:end].decode("latin-1")
                method, path, _ = head.split("\r\n", 1)[0].split(" ")
                length = re.search(r"\r\ncontent-length: (\d+)", head, re.IGNORECASE)
                long = int(length[1]) if length else 0
                yield method, path, rest[end + 4 : end + 4 + long]
                rest = rest[end + 4 + long :]

    def _accept(self) -> None:
        while True:
            try:
                caller, _ = self._listens.accept()
            except OSError:
                return
            said = bytearray()
            self.said.append(said)
            cut = [1 << 40, 1 << 40]  # bytes from the caller and to it, after which it is cut
            wait = 0.0
            if self._faults > 0:
                self._faults -= 1
                self.cuts += 1
                cut[self._draw.randrange(2)] = self._draw.randrange(self._draw.choice((1, 400, 4000)))
                wait = self._draw.choice((0.0, self._draw.uniform(0, 0.1)))
            try:
                party = socket.create_connection((HOST, self._to))
            except OSError:
                caller.close()
                continue
            for ends, most, kept in (((caller, party), cut[0], said), ((party, caller), cut[1], None)):
                threading.Thread(target=_pass_on, args=(*ends, most, wait, kept), daemon=True).start()


def _pass_on(source: socket.socket, sink: socket.socket, most: int, wait: float, kept: bytearray | None) -> None:
    with suppress(OSError):
        while most > 0 and (part := source.recv(1 << 16)):
            if kept is not None:
                kept += part
            time.sleep(wait)
            sink.sendall(part[:most])
            most -= len(part)
    for each in (source, sink):
        with suppress(OSError):
            each.shutdown(socket.SHUT_RDWR)
    source.close()
