"""What a party takes from the one before it: a batch in pieces, after what was published for its round."""

import json
from collections.abc import Callable
from typing import Any

from discretion.collection.errors import MalformedError, UnknownError
from discretion.collection.parts.batch import BATCH_BYTES, PIECE
from discretion.collection.parts.inbox import Inbox
from discretion.collection.services.operations import Operation
from discretion.collection.wire.reports import decoded_reports

# Of 16 shufflers' reports in hexadecimal.
LONGEST_COMPLETION = 4096


def receiving(inbox: Inbox, takes: Callable[[int], bool], shufflers: int, wake: Callable[[], None]) -> list[Operation]:
    """Return the operations by which batches of the rounds come that are taken here, after so many shufflers."""

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
            pieces, reports = fields["pieces"], bytes.fromhex(fields["reports"])
            if type(pieces) is not int or not 0 <= pieces < 10**8:
                raise ValueError
        except (ValueError, KeyError, TypeError, RecursionError):
            raise MalformedError(
                'a batch is completed by {"pieces": their number, "reports": the shufflers\' reports in CBOR, in hex}'
            ) from None
        inbox.complete(number, named, pieces, decoded_reports(reports, shufflers)[-1].digest, reports)
        wake()

    return [
        Operation(
            "PUT", "/rounds/{number:int}/batches/{batch}/{place:int}",
            "Keep a piece of a batch; the same one again is kept already.", "sender", put, lambda: PIECE,
        ),
        Operation(
            "POST", "/rounds/{number:int}/batches/{batch}",
            "Complete a batch, by its number of pieces and the reports of the shufflers.", "sender", complete,
            lambda: LONGEST_COMPLETION,
        ),
    ]  # fmt: skip
