"""Calls of other parties' services: what they refuse is said in their words."""

import ssl
from collections.abc import Mapping
from typing import Any

import httpx2 as httpx

from tacit.collection.errors import CollectionError, ConflictError, StrangerError, UnavailableError, UnknownError
from tacit.collection.parts.batch import Batch

_SECONDS = 60.0
_ERRORS: Mapping[int, type[CollectionError]] = {
    kind.status: kind for kind in (CollectionError, StrangerError, UnknownError, ConflictError, UnavailableError)
}


class Neighbour:
    """Another party, over connections that are kept.

    Parameters
    ----------
    url
        Where it is.
    credential
        What it is shown; None shows nothing.
    authority
        A file of certificates that its own is checked by, beside those that the system trusts.
    """

    def __init__(self, url: str, credential: str | None = None, authority: str | None = None) -> None:
        verify: ssl.SSLContext | bool = False
        if url.startswith("https:"):
            verify = ssl.create_default_context()
            if authority is not None:
                verify.load_verify_locations(authority)
        headers = {} if credential is None else {"authorization": f"Bearer {credential}"}
        # Of the environment nothing: a proxy named there would see who talks to whom.
        self._client = httpx.Client(
            base_url=url, headers=headers, verify=verify, timeout=_SECONDS, trust_env=False, follow_redirects=False
        )

    def __enter__(self) -> "Neighbour":
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def ask(self, method: str, path: str, **sent: Any) -> bytes:
        """Return what an operation answers.

        Raises
        ------
        CollectionError
            If it is refused, by the kind that its status says; `UnavailableError` if nobody answers.
        """
        try:
            answer = self._client.request(method, path, **sent)
        except httpx.HTTPError as error:
            raise UnavailableError(
                f"{self._client.base_url} does not answer ({type(error).__name__}); is its service running?"
            ) from None
        if answer.is_success:
            return answer.content
        try:
            reason = str(answer.json()["error"])
        except (ValueError, KeyError, TypeError):
            reason = f"it answers with status {answer.status_code}"
        raise _ERRORS.get(answer.status_code, CollectionError if answer.status_code < 500 else UnavailableError)(
            f"{self._client.base_url.host}: {reason}"[:500]
        )

    def pass_on(self, batch: Batch, published: bytes | None) -> None:
        """Send a batch, whole; what was sent before counts once."""
        if published is not None:
            self.ask("POST", f"/rounds/{batch.number}/choice", content=published)
        path = f"/rounds/{batch.number}/batches/{batch.batch.hex()}"
        whole = {"pieces": batch.pieces, "digest": batch.digest.hex()}
        try:
            self.ask("POST", path, json=whole)
        except ConflictError:
            for place in range(batch.pieces):
                self.ask("PUT", f"{path}/{place}", content=batch.piece(place))
            self.ask("POST", path, json=whole)
