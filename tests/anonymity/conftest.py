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
from typing import Any

import ibis
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

Engine = Callable[[pa.Table], Any]
LOOPBACK = "127.0.0.1"


@pytest.fixture(scope="session")
def spark_master(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Start the cluster and give the address of its master."""
    if importlib.util.find_spec("pyspark") is None:
        pytest.skip("pyspark is not installed: pip install 'tacit[spark]'")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Spark needs Java, which is not here")
    import pyspark

    folder, home = tmp_path_factory.mktemp("spark"), Path(pyspark.__file__).parent
    environment = {
        **os.environ,
        "SPARK_HOME": str(home),
        "SPARK_LOCAL_IP": LOOPBACK,
        "SPARK_LOCAL_DIRS": str(folder),
        "SPARK_DAEMON_MEMORY": "256m",
    }

    with ExitStack() as running:

        def start(name: str, kind: str, *arguments: str) -> Path:
            command = [home / "bin" / "spark-class", f"org.apache.spark.deploy.{kind}", "--host", LOOPBACK]
            log = folder / f"{name}.log"
            process = subprocess.Popen(
                [*command, "--webui-port", "0", *arguments],
                env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log.open("wb"),
            )  # fmt: skip
            running.callback(process.wait, 30)
            running.callback(process.terminate)
            return log

        master = said(start("master", "master.Master", "--port", "0"), rf"spark://{re.escape(LOOPBACK)}:\d+")
        for name in ("first", "second"):
            work = ["--cores", "1", "--memory", "512m", "--work-dir", str(folder / name)]
            said(start(name, "worker.Worker", *work, master), "Successfully registered with master")
        yield master


def said(log: Path, what: str) -> str:
    """Wait until a process has said something in its log."""
    patience = time.monotonic() + 120
    while (found := re.search(what, log.read_text())) is None:
        assert time.monotonic() < patience, log.read_text()
        time.sleep(0.1)
    return found.group()


@pytest.fixture(scope="session")
def spark(spark_master: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Open a session on the cluster."""
    from pyspark.sql import SparkSession

    settings = {
        "spark.driver.bindAddress": LOOPBACK,
        "spark.driver.host": LOOPBACK,
        "spark.driver.memory": "512m",
        "spark.executor.memory": "450m",
        "spark.local.dir": str(tmp_path_factory.mktemp("spark-driver")),
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("spark-warehouse")),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    builder = SparkSession.builder.master(spark_master).appName("tests")
    for name, value in settings.items():
        builder = builder.config(name, value)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Spark's own, of Python's newer versions
        session = builder.getOrCreate()
        session.sparkContext.setLogLevel("OFF")
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
    name = request.param
    if name == "duckdb":
        connection = ibis.duckdb.connect()
    else:
        session = request.getfixturevalue("spark")  # first, for it skips where there is no Spark
        connection = ibis.pyspark.connect(session)

    def hold(table: pa.Table) -> Any:
        path = tmp_path / f"table{len(list(tmp_path.iterdir()))}.parquet"
        pq.write_table(table, path)
        return connection.read_parquet(path if name == "duckdb" else str(path))

    return hold
