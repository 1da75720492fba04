"""A service as a process: it answers until it is stopped."""

import socket
import ssl

import uvicorn
from starlette.applications import Starlette

from discretion import limits
from discretion.errors import InvalidValueError

# Of a service at once.
MAX_CONNECTIONS = 2000


def serve(
    application: Starlette, host: str, port: int, *, certificate: str | None = None, certificate_key: str | None = None
) -> None:
    """Answer at an address until a signal comes; over TLS where there is a certificate.

    Raises
    ------
    InvalidValueError
        If nobody can listen there, or the certificate or its key is none.
    """
    _check_certificate(certificate, certificate_key)
    with _bound(host, port) as listener:
        # Its own words name addresses: ours do not.
        config = uvicorn.Config(
            application,
            ssl_certfile=certificate,
            ssl_keyfile=certificate_key,
            log_config=None,
            log_level="critical",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            limit_concurrency=limits.current().numbers(MAX_CONNECTIONS, each=1 << 16),
            timeout_keep_alive=20,
            timeout_graceful_shutdown=5,
            lifespan="on",
        )
        uvicorn.Server(config).run([listener])


def _bound(host: str, port: int) -> socket.socket:
    """Return a socket at an address, which is tried before any work begins."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=2048)
    except (OSError, UnicodeError) as error:
        raise InvalidValueError(
            f"cannot listen at {host[:100]}, port {port}: {_reason(error)}; name another --host or --port"
        ) from None


def _check_certificate(certificate: str | None, key: str | None) -> None:
    if certificate is None:
        if key is not None:
            raise InvalidValueError("--certificate-key is the key of a certificate; name that too, by --certificate")
        return
    try:
        # Without a password here a key that has one would be asked for at a terminal, or wait for ever.
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key, password="")
    except (OSError, ValueError) as error:
        files = certificate if key is None else f"{certificate} and {key}"
        raise InvalidValueError(
            f"{files}: no certificate and its key, in PEM and without a password ({_reason(error)})"
        ) from None


def _reason(error: Exception) -> str:
    return (getattr(error, "strerror", None) or str(error)).lower().partition(" (while ")[0]
