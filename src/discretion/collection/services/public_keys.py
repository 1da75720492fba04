"""The public keys that a party lists at ``/keys``: those of its task, or those that it offers for a new one.

A key that seals messages is listed with its HPKE configuration, as in the Distributed Aggregation Protocol.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

from starlette.applications import Starlette

from discretion.collection.errors import MalformedError, RefusedTaskError
from discretion.collection.services.calls import Neighbour
from discretion.collection.services.home import Home, Role
from discretion.collection.services.keys import Key, Kind
from discretion.collection.services.monitoring import Log, Meter
from discretion.collection.services.operations import (
    HEALTH,
    Operation,
    RequestBounds,
    application,
    openapi_document,
)
from discretion.collection.wire.addresses import web_address
from discretion.collection.wire.task import LONGEST_TASK

# DHKEM(X25519, HKDF-SHA256), HKDF-SHA256 and AES-128-GCM, as RFC 9180 numbers them.
_HPKE = {"kem_id": 0x20, "kdf_id": 1, "aead_id": 1}


@dataclass(frozen=True)
class PublicKey:
    """A party's public key, and its expiry in seconds since 1970; None for a key that does not expire."""

    kind: Kind
    public: bytes
    expires: int | None


@dataclass(frozen=True)
class KeyList:
    """The list of a party's keys, with the digest of its task; None instead of a digest if the keys are offered."""

    task: bytes | None
    keys: Sequence[PublicKey]

    def offered(self, kind: Kind, count: int, closes: float) -> Sequence[bytes]:
        """Return ``count`` keys of a kind that outlast a task, those that last longest.

        Raises
        ------
        RefusedTaskError
            If the party offers fewer such keys, or has a task already.
        """
        if self.task is not None:
            raise RefusedTaskError(
                "the party already has a task; to offer keys for another one, its operator must make a home with keys"
            )
        lasting = [key for key in self.keys if key.kind == kind and (key.expires is None or key.expires > closes)]
        if len(lasting) < count:
            raise RefusedTaskError(
                f"the party offers {len(lasting):,} keys of the kind {kind!r} that are valid until the task closes, "
                f"and {count:,} are needed; ask its operator to make keys, by discretion collect keys"
            )
        return [key.public for key in sorted(lasting, key=lambda key: -(key.expires or 1 << 62))[:count]]


def key_list(keys: Iterable[Key], task: bytes | None) -> dict[str, Any]:
    """Return the list of keys of a task, or of keys for a new task, as plain objects."""
    return {
        "task": None if task is None else task.hex(),
        "keys": [
            {
                "id": key.id, "kind": key.kind, "public_key": key.public.hex(), "expires": key.expires,
                **(_HPKE if key.kind == "seal" else {}),
            }
            for key in keys
        ],
    }  # fmt: skip


def keys_at(party: Neighbour) -> KeyList:
    """Return the list of keys of a party.

    Raises
    ------
    MalformedError
        If the party does not answer with a list of keys.
    """
    answer = party.ask("GET", "/keys", at_most=LONGEST_TASK)
    try:
        fields: Any = json.loads(answer)
        keys = tuple(
            PublicKey(key["kind"], bytes.fromhex(key["public_key"]), key["expires"])
            for key in fields["keys"]
            if key["kind"] in get_args(Kind)
        )
        if not all(key.expires is None or type(key.expires) is int for key in keys):
            raise TypeError
        return KeyList(None if fields["task"] is None else bytes.fromhex(fields["task"]), keys)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise MalformedError(f"{party.url} does not list its keys at /keys") from None


class OfferedKeys:
    """The keys that services offer for a new task, at the addresses of a description without their paths.

    Parameters
    ----------
    authority
        A file of certificates to check the services' certificates, in addition to those that the system trusts.
    """

    def __init__(self, authority: str | None = None) -> None:
        self._authority = authority

    def keys(self, role: Role, place: int, url: str, closes: int) -> Mapping[Kind, bytes]:
        """Return the keys of a party, those that last longest."""
        listed = self._listed(url)
        kinds: tuple[Kind, ...] = ("seal", "sign") if role == "curator" else ("seal",)
        return {kind: listed.offered(kind, 1, closes)[0] for kind in kinds}

    def admission(self, url: str, widths: Sequence[int], closes: int) -> tuple[tuple[bytes, ...], ...]:
        """Return an admitter's keys for tokens, as many for each round as ``widths`` lists."""
        keys = iter(self._listed(url).offered("admission", sum(widths), closes))
        return tuple(tuple(next(keys) for _ in range(width)) for width in widths)

    def _listed(self, url: str) -> KeyList:
        address = web_address(url)
        if address is None:
            raise MalformedError("a party needs a web address, as https://first.example:8443")
        with Neighbour(replace(address, path="").url, authority=self._authority) as party:
            return keys_at(party)


def offering(homes: Sequence[Home], bounds: RequestBounds) -> Starlette:
    """Return a service that lists the current keys in homes without a task."""

    def listed() -> dict[str, Any]:
        return key_list((key for home in homes for key in home.offered_keys()), None)

    operations = [
        HEALTH,
        Operation("GET", "/keys", "Return the public keys that are offered for a new task.", "anybody", listed),
    ]
    document = openapi_document(homes[0].role, operations)
    operations.append(Operation("GET", "/openapi.json", "This document.", "anybody", lambda: document))
    return application(
        operations, is_over=lambda: False, operator=str, sender=None, participant=None, bounds=bounds, log=Log(),
        meter=Meter(),
    )  # fmt: skip
