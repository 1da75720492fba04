"""Calls of other parties' services: what they refuse is said in their words."""

import ssl
from collections.abc import Mapping
from typing import Any

import httpx2 as httpx

from discretion.collection.errors import (
    CollectionError,
    ConflictError,
    MalformedError,
    StrangerError,
    UnavailableError,
    UnknownError,
)
from discretion.collection.parts.batch import Batch
from discretion.collection.wire.reports import encoded_reports

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
        verify = _trusting(authority) if url.startswith("https:") else False
        headers = {} if credential is None else {"authorization": f"Bearer {credential}"}
        try:
            # Of the environment nothing: a proxy named there would see who talks to whom.
            self._client = httpx.Client(
                base_url=url, headers=headers, verify=verify, timeout=_SECONDS, trust_env=False, follow_redirects=False
            )
        except (httpx.InvalidURL, ValueError):
            raise MalformedError(f"{url[:100]!r} is no web address, as https://shuffler.example is one") from None

    def __enter__(self) -> "Neighbour":
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def _answer(self, method: str, path: str, sent: Mapping[str, Any]) -> httpx.Response:
        try:
            return self._client.request(method, path, **sent)
        except httpx.RemoteProtocolError:
            # The service closed a kept connection just as it was used again. To read once more changes nothing there.
            if method != "GET":
                raise
            return self._client.request(method, path, **sent)

    def ask(self, method: str, path: str, **sent: Any) -> bytes:
        """Return what an operation answers.

        Raises
        ------
        CollectionError
            If it is refused, by the kind that its status says; `UnavailableError` if nobody answers.
        """
        try:
            answer = self._answer(method, path, sent)
        except httpx.UnsupportedProtocol:
            raise MalformedError(
                f"{str(self._client.base_url)[:100]!r} is no web address, as https://shuffler.example is one"
            ) from None
        except httpx.HTTPError as error:
            if (untrusted := _untrusted(error)) is not None:
                raise StrangerError(
                    f"{self._client.base_url} shows a certificate that is not trusted here "
                    f"({untrusted.verify_message}); --authority names a file of certificates to check it by"
                ) from None
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
        whole = {"pieces": batch.pieces, "reports": encoded_reports(batch.reports).hex()}
        try:
            self.ask("POST", path, json=whole)
        except ConflictError:
            for place in range(batch.pieces):
                self.ask("PUT", f"{path}/{place}", content=batch.piece(place))
            self.ask("POST", path, json=whole)


def _trusting(authority: str | None) -> ssl.SSLContext:
    """Return whom to trust: whom the system does, and those in a file."""
    context = ssl.create_default_context()
    if authority is not None:
        try:
            context.load_verify_locations(authority)
        except OSError as error:
            raise MalformedError(
                f"the authority {authority!r} is no file of certificates in PEM: {(error.strerror or '').lower()}"
            ) from None
    return context


def _untrusted(error: BaseException | None) -> ssl.SSLCertVerificationError | None:
    """Return what is wrong with a certificate, if that is why nobody could be asked."""
    while error is not None and not isinstance(error, ssl.SSLCertVerificationError):
        error = error.__cause__ or error.__context__
    return error
