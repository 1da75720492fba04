"""A closing job in a process of its own, on executors of their own.

``python -m support.collection.closed_on_spark FOLDER SETTINGS``: the messages, the key and the info are in the folder,
the session's settings in JSON; without any it is Discretion's own.
"""

import json
import sys
from pathlib import Path

from discretion.collection.parts import spark_shuffling
from discretion.collection.parts.decrypting import Opener
from discretion.collection.parts.spark_shuffling import shuffled_on_spark
from discretion.tables.engines.spark_session import open_session

WIDTH = 70


def main(folder: Path, settings: dict[str, str]) -> None:
    if settings:
        from pyspark.sql import SparkSession

        builder = SparkSession.builder
        for name, value in settings.items():
            builder = builder.config(name, value)
        builder.getOrCreate()
    spark_shuffling.PARTITION = 1 << 14
    key, info, sealed = ((folder / name).read_bytes() for name in ("key", "info", "messages"))
    pieces = (sealed[start : start + 999] for start in range(0, len(sealed), 999))
    done = shuffled_on_spark(pieces, WIDTH, Opener(key, info, WIDTH), folder / "out")
    tracker = open_session().sparkContext.statusTracker()
    stages = [
        tracker.getStageInfo(stage) for job in tracker.getJobIdsForGroup() for stage in tracker.getJobInfo(job).stageIds
    ]
    print(json.dumps([done.messages, done.dropped, done.digest.hex(), [stage.numTasks for stage in stages]]))


if __name__ == "__main__":
    main(Path(sys.argv[1]), json.loads(sys.argv[2]))
