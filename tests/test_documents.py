"""What the documents say of the code is so; that their examples run is tested by running them."""

import inspect
import re
import shlex
import sys
import tomllib
from operator import attrgetter
from pathlib import Path

import pytest
from jinja2 import Template

import discretion as dc
from discretion import errors
from discretion.cli import main
from discretion.cli.collect import SUBCOMMANDS
from discretion.cli.commands import COMMANDS
from discretion.cli.run import _app
from discretion.spelling import (
    adversaries,
    gain_of,
    gains,
    knowledge_of,
    mechanism_of,
    mechanisms,
    population_of,
    prior_of,
)
from support.prose import PAGES
from support.public_names import IN_ROOMS, ROOMS

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "discretion"
TEXTS = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in PAGES}
ARCHITECTURE = TEXTS["docs/explanation/architecture.md"]
COMMAND_LINE, NAMES = (TEXTS[f"docs/reference/{name}.md"] for name in ("command-line", "names"))

FILES = {
    str(path.relative_to(ROOT))
    for room in ("src", "tests", "docs", "benchmarks", "deploy", ".ci")
    for path in (ROOT / room).rglob("*")
} | {path.name for path in ROOT.iterdir()}


def section(text: str, title: str) -> str:
    """What stands below a heading, up to the next one."""
    return text.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def rows(text: str) -> list[list[str]]:
    """The cells of a table's rows, without its head."""
    lines = [line[1:-1].split("|") for line in text.splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line] for line in lines]
    return [line for line in cells if set(line[-1]) - {"-"}]


def quoted(text: str) -> list[str]:
    return re.findall(r"`([^`\n]+)`", text)


@pytest.mark.parametrize("name", TEXTS)
def test_every_file_and_every_link_named_there_is_there(name: str) -> None:
    paths = [
        word for word in quoted(TEXTS[name]) if re.fullmatch(r"[\w./-]*(/|\.py|\.md|\.toml)", word) and word != "/"
    ]
    missing = [
        path
        for path in paths
        if not any(file == path.rstrip("/") or file.endswith(f"/{path.rstrip('/')}") for file in FILES)
    ]
    links = re.findall(r"\]\(([^)#:]+)\)", TEXTS[name])
    assert missing == []
    assert [link for link in links if not ((ROOT / name).parent / link).exists()] == []


def test_the_list_for_language_models_has_pages_that_there_are() -> None:
    listed = re.findall(r"\]\(([\w/.-]+)\.html\)", (ROOT / "docs" / "llms.txt").read_text(encoding="utf-8"))
    pages = {
        page for page in listed if not page.startswith("reference/generated/")
    }  # which the site makes of names and help
    assert len(listed) > 15
    assert [page for page in pages if f"docs/{page}.md" not in TEXTS] == []


@pytest.mark.parametrize("name", TEXTS)
def test_every_public_name_stands_in_its_room(name: str) -> None:
    named = re.findall(r"\bdc\.([a-z_]\w*(?:\.[A-Za-z_]\w*)*|[A-Z]\w*[a-z]\w*)", TEXTS[name])
    for each in named:
        attrgetter(each)(dc)
    for room, names in re.findall(r"in `dc\.(\w+)`: ((?:`\w+`(?:, )?)+)", TEXTS[name]):
        assert {f"{room}.{each}" for each in quoted(names)} <= {*IN_ROOMS}


@pytest.mark.parametrize("name", TEXTS)
def test_every_command_line_takes_the_options_that_it_is_shown_with(name: str) -> None:
    lines = re.findall(
        r"^uv run (?:--\w+ \w+ )*discretion (.+)$|uv run discretion (audit .+)$", TEXTS[name], re.MULTILINE
    )
    for line in lines:
        arguments = shlex.split("".join(line))
        _app(arguments).parse_args(arguments, exit_on_error=False, print_error=False)


def test_the_command_line_s_page_lists_all_commands() -> None:
    table = COMMAND_LINE.partition("\n## ")[0]
    assert [cells[0].strip("`").removeprefix("discretion ") for cells in rows(table)[1:]] == [*COMMANDS]


def test_the_command_line_s_page_lists_all_commands_of_a_collection() -> None:
    listed = [
        cells[0].strip("`").removeprefix("discretion collect ")
        for cells in rows(section(COMMAND_LINE, "A collection"))[1:]
    ]
    assert listed == [*SUBCOMMANDS]


