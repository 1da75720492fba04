"""The operations with which a party receives a batch in pieces from the party before it."""

import json
from collections.abc import Callable
from typing import Any

from discretion.collection.errors import MalformedError, UnknownError
from discretion.collection.parts.batch import BATCH_BYTES, PIECE
from discretion.collection.parts.inbox import Inbox
from discretion.collection.services.operations import Operation
from discretion.collection.wire.reports import decoded_reports

# The length of 16 shufflers' reports in hexadecimal.
LONGEST_COMPLETION = 4096


def receiving(inbox: Inbox, takes: Callable[[int], bool], shufflers: int, wake: Callable[[], None]) -> list[Operation]:
    """Return the operations to receive the batches of some rounds, after this number of shufflers."""

    def batch_of(number: int, batch: str) -> bytes:
        if not takes(number):
            raise UnknownError(f"this party takes no batch of round {number}")
        try:
            name = bytes.fromhex(batch)
        except ValueError:
            name = b""
        if len(name) != BATCH_BYTES:
            raise MalformedError(f"the id of a batch must be {BATCH_BYTES} bytes in hexadecimal")
        return name

    def put(number: int, batch: str, place: int, piece: bytes) -> None:
        if place >= 10**8:
            raise MalformedError("the number of the piece is too large for a batch")
        inbox.put(number, batch_of(number, batch), place, piece)

    def complete(number: int, batch: str, body: bytes) -> None:
        named = batch_of(number, batch)
        try:
            fields: Any = json.loads(body)
            pieces, reports = fields["pieces"], bytes.fromhex(fields["reports"])
            if type(pieces) is not int or not 0 <= pieces < 10**8:
                raise ValueError
        except (ValueError, KeyError, TypeError, RecursionError):
            raise MalformedError(
                'a batch is completed with {"pieces": their number, "reports": the shufflers\' reports in CBOR, in hex}'
            ) from None
        inbox.complete(number, named, pieces, decoded_reports(reports, shufflers)[-1].digest, reports)
        wake()

    return [
        Operation(
            "PUT", "/rounds/{number:int}/batches/{batch}/{place:int}",
            "Store a piece of a batch; repeating a piece changes nothing.", "sender", put, lambda: PIECE,
        ),
        Operation(
            "POST", "/rounds/{number:int}/batches/{batch}",
            "Complete a batch, with its number of pieces and the reports of the shufflers.", "sender", complete,
            lambda: LONGEST_COMPLETION,
        ),
    ]  # fmt: skip
