"""Run a service as a process that answers until it is stopped."""

import asyncio
import socket
import ssl
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import uvicorn
from cryptography.x509 import load_pem_x509_certificate
from starlette.applications import Starlette

from discretion import server_signals
from discretion.collection.services.connections import Listener, Refusals, event_loop, http_protocol
from discretion.collection.services.monitoring import Log, Meter
from discretion.collection.services.networks import ip_of, ips_of
from discretion.collection.services.operations import RequestBounds
from discretion.errors import InvalidValueError


def serve(
    application: Starlette,
    host: str,
    port: int,
    *,
    certificate: str | None = None,
    certificate_key: str | None = None,
    plain: bool = True,
    bounds: RequestBounds | None = None,
    refusals: Refusals | None = None,
) -> None:
    """Answer at an address until a signal comes; over TLS if there is a certificate.

    Parameters
    ----------
    application
        The service.
    host, port
        The host and the port at which to listen.
    certificate, certificate_key
        Files in PEM; without them the service uses plain HTTP.
    plain
        Whether plain HTTP is allowed to other machines.
    bounds
        The limits on requests.
    refusals
        The counter of refused connections.

    Raises
    ------
    InvalidValueError
        If the service cannot listen there, or must not without a certificate.
    """
    bounds, refusals = bounds or RequestBounds(), refusals or Refusals(Log(), Meter())
    if certificate is None and not plain and not all(ip_of(ip).is_loopback for ip in ips_of(host, port)):
        raise InvalidValueError(
            f"without a certificate other machines could read requests to {host[:100]}, and this party's address in "
            f"the task is https; set --certificate and --certificate-key, or --host 127.0.0.1 with a proxy on this "
            f"machine, or --behind-proxy with a proxy on another one"
        )
    with Listener(_bound(host, port), bounds.connections, refusals) as listener:
        # uvicorn's own log has addresses, which the service's log must not have.
        config = uvicorn.Config(
            application,
            http=http_protocol(bounds, refusals),
            ws="none",
            ssl_certfile=certificate,
            ssl_keyfile=certificate_key,
            log_config=None,
            log_level="critical",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_keep_alive=20,
            timeout_graceful_shutdown=5,
            lifespan="on",
        )
        with asyncio.Runner(loop_factory=event_loop(bounds.head_seconds)) as runner:
            runner.run(_Server(config).serve([listener]))


class _Server(uvicorn.Server):
    """A server that ends once by a signal, also by SIGHUP; an exception in the middle of an answer would be lost."""

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        with server_signals.handled_by(self.handle_exit):
            yield


def _bound(host: str, port: int) -> socket.socket:
    """Return a socket that listens at an address, or raise an error before any work begins."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=2048)
    except (OSError, UnicodeError) as error:
        raise InvalidValueError(
            f"cannot listen at {host[:100]}, port {port}: {_reason(error)}; name another --host or --port"
        ) from None


def certificate_end(certificate: str | None, key: str | None) -> float | None:
    """Return the expiry of a certificate, in seconds since 1970; None if there is no certificate.

    Raises
    ------
    InvalidValueError
        If the files are not a certificate and a key, or if the key does not belong to the certificate.
    """
    if certificate is None:
        if key is not None:
            raise InvalidValueError("--certificate-key needs a certificate; set it by --certificate")
        return None
    try:
        # Without a password here, a key with one would ask for it at a terminal, or wait for ever.
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key, password="")
        return load_pem_x509_certificate(Path(certificate).read_bytes()).not_valid_after_utc.timestamp()
    except (OSError, ValueError) as error:
        files = certificate if key is None else f"{certificate} and {key}"
        raise InvalidValueError(
            f"{files}: this must be a certificate and its key, in PEM and without a password ({_reason(error)})"
        ) from None


def _reason(error: Exception) -> str:
    return (getattr(error, "strerror", None) or str(error)).lower().partition(" (while ")[0]
