from collections.abc import Callable, Generator
from typing import Any

import pytest

from support.chromium import running_chromium
from support.pages import Reader
from support.served_page import Served, serving


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Generator[Served]:
    with serving(tmp_path_factory.mktemp("page")) as started:
        yield started


@pytest.fixture(scope="module")
def browser() -> Generator[Any]:
    with running_chromium() as running:
        yield running


@pytest.fixture
def visitor(browser: Any, server: Served) -> Generator[Callable[..., Reader]]:
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
