"""Files as rows on Apache Spark, for tables that do not fit on one machine."""

import os
from importlib import import_module
from pathlib import Path
from typing import Any

from discretion.errors import DiscretionError, EngineError, InvalidTableError
from discretion.input_files import opened, without_password
from discretion.tables.engines.spark_session import keeps_elsewhere, open_session, while_workers_last
from discretion.tables.layouts.csv_layout import CHUNK, CsvLayout, csv_layout
from discretion.tables.layouts.headers import Header, names_in_line
from discretion.tables.layouts.text_format import TextFormat
from discretion.tables.locations import path_of

# The values of a line: each after a separator, quoted or not. Possessive, so that a long value takes no stack.
_VALUES = """
    transform(
        regexp_extract_all(
            concat('{separator}', trim(TRAILING char(13) FROM value)),
            '[{separator}]("[^"]*+(?:""[^"]*+)*+"|[^{separator}]*+)', 1
        ),
        v -> nullif(if(startswith(v, '"'), replace(substring(v, 2, length(v) - 2), '""', '"'), v), '')
    ) AS values
"""


def spark_table(
    path: str | os.PathLike[str], session: Any = None, header: Header = None, delimiter: str | None = None
) -> Any:
    """Return a Parquet or CSV file as an Ibis table on Spark, to make a :class:`Population` of.

    Spark writes parts of a table to its workers' disks while it counts. A session that this function starts on this
    machine writes them to a folder that only its user can open, encrypted with a key that ends with the session. It
    serves no web page, listens only on the loopback interface, to clients that know a secret, and shows no log. The
    folder is removed when Python ends, or at the next start. For a cluster, or a session that you pass or that runs
    already, its own settings apply: ask who can read its disks, logs and pages, and check
    ``spark.io.encryption.enabled``, ``spark.authenticate`` and ``spark.ui.enabled``.

    Parameters
    ----------
    path
        A ``.parquet`` file or folder, which Spark reads in pieces, or a ``.csv`` file (every value is text, empty is
        null), which it reads in one piece if a value holds a line break. Every worker must see it under this path. Or
        ``"example:adult"``.
    session
        A ``pyspark.sql.SparkSession``. None uses the running one, or else starts one with Spark's own settings
        (``SPARK_REMOTE``, ``spark-defaults.conf``); without settings, on this machine.
    header
        The kind of a CSV file's first line, as for :class:`Population`.
    delimiter
        The separator of the values of a CSV file, as for :class:`Population`.

    Raises
    ------
    EngineError
        If Spark does not start, or its cluster has no workers for 25 seconds; the limit is 300 seconds where workers
        have to wait in a queue, and there is none where Spark allocates workers as needed.
    InvalidTableError
        If the file cannot be read.

    Examples
    --------
    >>> import discretion as dc
    >>> table = dc.tables.spark_table("example:adult")          # doctest: +SKIP
    >>> dc.exposure(dc.Population(table), columns=["age", "sex"], k=10)     # doctest: +SKIP
    0.0018734068363993736
    """
    form = TextFormat(header=header, delimiter=delimiter)
    path = path_of(path)
    kind = path.suffix.lower()
    if kind not in (".csv", ".parquet"):
        raise InvalidTableError(
            f"Spark reads .parquet and .csv, got {without_password(str(path))}; write it as one of these"
        )
    if not path.exists():
        raise InvalidTableError(f"there is no file {path}")
    if path.is_file() and path.name.startswith(("_", ".")):
        raise InvalidTableError(f"Spark passes over files whose names begin with _ or ., and so over {path}; rename it")
    layout = csv_layout(path, form.header, form.delimiter) if kind == ".csv" else None
    if session is None:
        session = open_session()
    try:
        with while_workers_last(session):
            reader = session.read.option("__globPaths__", "false")  # a path is a name, never a pattern
            frame = reader.parquet(str(path.absolute())) if layout is None else _read_csv(reader, path, layout)
    except DiscretionError:
        raise
    except Exception as error:
        raise EngineError(f"Spark could not read {path} ({type(error).__name__}); see that its workers can") from None
    ibis: Any = import_module("ibis")
    engine = ibis.pyspark.connect(frame.sparkSession)
    view = f"discretion_{id(frame):x}"
    frame.createOrReplaceTempView(view)
    return engine.table(view)


