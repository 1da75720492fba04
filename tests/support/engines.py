"""Engines that hold a table: DuckDB, and a Spark standalone cluster of one master and two workers on the loopback."""

import importlib.util
import os
import re
import shutil
import subprocess
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:  # every test loads this file, and few need an engine
    import pyarrow as pa

Engine = Callable[["pa.Table"], Any]
LOOPBACK = "127.0.0.1"
WORKERS = 2

# Most of what Spark does for tables this small is to start: code is run before it is worth compiling well.
SOON_READY = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


class Cluster:
    """A master and its workers, each a process; Spark's executors end with their worker.

    Parameters
    ----------
    folder
        Where they write.
    running
        Ends them.
    settings
        Spark's, as Java takes them, beside those by which they are soon ready.
    """

    def __init__(self, folder: Path, running: ExitStack, settings: str = "") -> None:
        import pyspark

        self._options = f"{SOON_READY} {settings}"
        self._folder, self._running, self._home = folder, running, Path(pyspark.__file__).parent
        self.workers: list[subprocess.Popen[bytes]] = []
        _, log = self._start("master", "master.Master", "--port", "0")
        self.master = said(log, rf"spark://{re.escape(LOOPBACK)}:\d+")

    def start_workers(self) -> None:
        """Start those that are missing, beside each other; :func:`wait_for_workers` waits for them."""
        while len(self.workers) < WORKERS:
            name = f"worker{len(list(self._folder.glob('*.log')))}"
            work = ["--cores", "1", "--memory", "512m", "--work-dir", str(self._folder / name)]
            worker, _ = self._start(name, "worker.Worker", *work, self.master)
            self.workers.append(worker)

    def kill_worker(self) -> None:
        worker = self.workers.pop()
        worker.kill()
        worker.wait(30)

    def _start(self, name: str, kind: str, *arguments: str) -> tuple[subprocess.Popen[bytes], Path]:
        command = [self._home / "bin" / "spark-class", f"org.apache.spark.deploy.{kind}", "--host", LOOPBACK]
        log = self._folder / f"{name}.log"
        environment = {
            **os.environ,
            "SPARK_HOME": str(self._home),
            "SPARK_LOCAL_IP": LOOPBACK,
            "SPARK_LOCAL_DIRS": str(self._folder),
            "SPARK_DAEMON_MEMORY": "256m",
            "SPARK_DAEMON_JAVA_OPTS": self._options,
        }
        with log.open("wb") as said_there:
            process = subprocess.Popen(
                [*command, "--webui-port", "0", *arguments],
                env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=said_there,
            )  # fmt: skip
        self._running.callback(process.wait, 30)
        self._running.callback(process.terminate)
        return process, log


@pytest.fixture(scope="session")
def with_spark() -> None:
    """Skip where Spark or its Java is not."""
    if importlib.util.find_spec("pyspark") is None:
        pytest.skip("pyspark is not installed: the extra spark")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Spark needs Java, which is not here")


@pytest.fixture(scope="session")
def cluster(with_spark: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Start a master and its workers."""
    with ExitStack() as running:
        started = Cluster(tmp_path_factory.mktemp("spark"), running)
        started.start_workers()
        yield started


def said(log: Path, what: str) -> str:
    """Wait until a process has said something in its log."""
    patience = time.monotonic() + 120
    while (found := re.search(what, log.read_text())) is None:
        assert time.monotonic() < patience, log.read_text()
        time.sleep(0.1)
    return found.group()


def wait_for_workers(session: Any, workers: int) -> None:
    patience = time.monotonic() + 120
    while session.sparkContext._jsc.sc().getExecutorMemoryStatus().size() != 1 + workers:  # 1: the driver
        assert time.monotonic() < patience
        time.sleep(0.1)


@pytest.fixture(scope="session")
def spark(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Open a session on the cluster."""
    from pyspark.sql import SparkSession

    settings = {
        "spark.driver.bindAddress": LOOPBACK,
        "spark.driver.extraJavaOptions": SOON_READY,
        "spark.driver.host": LOOPBACK,
        "spark.driver.memory": "512m",
        "spark.executor.extraJavaOptions": SOON_READY,
        "spark.executor.memory": "512m",
        "spark.local.dir": str(tmp_path_factory.mktemp("spark-driver")),
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("spark-warehouse")),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    builder = SparkSession.builder.master(cluster.master).appName("tests")
    for name, value in settings.items():
        builder = builder.config(name, value)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Spark's own, of Python's newer versions
        session = builder.getOrCreate()
        session.sparkContext.setLogLevel("OFF")
        wait_for_workers(session, WORKERS)
        yield session
        session.stop()


# Spark leaves its sockets to the garbage collector.
ON_SPARK = [
    pytest.mark.spark,
    pytest.mark.filterwarnings("ignore:.*unclosed.*socket"),
    pytest.mark.filterwarnings("ignore:.*socket.socket:pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(params=["duckdb", pytest.param("spark", marks=ON_SPARK)])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Engine:
    """Give what puts a table into an engine, by way of a Parquet file."""
    import ibis
    import pyarrow.parquet as pq

    name = request.param
    if name == "duckdb":
        connection = ibis.duckdb.connect()
    else:
        session = request.getfixturevalue("spark")  # first, for it skips where there is no Spark
        connection = ibis.pyspark.connect(session)

    def hold(table: "pa.Table") -> Any:
        path = tmp_path / f"table{len(list(tmp_path.iterdir()))}.parquet"
        pq.write_table(table, path)
        return connection.read_parquet(path if name == "duckdb" else str(path))

    return hold
