"""How long a newcomer waits for the first answer, beside what Python itself takes."""

import subprocess
import sys

import pytest

COMMANDS = {
    "python": ["-c", "pass"],
    "import discretion": ["-c", "import discretion"],
    "discretion --help": ["-m", "discretion", "--help"],
    "import numpy": ["-c", "import numpy"],
    "discretion measure": [
        "-m",
        "discretion",
        "measure",
        "krr:k=5,epsilon=1",
        "--users",
        "1000",
        "--shuffled",
        "--json",
    ],
}


@pytest.mark.benchmark(group="start")
@pytest.mark.parametrize("name", COMMANDS)
def test_start(benchmark, name: str) -> None:
    benchmark.pedantic(
        subprocess.run,
        args=([sys.executable, *COMMANDS[name]],),
        kwargs={"check": True, "capture_output": True},
        rounds=7,
        warmup_rounds=1,
    )
