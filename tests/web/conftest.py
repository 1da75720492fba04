import shutil
from collections.abc import Callable, Generator
from typing import Any

import pytest

from support.pages import Reader, Server

_QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture(scope="module")
def server() -> Generator[Server]:
    started = Server()
    yield started
    started.end()


@pytest.fixture(scope="module")
def browser() -> Generator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api")
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("no chromium on the path")
    with sync_api.sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium, args=list(_QUIET))
        yield running
        running.close()


@pytest.fixture
def visitor(browser: Any, server: Server) -> Generator[Callable[..., Reader]]:
    """Return a maker of readers, each in a browser that has nothing of another's."""
    readers: list[Reader] = []

    def made(**options: Any) -> Reader:
        readers.append(Reader(browser, server, **options))
        return readers[-1]

    yield made
    for reader in readers:
        reader.context.close()


@pytest.fixture
def reader(visitor: Callable[..., Reader]) -> Reader:
    """Return a reader who has been let in."""
    reader = visitor()
    reader.enter()
    return reader
