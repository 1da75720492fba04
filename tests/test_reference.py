"""The reference is complete: every public name by its docstring, every command and option by its help."""

import inspect
import re
import runpy
from pathlib import Path

import pytest

import discretion as dc
from support.prose import CODE, EVERY_COMMAND, Block, command_help
from support.prose_rules import findings
from support.public_names import PUBLIC

ROOT = Path(__file__).parent.parent
# What stands for a value or a type is not a place for a docstring.
DOCUMENTED = {name: thing for name, thing in PUBLIC.items() if inspect.isclass(thing) or inspect.isfunction(thing)}
FUNCTIONS = [name for name, thing in DOCUMENTED.items() if inspect.isfunction(thing)]
VERBS = {"Return", "Audit", "Decide", "Estimate", "Compare", "Write", "Compute", "Count", "Measure"}
# A result that only functions make has its example there.
WITH_EXAMPLES = [
    *FUNCTIONS,
    *(name for name, thing in DOCUMENTED.items() if inspect.isclass(thing) and name in dc.__all__),
]


def sections(name: str) -> dict[str, str]:
    """The sections of a docstring by their titles; the summary is by none."""
    text = inspect.getdoc(DOCUMENTED[name]) or ""
    parts = re.split(r"\n(\w[\w ]+)\n-{3,}\n", f"\n{text}")
    return {"": parts[0].strip(), **dict(zip(parts[1::2], parts[2::2], strict=True))}


def summary(name: str) -> str:
    return sections(name)[""].partition("\n\n")[0]


@pytest.mark.parametrize("name", DOCUMENTED)
def test_the_summary_is_one_line_that_ends_with_a_period(name: str) -> None:
    assert "\n" not in summary(name)
    assert summary(name).endswith(".")


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_summary_of_a_function_is_an_imperative_verb_and_a_noun(name: str) -> None:
    first, second = summary(name).split()[:2]
    assert first in VERBS
    assert second not in {"what", "how", "which", "who", "by"}


@pytest.mark.parametrize("name", [name for name in DOCUMENTED if name not in FUNCTIONS])
def test_the_summary_of_a_class_begins_with_a_noun(name: str) -> None:
    assert not re.match(r"(What|How|Whether|Which|Who|If|By|Return|Guess|Represent)\b", summary(name))


@pytest.mark.parametrize("name", DOCUMENTED)
def test_the_summary_has_the_words_of_the_pages(name: str) -> None:
    assert findings(Block(name, 1, re.sub("`+[^`]+`+", CODE, summary(name)))) == []


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_parameter_of_a_function_is_described(name: str) -> None:
    described = {
        each.strip("* ")
        for line in re.findall(r"^(\*{0,2}\w.*)$", sections(name).get("Parameters", ""), re.MULTILINE)
        for each in line.partition(" : ")[0].split(",")
    }
    parameters = inspect.signature(DOCUMENTED[name]).parameters
    assert [each for each in parameters if each not in described] == []


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_there_is_an_example(name: str) -> None:
    assert ">>>" in sections(name).get("Examples", "")


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_error_that_a_function_raises_itself_is_listed(name: str) -> None:
    code = inspect.getsource(DOCUMENTED[name])
    raised = set(re.findall(r"^ +raise (\w+Error)\(", code, re.MULTILINE))
    assert [error for error in raised if error not in sections(name).get("Raises", "")] == []


def test_every_name_is_on_a_page_of_the_reference() -> None:
    pytest.importorskip("sphinx", reason="Sphinx is not installed: the group docs")
    rooms = dict(runpy.run_path(str(ROOT / "docs" / "conf.py"))["_rooms"]())
    on_pages = {f"{room}.{name}".removeprefix("discretion.") for room, names in rooms.items() for name in names}
    assert [name for name in PUBLIC if name not in on_pages] == []


@pytest.mark.parametrize("command", EVERY_COMMAND, ids=" ".join)
def test_every_option_has_a_help_of_sentences(command: list[str]) -> None:
    for name, text in command_help(command).items():
        assert re.match(r'[A-Z"\d]|rows:', text), name
        assert text.endswith((".", "?")), name


@pytest.mark.long
def test_every_command_and_option_is_on_the_page_of_commands() -> None:
    pytest.importorskip("sphinx", reason="Sphinx is not installed: the group docs")
    page = "".join(runpy.run_path(str(ROOT / "docs" / "conf.py"))["_commands"]())
    for command in EVERY_COMMAND:
        section = page.partition(f"## discretion {' '.join(command)}\n")[2].partition("\n## ")[0]
        assert [name for name in list(command_help(command))[1:] if name not in section] == []
