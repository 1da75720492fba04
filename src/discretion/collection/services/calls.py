"""Calls of other parties' services; their refusals are raised as errors with their own reasons."""

import json
import ssl
import time
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
from discretion.collection.services.networks import NearbyTransport
from discretion.collection.wire.addresses import WebAddress, web_address
from discretion.collection.wire.reports import encoded_reports
from discretion.input_files import without_password

#: The largest answer of an ordinary call, in bytes.
ANSWER_BYTES = 1 << 20
_SECONDS = 60.0
_REASON_BYTES = 1 << 16
_SLOWEST = 1 << 14  # bytes a second, beyond the first of these seconds
_ERRORS: Mapping[int, type[CollectionError]] = {
    kind.status: kind for kind in (CollectionError, StrangerError, UnknownError, ConflictError, UnavailableError)
}


class Neighbour:
    """A client of another party's service, with persistent connections.

    Parameters
    ----------
    url
        The address of the service.
    credential
        The credential to send; None sends none.
    authority
        A file of certificates to check the service's certificate, in addition to those that the system trusts.
    name
        The name of the party in the task, for a log.
    near
        An address that the caller trusts, if somebody else chose ``url``: ``url`` may then lead to the public network,
        or to a network of ``near``. None allows any network.
    """

    def __init__(
        self,
        url: str,
        credential: str | None = None,
        authority: str | None = None,
        *,
        name: str = "",
        near: str | None = None,
    ) -> None:
        address = _address(url)
        self.name, self._address = name, address
        verify = _trusting(authority) if address.scheme == "https" else False
        # Without the environment: a proxy named there would see the connections.
        transport = (
            httpx.HTTPTransport(verify=verify, trust_env=False)
            if near is None
            else NearbyTransport(address, _address(near), verify=verify, trust_env=False)
        )
        # A compressed answer could expand to any length.
        headers = {"accept-encoding": "identity"}
        if credential is not None:
            headers["authorization"] = f"Bearer {credential}"
        self._client = httpx.Client(
            base_url=address.url, headers=headers, transport=transport, timeout=_SECONDS, trust_env=False,
            follow_redirects=False,
        )  # fmt: skip

    def __enter__(self) -> "Neighbour":
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    @property
    def url(self) -> str:
        """The address of the service in its only spelling."""
        return self._address.url

    def ask(self, method: str, path: str, *, at_most: int = ANSWER_BYTES, **sent: Any) -> bytes:
        """Return the answer of an operation, reading at most ``at_most`` bytes.

        Raises
        ------
        CollectionError
            If the request is refused: the type depends on the status. `UnavailableError` if nobody answers.
        """
        try:
            try:
                return self._answer(method, path, at_most, sent)
            except httpx.RemoteProtocolError:
                # The service closed the connection just as it was used again. Reading again changes nothing there.
                if method != "GET":
                    raise
                return self._answer(method, path, at_most, sent)
        except httpx.HTTPError as error:
            failed = self._unanswered(error)
        except CollectionError as error:
            failed = error
        failed.party = self.name
        raise failed from None

    def _answer(self, method: str, path: str, at_most: int, sent: Mapping[str, Any]) -> bytes:
        with self._client.stream(method, path, **sent) as answer:
            if answer.is_success:
                return self._read(answer, at_most)
            try:
                reason = str(json.loads(self._read(answer, _REASON_BYTES))["error"])
            except (ValueError, KeyError, TypeError, RecursionError):
                reason = f"the service answered with status {answer.status_code}"
        kind = _ERRORS.get(answer.status_code, CollectionError if answer.status_code < 500 else UnavailableError)
        raise _with_why(kind(f"{self._address.host}: {reason}"[:500]), f"status {answer.status_code}")

    def _read(self, answer: httpx.Response, at_most: int) -> bytes:
        began, body = time.monotonic(), bytearray()
        for chunk in answer.iter_raw():
            body += chunk
            if len(body) > at_most:
                raise _with_why(
                    MalformedError(f"{self.url} answers with more than {at_most:,} bytes, which is too long"),
                    "long answer",
                )
            if time.monotonic() - began > _SECONDS + len(body) / _SLOWEST:
                raise _with_why(UnavailableError(f"{self.url} answers too slowly; try again later"), "timeout")
        return bytes(body)

    def _unanswered(self, error: httpx.HTTPError) -> CollectionError:
        if (untrusted := _untrusted(error)) is not None:
            return _with_why(
                StrangerError(
                    f"{self.url} shows a certificate that is not trusted here "
                    f"({untrusted.verify_message}); --authority sets a file of certificates to check it"
                ),
                "certificate",
            )
        reason = type(error).__name__
        failed = UnavailableError(f"{self.url} does not answer ({reason}); try again once its service runs")
        if isinstance(error, httpx.TimeoutException):
            return _with_why(failed, "timeout")
        return _with_why(failed, "refused" if isinstance(error, httpx.ConnectError) else "cut off")

    def ending(self) -> str | None:
        """Return the reason why the task ends early at that service, or None."""
        answer = self.ask("GET", "/ending")
        try:
            ending = json.loads(answer)["ending"]
        except (ValueError, KeyError, TypeError, RecursionError):
            raise MalformedError(f"{self.url} does not answer /ending as a party of a task does") from None
        return None if ending is None else str(ending)[:300]

    def pass_on(self, batch: Batch, published: bytes | None) -> None:
        """Send a whole batch; pieces that were sent before count once."""
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


def _address(url: str) -> WebAddress:
    address = web_address(url)
    if address is None:
        raise MalformedError(
            f"{without_password(url)[:100]!r} is no web address; write one as https://shuffler.example"
        )
    return address


def _with_why(error: CollectionError, why: str) -> CollectionError:
    error.why = why
    return error


def _trusting(authority: str | None) -> ssl.SSLContext:
    """Return a TLS context that trusts the certificates of the system, and those in a file."""
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
    """Return the certificate error that caused a failed call, if there is one."""
    while error is not None and not isinstance(error, ssl.SSLCertVerificationError):
        error = error.__cause__ or error.__context__
    return error
