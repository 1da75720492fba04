"""The Spark session that counts a table, started with settings that keep people's values private."""

import atexit
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import uuid
from collections import deque
from collections.abc import Generator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from discretion.errors import EngineError, UnsupportedError

# Seconds without a worker after which none is expected: a cluster of Spark's own has some or none, others queue.
PATIENCE, PATIENCE_IN_QUEUES = 25, 300
OLDEST_JAVA = 17

# For a session on this machine: its files are encrypted, and every client must know its secret.
_ALONE = {
    "spark.authenticate": "true",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.eventLog.enabled": "false",
    "spark.io.encryption.enabled": "true",
    "spark.network.crypto.enabled": "true",
    "spark.ui.enabled": "false",
}
# The settings that a session elsewhere needs as well before its tasks carry a key.
_SEALING = ("spark.authenticate", "spark.io.encryption.enabled", "spark.network.crypto.enabled")
# Spark's default of 200 is for many machines: here a query would spend most of its time on this many files.
_PARTITIONS, _PARTITIONS_A_CORE = "spark.sql.shuffle.partitions", 4
_QUIET = {"spark.log.level": "OFF", "spark.ui.showConsoleProgress": "false"}


def open_session() -> Any:
    """Return the running Spark session, or start one with Spark's own settings.

    Raises
    ------
    EngineError
        If Spark does not start; the message has the reason.
    """
    try:
        sql: Any = import_module("pyspark.sql")
        pyspark: Any = import_module("pyspark")
    except ImportError:
        raise UnsupportedError(
            "the Spark engine needs the package pyspark, which Discretion's extra spark brings (uv run --extra spark)"
        ) from None
    output: deque[str] = deque(maxlen=200)
    try:
        if pyspark.SparkContext._active_spark_context is None and "SPARK_REMOTE" not in os.environ:
            _start(pyspark, output)
        return sql.SparkSession.builder.getOrCreate()
    except EngineError:
        raise
    except Exception as error:
        raise EngineError(f"Spark did not start: {_reason(error, output)}") from None


def keeps_elsewhere(session: Any) -> bool:
    """Return whether a session writes to machines of a cluster, whose settings decide who can read its files."""
    context = _context(session)
    return context is None or not _is_here(context.master)


def sealed_context(session: Any) -> Any:
    """Return the context of a session that encrypts the data of its tasks in transit and at rest, as a key needs.

    Raises
    ------
    UnsupportedError
        If it does not encrypt them, or connects to a Spark Connect server.
    """
    context = _context(session)
    if context is None:
        raise UnsupportedError("a Spark Connect server gets no keys; start Spark where the key is (spark.master)")
    settings = context.getConf()
    if missing := [name for name in _SEALING if settings.get(name, "false") != "true"]:
        raise UnsupportedError(f"Spark would send or store a key unencrypted; set {' and '.join(missing)} to true")
    return context


@contextmanager
def while_workers_last(session: Any) -> Generator[None]:
    """Run jobs of a session; if it has had no worker for a while, stop them with an error.

    Raises
    ------
    EngineError
        If there is no worker, and Spark does not allocate workers as needed.
    """
    context = _context(session)
    if (
        context is None
        or _is_here(context.master)
        or context.getConf().get("spark.dynamicAllocation.enabled") == "true"
    ):
        yield
        return
    patience = PATIENCE if context.master.startswith("spark://") else PATIENCE_IN_QUEUES
    tag, done, deserted = f"discretion-{uuid.uuid4()}", threading.Event(), threading.Event()

    def watch() -> None:
        alone = 0
        while not done.wait(1):
            with suppress(Exception):  # a context that has stopped fails the job by itself
                alone = alone + 1 if context._jsc.sc().getExecutorMemoryStatus().size() == 1 else 0  # 1: the driver
                if alone >= patience:
                    deserted.set()
                    context.cancelJobsWithTag(tag)

    watcher = threading.Thread(target=watch, daemon=True)
    context.addJobTag(tag)
    watcher.start()
    try:
        yield
    except Exception:
        if deserted.is_set():
            raise EngineError(
                f"Spark has had no worker for {patience} seconds, so there is no result, not even a partial one; see "
                "that its cluster runs and has free cores and memory"
            ) from None
        raise
    finally:
        done.set()
        watcher.join()
        with suppress(Exception):
            context.removeJobTag(tag)


def _context(session: Any) -> Any:
    """Return the context of a session, or None if it connects to a Spark Connect server."""
    return None if ".connect." in type(session).__module__ else session.sparkContext


def _is_here(master: str) -> bool:
    return master == "local" or master.startswith("local[")


