"""What a party takes from the one before it: a batch in pieces, after what was published for its round."""

import json
from collections.abc import Callable
from typing import Any

from discretion.collection.errors import MalformedError, UnknownError
from discretion.collection.parts.batch import BATCH_BYTES, PIECE
from discretion.collection.parts.inbox import Inbox
from discretion.collection.services.operations import Operation


def receiving(inbox: Inbox, takes: Callable[[int], bool], wake: Callable[[], None]) -> list[Operation]:
    """Return the operations by which batches of those rounds come that are taken here."""

    def batch_of(number: int, batch: str) -> bytes:
        if not takes(number):
            raise UnknownError(f"no batch of round {number} comes here")
        try:
            name = bytes.fromhex(batch)
        except ValueError:
            name = b""
        if len(name) != BATCH_BYTES:
            raise MalformedError(f"a batch is named by {BATCH_BYTES} bytes in hexadecimal")
        return name

    def put(number: int, batch: str, place: int, piece: bytes) -> None:
        if place >= 10**8:
            raise MalformedError("a batch has fewer pieces than this")
        inbox.put(number, batch_of(number, batch), place, piece)

    def complete(number: int, batch: str, body: bytes) -> None:
        named = batch_of(number, batch)
        try:
            fields: Any = json.loads(body)
            pieces, digest = fields["pieces"], bytes.fromhex(fields["digest"])
            if type(pieces) is not int or not 0 <= pieces < 10**8 or len(digest) != 32:
                raise ValueError
        except (ValueError, KeyError, TypeError, RecursionError):
            raise MalformedError('a batch is completed by {"pieces": their number, "digest": SHA-256 in hex}') from None
        inbox.complete(number, named, pieces, digest)
        wake()

    return [
        Operation(
            "PUT", "/rounds/{number:int}/batches/{batch}/{place:int}",
            "Keep a piece of a batch; the same one again is kept already.", "sender", put, lambda: PIECE,
        ),
        Operation(
            "POST", "/rounds/{number:int}/batches/{batch}",
            "Say that a batch is whole, by how many pieces it has and its SHA-256.", "sender", complete, lambda: 1000,
        ),
    ]  # fmt: skip
