"""What holds of every item of every paper: it is named, and made of public functions. More in `papers`."""

import ast
import re
from operator import attrgetter
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


# What the papers' texts number, by kind, but for what they cite by the number of another paper.
NUMBERED = {
    "shuffle": {
        "table": "1 1a 1b 1c 2 3 4 5", "figure": "1 2 3 4 5 6 7 8 9", "definition": "1 2 3 5 7 8 10 13 23",
        "theorem": "4 17 19 20 22", "example": "6 24 27", "lemma": "30",
        "proposition": "9 11 12 14 15 16 18 19 20 21 25 26 28 29",
    },
    "ldp": {
        "table": "4.1 10.1 10.2", "figure": "1 2 3", "example": "3.2 7.4", "theorem": "5.3 6.7 8.1 C.1",
        "definition": "3.1 3.3 4.1 4.3 4.6 5.1 6.1 6.3 6.4 6.5 6.10 7.1 7.2 7.5 7.7",
        "lemma": "4.2 4.7 5.2 6.6 B.1 B.2 C.2 C.3 C.4 C.5 C.6 C.7 C.8 C.9 C.10 D.1 D.2 D.3 D.4 D.5 D.8",
        "proposition": "6.2 6.11 7.3 7.6 7.8 9.1 10.1 10.2 10.3 D.10 D.13",
        "corollary": "6.8 B.3 D.7 D.9 D.11 D.12 D.14", "remark": "4.4 4.5 5.4 5.5 6.9 7.9 D.6",
    },
    "bayes-security": {
        "table": "1 2", "figure": "1 2 3 4 5 6 7 8", "game": "1", "definition": "1", "theorem": "1 2 3 4 5 6 7",
        "proposition": "1 2 3 4 5 6 7", "corollary": "1 2 3", "lemma": "1 2 3 4", "fact": "1",
    },
    "anonymity": {
        "figure": "1 2 3", "definition": "1 7", "theorem": "2 3 4 5 6 8 12", "proposition": "9 13", "lemma": "10 11",
        "section": "1 2 3 4 5 6 7 8 9",
    },
}  # fmt: skip
EVERY_NUMBERED = [
    (paper, f"{kind} {number}")
    for paper, kinds in NUMBERED.items()
    for kind, numbers in kinds.items()
    for number in numbers.split()
]


@pytest.mark.parametrize(("paper", "text"), EVERY_NUMBERED)
def test_what_a_paper_numbers_is_reproduced_or_answers_why_not(paper, text):
    given, name = PAPERS[paper], text.lower().replace(" ", "-").replace(".", "-")
    assert (name in given.items) != (name in given.reasons)
    if name in given.items:
        assert given.item_name(text) == name
        return
    with pytest.raises(dc.errors.InvalidValueError) as error:
        given.item_name(text)
    said = str(error.value)
    assert said.lower().startswith(text.lower())
    assert "did you mean" not in said
    # It names the items of this paper and the functions that a reader should turn to.
    assert set(re.findall(r"'([^']+)'", said)) <= {*given.items}
    for function in re.findall(r"discretion\.([\w.]*\w)", said):
        attrgetter(function)(dc)


def test_there_is_a_reason_for_nothing_else():
    numbered = {(paper, text.lower().replace(" ", "-").replace(".", "-")) for paper, text in EVERY_NUMBERED}
    assert {(paper, name) for paper, given in PAPERS.items() for name in given.reasons} <= numbered


def test_the_command_line_answers_why_in_one_sentence_and_takes_a_name_as_the_paper_writes_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = run("reproduce", "anonymity", "figure-1")
    assert (code, out) == (2, "")
    assert err == "discretion: Figure 1 is a diagram of the two-round protocol; there is nothing to compute\n"
    assert run("reproduce", "shuffle", "Table 1c")[0] == 0
    assert not run("reproduce", "ldp", "figure-9")[2].startswith("discretion: Figure")


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
