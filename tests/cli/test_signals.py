"""A command that is told to end does so soon: in one sentence, by the exit code that shells know, leaving nothing."""

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from discretion.cli import main

# What it is told → its exit code and sentence.
ENDS = {
    signal.SIGINT: (130, "discretion: interrupted\n"),
    signal.SIGTERM: (143, "discretion: ended by SIGTERM\n"),
    signal.SIGHUP: (129, "discretion: ended by SIGHUP\n"),
}
CAUGHT = sum(1 << (number - 1) for number in ENDS)

# What a command may be at while its page is begun.
WORK = {
    "Python": "time.sleep(60)",
    "a query": ("duckdb.sql('SELECT sum(a.range * b.range) FROM range(9999999) a, range(999999) b').fetchall()"),
    "a library that does not return": (
        "lock = ctypes.CDLL(None).pthread_mutex_lock; mutex = bytes(64); [lock(mutex), lock(mutex)]"
    ),
}
PROGRAM = """
import ctypes, duckdb, sys, time
from discretion.cli import run, main
def run_instead(_):
    from discretion.presenting.files import written_whole
    with written_whole(sys.argv[1]) as page:
        print("begun", flush=True)
        {work}
    return 0
run.run = run_instead
sys.exit(main())
"""


@pytest.fixture(autouse=True, scope="module")
def _nohup_and_a_shells_background_have_no_say() -> Iterator[None]:
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL), signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    for number, handler in zip((signal.SIGHUP, signal.SIGINT), before, strict=True):
        signal.signal(number, handler)


@contextmanager
def started(code: str, *arguments: object, **options: object) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options,
    ) as process:  # fmt: skip
        try:
            yield process
        finally:
            process.kill()  # one that did not end as it should would be waited for


