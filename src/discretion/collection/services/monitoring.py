"""The monitoring of a service: events, a line of JSON each, and counts in Prometheus' format.

They contain no address, no token and no data from a sender: events have fixed names, with numbers.
"""

import json
import sys
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from typing import TextIO

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest


class Log:
    """A log of events, a line of JSON each.

    Parameters
    ----------
    to
        A stream; by default the standard error.
    task
        The beginning of the digest of the task of all events, if a process has several tasks.
    """

    def __init__(self, to: TextIO | None = None, task: str | None = None) -> None:
        self._to, self._about = to, {} if task is None else {"task": task}

    def __call__(self, event: str, **fields: str | int | float) -> None:
        """Write an event with numbers, or with fixed words."""
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        stream = self._to or sys.stderr
        with suppress(OSError):  # the disk is full: the work goes on
            stream.write(json.dumps({"at": at, "event": event, **self._about, **fields}) + "\n")
            stream.flush()


class Meter:
    """The metrics of a service: counts of requests and uploads, and the messages of each round."""

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
            "discretion_collect_uploads", "Uploads by round and outcome.", ["round", "outcome"],
            registry=self._registry,
        )  # fmt: skip
        self._messages = Gauge(
            "discretion_collect_messages", "Messages of a round, opened and dropped.", ["round", "outcome"],
            registry=self._registry,
        )  # fmt: skip

    def refused_connection(self, why: str) -> None:
        """Count a connection that was refused or ended."""
        self._refused.labels(why).inc()

    def request(self, operation: str, status: int, seconds: float) -> None:
        """Count a request and its duration."""
        self._requests.labels(operation, str(status)).inc()
        self._seconds.labels(operation).observe(seconds)

    def watch(self, name: str, description: str, value: Callable[[], float]) -> None:
        """Add a quantity to the metrics, which is read at each request for them."""
        gauge = Gauge(f"discretion_collect_{name}", description, registry=self._registry)
        gauge.set_function(value)

    def upload(self, number: int, outcome: str) -> None:
        """Count an upload of a round."""
        self._uploads.labels(str(number), outcome).inc()

    def messages(self, number: int, opened: int, dropped: int) -> None:
        """Set how many messages of a round opened, and how many did not."""
        self._messages.labels(str(number), "opened").set(opened)
        self._messages.labels(str(number), "dropped").set(dropped)

    def prometheus_text(self) -> bytes:
        """Return all counts in Prometheus' text format."""
        return generate_latest(self._registry)