def what_a_cluster_keeps(table: Any) -> str | None:
    """Return in a sentence what others may come to see of a table on Spark, or None if it is counted on this machine.

    Parameters
    ----------
    table
        The result of :func:`spark_table`.
    """
    if not keeps_elsewhere(table.get_backend()._session):
        return None
    return (
        "while Spark counts, its workers hold people's values on their disks, unencrypted unless "
        "spark.io.encryption.enabled is set, and after a crash permanently; its logs and pages show queries; ask who "
        "runs the cluster"
    )


def _read_csv(reader: Any, path: Path, layout: CsvLayout) -> Any:
    from discretion.tables.engines.rows import check_names  # noqa: PLC0415 - imports Ibis

    names = check_names(names_in_line(layout.names, str(path), numbered=layout.numbered), str(path))
    frame, rows = (_rows if layout.multiline else _lines)(reader, path, layout)
    if rows != layout.rows:
        raise InvalidTableError(
            f"{path} was read by Spark as {rows} rows but has {layout.rows}; write it as Parquet and give that"
        )
    return frame.toDF(*names)


def _lines(reader: Any, path: Path, layout: CsvLayout) -> tuple[Any, int]:
    """Read a file with one row per line: split it at line feeds, then at separators outside of quotes.

    Spark's own reader treats a carriage return as a line end, drops lines of control characters, and more.
    """
    functions: Any = import_module("pyspark.sql.functions")
    values = reader.text(str(path.absolute()), lineSep="\n").selectExpr(_VALUES.format(separator=layout.separator))
    fields = [f"values[{i}] AS c{i}" for i in range(len(layout.names))]
    is_whole = functions.size("values") == len(layout.names)
    if len(layout.names) > 1:  # blank lines at the end are no rows
        values = values.where(functions.size("values") > 1)
    if not layout.header:
        ((rows,),) = values.agg(functions.count_if(is_whole)).collect()
        return values.selectExpr(*fields), rows
    # Which line comes first is not known once the file is in pieces. All those that read as the header are the same, so
    # any of them may be it, and the others are put back.
    header = functions.array(*(functions.lit(name or None) for name in layout.names))
    is_header = functions.col("values") == header
    ((headers, others),) = values.agg(
        functions.count_if(is_header), functions.count_if(~is_header & is_whole)
    ).collect()
    people = values.where(~is_header)
    if headers > 1:
        people = people.union(people.sparkSession.range(headers - 1).select(header))
    return people.selectExpr(*fields), headers - 1 + others


def _rows(reader: Any, path: Path, layout: CsvLayout) -> tuple[Any, int]:
    """Read a file with line breaks in its values by Spark's own reader, in one piece."""
    with opened(path, "a table") as file:
        if any(b"\0" in chunk for chunk in iter(lambda: file.read(CHUNK), b"")):  # which the reader would drop
            raise InvalidTableError(
                f"{path} has NUL characters and line breaks in its values, which Spark cannot read together; write it "
                "as Parquet and give that"
            )
    width = len(layout.names)
    frame = reader.csv(
        str(path.absolute()),
        schema=", ".join(f"c{i} STRING" for i in range(width)),
        header=layout.header, enforceSchema=True, mode="FAILFAST", encoding="UTF-8",
        sep=layout.separator, quote='"', escape='"', nullValue="", emptyValue="",
        maxCharsPerColumn=-1, maxColumns=width + 1, multiLine=True, lineSep=layout.line_end,
    )  # fmt: skip
    return frame, frame.count()