def test_all_mechanisms_are_spelled_there_with_their_keys() -> None:
    known = {**mechanisms.MECHANISMS, **mechanisms.LONGITUDINAL, **dict.fromkeys(mechanisms._EXPLICIT)}
    table = {name: cells for cells in rows(section(COMMAND_LINE, "Mechanisms"))[1:] for name in quoted(cells[0])}
    assert {*table} == {*known}
    for name, (_, keys, _, spelling) in table.items():
        if (make := known[name]) is not None:
            assert {*quoted(keys)} == {*inspect.signature(make).parameters}
            optional = {
                key
                for key, each in inspect.signature(make).parameters.items()
                if each.default not in (each.empty, None)
            }
            assert {*quoted("".join(re.findall(r"\[.*?\]", keys)))} >= optional
        assert spelling.strip("`").partition(":")[0] in quoted(table[name][0])
        mechanism_of(spelling.strip("`"))


def test_all_adversaries_are_spelled_there() -> None:
    readers = {
        "--adversary": knowledge_of, "--prior": prior_of, "--gain": lambda text: gain_of(text, 3),
        "--population": lambda text: population_of(text, 3 if text == "jeffreys" else 2),
    }  # fmt: skip
    option, found = "", set[str]()
    for cells in rows(section(COMMAND_LINE, "Adversaries"))[1:]:
        option = cells[0].strip("`") or option
        readers[option](cells[1].strip("`"))
        found.add(cells[1].strip("`").partition(":")[0])
    assert found >= {*adversaries._KNOWLEDGE, *adversaries._POPULATIONS, *gains.GAINS}


def test_all_names_are_listed_and_no_others() -> None:
    assert sorted(quoted("".join(cells[1] for cells in rows(section(NAMES, "At the top"))[1:]))) == sorted(dc.__all__)
    listed = {
        cells[0].strip("`").removeprefix("dc."): quoted(cells[1]) for cells in rows(section(NAMES, "In the rooms"))[1:]
    }
    assert [*listed] == [*ROOMS, "charts", "errors", "limits"]
    of_errors = [
        name for name, each in vars(errors).items() if inspect.isclass(each) and each.__module__ == errors.__name__
    ]
    assert sorted(listed.pop("errors")) == sorted(of_errors)
    assert sorted(listed.pop("charts")) == sorted(dc.charts.__all__)
    assert listed.pop("limits") == ["Limits", "current", "within"]
    assert sorted(f"{room}.{name}" for room, names in listed.items() for name in names) == sorted(IN_ROOMS)


def test_the_arrows_are_those_that_are_held() -> None:
    rules = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
    here = [re.sub(r" \| \(\w+\)", "", layer) for layer in rules[0]["layers"]]
    drawn = section(ARCHITECTURE, "The arrows").split("```")[1]
    assert drawn.split("\n")[1:-1] == here


def test_every_room_has_its_line() -> None:
    rooms = {quoted(cells[0])[0] for cells in rows(section(ARCHITECTURE, "The rooms"))[1:]}
    assert rooms == {f"src/discretion/{path.parent.name}/" for path in SOURCE.glob("*/__init__.py")}


def entered(arguments: list[str]) -> list[str]:
    """The files of ours that a command goes through, each time that it comes to another one."""
    here = str(Path(dc.__file__).parent)
    through: list[str] = []

    def note(frame, event, _) -> None:
        code = frame.f_code
        if event != "call" or not code.co_filename.startswith(here) or not code.co_flags & inspect.CO_OPTIMIZED:
            return
        if through[-1:] != [code.co_filename]:
            through.append(code.co_filename)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        assert main(arguments) == 0
    finally:
        sys.setprofile(before)
    return [str(Path(path).relative_to(here)) for path in through]


@pytest.mark.parametrize(
    ("title", "arguments"),
    [
        pytest.param("one table", ["audit", "example:adult", "--columns", "sex,race"], marks=pytest.mark.long),
        # Not of 100 users, whose sum an example may have left in a cache.
        ("one crowd", ["measure", "krr:k=5,epsilon=1", "--users", "9973", "--shuffled"]),
    ],
)
def test_a_command_goes_through_the_rooms_in_the_order_that_is_drawn(title: str, arguments: list[str]) -> None:
    walk = re.findall(r'\["([\w/.]+)<br>', section(ARCHITECTURE, f"A walk: {title}"))
    assert 5 < len(walk) <= 10
    files = iter(entered(arguments))
    assert [stop for stop in walk if not any(file.startswith(stop) for file in files)] == []


@pytest.mark.parametrize(("versions", "links"), [([], []), (["0.1.0"], []), (["0.1.0", "0.2.0"], ["0.1.0", "0.2.0"])])
def test_the_site_lists_its_versions_if_there_are_several(versions: list[str], links: list[str]) -> None:
    template = Template((ROOT / "docs/_templates/sidebar/versions.html").read_text(encoding="utf-8"))
    shown = template.render(versions=versions, release="0.1.0", pathto=lambda page, _: f"../{page}")
    assert re.findall(r'href="\.\./\.\./(.+?)/index\.html"', shown) == links
    assert shown.count("current-page") == bool(links)
