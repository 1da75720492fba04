"""A server ends by the first signal, and passes it on once: a second one would cut its end short."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from discretion.server_signals import handled_by

ENDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@pytest.fixture
def passed_on() -> Iterator[list[int]]:
    """Handle all three as a command does, and list what comes."""
    received: list[int] = []
    before = {number: signal.signal(number, lambda number, _: received.append(number)) for number in ENDS}
    yield received
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", ENDS)
def test_one_signal_is_handled_and_passed_on_and_rings_once(number: int, passed_on: list[int]) -> None:
    bell, ringer = os.pipe()
    os.set_blocking(ringer, False)
    before, handled = signal.set_wakeup_fd(ringer), list[int]()
    try:
        with handled_by(lambda number, _: handled.append(number)):
            signal.raise_signal(number)
            assert (handled, passed_on) == ([number], [])
        assert (handled, passed_on) == ([number], [number])
        assert os.read(bell, 9) == bytes([number])
    finally:
        signal.set_wakeup_fd(before)
        os.close(bell)
        os.close(ringer)


def test_of_two_signals_the_first_is_passed_on(passed_on: list[int]) -> None:
    handled: list[int] = []
    with handled_by(lambda number, _: handled.append(number)):
        signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGINT)
    assert (handled, passed_on) == ([signal.SIGTERM, signal.SIGINT], [signal.SIGTERM])


def test_an_ignored_signal_stays_ignored(passed_on: list[int]) -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with handled_by(lambda number, _: pytest.fail(f"{number} was handled")):
        signal.raise_signal(signal.SIGHUP)
    assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    assert not passed_on


def test_ctrl_c_is_python_s_own_interrupt_where_it_was() -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt), handled_by(lambda *_: None):
            signal.raise_signal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)


def test_what_nobody_handled_ends_the_process() -> None:
    ended = subprocess.run(
        [
            sys.executable,
            "-c",
            "import signal; from discretion.server_signals import handled_by\n"
            "with handled_by(lambda *_: print('handled', flush=True)): signal.raise_signal(signal.SIGTERM)\n"
            "print('not ended')",
        ],
        capture_output=True,
        check=False,
        text=True,
    )
    assert (ended.returncode, ended.stdout) == (-signal.SIGTERM, "handled\n")
