"""A function of people takes a Population or any table that makes one; it refuses other values by its own name."""

import inspect
import sqlite3

import ibis
import pandas as pd
import pyarrow as pa
import pytest

import discretion as dc
from discretion.errors import InvalidTableError, UnsupportedError

COLUMNS = {"sex": ["f", "m", "f", "m", "f", "f", "m", "f"], "ill": ["y", "n", "n", "n", "y", "n", "y", "n"]}
# What a function needs beside the people.
NEEDED = {
    "budget": 0.1, "columns": ["sex"], "sensitive": "ill", "column": "sex", "name": "other", "rules": (),
    "values": {"sex": "f"}, "n": 10, "k": 2, "threshold": 0.1, "population": 100,
    "household": "sex", "l": 2,
    "rule": dc.anonymity.RedactionRule("sex", 4, 0.1),
    "ledger": dc.anonymity.Ledger([dc.anonymity.PublishedTable(pa.table(COLUMNS), name="before")]),
}  # fmt: skip
SHARES = [0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1]
NEEDED_BY = {"generalised": {"values": {"f": "x", "m": "x"}}}
TAKE_MORE = {"entropy_exposure_bound"}  # an entropy too
READ_IN_ONE_PROCESS = {"joint_exposure"}
FUNCTIONS = {
    name: function
    for room in (dc, dc.anonymity)
    for name in room.__all__
    if inspect.isfunction(function := getattr(room, name))
    and next(iter(inspect.signature(function).parameters), "") == "P"
}


def called(name, given):
    """Call a function with what it cannot do without."""
    needed = [
        parameter.name
        for parameter in list(inspect.signature(FUNCTIONS[name]).parameters.values())[1:]
        if parameter.default is inspect.Parameter.empty or parameter.name in ("k", "rules")
    ]
    return FUNCTIONS[name](given, **{each: NEEDED_BY.get(name, {}).get(each, NEEDED[each]) for each in needed})


def in_sqlite(folder):
    with sqlite3.connect(folder / "people.db") as database:
        database.execute("CREATE TABLE people (sex TEXT, ill TEXT)")
        database.executemany("INSERT INTO people VALUES (?, ?)", zip(*COLUMNS.values(), strict=True))
    return f"sqlite://{folder / 'people.db'}"


def in_csv(folder):
    pd.DataFrame(COLUMNS).to_csv(folder / "people.csv", index=False)
    return folder / "people.csv"


FORMS = {
    "path": in_csv,
    "text of a path": lambda folder: str(in_csv(folder)),
    "address of a database": in_sqlite,
    "pandas": lambda _: pd.DataFrame(COLUMNS),
    "polars": lambda _: pytest.importorskip("polars").DataFrame(COLUMNS),
    "Arrow": lambda _: pa.table(COLUMNS),
    "Ibis": lambda _: ibis.memtable(pa.table(COLUMNS)),
}


@pytest.mark.one_in(37)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_table_is_as_good_as_its_population(name, form, tmp_path):
    table = FORMS[form](tmp_path)
    if form == "Ibis" and name in READ_IN_ONE_PROCESS:
        for given in (table, dc.Population(table)):
            with pytest.raises(UnsupportedError, match="stay in their engine"):
                called(name, given)
        return
    of_table, of_population = called(name, table), called(name, dc.Population(table))
    if callable(of_table):
        of_table, of_population = ([curve(share) for share in SHARES] for curve in (of_table, of_population))
    if isinstance(of_table, dc.Population):
        of_table, of_population = (each.marginals().to_json() for each in (of_table, of_population))
    if type(of_table).__eq__ is object.__eq__:  # it has arrays
        of_table, of_population = (str(vars(each)) for each in (of_table, of_population))
    assert of_table == of_population


@pytest.mark.one_in(3)
@pytest.mark.parametrize("form", FORMS)
def test_the_population_of_a_risk_may_be_a_table(form, tmp_path):
    people = dc.Population(pa.table({name: values[:3] for name, values in COLUMNS.items()}))
    table = FORMS[form](tmp_path)
    risks = dc.anonymity.reidentification_risks(people, population=table)
    assert risks == dc.anonymity.reidentification_risks(people, population=dc.Population(table))


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name not in TAKE_MORE])
@pytest.mark.parametrize("given", [[1, 2], {"sex": ["f"]}, None], ids=["list", "dict", "None"])
def test_the_function_that_was_called_is_named(name, given):
    with pytest.raises(UnsupportedError) as refused:
        called(name, given)
    assert str(refused.value) == (
        f"{name} takes a Population or a table; got {type(given).__name__}; a table is a path, an address, a pandas, "
        "polars or Arrow table, or an Ibis table"
    )


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_table_that_cannot_be_read_is_refused(name):
    with pytest.raises(InvalidTableError, match=r"people\.csv"):
        called(name, "people.csv")


def test_marginals_that_are_not_enough_are_refused_by_that_name():
    with pytest.raises(
        UnsupportedError, match=r"^k_anonymity takes a Population or a table; got Marginals, which do not show"
    ):
        dc.anonymity.k_anonymity(dc.Population("example:adult").marginals(["sex"]))


def test_most_functions_are_asked():
    assert len(FUNCTIONS) >= 24
