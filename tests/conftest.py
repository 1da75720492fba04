import gc
from collections import Counter
from collections.abc import Generator, Sequence
from importlib import import_module
from typing import Any

import pytest
from hypothesis import settings

# Tests run on all cores as it is: threads for the small matrices of one would only wait for each other. The processes
# that tests start choose for themselves.
with pytest.MonkeyPatch.context() as before_numpy:
    before_numpy.setenv("OPENBLAS_NUM_THREADS", "1")
    import_module("scipy.linalg")

# A process has one Spark session, so that its fixtures are the same ones for all folders.
pytest_plugins = ["support.engines", "support.servers"]

# The same examples on every machine: a red test can then be run again.
for name, examples in {"few": 20, "many": 60}.items():
    settings.register_profile(name, deadline=None, derandomize=True, database=None, max_examples=examples)
settings.load_profile("few")

# What the README's command leaves out, and `.ci/run` asks for.
_KINDS = ("long", "spark", "postgres", "sweep", "hostile")
_LEFT_OUT = pytest.StashKey[Counter[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--cases", type=int, help="with -m hostile: how many cases of each kind")


@pytest.fixture
def cases(request: pytest.FixtureRequest) -> int | None:
    return request.config.getoption("--cases")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect the tests without looking for garbage, neither now nor among them later: it takes a third of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as long all but one in n of a test's other cases, if it has `one_in(n)`: before long ones are left out."""
    cases = Counter[str]()
    for item in items:
        if (asked := item.get_closest_marker("one_in")) and not {mark.name for mark in item.iter_markers()} & {*_KINDS}:
            name = item.nodeid.partition("[")[0]
            if cases[name] % asked.args[0]:
                item.add_marker("long")
            cases[name] += 1


def pytest_deselected(items: Sequence[pytest.Item]) -> None:
    left_out = items[0].config.stash.setdefault(_LEFT_OUT, Counter())
    left_out.update(kind for item in items for kind in {mark.name for mark in item.iter_markers()} & {*_KINDS})


def pytest_sessionfinish(session: pytest.Session) -> None:
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = dict(session.config.stash.get(_LEFT_OUT, {}))


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Each worker of pytest-xdist leaves out the same."""
    node.config.stash[_LEFT_OUT] = Counter(getattr(node, "workeroutput", {}).get("left_out"))


def pytest_unconfigure(config: pytest.Config) -> None:
    if left_out := +config.stash.get(_LEFT_OUT, Counter()):
        told = ", ".join(f"{count:,} {kind}" for kind, count in left_out.items())
        if not hasattr(config, "workeroutput"):
            command = f"uv run pytest -m {' or '.join(left_out)!r} --hypothesis-profile=many"
            print(f"Left out of these tests: {told}; .ci/run runs them, with more examples too, or: {command}")
