"""The public names: all there, loaded when first used, and the same for people and for type checkers."""

import ast
import importlib.metadata
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import discretion as dc
from discretion import errors
from support.public_names import IN_ROOMS, PUBLIC, ROOMS

STUB = Path(dc.__file__).with_suffix(".pyi")


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.parametrize("module", ["numpy", "scipy", "ibis", "duckdb", "pyarrow", "altair", "numba"])
def test_importing_discretion_imports_nothing_heavy(module):
    assert run(f"import sys, discretion; print({module!r} in sys.modules)") == "False"


@pytest.mark.one_in(3)
@pytest.mark.parametrize("module", ["ibis", "duckdb", "pyarrow", "altair", "scipy.stats"])
def test_a_closed_form_needs_no_tables_and_no_charts(module):
    ask = "import sys, discretion as dc; dc.bayes_security(dc.RandomizedResponse(9, epsilon=1))"
    assert run(f"{ask}; print({module!r} in sys.modules)") == "False"


@pytest.mark.parametrize("module", ["discretion.shuffling", "numpy.ma", "numpy.polynomial"])
def test_a_measure_of_one_mechanism_loads_nothing_of_crowds_and_nothing_rare(module):
    command = "from discretion.cli import main; main(['measure', 'krr:k=5,epsilon=1', '--json'])"
    assert run(f"import sys; {command}; print({module!r} in sys.modules)").endswith("False")


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_is_there_and_documented(name):
    assert inspect.getdoc(PUBLIC[name])


def test_about_eighty_names_are_at_the_top_and_no_other_name_is_in_two_rooms():
    assert len(dc.__all__) < 85
    inside = [name.rsplit(".")[-1] for name in IN_ROOMS]
    assert sorted(set(inside)) == sorted(inside)


def test_a_name_is_found_once_and_kept():
    assert dc.Channel is dc.Channel is importlib.import_module("discretion.channels").Channel
    assert dc.errors is errors


def test_the_version_is_that_of_the_installed_distribution():
    assert dc.__version__ == importlib.metadata.version("discretion")
    assert run("import discretion; print(discretion.__version__)") == dc.__version__


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="'discretion' has no attribute 'no_such_name'"):
        dc.no_such_name  # noqa: B018


def test_names_are_listed_once():
    assert len(set(dc.__all__)) == len(dc.__all__)
    assert set(dir(dc)) == {*dc.__all__, *ROOMS, "errors", "charts", "limits"}


def test_the_stub_names_the_same():
    imported = {
        alias.asname: (node.module, alias.name)
        for node in ast.walk(ast.parse(STUB.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert set(imported) == set(dir(dc))
    for name in dc.__all__:
        module, original = imported[name]
        assert original == name
        assert getattr(importlib.import_module(module), name) is getattr(dc, name)


def test_every_error_is_discretion_s_and_a_builtin_s():
    classes = [c for _, c in inspect.getmembers(errors, inspect.isclass) if c.__module__ == errors.__name__]
    for error in classes:
        assert issubclass(error, errors.DiscretionError)
        assert error is errors.DiscretionError or issubclass(error, ValueError | TypeError | RuntimeError)
        assert error.__name__ in errors.__doc__


def test_an_unknown_column_suggests_the_nearest():
    assert "did you mean 'Income'" in str(errors.UnknownColumnError("incom", ["Age", "Income"]))
    assert "'Age', 'Income'" in str(errors.UnknownColumnError("zzz", ["Age", "Income"]))


@pytest.mark.parametrize(("columns", "length"), [(100_000, 5), (100_000, 60), (3, 1_000_000), (2000, 5000)])
def test_an_unknown_column_is_told_shortly_however_many_or_long_the_others_are(columns, length):
    said = str(errors.UnknownColumnError("age" * length, (f"{number:0{length}}" for number in range(columns))))
    assert len(said) < 700
    assert columns < 10 or f"and {columns - 5:,} more" in said


@pytest.mark.parametrize("name", [name for name, thing in PUBLIC.items() if hasattr(thing, "plan")])
def test_a_measure_is_shown_with_its_answer_not_with_its_plan(name):
    signature = inspect.signature(PUBLIC[name])
    assert "Plan" not in str(signature.return_annotation)
