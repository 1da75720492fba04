"""Results as plain objects, and as the JSON that every interface returns."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, cast

from discretion.estimate import Estimate

SCHEMA_VERSION = 1


def answer(command: str, inputs: Mapping[str, Any], results: Mapping[str, Any], gates: Sequence[object] = ()) -> str:
    """Return the JSON object that a command prints, with ``gates`` if there are any.

    Examples
    --------
    >>> print(answer("measure", {"mechanism": "krr:k=2,p=1"}, {"ldp_epsilon": math.inf}))
    {
      "schema_version": 1,
      "command": "measure",
      "inputs": {
        "mechanism": "krr:k=2,p=1"
      },
      "results": {
        "ldp_epsilon": "inf"
      }
    }
    """
    whole: dict[str, Any] = {"schema_version": SCHEMA_VERSION, "command": command, "inputs": inputs, "results": results}
    if gates:
        whole["gates"] = gates
    return as_json(whole)


def as_json(whole: Mapping[str, Any]) -> str:
    """Return an object as JSON in ASCII; numbers that are not finite are strings.

    Examples
    --------
    >>> print(as_json({"epsilon": math.inf}))
    {
      "epsilon": "inf"
    }
    """
    # In ASCII, for any encoding of stdout: every character can be written, and none controls a terminal.
    return json.dumps(finite(plain(whole)), indent=2, allow_nan=False).replace("\x7f", "\\u007f")


def plain(value: Any) -> Any:
    """Return results as dicts of their fields, lists, numbers and strings.

    An `Estimate` has its kind, and the meaning of its value: a best guess or a bound.

    Examples
    --------
    >>> from discretion import Estimate
    >>> plain({"low": (Estimate(0.2, 0.1, 0.3, None, "bound").low,)})
    {'low': [0.1]}
    >>> of_a_bound = plain(Estimate(0.3, 0.1, 0.3, None, "sums"))
    >>> of_a_bound["value"], of_a_bound["kind"], of_a_bound["value_is"]
    (0.3, 'bound', 'upper bound')
    """
    if isinstance(value, Estimate):
        return plain(value.to_dict())
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in cast(Mapping[object, Any], value).items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in cast(list[Any], value)]
    return value


def finite(value: Any) -> Any:
    """Return plain results with the strings that stand for non-finite numbers, which JSON does not have.

    Examples
    --------
    >>> finite({"delta": [math.inf, 1.0]})
    {'delta': ['inf', 1.0]}
    """
    if isinstance(value, dict):
        return {key: finite(item) for key, item in cast(dict[str, Any], value).items()}
    if isinstance(value, list):
        return [finite(item) for item in cast(list[Any], value)]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
