"""A service as a process: it answers until it is told to end."""

import uvicorn
from starlette.applications import Starlette

from tacit import limits


def serve(
    application: Starlette, host: str, port: int, *, certificate: str | None = None, certificate_key: str | None = None
) -> None:
    """Answer at an address until a signal comes; over TLS where there is a certificate."""
    # Its own words name addresses: ours do not.
    uvicorn.Server(
        uvicorn.Config(
            application,
            host,
            port,
            ssl_certfile=certificate,
            ssl_keyfile=certificate_key,
            log_config=None,
            log_level="critical",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            limit_concurrency=limits.current().most_connections,
            timeout_keep_alive=20,
            timeout_graceful_shutdown=5,
            lifespan="on",
        )
    ).run()
