"""The pages and the help of every command use the words that readers know: each finding shows what to write instead."""

import pytest

from support.prose import Block, help_prose, page_prose, prose
from support.prose_rules import RULES, Rule, findings
from support.source_prose import MODULES, docstring_prose, source_prose

PROSE = prose()


@pytest.mark.parametrize("name", PROSE)
def test_the_prose_has_the_words_that_readers_know(name: str) -> None:
    assert [f"{block.place}: {finding}" for block in PROSE[name] for finding in findings(block)] == []


@pytest.mark.parametrize("name", MODULES)
def test_the_docstrings_and_sentences_of_the_source_have_them_too(name: str) -> None:
    assert [f"{block.place}: {found}" for block in source_prose(MODULES[name]) for found in findings(block)] == []


def test_examples_and_names_in_a_docstring_are_not_prose() -> None:
    parameters = "    Parameters\n    ----------\n    told, he\n        The `said` ones."
    docstring = f"Return a tally.\n\n{parameters}\n\n    >>> told\n    "
    assert [text.split() for _, text in docstring_prose(docstring)] == [
        ["Return", "a", "tally."],
        ["The", "CODE", "ones."],
    ]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.words[:30])
def test_a_rule_finds_what_is_wrong_and_nothing_else(rule: Rule) -> None:
    assert any(f"write {rule.instead}" in finding for finding in findings(Block("", 1, rule.wrong)))
    assert not any(f"write {rule.instead}" in finding for finding in findings(Block("", 1, rule.right)))


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        ("It holds. What is sent is drawn once.", True),
        ("Who has it can see.", True),
        ("What is it? A report.", False),
        ("Who is ill?", False),
        ("The table shows what is sent.", False),
    ],
)
def test_a_clause_is_no_subject(text: str, is_found: bool) -> None:
    assert bool(findings(Block("", 1, text))) == is_found


def test_code_is_not_prose() -> None:
    page = (
        "---\na: says\n---\n# He\n\nA `tells` of\ntwo.\n\n```\nsaid\n```\n\n| a | `b` |\n|---|---|\n| [c](said) | d |\n"
    )
    assert [(block.line, block.text, block.is_heading) for block in page_prose(page)] == [
        (4, "He", True), (6, "A CODE of\ntwo.", False), (13, "a", False), (13, "CODE", False), (15, "c", False),
        (15, "d", False),
    ]  # fmt: skip
    assert (
        help_prose('Set --k 3, "a worth", krr:k=5,epsilon=1 or bad_reports.')
        == "Set CODE, CODE, CODE=5,epsilon=1 or CODE."
    )
