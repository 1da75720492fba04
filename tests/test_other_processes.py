"""What goes to another process arrives as it was, and what cannot go says so, at once."""

import copy
import doctest
import importlib
import importlib.util
import io
import multiprocessing
import os
import pickle
import pkgutil
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import redirect_stdout
from functools import cache
from threading import Event, Thread
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import discretion as dc
from discretion.errors import DiscretionError, EngineError, UnknownColumnError, UnsupportedError
from discretion.tables.engines.embedded import EmbeddedEngine
from discretion.tables.engines.one_process import ProcessBound
from support.pool_functions import of_an_unknown_column, of_everything
from support.public_names import PUBLIC

WAYS: dict[str, Callable[[Any], Any]] = {
    "pickled": lambda thing: pickle.loads(pickle.dumps(thing)),
    "copied": copy.copy,
    "copied deeply": copy.deepcopy,
}


@cache
def modules() -> list[ModuleType]:
    found = [module.name for module in pkgutil.walk_packages(dc.__path__, "discretion.")]
    extras = {"cryptography": "discretion.collection", "starlette": "discretion.web"}
    missing = [part for library, part in extras.items() if importlib.util.find_spec(library) is None]
    without = ("discretion.__main__", *missing)
    return [importlib.import_module(name) for name in found if not name.startswith(without)]


def errors(base: type[DiscretionError] = DiscretionError) -> Iterator[type[DiscretionError]]:
    modules()
    yield base
    for kind in base.__subclasses__():
        yield from errors(kind)


def raised(kind: type[DiscretionError]) -> DiscretionError:
    error = kind("age", ["sex", "race"]) if kind is UnknownColumnError else kind("one sentence")
    error.asked = {"of": "the table"}
    error.add_note("while it was read")
    return error


@pytest.mark.parametrize("way", WAYS)
def test_errors_arrive_with_their_sentence_and_all_they_hold(way: str) -> None:
    kinds = list(errors())
    assert UnknownColumnError in kinds
    for kind in kinds:
        sent = raised(kind)
        arrived = WAYS[way](sent)
        assert (type(arrived), str(arrived), vars(arrived)) == (kind, str(sent), vars(sent))


def shown_in_documentation(name: str) -> list[Any]:
    """Return the objects of ours that the examples of a public name make or show."""
    thing = PUBLIC[name]
    shown: list[Any] = []
    before, sys.displayhook = sys.displayhook, shown.append
    try:
        for test in doctest.DocTestFinder().find(thing, name, globs=dict(vars(sys.modules[thing.__module__]))):
            own = set(test.globs)
            for example in test.examples:
                if example.exc_msg is None and doctest.SKIP not in example.options:
                    with redirect_stdout(io.StringIO()):
                        exec(compile(example.source, f"<doctest {name}>", "single"), test.globs)
            shown += [value for key, value in test.globs.items() if key not in own]
    finally:
        sys.displayhook = before
    return [value for value in shown if type(value).__module__.startswith("discretion.")]


def same(one: Any, other: Any) -> bool:
    """Whether two objects hold the same, whatever they call equal."""
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other, equal_nan=one.dtype.kind in "fc")
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if type(one).__module__.startswith("discretion."):
        slots = {slot for kind in type(one).__mro__ for slot in getattr(kind, "__slots__", ())}
        held = slots | getattr(one, "__dict__", {}).keys()
        return all(same(getattr(one, name, None), getattr(other, name, None)) for name in held)
    return one == other or repr(one) == repr(other) == "nan" or pickle.dumps(one) == pickle.dumps(other)


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name, thing in PUBLIC.items() if ">>>" in (thing.__doc__ or "")])
def test_what_the_documentation_shows_arrives_as_it_was(name: str) -> None:
    for thing in shown_in_documentation(name):
        for way, sent in WAYS.items():
            if isinstance(thing, ProcessBound):
                with pytest.raises(UnsupportedError, match=r"cannot be pickled or copied, .*; make another one"):
                    sent(thing)
            else:
                assert same(sent(thing), thing), (way, thing)


