"""Small tables of people, constructed as examples."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

import discretion as dc


def people_with(columns: Mapping[str, ArrayLike]) -> dc.Population:
    """Return the people who have these values in each column."""
    arrow: Any = import_module("pyarrow")
    return dc.Population(arrow.table({name: np.asarray(values) for name, values in columns.items()}))


def people_in(classes: Sequence[int]) -> dc.Population:
    """Return people in classes of these sizes."""
    return people_with({"value": np.repeat(np.arange(len(classes)), classes)})
