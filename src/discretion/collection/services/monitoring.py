"""The monitoring of a service: events, a line of JSON each, and counts in Prometheus' format.

Neither has an address, a token or anything that somebody sent: events are named in the code, with numbers.
"""

import json
import sys
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from typing import TextIO

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest


class Log:
    """Writes events, a line of JSON each.

    Parameters
    ----------
    to
        A stream; the standard error by default.
    task
        The beginning of the digest of the task that all events are of, where a process has several.
    """

    def __init__(self, to: TextIO | None = None, task: str | None = None) -> None:
        self._to, self._about = to, {} if task is None else {"task": task}

    def __call__(self, event: str, **fields: str | int | float) -> None:
        """Write an event with numbers, or with words of ours."""
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        stream = self._to or sys.stderr
        with suppress(OSError):  # a disk that is full: what there is to do goes on
            stream.write(json.dumps({"at": at, "event": event, **self._about, **fields}) + "\n")
            stream.flush()


class Meter:
    """Counts requests and uploads, and what became of each round."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "discretion_collect_requests", "Requests by operation and status.", ["operation", "status"],
            registry=self._registry,
        )  # fmt: skip
        self._refused = Counter(
            "discretion_collect_connections_refused", "Connections that were refused or ended, by reason.", ["reason"],
            registry=self._registry,
        )  # fmt: skip
        self._seconds = Histogram(
            "discretion_collect_request_seconds", "How long requests took.", ["operation"], registry=self._registry,
            buckets=(0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60),
        )  # fmt: skip
        self._uploads = Counter(
            "discretion_collect_uploads", "Uploads by round and what became of them.", ["round", "outcome"],
            registry=self._registry,
        )  # fmt: skip
        self._messages = Gauge(
            "discretion_collect_messages", "Messages of a round that opened, and that did not.", ["round", "outcome"],
            registry=self._registry,
        )  # fmt: skip

    def refused_connection(self, why: str) -> None:
        """Count a connection that was refused or ended."""
        self._refused.labels(why).inc()

    def request(self, operation: str, status: int, seconds: float) -> None:
        """Count a request, which took so long."""
        self._requests.labels(operation, str(status)).inc()
        self._seconds.labels(operation).observe(seconds)

    def watch(self, name: str, description: str, value: Callable[[], float]) -> None:
        """Have a quantity among the metrics that is read when they are asked for."""
        gauge = Gauge(f"discretion_collect_{name}", description, registry=self._registry)
        gauge.set_function(value)

    def upload(self, number: int, outcome: str) -> None:
        """Count an upload of a round."""
        self._uploads.labels(str(number), outcome).inc()

    def messages(self, number: int, opened: int, dropped: int) -> None:
        """Say how many messages of a round opened, and how many did not."""
        self._messages.labels(str(number), "opened").set(opened)
        self._messages.labels(str(number), "dropped").set(dropped)

    def prometheus_text(self) -> bytes:
        """Return all counts in Prometheus' text format."""
        return generate_latest(self._registry)