@pytest.mark.long
@pytest.mark.parametrize("number", ENDS)
@pytest.mark.parametrize("work", WORK)
def test_a_signal_ends_a_command_that_works(number: signal.Signals, work: str, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("the old one")
    with started(PROGRAM.format(work=WORK[work]), page) as process:
        assert process.stdout.readline() == "begun\n"
        time.sleep(0.2)
        process.send_signal(number)
        begun = time.monotonic()
        _, said = process.communicate(timeout=30)
        assert time.monotonic() - begun < 10
    assert (process.returncode, said) == ENDS[number]
    assert list(tmp_path.iterdir()) == [page]
    assert page.read_text() == "the old one"


@pytest.mark.long
def test_a_second_signal_ends_what_does_not_heed_the_first(tmp_path: Path) -> None:
    code = PROGRAM.format(work=WORK["a library that does not return"])
    with started(code, tmp_path / "page.html") as process:
        process.stdout.readline()
        time.sleep(0.2)
        process.send_signal(signal.SIGTERM)
        time.sleep(0.2)
        process.send_signal(signal.SIGTERM)
        begun = time.monotonic()
        assert process.communicate(timeout=30)[1] == "discretion: ended by SIGTERM\n"
        assert time.monotonic() - begun < 1.5
    assert process.returncode == 143


@pytest.mark.parametrize("number", ENDS)
def test_a_signal_while_modules_are_imported_shows_no_traceback(number: signal.Signals, tmp_path: Path) -> None:
    code = "import sys; from discretion.cli import main; sys.exit(main())"
    with started(code, "audit", "example:adult", "--html", tmp_path / "page.html") as process:
        while process.poll() is None and caught(process.pid) & CAUGHT != CAUGHT:
            time.sleep(0.001)
        process.send_signal(number)
        _, said = process.communicate(timeout=30)
    assert (process.returncode, said) == ENDS[number]
    assert list(tmp_path.iterdir()) == []


LOCKED_OUT = """
import _imp, sys, time
from discretion.cli.signals import until_told
def work():
    print("begun", flush=True)
    while True:
        try:
            time.sleep(60)
        except KeyboardInterrupt:
            pass
_imp.acquire_lock()
sys.exit(until_told(work))
"""
NEVER_TAKEN_DOWN = """
import sys, time
from discretion.cli.signals import until_told
class Waiting:
    def __del__(self):
        time.sleep(60)
held = Waiting()
def work():
    print("begun", flush=True)
    time.sleep(60)
sys.exit(until_told(work))
"""


@pytest.mark.long
@pytest.mark.parametrize("number", ENDS)
@pytest.mark.parametrize("code", [LOCKED_OUT, NEVER_TAKEN_DOWN], ids=["imports are locked", "libraries wait"])
def test_a_process_ends_whatever_state_the_signal_left_it_in(code: str, number: signal.Signals) -> None:
    # As it is where the signal comes while Python drops the lock of an import, or loads a library that has threads.
    with started(code) as process:
        assert process.stdout.readline() == "begun\n"
        process.send_signal(number)
        _, said = process.communicate(timeout=30)
    assert (process.returncode, said) == ENDS[number]


def caught(process: int) -> int:
    """Return the signals that a process handles, as bits."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next((int(line.split()[1], 16) for line in lines if line.startswith("SigCgt")), 0)


@pytest.mark.long
def test_what_nohup_and_a_shells_background_ignore_stays_ignored(tmp_path: Path) -> None:
    ignoring = "import signal, sys; [signal.signal(n, signal.SIG_IGN) for n in (signal.SIGINT, signal.SIGHUP)]"
    code = f"{ignoring}\n{PROGRAM.format(work='time.sleep(1)')}"
    with started(code, tmp_path / "page") as process:
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGHUP)
        assert process.communicate(timeout=30)[1] == ""
    assert process.returncode == 0


def test_a_program_that_calls_main_has_its_signals_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["discretion"])
    before = {number: signal.getsignal(number) for number in ENDS}
    for arguments in ((), ([],)):
        assert main(*arguments) == 0
        assert {number: signal.getsignal(number) for number in ENDS} == before
    assert signal.set_wakeup_fd(-1) == -1


def test_main_runs_in_any_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["discretion"])
    codes: list[int] = []
    thread = threading.Thread(target=lambda: codes.append(main()))
    thread.start()
    thread.join()
    assert codes == [0]


def test_a_program_that_handles_a_signal_goes_on_handling_it(tmp_path: Path) -> None:
    # Not by print, in the midst of whose last call the signal may come.
    handling = (
        "import os, signal, sys; signal.signal(signal.SIGTERM, lambda *_: os.write(sys.stdout.fileno(), b'mine\\n'))"
    )
    code = f"{handling}\n{PROGRAM.format(work='sys.stdin.read()')}"
    with started(code, tmp_path / "page", stdin=subprocess.PIPE) as process:
        process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        assert process.stdout.readline() == "mine\n"
        assert process.communicate(timeout=30)[1] == ""
    assert process.returncode == 0
    Path(tmp_path / "page").unlink()


@pytest.mark.long
@pytest.mark.parametrize("closed", ["--help", "measure --help", "measure krr:k=3,epsilon=1 --json"])
def test_a_closed_or_full_stdout_is_an_error(closed: str) -> None:
    for to, said in ((">&-", "standard output is closed"), (">/dev/full", "no space left on device")):
        shown = subprocess.run(
            f"{sys.executable} -m discretion {closed} {to}", shell=True, capture_output=True, text=True, check=False
        )
        assert (shown.returncode, shown.stderr.count("\n")) == (2, 1), shown.stderr
        assert said in shown.stderr.lower()


@pytest.mark.long
def test_a_page_never_takes_the_place_of_a_closed_stream(tmp_path: Path) -> None:
    page = tmp_path / "page.svg"
    command = f"{sys.executable} -m discretion exposure example:adult --columns sex --k 5 --chart {page} <&- 2>&-"
    shown = subprocess.run(command, shell=True, capture_output=True, text=True, check=True, timeout=120)
    assert "discretion" not in page.read_text()
    assert page.read_text().endswith("</svg>")
    assert shown.stdout.startswith("sex: ")
