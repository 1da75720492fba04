"""The collection protocol: clients, shufflers, a curator and an analyst, each of which sees its part alone."""

from discretion.errors import MissingExtraError

try:
    import cbor2 as _cbor2  # noqa: F401 # pyright: ignore[reportUnusedImport]
    import cryptography as _cryptography  # noqa: F401 # pyright: ignore[reportUnusedImport]
except ModuleNotFoundError as _missing:
    raise MissingExtraError(f"the collection needs {_missing.name}: install discretion[collect]") from None

from discretion.collection.client import Client, Terms
from discretion.collection.wire.selection import Choice
from discretion.collection.wire.task import Feature, Party, Task

__all__ = ["Choice", "Client", "Feature", "Party", "Task", "Terms"]
