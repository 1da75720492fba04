"""Deterministic CBOR (RFC 8949, 4.2.1): a value has one encoding, and any other encoding is refused."""

from typing import Any, cast

import cbor2

from discretion.collection.errors import MalformedError

# No record of the protocol is nested more deeply.
_DEEPEST = 8


def encoded(value: Any) -> bytes:
    """Return the only encoding of maps with text keys, arrays, text, bytes, whole numbers, booleans and null."""
    return cbor2.dumps(value, canonical=True)


def decoded(data: bytes, what: str, *, at_most: int) -> Any:
    """Return the value of these bytes, if they are its deterministic encoding.

    Raises
    ------
    MalformedError
        If the bytes are not deterministic CBOR, or are longer than ``at_most``.
    """
    if len(data) > at_most:
        raise MalformedError(f"{what} may have at most {at_most:,} bytes; got {len(data):,}")
    try:
        value = cbor2.loads(data)
        plain = _is_plain(value, _DEEPEST)
        if plain and encoded(value) == data:
            return value
    except (cbor2.CBORError, ValueError, TypeError, OverflowError, MemoryError, RecursionError):
        pass
    raise MalformedError(f"{what} must be deterministic CBOR of maps, arrays, text, bytes and whole numbers")


def _is_plain(value: Any, deep: int) -> bool:
    if isinstance(value, dict):
        mapping = cast("dict[Any, Any]", value)
        return deep > 0 and all(isinstance(key, str) and _is_plain(each, deep - 1) for key, each in mapping.items())
    if isinstance(value, list):
        return deep > 0 and all(_is_plain(each, deep - 1) for each in cast("list[Any]", value))
    return value is None or isinstance(value, (str, bytes, bool)) or (isinstance(value, int) and abs(value) < 1 << 63)
