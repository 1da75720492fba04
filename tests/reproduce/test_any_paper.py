"""What holds of every item of every paper: it is named, and made of public functions. More in `papers`."""

import ast
from pathlib import Path

import pytest

import discretion as dc
import discretion.charts
import discretion.reproduce
from discretion.reproduce import PAPERS, Published
from reproduce.papers import EVERY_ITEM
from support.cli_runner import run
from support.public_names import ROOMS

ITEMS = {
    "shuffle": [
        "table-1a", "table-1b", "table-1c", "table-2", "table-3", "table-4", "table-5",
        *(f"figure-{number}" for number in range(2, 8)), "equivalences", "numbers",
    ],
    "ldp": [
        "example-3-2", "figure-1", "table-4-1", "lemma-4-7", "remark-7-9", "table-10-1", "table-10-2", "figure-2",
        "figure-3", "numbers",
    ],
    "bayes-security": [
        "game-1", "figure-1", "figure-2", "figure-3", "figure-4", "table-2", "figure-5", "figure-6", "figure-7",
        "figure-8", "numbers",
    ],
    "anonymity": [
        "figure-2", "theorem-4", "figure-3", "proposition-13", "section-3", "section-7", "section-8", "numbers",
    ],
}  # fmt: skip


def test_the_papers_have_these_items():
    assert {paper: list(given.items) for paper, given in PAPERS.items()} == ITEMS


def test_the_command_line_lists_every_paper_and_item():
    code, out, err = run("reproduce")
    assert (code, err) == (0, "")
    assert all(f"{paper}: {given.citation}" in out for paper, given in PAPERS.items())
    assert all(f"{item} " in out for _, item in EVERY_ITEM)
    assert all(paper in " ".join(run("reproduce", "--help")[1].split()) for paper in PAPERS)


PUBLIC = {
    "discretion": {*dc.__all__, *ROOMS},
    **{f"discretion.{room}": {*getattr(dc, room).__all__} for room in ROOMS},
    "discretion.charts": {*discretion.charts.__all__},
    # What a result is made of, and the papers' own room.
    "discretion.estimate": {"highest", "lowest"},
    # Names of types, which compute nothing.
    "discretion.numerics.arrays": {"Integers", "Reals"},
}
ROOM = Path(discretion.reproduce.__file__).parent
# Figures draw what they are given, in the style of the other charts.
MODULES = sorted(str(file.relative_to(ROOM)) for file in ROOM.glob("*/*.py") if file.parent.name != "charts")


@pytest.mark.parametrize("module", MODULES)
def test_papers_are_made_from_public_functions_only(module):
    for node in ast.walk(ast.parse((ROOM / module).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            assert all(name.name == "discretion" or not name.name.startswith("discretion.") for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module.startswith("discretion"):
            if not node.module.startswith("discretion.reproduce"):
                assert {name.name for name in node.names} <= PUBLIC[node.module]
        elif (
            isinstance(node, ast.Attribute) and (of := ast.unparse(node.value).replace("dc", "discretion", 1)) in PUBLIC
        ):
            assert node.attr in PUBLIC[of]


@pytest.mark.parametrize(
    ("text", "ours", "agrees"),
    [
        ("0.5225", 0.52254, True),
        ("0.5225", 0.52256, False),
        ("0.5225", 0.52244, False),
        ("7/10", 0.7, True),
        ("7/10", 0.7001, False),
        ("28", 28, True),
    ],
)
def test_a_rounded_number_agrees_to_its_digits_and_an_exact_one_exactly(text, ours, agrees):
    assert Published.number("section I", "a number", text, ours).agrees == agrees
