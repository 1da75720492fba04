"""What `docs/how-to/collecting.md` tells an operator is so."""

import re
import shlex
from pathlib import Path

import pytest

from discretion.cli.run import _app
from discretion.collection import describing
from discretion.collection.services import calls, credentials, keys
from discretion.collection.services.shuffler import ShufflerService
from support.collection.homes import housed
from test_documents import quoted, rows

PAGE = (Path(__file__).parents[2] / "docs" / "how-to" / "collecting.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^discretion (collect .+)$", PAGE, re.MULTILINE)


def table(head: str) -> list[list[str]]:
    return rows(PAGE.partition(f"\n| {head} |")[2].partition("\n\n")[0])


def test_every_key_of_a_task_has_its_row() -> None:
    assert {name for cells in table("key") for name in quoted(cells[0])} == {*describing._KEYS}
    assert {name for cells in table("key") if cells[2] == "needed" for name in quoted(cells[0])} == {
        *describing._NEEDED
    }
    assert [quoted(cells[0])[0] for cells in table("key of a question")] == [*describing._KEYS_OF_FEATURE]
    assert [quoted(cells[0])[0] for cells in table("key of a party")] == [
        *describing._KEYS_OF_PARTY["curator"], "admission",
    ]  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_one(command: str) -> None:
    arguments = shlex.split(command)
    _app(arguments).parse_args(arguments, exit_on_error=False, print_error=False)


def test_the_steps_are_all_there() -> None:
    assert {command.split()[1] for command in COMMANDS} >= {
        "keys", "init", "shuffler", "curator", "analyst", "admitter", "admit", "submit", "status", "close", "open",
        "result", "destroy",
    }  # fmt: skip


def test_every_variable_every_event_and_every_count_is_told(tmp_path: Path) -> None:
    assert [quoted(cells[0])[0] for cells in table("variable")] == [credentials.VARIABLE, keys.VARIABLE]
    source = "".join(path.read_text(encoding="utf-8") for path in Path(calls.__file__).parent.glob("*.py"))
    logged = {word for call in re.findall(r"\blog\(([^,)]+)", source) for word in re.findall(r'"([a-z ]+)"', call)}
    told = re.search(r'`{"at", "event", …}`. The events are (.+?)\. Logs contain', PAGE, re.DOTALL)
    assert told is not None
    assert {*quoted(told[1].replace("\n", " "))} == logged
    counted = re.findall(r"# TYPE (discretion_\w+) (\w+)", told_by_a_meter(tmp_path))
    assert {name for name, _ in counted} == {*re.findall(r"`(discretion_collect_\w+)`", PAGE)}


def told_by_a_meter(folder: Path) -> str:
    service = ShufflerService(housed(folder).homes["shuffler-0"])
    service.application(certificate_expires=0)
    meter = service.meter
    meter.request("GET /health", 200, 0.1)
    meter.upload(1, "stored")
    meter.messages(1, 1, 0)
    return re.sub(r"# TYPE \w+_created gauge\n", "", meter.prometheus_text().decode())
