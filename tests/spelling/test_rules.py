"""A redaction rule and its line are two forms of one."""

import pytest
from hypothesis import given, strategies as st

from discretion.anonymity import RedactionRule
from discretion.errors import InvalidValueError
from discretion.spelling import spelled
from discretion.spelling.rules import rule_of

SPELLED = {
    "race: Other": RedactionRule("race", values=["Other"]),
    "race: Other, Black decoys 0.01": RedactionRule("race", values=["Other", "Black"], decoys=0.01),
    "race: rarer than 300 decoys 1": RedactionRule("race", 300, 1),
    "race: rarer than 10 when sex: Female": RedactionRule("race", 10, when={"sex": ["Female"]}),
    "income: any when workclass: Never-worked, null and sex: Male": RedactionRule(
        "income", when={"workclass": ["Never-worked", None], "sex": ["Male"]}
    ),
    '"a column": "", "null", "a,b", "when" decoys 0.1': RedactionRule(
        "a column", values=["", "null", "a,b", "when"], decoys=0.1
    ),
    "grad: <=50K, >50K, ö": RedactionRule("grad", values=["<=50K", ">50K", "ö"]),
}


@pytest.mark.parametrize("text", SPELLED)
def test_a_line_and_a_rule_are_two_forms_of_one(text: str) -> None:
    assert rule_of(text) == SPELLED[text]
    assert spelled(SPELLED[text]) == text
    assert rule_of(f"  {text.replace(': ', ' :  ').replace(', ', ',')} ") == SPELLED[text]


names = st.text(max_size=6) | st.sampled_from(
    ["when", "and", "any", "decoys", "rarer", "null", 'a"b', "a\\", "\n", ":"]
)
values = st.lists(st.none() | names, min_size=1, max_size=3, unique=True)


@given(names, st.none() | st.integers(1, 10**30), st.none() | values, st.dictionaries(names, values), st.floats(0, 1))
def test_whatever_names_and_values_are_a_rule_is_read_again(
    column: str,
    rarer_than: int | None,
    these: list[str | None] | None,
    when: dict[str, list[str | None]],
    decoys: float,
) -> None:
    when = {name: values for name, values in when.items() if name != column}
    rarer_than = None if these is not None else rarer_than
    if these is None and rarer_than is None and not when:
        rarer_than = 2
    rule = RedactionRule(column, rarer_than, decoys, these, when)
    assert rule_of(spelled(rule)) == rule
    assert "\n" not in spelled(rule)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "nothing in place of a name or a value"),
        ("race", "nothing in place of ':'"),
        ("race Other", "'Other' in place of ':'"),
        ("race:", "nothing in place of a name or a value"),
        ("race: Other,", "nothing in place of a name or a value"),
        ("race: Other Black", "'Black' after its end"),
        ("race: rarer 10", "'10' in place of 'than'"),
        ("race: rarer than ten", "'ten' in place of a whole number"),
        ("race: rarer than 0", "rarer_than must be a whole number"),
        ("race: any", "needs values=, rarer_than= or when="),
        ("race: Other decoys", "nothing in place of a probability"),
        ("race: Other decoys many", "'many' in place of a probability"),
        ("race: Other decoys 2", "decoys must be a probability"),
        ("race: Other when", "nothing in place of a name or a value"),
        ("race: Other when sex: Male and sex: Female", "two conditions on 'sex'"),
        ("race: Other when race: Black", "when= takes other columns"),
        ("race: and", "'and' in place of a name or a value; put a name like this in quotation marks"),
        ('race: "Other', "a quotation mark without a closing one"),
        (r'race: "\x"', "no JSON string"),
        ("x" * 70_000, "one line of at most 65,536 letters"),
    ],
)
def test_what_is_no_rule_is_told(text: str, why: str) -> None:
    with pytest.raises(InvalidValueError, match=why):
        rule_of(text)
