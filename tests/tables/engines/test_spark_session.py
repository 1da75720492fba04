"""A Spark session keeps people's values to itself, says why it does not start, and ends when its workers do."""

import contextlib
import json
import os
import re
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any

import ibis
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discretion.anonymity import Population
from discretion.errors import EngineError
from discretion.tables.engines import spark_session
from discretion.tables.spark import spark_table
from support.engines import ON_SPARK, SOON_READY, WORKERS, Cluster, wait_for_workers

pytestmark = ON_SPARK

PEOPLE = 1_000

# Everything that is counted goes by the disk, as it is.
ON_DISK = """
spark.driver.memory 600m
spark.rdd.compress false
spark.shuffle.compress false
spark.shuffle.spill.compress false
spark.shuffle.spill.numElementsForceSpillThreshold 100
spark.sql.adaptive.enabled false
spark.sql.shuffle.partitions 3
"""
COUNTING = """
import os, sys
from discretion.anonymity import Population
from discretion.tables import spark_table
people = spark_table(sys.argv[1])
for table in (people, people.cache()):
    assert Population(table).class_sizes(["name"]).people == 1_000
import pyspark
print(pyspark.SparkContext._gateway.proc.pid, flush=True)
sys.stdin.read()
"""


class Here:
    """A place with settings of Spark's own, and a table of people whose names are found if they are left behind."""

    def __init__(self, folder: Path) -> None:
        draw = Random(14)
        self.names = [f"{draw.getrandbits(64):016x}" for _ in range(PEOPLE)]
        self.table = folder / "table" / "people.parquet"
        self.folders = {name: folder / name for name in ("table", "settings", "temporary", "current")}
        for made in self.folders.values():
            made.mkdir()
        pq.write_table(pa.table({"name": self.names, "sex": ["f", "m"] * (PEOPLE // 2)}), self.table)
        self.configure(ON_DISK)
        self.environment = {
            name: value for name, value in os.environ.items() if not name.startswith(("SPARK", "PYSPARK"))
        }
        self.environment |= {"SPARK_CONF_DIR": self.folders["settings"], "TMPDIR": self.folders["temporary"]}

    def configure(self, settings: str) -> None:
        java = f"spark.driver.extraJavaOptions -Djava.io.tmpdir={self.folders['temporary']} {SOON_READY}\n"
        (self.folders["settings"] / "spark-defaults.conf").write_text(java + settings)

    def start(self, *command: str, **environment: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, *command], env=self.environment | environment, cwd=self.folders["current"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    def audit(self, *more: str, **environment: str) -> tuple[int, str, str]:
        audit = self.start("-m", "discretion", "audit", str(self.table), *more, **environment)
        out, err = audit.communicate(timeout=180)
        return audit.returncode, out, err

    def files(self) -> list[Path]:
        return [found for name in ("temporary", "current") for found in self.folders[name].rglob("*")]

    def names_on_disk(self) -> set[str]:
        words = re.compile(rb"[0-9a-f]{16}")
        found = {word.decode() for file in self.files() if file.is_file() for word in words.findall(file.read_bytes())}
        return found & set(self.names)


@pytest.fixture
def here(with_spark: None, tmp_path: Path) -> Here:
    return Here(tmp_path)


@pytest.fixture
def counting(here: Here) -> Iterator[list[tuple[subprocess.Popen[str], int]]]:
    """Start two processes that count, beside each other, and give each with the number of its Java process."""

    def java_of(process: subprocess.Popen[str]) -> int:
        assert process.stdout is not None
        return int(process.stdout.readline() or process.communicate()[1])

    started = [here.start("-c", COUNTING, str(here.table)) for _ in range(2)]
    try:
        yield [(process, java_of(process)) for process in started]
    finally:
        for process in started:
            process.kill()
            process.communicate(timeout=60)


def listening(process: int) -> list[tuple[str, int]]:
    """Return the addresses and ports at which a process listens."""
    handles: set[str] = set()
    for handle in Path(f"/proc/{process}/fd").iterdir():
        try:
            handles.add(str(handle.readlink()))
        except FileNotFoundError:  # closed meanwhile
            continue
    found: list[tuple[str, int]] = []
    for family, table in ((socket.AF_INET, "tcp"), (socket.AF_INET6, "tcp6")):
        for line in Path(f"/proc/{process}/net/{table}").read_text().splitlines()[1:]:
            _, local, _, state, *_, inode = line.split()[:10]
            if state == "0A" and f"socket:[{inode}]" in handles:
                address, port = local.split(":")
                words = [bytes.fromhex(address[i : i + 8])[::-1] for i in range(0, len(address), 8)]
                found.append((socket.inet_ntop(family, b"".join(words)), int(port, 16)))
    return found


def is_alive(process: int) -> bool:
    try:
        return " Z " not in Path(f"/proc/{process}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_what_spark_writes_is_for_nobody_else(here: Here, counting: list[tuple[subprocess.Popen[str], int]]) -> None:
    written = [file for file in here.files() if file.is_file() and "blockmgr" in str(file)]
    assert sum(file.stat().st_size for file in written) > 16 * PEOPLE * len(counting)  # there is something to read
    assert here.names_on_disk() == set()
    assert [file for file in here.files() if stat.S_IMODE(file.lstat().st_mode) & 0o077] == []
    (killed, its_java), (process, java) = counting
    sockets = listening(java)
    assert sockets
    assert {address for address, _ in sockets} <= {"127.0.0.1", "::ffff:127.0.0.1", "::1"}
    for _, port in sockets:  # nor does it serve a page
        with socket.create_connection(("127.0.0.1", port), timeout=10) as asking:
            asking.settimeout(1)
            asking.sendall(b"GET / HTTP/1.0\r\n\r\n")
            with contextlib.suppress(OSError):
                assert not asking.recv(100).startswith(b"HTTP")

    # Java ends with its parent.
    killed.kill()
    killed.communicate(timeout=60)
    patience = time.monotonic() + 60
    while is_alive(its_java):
        assert time.monotonic() < patience
        time.sleep(0.1)

    os.kill(java, signal.SIGKILL)
    process.kill()
    process.communicate(timeout=60)
    left = [file for file in here.files() if file.is_file() and "blockmgr" in str(file)]
    assert left
    assert here.names_on_disk() == set()
    assert [file for file in here.files() if stat.S_IMODE(file.lstat().st_mode) & 0o077] == []

    # Who starts next takes away what was left.
    code, out, err = here.audit("--engine", "spark", "--columns", "sex", "--json")
    assert (code, err) == (0, "")
    results, expected = (json.loads(text)["results"] for text in (out, here.audit("--columns", "sex", "--json")[1]))
    assert results == expected
    assert not any(file.exists() for file in left)
    assert not list(here.folders["temporary"].glob("discretion-*"))
    assert not list(here.folders["current"].iterdir())


def old_java(folder: Path) -> str:
    """Put a Java there that says and does what version 11 does when Spark 4 starts."""
    java = folder / "bin" / "java"
    java.parent.mkdir()
    java.write_text(
        '#!/bin/sh\nif [ "$1" = -version ]; then echo \'openjdk version "11.0.22" 2024-01-16\' >&2; exit 0; fi\n'
        "echo 'Error: LinkageError occurred while loading main class org.apache.spark.launcher.Main' >&2\nexit 1\n"
    )
    java.chmod(0o755)
    return str(folder)


# Why Spark does not start → the settings and the environment for which it does not.
WHY_NOT: dict[str, tuple[str, dict[str, str]]] = {
    "there is no java on the PATH, and JAVA_HOME is not set; Spark needs Java 17": ("", {"PATH": "/nowhere"}),
    "JAVA_HOME is /nowhere, where there is no bin/java; Spark needs Java 17": ("", {"JAVA_HOME": "/nowhere"}),
    "/bin/java is Java 11; Spark needs Java 17 or later": ("", {"JAVA_HOME": "{old}"}),
    "no master answers at spark://127.0.0.1:1,127.0.0.1:2;": ("spark.master spark://127.0.0.1:1,127.0.0.1:2", {}),
    "start: Master must either be yarn or start with": ("spark.master somewhere", {}),
    "Address already in use: Service 'sparkDriver' failed": (
        "spark.driver.port {busy}\nspark.port.maxRetries 0",
        {},
    ),
    "[INVALID_DRIVER_MEMORY] System memory": ("spark.driver.memory 300m", {}),
    "Invalid maximum heap size: -Xmx1x": ("spark.driver.memory 1x", {}),
    "grpcio": ("", {"SPARK_REMOTE": "sc://127.0.0.1:1"}),
}
Ended = tuple[Here, tuple[int, str, str], float]


@pytest.fixture(scope="module")
def not_starting(with_spark: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Future[Ended]]]:
    """Ask for an audit on Spark for every reason not to start, some beside each other; give how each ended."""

    def ask(here: Here, settings: str, environment: dict[str, str]) -> Ended:
        old = old_java(here.folders["settings"])
        here.environment.pop("JAVA_HOME", None)
        here.configure(settings.replace("{busy}", str(busy.getsockname()[1])))
        given = {name: value.replace("{old}", old) for name, value in environment.items()}
        began = time.monotonic()
        ended = here.audit("--engine", "spark", **given)
        return here, ended, time.monotonic() - began

    places = {why: Here(tmp_path_factory.mktemp("here")) for why in WHY_NOT}  # the factory is not for threads
    with socket.create_server(("127.0.0.1", 0)) as busy, ThreadPoolExecutor(3) as beside:
        yield {why: beside.submit(ask, places[why], *case) for why, case in WHY_NOT.items()}


@pytest.mark.parametrize("why", WHY_NOT)
def test_why_spark_does_not_start(not_starting: dict[str, Future[Ended]], why: str) -> None:
    here, (code, out, err), seconds = not_starting[why].result()
    assert (code, out) == (2, "")
    assert err.startswith("discretion: Spark did not start: ")
    assert why in err
    assert err.count("\n") == 1
    assert seconds < 60
    assert not list(here.folders["temporary"].glob("discretion-*"))


@pytest.fixture(scope="module")
def slow(spark: Any, cluster: Cluster) -> Iterator[Any]:
    """Give a table of 800 people that two workers take some seconds to count, and replace those that are killed."""
    spark.sql(
        "CREATE OR REPLACE TEMP VIEW slow AS SELECT"
        " if(reflect('java.lang.Thread', 'sleep', 10L) = 'never', 0, id % 7) AS a FROM range(0, 800, 1, 16)"
    )
    yield ibis.pyspark.connect(spark).table("slow")
    cluster.start_workers()
    wait_for_workers(spark, WORKERS)


def test_a_worker_that_is_killed_midway_changes_nothing(spark: Any, cluster: Cluster, slow: Any) -> None:
    def kill() -> None:
        tracker = spark.sparkContext.statusTracker()
        while not any(
            (info := tracker.getStageInfo(stage)) and info.numCompletedTasks > 2
            for stage in tracker.getActiveStageIds()
        ):
            time.sleep(0.05)
        cluster.kill_worker()

    population = Population(slow)
    killer = threading.Thread(target=kill)
    killer.start()
    sizes = population.class_sizes()
    killer.join()
    assert sizes.sizes.tolist() == [114, 115]
    assert sizes.counts.tolist() == [5, 2]
    wait_for_workers(spark, WORKERS - 1)


def test_no_worker_is_left(spark: Any, cluster: Cluster, slow: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert spark_session.PATIENCE == 25
    assert "no workers for 25 seconds" in str(spark_table.__doc__)
    population = Population(slow)
    while cluster.workers:
        cluster.kill_worker()
    monkeypatch.setattr(spark_session, "PATIENCE", 3)
    began = time.monotonic()
    with pytest.raises(EngineError, match="Spark has had no worker for 3 seconds, so there is no result, not even"):
        population.class_sizes()
    assert 3 <= time.monotonic() - began < 18  # 3 seconds after the executors have ended too
    monkeypatch.undo()
    cluster.start_workers()
    wait_for_workers(spark, WORKERS)
    assert population.class_sizes().people == 800
