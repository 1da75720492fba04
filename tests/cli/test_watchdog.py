"""What a process may have, and a command may take, ends in a sentence."""

import io
import json
import subprocess
import sys
import time
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet
from rich.console import Console

from discretion import Population, audit
from discretion.cli.watchdog import GRACE
from discretion.errors import InvalidValueError, TooLargeError
from discretion.jobs.audit import job, run_audit, time_limit
from discretion.jobs.options.tables import AuditOptions
from discretion.presenting.views.result_views import page as to_html
from discretion.presenting.views.terminal import to_text
from support.cli_runner import run, run_under

AUDIT = ["audit", "example:adult", "--columns", "sex,race"]


def run_code(code: str) -> tuple[int, str, str]:
    """Return the exit code, stdout and stderr of Python code in a process of its own."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("limit", "value", "way_out"),
    [
        ("RLIMIT_AS", 300_000_000, "ulimit -v"),
        ("RLIMIT_DATA", 100_000_000, "ulimit -d"),
        ("RLIMIT_STACK", 300_000, "ulimit -s"),
        ("RLIMIT_NOFILE", 20, "ulimit -n"),
        ("RLIMIT_CPU", 3, "ulimit -t"),
    ],
)
def test_a_command_without_room_to_start_says_so(limit: str, value: int, way_out: str) -> None:
    code, out, err = run_under({limit: value}, *AUDIT)
    assert (code, out, err.count("\n")) == (2, "", 1), err
    assert err.startswith("discretion: ")
    assert way_out in err


@pytest.mark.long
def test_a_chart_that_cannot_be_drawn_leaves_nothing_behind(tmp_path: Path) -> None:
    asked = ("exposure", "example:adult", "--columns", "sex,age", "--k", "10", "--chart", str(tmp_path / "chart.svg"))
    code, out, err = run_under({"RLIMIT_AS": 3_000_000_000}, *asked)
    assert (code, out, err.count("\n")) == (2, "", 1), err
    assert "draws charts does not start" in err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.long
def test_a_chart_is_the_same_drawn_in_a_process_of_its_own(tmp_path: Path) -> None:
    files = [tmp_path / "here.svg", tmp_path / "apart.svg"]
    for file, limits in zip(files, ({}, {"RLIMIT_NOFILE": 60}), strict=True):
        code, _, err = run_under(
            limits, "exposure", "example:adult", "--columns", "sex,race", "--k", "10", "--chart", str(file)
        )
        assert (code, err) == (0, "")
    here, apart = (file.read_text() for file in files)
    assert here == apart
    assert here.startswith("<svg")


@pytest.mark.long
def test_a_command_that_may_have_no_threads_says_so() -> None:
    limited = (
        "import _thread, sys\n"
        'def refuse(*_, **__): raise RuntimeError("can\'t start new thread")\n'
        "_thread.start_new_thread = _thread.start_joinable_thread = _thread._start_joinable_thread = refuse\n"
        "sys.argv = ['discretion', 'measure', 'krr:k=5,epsilon=1']\n"
        "from discretion.cli import main; sys.exit(main())"
    )
    code, out, err = run_code(limited)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "ulimit -v, -d, -u or -n" in err


def test_every_exit_code_is_told() -> None:
    code, out, _ = run("--help")
    assert code == 0
    assert all(
        number in out for number in ("0 success", "1 only if", "2 bad input", "3 not decided", "70", "129, 130, 143")
    )


@pytest.mark.parametrize("seconds", ["0", "-1", "1x", "", "nan", "1e3", "١"])
def test_a_time_is_seconds_minutes_or_hours(seconds: str) -> None:
    code, out, err = run(*AUDIT, "--time", seconds)
    assert (code, out) == (2, "")
    assert "--time must be seconds above 0" in err


@pytest.mark.parametrize("memory", ["0", "lots", "1 XB", "1MB", ""])
def test_a_memory_is_a_size(memory: str) -> None:
    code, out, err = run(*AUDIT, "--memory", memory)
    assert (code, out) == (2, "")
    assert "memory must be" in err


@pytest.mark.long
def test_an_audit_that_runs_out_of_time_names_what_it_left_out() -> None:
    found = audit("example:adult", sensitive="income", seconds=1e-6)
    assert len(found.columns) == 15
    assert found.sets.whole.classes > 0
    assert (found.sets.complete, found.decision.offers, found.collection) == (False, (), ())
    assert {each.verdict for each in found.decision.columns} == {"drop"}
    assert any(each.reason == "not known to fit: the time was over before" for each in found.decision.columns)
    assert any("sets of columns" in said and "reached its time limit" in said for said in found.not_examined)
    assert any(sentence.startswith("collecting the columns instead, or the rest") for sentence in found.not_examined)
    assert len(set(found.not_examined)) == len(found.not_examined)


def test_a_time_limit_may_have_begun_before_the_audit() -> None:
    limit = time_limit.TimeLimit(1e-6)
    found = run_audit("example:adult", AuditOptions(columns=["sex", "race"]), time=limit)
    assert found.cut_short == limit.cut
    assert "sets" in limit.cut


class Clock:
    """Stands still but for a second at each look, so that a limit can strike wherever one looks."""

    def __init__(self) -> None:
        self.seconds = 0

    def monotonic(self) -> int:
        self.seconds += 1
        return self.seconds


@pytest.mark.long
def test_wherever_the_time_limit_strikes_nothing_is_said_of_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    said_of_nothing = {
        "certified": "Nothing to certify",
        "sets": "No column can go out",
        "inference": "There is no column to guess",
        "collection": "No column has between",
        "redaction": "Nothing to redact",
    }
    struck: set[tuple[str, ...]] = set()
    table = pa.table({"sex": ["f", "m"] * 10, "town": [*"aabbccdd", *["e"] * 12], "ill": ["no"] * 19 + ["yes"]})
    people = Population(table)  # which answers again what it has answered, but looks at the clock as often
    for seconds in count(1):
        monkeypatch.setattr(time_limit, "time", Clock())
        found = audit(people, sensitive="ill", budget=0.05, k=3, seconds=seconds)
        page = io.StringIO()
        Console(file=page, width=100).print(to_text(found.document(), full=True))
        assert not any(said in page.getvalue() for part, said in said_of_nothing.items() if part in found.cut_short)
        assert ("cut this short" in page.getvalue()) == bool(found.cut_short)
        if found.cut_short not in struck:  # a page takes a second
            assert ("cut this short" in to_html(found)) == bool(found.cut_short)
        struck.add(found.cut_short)
        if not found.cut_short:
            break
    assert len(struck) > len(said_of_nothing)


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), "soon"])
def test_an_audit_takes_a_time_above_0(seconds: float) -> None:
    with pytest.raises(InvalidValueError, match="seconds must be"):
        audit("example:adult", ["sex"], seconds=seconds)


@pytest.mark.long
@pytest.mark.parametrize("seconds", ["0.1", "1", "2", "5"])
def test_an_audit_ends_with_what_it_has_in_any_time(seconds: str) -> None:
    code, out, err = run("audit", "example:adult", "--time", seconds, "--json")
    assert (code, err) == (0, "")
    results = json.loads(out)["results"]
    assert len(results["decision"]["columns"]) == 15
    assert bool(results["cut_short"]) == any("time limit" in sentence for sentence in results["not_examined"])
    assert seconds != "0.1" or "sets" in results["cut_short"]


@pytest.mark.long
def test_an_audit_ends_with_what_it_has_on_a_machine_that_is_busy(monkeypatch: pytest.MonkeyPatch) -> None:
    def open_slowly(*arguments: Any, **options: Any) -> Population:
        time.sleep(4)
        return open_people(*arguments, **options)

    open_people = job.open_people
    monkeypatch.setattr(job, "open_people", open_slowly)
    code, out, err = run(*AUDIT, "--time", "0.5", "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["results"]["cut_short"]


@pytest.mark.long
def test_an_audit_with_time_enough_leaves_out_nothing_for_it() -> None:
    slow, quick = (run(*AUDIT, "--json", *time)[1] for time in ((), ("--time", "1h")))
    assert json.loads(slow)["results"] == json.loads(quick)["results"]


@pytest.mark.long
def test_measures_that_run_out_of_time_keep_what_they_have() -> None:
    code, out, err = run("measure", "olh:k=100,epsilon=3", "--users", "1000000", "--shuffled", "--time", "1", "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)["results"]
    assert found["prior_vulnerability"] == 0.01
    assert found["not_computed"]["leakage"].startswith("the time limit of 1 s was reached")


@pytest.mark.long
def test_without_any_measure_in_time_there_is_no_answer() -> None:
    asked = ("measure", "olh:k=100,epsilon=3", "--users", "1000000", "--shuffled", "--only", "leakage")
    code, out, err = run(*asked, "--time", "1")
    assert (code, out) == (2, "")
    assert err.startswith("discretion: the time limit of 1 s was reached")


@pytest.mark.long
def test_mechanisms_that_run_out_of_time_keep_what_they_have() -> None:
    code, out, _ = run("compare", "olh:k=100,epsilon=3", "--users", "1000000", "--time", "1.5", "--json")
    assert code == 0
    found = json.loads(out)["results"]["olh:k=100,epsilon=3"]
    assert found["ldp_epsilon"] == 3
    assert any(reason.startswith("the time limit of 1.5 s was reached") for reason in found["not_computed"].values())


@pytest.mark.long
def test_a_time_limit_holds_inside_of_the_engine() -> None:
    # A question that takes days on any machine: the pairs of 10^7 people, one by one.
    asked = (
        "import ibis, pyarrow as pa; from discretion import Population; from discretion.cli.watchdog import Watchdog\n"
        "rows = Population(pa.table({'a': ['x', 'y']}))._rows\n"
        "people = ibis.range(10_000_000).unnest().name('i').as_table()\n"
        "pairs = people.cross_join(people.view()).select(i='i', j='i_right')\n"
        "limits = Watchdog(0.3)\n"
        "with limits.watched(), limits.working():\n"
        "    rows.ask(pairs.group_by('i').agg(least=pairs['j'].min()))\n"
    )
    start = time.monotonic()
    code, out, err = run_code(asked)
    assert time.monotonic() - start < 0.3 + GRACE + 10
    assert (code, out) in {(1, ""), (2, "")}  # unwound, or ended with its process
    assert "the time limit of 0.3 s was reached" in err.splitlines()[-1]


@pytest.mark.long
@pytest.mark.parametrize("data", [760_000_000, 900_000_000, 1_280_000_000])
def test_data_that_a_process_may_have_is_enough_or_not(data: int, tmp_path: Path) -> None:
    # Arrow's own pool reserved a GB of it, and a BLAS that finds no room when it is loaded tries for ever.
    draw = Random(1)
    path = tmp_path / "samples.csv"
    path.write_text("secret,seen\n" + "".join(f"{draw.choice('abc')},{draw.randint(0, 5)}\n" for _ in range(300)))
    code, out, err = run_under({"RLIMIT_DATA": data}, "estimate", str(path), "--seed", "1", "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["results"]["estimate_bayes_risk"]


def test_a_time_limit_that_strikes_in_a_destructor_strikes_again() -> None:
    lost = (
        "import time; from discretion.cli.watchdog import Watchdog\n"
        "class Slow:\n"
        "    def __del__(self): time.sleep(0.6)\n"
        "limits = Watchdog(0.2)\n"
        "with limits.watched(), limits.working():\n"
        "    Slow()\n"
        "    while True: time.sleep(0.01)\n"
    )
    code, _, err = run_code(lost)
    assert code == 1
    assert "Exception ignored" not in err
    assert err.splitlines()[-1].startswith("discretion.errors.TooLargeError: the time limit of 0.2 s was reached")


@pytest.mark.long
def test_a_loop_that_does_not_come_back_ends_with_the_process() -> None:
    stuck = (
        "import sys, threading; from discretion.cli.watchdog import Watchdog\n"
        "limits = Watchdog(0.5)\n"
        "with limits.watched(), limits.working():\n"
        "    while True:\n"
        "        try: threading.Event().wait()\n"
        "        except KeyboardInterrupt: pass\n"
    )
    code, out, err = run_code(stuck)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("discretion: the time limit of 0.5 s was reached")


@pytest.mark.long
def test_a_table_that_expands_beyond_its_memory_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "small.parquet"
    values = [f"{'x' * 2000}{i}" for i in range(75_000)]
    parquet.write_table(pa.table({"long": values}), path, compression="zstd")
    assert path.stat().st_size < 2_000_000
    code, out, err = run("exposure", str(path), "--k", "10", "--memory", "100MB")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "does not fit into 100 MB of memory; allow more (--memory" in err
    with pytest.raises(TooLargeError, match="does not fit into 100 MB"):
        Population(path, memory="100MB")
    with pytest.raises(TooLargeError, match="does not fit into 100 MB"):
        audit(path, memory=100_000_000)


@pytest.mark.long
def test_columns_are_limited_to_those_that_can_be_asked_about(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    names = [f"c{i}" for i in range(20_000)]
    path.write_text(",".join(names) + "\n" + (",".join("1" * len(names)) + "\n") * 3)
    code, out, err = run("audit", str(path))
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "20,000 columns to ask about, of at most 1,000; name those that matter" in err
    assert Population(path, ["c7", "c19999"]).people == 3


@pytest.mark.long
def test_a_wide_table_of_few_people_is_audited_in_parts(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    draw = Random(1)
    lines = [[str(draw.randrange(4)) for _ in range(60)] for _ in range(30)]
    path.write_text("\n".join(map(",".join, [[f"c{i}" for i in range(60)], *lines])))
    found = audit(path)
    assert (len(found.columns), len(found.collection), len(found.redaction.columns)) == (60, 20, 50)
    assert any("collecting 40 more columns instead" in sentence for sentence in found.not_examined)
    assert any("redacting rare values of more than 50 columns" in sentence for sentence in found.not_examined)
