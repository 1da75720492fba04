"""The collection, running: clients, shufflers, a curator and an analyst, none of whom sees more than its part."""

from tacit.errors import MissingExtraError

try:
    import cbor2 as _cbor2  # noqa: F401 # pyright: ignore[reportUnusedImport]
    import cryptography as _cryptography  # noqa: F401 # pyright: ignore[reportUnusedImport]
except ModuleNotFoundError as _missing:
    raise MissingExtraError(f"the collection needs {_missing.name}: install tacit[collect]") from None

from tacit.collection.client import Client, Terms
from tacit.collection.wire.selection import Choice
from tacit.collection.wire.task import Feature, Party, Task

__all__ = ["Choice", "Client", "Feature", "Party", "Task", "Terms"]
