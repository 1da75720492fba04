"""A function that takes people says by its own name what it takes."""

import inspect

import pytest

import discretion as dc
from discretion.errors import UnsupportedError

# What a function needs beside the people.
NEEDED = {
    "budget": 0.1, "columns": ["sex"], "sensitive": "ill", "column": "sex", "name": "other", "values": {}, "n": 10,
    "k": 2, "threshold": 0.1, "population": 100, "rule": None, "rules": (),
}  # fmt: skip
TAKE_MORE = {"entropy_exposure_bound"}  # an entropy too
FUNCTIONS = {
    name: function
    for room in (dc, dc.anonymity)
    for name in room.__all__
    if inspect.isfunction(function := getattr(room, name))
    and next(iter(inspect.signature(function).parameters), "") == "P"
    and name not in TAKE_MORE
}


def called(function, given):
    """Call a function with what it cannot do without."""
    needed = [
        parameter
        for parameter in list(inspect.signature(function).parameters.values())[1:]
        if parameter.default is inspect.Parameter.empty or parameter.name in ("k", "rules")
    ]
    return function(given, **{parameter.name: NEEDED[parameter.name] for parameter in needed})


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("given", [[1, 2], "people.csv", None])
def test_the_function_that_was_called_is_named(name, given):
    with pytest.raises(UnsupportedError) as refused:
        called(FUNCTIONS[name], given)
    kind = type(given).__name__
    assert str(refused.value) == f"{name} takes a Population; got {kind}; make one with discretion.Population(table)"


def test_marginals_that_are_not_enough_are_refused_by_that_name():
    with pytest.raises(UnsupportedError, match=r"^k_anonymity takes a Population; got Marginals, which do not tell"):
        dc.anonymity.k_anonymity(dc.Population("example:adult").marginals(["sex"]))


def test_most_functions_are_asked():
    assert len(FUNCTIONS) >= 24