def test_nothing_that_holds_an_engine_can_leave_it() -> None:
    population = dc.Population("example:adult", columns=["sex", "income"])
    for thing in (population, population._rows, population.joint(["sex"], "income"), [population]):
        for sent in WAYS.values():
            if thing.__class__ is list and sent is copy.copy:
                continue
            with pytest.raises(UnsupportedError, match="cannot be pickled or copied") as refusal:
                sent(thing)
            assert re.fullmatch(r"a \w+ cannot[^\n]*also in another process", str(refusal.value))


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.parametrize("start", multiprocessing.get_all_start_methods())
def test_pools_of_processes_answer_like_this_one(start: str) -> None:
    here = of_everything(3)
    with ProcessPoolExecutor(1, multiprocessing.get_context(start)) as pool:
        assert pool.submit(of_everything, 3).result(timeout=120) == here
        with pytest.raises(UnknownColumnError, match="did you mean 'age'"):
            pool.submit(of_an_unknown_column, 1).result(timeout=120)
        with pytest.raises(UnsupportedError, match="cannot be pickled"):
            pool.submit(repr, dc.Population("example:adult", columns=["sex"])).result(timeout=120)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_process_is_refused_by_the_parents_population() -> None:
    population = dc.Population("example:adult", columns=["sex", "race", "income"])
    known = population.class_sizes(["sex"])
    questions: list[Callable[[], Any]] = [
        lambda: population.class_sizes(["race"]),
        lambda: population.class_sizes_of_all([["race"], ["race", "sex"]]),
        lambda: population.rarest_value("sex"),
        lambda: population.best_guesses(["sex"], "income"),
        lambda: dc.anonymity.generalised(population, "sex", "any", {}, other="anybody"),
    ]
    reading, writing = os.pipe()
    if not os.fork():
        try:
            for question in questions:
                try:
                    os.write(writing, f"{question()}\n".encode())
                except EngineError as error:
                    os.write(writing, f"{error}\n".encode())
            os.write(writing, b"known\n" if population.class_sizes(["sex"]) == known else b"lost\n")
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as answers:
        *refusals, last = answers.read().splitlines()
    os.wait()
    assert last == "known"
    assert len(refusals) == len(questions)
    assert all(re.search("parent of this forked process; make another population", refusal) for refusal in refusals)


FREES_AND_ENDS = """
import os, sys, pyarrow, discretion as dc
# The stacks of so many threads are more than a C library keeps for a process that was forked.
populations = [dc.Population(pyarrow.table({"age": [1, 2]})) for _ in range(9)]
child = os.fork()
if not child:
    del populations
    print(dc.Population(pyarrow.table({"age": [1, 2]})).people)
    sys.exit()
assert os.waitpid(child, 0)[1] == 0
"""


@pytest.mark.long
@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_a_forked_process_frees_its_parents_populations_and_ends() -> None:
    command = [sys.executable, "-W", "ignore", "-c", FREES_AND_ENDS]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "2\n", "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_process_does_not_wait_for_a_thread_that_works_out_a_property() -> None:
    from discretion.shuffling.known_others import AmongKnown

    lock = getattr(vars(AmongKnown)["alike"], "lock", None)
    if lock is None:
        pytest.skip("since Python 3.12 there is no such lock")
    taken, done = Event(), Event()

    def work_it_out() -> None:
        with lock:
            taken.set()
            done.wait()

    thread = Thread(target=work_it_out)
    thread.start()
    taken.wait()
    child = os.fork()
    if not child:
        os._exit(not vars(AmongKnown)["alike"].lock.acquire(blocking=False))
    assert os.waitpid(child, 0)[1] == 0
    done.set()
    thread.join()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_nobody_forks_in_the_midst_of_an_engine_that_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    # Its libraries have locks of their own then, which a forked process would find taken for ever.
    import duckdb

    starting, connect = Event(), duckdb.connect

    def slow(*arguments: Any, **options: Any) -> Any:
        starting.set()
        time.sleep(0.2)
        made = connect(*arguments, **options)
        starting.clear()
        return made

    monkeypatch.setattr(duckdb, "connect", slow)
    thread = Thread(target=EmbeddedEngine, args=("a table",))
    thread.start()
    starting.wait()
    child = os.fork()
    if not child:
        os._exit(starting.is_set())
    assert os.waitpid(child, 0)[1] == 0
    thread.join()
