"""Chromium, as tests of pages start it: without a network of its own, and skipped where there is none."""

import shutil
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import pytest

_QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@contextmanager
def running_chromium(*arguments: str) -> Generator[Any]:
    """Give a browser that ends with the block."""
    sync_api = pytest.importorskip("playwright.sync_api")
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("no chromium on the path")
    with sync_api.sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium, args=[*_QUIET, *arguments])
        yield running
        running.close()
