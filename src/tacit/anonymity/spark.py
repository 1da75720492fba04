"""Files as rows on Apache Spark: for tables that one machine does not hold."""

import os
from importlib import import_module
from typing import Any

from tacit.anonymity.csv_layout import csv_layout
from tacit.anonymity.example import path_of
from tacit.anonymity.headers import Header
from tacit.errors import EngineError, InvalidTableError, UnsupportedError


def spark_table(path: str | os.PathLike[str], session: Any = None, header: Header = None) -> Any:
    """Return a Parquet or CSV file as an Ibis table on Spark, to make a :class:`Population` of.

    Parameters
    ----------
    path
        A ``.parquet`` file or folder, which Spark reads in pieces, or a ``.csv`` file (every value is text, empty is
        null). Every worker must see it under this path. Or ``"example:adult"``.
    session
        A ``pyspark.sql.SparkSession``. None takes the one that runs, or else starts one as Spark's own settings say
        (``SPARK_REMOTE``, ``spark-defaults.conf``); without any, on this machine.
    header
        What a CSV file's first line is, as for :class:`Population`.

    Raises
    ------
    UnsupportedError
        If PySpark is not installed.
    EngineError
        If Spark does not start.
    InvalidTableError
        If the file cannot be read as it stands.
    """
    path = path_of(path)
    kind = path.suffix.lower()
    if kind not in (".csv", ".parquet"):
        raise InvalidTableError(f"Spark reads .parquet and .csv, got {path}; write it as one of these first")
    if not path.exists():
        raise InvalidTableError(f"there is no file {path}")
    layout = csv_layout(path, header) if kind == ".csv" else None
    reader = (_session() if session is None else session).read
    try:
        if layout is None:
            frame = reader.parquet(str(path.absolute()))
        else:
            from tacit.anonymity.rows import check_names  # noqa: PLC0415 - imports Ibis

            names = check_names(layout.names, str(path))
            frame = reader.csv(
                str(path.absolute()),
                schema=", ".join(f"c{i} STRING" for i in range(len(names))),
                header=layout.header, enforceSchema=True, mode="FAILFAST", encoding="UTF-8",
                sep=",", quote='"', escape='"', nullValue="", emptyValue="", maxCharsPerColumn=-1,
                multiLine=layout.multiline,
            ).toDF(*names)  # fmt: skip
    except Exception as error:
        raise EngineError(f"Spark could not read {path} ({type(error).__name__}); see that its workers can") from None
    ibis: Any = import_module("ibis")
    engine = ibis.pyspark.connect(frame.sparkSession)
    view = f"tacit_{id(frame):x}"
    frame.createOrReplaceTempView(view)
    return engine.table(view)


def _session() -> Any:
    try:
        sql = import_module("pyspark.sql")
    except ImportError:
        raise UnsupportedError(
            "the Spark engine needs the package pyspark; pip install 'tacit[spark]' brings it"
        ) from None
    try:
        return sql.SparkSession.builder.appName("tacit").getOrCreate()
    except Exception as error:
        raise EngineError(
            f"Spark did not start ({type(error).__name__}); it needs Java 17 or later, by JAVA_HOME or on the PATH"
        ) from None
