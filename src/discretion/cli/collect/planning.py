"""``discretion collect plan``: how many people a collection needs."""

import json as json_
from itertools import count
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from discretion.cli.options import Whole, as_seed
from discretion.cli.output import print_json
from discretion.errors import InvalidValueError
from discretion.input_files import opened, read_toml
from discretion.jobs.options import as_header_option
from discretion.validation import as_count

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from discretion.collection.planning import Shares
    from discretion.collection.services.home import Role
    from discretion.collection.services.keys import Kind
    from discretion.collection.wire.task import Task


def plan(
    description: str,
    /,
    *,
    users: Whole,
    like: str | None = None,
    shares: str | None = None,
    header: str | None = None,
    seed: Whole | None = None,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Show which questions go out together with a number of people, and how many people more questions need.

    The command asks nobody and makes no keys.

    Parameters
    ----------
    description
        The task's description in TOML, as for discretion collect init.
    users
        The number of people that you expect to answer.
    like
        A table of people with a column for each question: the plan expects answers with its shares.
    shares
        A TOML or JSON file of expected shares, by question and answer; the rest of a question is "other".
    header
        The first line of a CSV file: names or a person, as for discretion audit.
    seed
        The seed that draws the people.
    json
        Print one JSON object.
    """
    from discretion.collection.planning import equal_shares, given_shares, plan_collection  # noqa: PLC0415

    if like is not None and shares is not None:
        raise InvalidValueError("use --like or --shares, not both")
    task = _task_of(description)
    law: Shares
    if like is not None:
        law, origin = _like(task, like, header), f"as in {like}"
    elif shares is not None:
        law, origin = given_shares(task, _read_shares(shares)), f"as in {shares}"
    else:
        law, origin = equal_shares(task), "assumed to be equal; --shares or --like sets others"
    result = plan_collection(task, as_count(users, "--users", at_least=1), law, origin, seed=as_seed(seed) or 0)
    if json:
        inputs = {
            "description": description, "users": users, "like": like, "shares": shares, "header": header, "seed": seed,
        }  # fmt: skip
        print_json("collect plan", inputs, result.to_dict())
    else:
        from discretion.collection.results.documents import plan_document  # noqa: PLC0415
        from discretion.presenting.tables import Screen  # noqa: PLC0415 - JSON needs no rich
        from discretion.presenting.views.terminal import to_text  # noqa: PLC0415

        Screen().print(to_text(plan_document(result)))
    return 0


def _task_of(description: str) -> "Task":
    """Return the task, with placeholders for missing keys."""
    from discretion.collection.describing import read_task  # noqa: PLC0415 - the extra collect

    return read_task(description, _KeysOfNobody())


class _KeysOfNobody:
    """Placeholders for keys, all different."""

    def __init__(self) -> None:
        self._numbers = count(1)

    def keys(self, role: "Role", place: int, url: str, closes: int) -> "Mapping[Kind, bytes]":
        return {kind: next(self._numbers).to_bytes(32) for kind in ("seal", "sign")}

    def admission(self, url: str, widths: "Sequence[int]", closes: int) -> tuple[tuple[bytes, ...], ...]:
        from discretion.collection.wire.task import MODULUS_BYTES  # noqa: PLC0415 - the extra collect

        last = (1 << 8 * MODULUS_BYTES) - 1
        return tuple(
            tuple((last - 2 * next(self._numbers)).to_bytes(MODULUS_BYTES) for _ in range(width)) for width in widths
        )


def _read_shares(path: str) -> "Mapping[str, Any]":
    if not path.endswith(".json"):
        return read_toml(path, "shares")[0]
    with opened(path, "shares", InvalidValueError) as file:
        try:
            given: Any = json_.loads(file.read())
        except (ValueError, RecursionError):
            given = None
    if not isinstance(given, dict):
        raise InvalidValueError(
            f"{path!r} must have shares as a JSON object of questions, as in docs/how-to/collecting.md"
        )
    return given  # pyright: ignore[reportUnknownVariableType]


def _like(task: "Task", table: str, header: str | None) -> "Shares":
    """Return the shares of a table's answers; answers that are not listed count as "other"."""
    import numpy as np  # noqa: PLC0415

    from discretion.collection.simulation.questionnaire import questionnaire_of  # noqa: PLC0415

    names = [feature.name for feature in task.features]
    asked = questionnaire_of(table, names, None, {}, np.random.default_rng(0), header=as_header_option(header))
    texts = {feature.name: values for feature, values in zip(asked.features, asked.texts, strict=True)}
    places = {feature.name: column for feature, column in zip(asked.features, asked.places.T, strict=True)}
    laws: dict[str, Any] = {}
    for feature in task.features:
        codes = np.array([feature.code_of(text) for text in texts[feature.name]])[places[feature.name]]
        laws[feature.name] = np.bincount(codes, minlength=len(feature.given)) / len(codes)
    return laws