def _start(pyspark: Any, output: deque[str]) -> None:
    gateway = pyspark.SparkContext._gateway or _launch(output)
    settings = pyspark.SparkConf(_jvm=gateway.jvm)
    master: str = settings.get("spark.master", "local[*]")
    settings.setMaster(master).setAppName("discretion").setAll(_QUIET.items())
    if _is_here(master):
        folder = str(_private_folder(Path(settings.get("spark.local.dir", tempfile.gettempdir()).split(",")[0])))
        settings.setAll(_ALONE.items()).set("spark.local.dir", folder).set("spark.sql.warehouse.dir", folder)
        if not settings.contains(_PARTITIONS):
            settings.set(_PARTITIONS, str(_PARTITIONS_A_CORE * (os.cpu_count() or 1)))
    elif master.startswith("spark://"):
        _check_reachable(master)
    context = pyspark.SparkContext(conf=settings, gateway=gateway)
    if _is_here(master):
        context.pythonExec = os.environ.get("PYSPARK_PYTHON", sys.executable)  # what Discretion is installed for
    atexit.register(_stop, context)


def _private_folder(root: Path) -> Path:
    """Make a folder that only its user can open, removed with this process; remove folders of killed processes now."""
    import fcntl  # noqa: PLC0415 - not everywhere

    def lock(folder: Path) -> bool:
        """Lock a folder as long as this process lives, if no other process has locked it."""
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            if os.fstat(handle).st_uid != os.geteuid():
                raise PermissionError
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(handle)
            return False
        return True

    root.mkdir(parents=True, exist_ok=True)
    for leftover in root.glob("discretion-spark-*"):
        with suppress(OSError):
            if lock(leftover):
                shutil.rmtree(leftover, ignore_errors=True)
    fresh = Path(tempfile.mkdtemp(prefix="discretion-new-", dir=root))
    lock(fresh)  # before it has the name of those that are looked for
    folder = fresh.rename(root / fresh.name.replace("discretion-new-", "discretion-spark-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _stop(context: Any) -> None:
    with suppress(Exception):  # it may have ended by itself
        context.stop()


def _launch(output: deque[str]) -> Any:
    """Start Spark's Java process without output; only its user can read its files."""
    receiver, sender = os.pipe()

    def listen() -> None:
        with open(receiver, errors="replace") as lines:  # noqa: PTH123 - a descriptor
            output.extend(lines)

    listener = threading.Thread(target=listen, daemon=True)
    listener.start()
    try:
        launch = import_module("pyspark.java_gateway").launch_gateway
        return launch(popen_kwargs={"stdout": sender, "stderr": sender, "umask": 0o077})
    except BaseException:
        os.close(sender)
        sender = -1
        listener.join(5)
        raise
    finally:
        if sender >= 0:
            os.close(sender)


def _check_reachable(master: str) -> None:
    """Refuse a cluster without a master that answers, for which Spark itself would wait a minute."""
    for address in master.removeprefix("spark://").split(","):
        host, _, port = address.rpartition(":")
        with suppress(OSError, ValueError), socket.create_connection((host.strip("[]"), int(port)), timeout=5):
            return
    raise EngineError(f"Spark did not start: no master answers at {master}; check that it runs, and check spark.master")


def _reason(error: Exception, output: deque[str]) -> str:
    """Return the reason why Spark did not start, in one line; no table has been read yet, so it has no value."""
    if (java := getattr(error, "java_exception", None)) is not None:
        while (cause := java.getCause()) is not None:
            java = cause
        why = java.getMessage() or java.getClass().getName()
    elif "JAVA_GATEWAY_EXITED" in str(error):
        if fault := _java_fault():
            return fault
        telling = [line for line in output if re.search(r"Invalid|Unrecognized|\b\w*(Error|Exception)\b", line)]
        why = (telling or [*output, "its Java process ended at once"])[0]
        why = re.sub(r'^Exception in thread "main" [\w.$]+: ', "", why)
    else:
        why = str(error) or type(error).__name__
    why = " ".join(why.strip().splitlines()[0].split())
    return f"{why if len(why) < 300 else why[:300] + '…'} (see Spark's settings)"


def _java_fault() -> str | None:
    """Return the fault of the Java that Spark would use, or None."""
    needed = f"Spark needs Java {OLDEST_JAVA} or later, by JAVA_HOME or on the PATH"
    if home := os.environ.get("JAVA_HOME"):
        java = shutil.which(Path(home) / "bin" / "java")
        if java is None:
            return f"JAVA_HOME is {home}, where there is no bin/java; {needed}"
    elif (java := shutil.which("java")) is None:
        return f"there is no java on the PATH, and JAVA_HOME is not set; {needed}"
    with suppress(OSError, subprocess.SubprocessError):
        shown = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=30, check=False).stderr
        version = re.search(r'version "(?:1\.)?(\d+)', shown)
        if version and int(version[1]) < OLDEST_JAVA:
            return f"{java} is Java {version[1]}; {needed}"
    return None
