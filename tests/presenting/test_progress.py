"""What a terminal shows while work goes on."""

import io
import time

import pytest

from discretion.presenting.progress import Progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(Progress, "_PERIOD", 0.02)


def shown(monkeypatch, screen, stages):
    monkeypatch.setattr("sys.stderr", screen)
    progress = Progress()
    for stage in stages:
        progress(stage)
        time.sleep(0.2)
    progress.done()
    return screen.getvalue()


@pytest.mark.usefixtures("quick")
def test_each_stage_is_shown_while_it_lasts_and_wiped_at_the_end(monkeypatch):
    screen = shown(monkeypatch, Terminal(), ["reading", "counting"])
    assert "\r\x1b[2Kreading … 0 s" in screen
    assert "\r\x1b[2Kcounting … 0 s" in screen
    assert screen.endswith("\r\x1b[2K")


@pytest.mark.usefixtures("quick")
def test_what_is_no_terminal_is_left_alone(monkeypatch):
    assert not shown(monkeypatch, io.StringIO(), ["reading"])


def test_what_is_quick_shows_nothing(monkeypatch):
    assert not shown(monkeypatch, Terminal(), ["reading"])


def test_it_may_end_before_it_began():
    Progress().done()
