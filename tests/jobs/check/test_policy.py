"""A policy is read strictly: what is unknown or out of range is refused with its line."""

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from discretion.errors import InvalidValueError
from discretion.jobs.check import read_policy
from discretion.jobs.check.policy import KEYS, _line_of
from discretion.jobs.gates import Gate


@pytest.fixture
def policy(tmp_path: Path):
    def read(text: str | bytes):
        path = tmp_path / "discretion.toml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_policy(path)

    return read


def test_each_rule_is_what_must_not_be_and_its_line(policy) -> None:
    found = policy(
        'person = "id"\nheader = true\n\ncolumns = ["id", "a", "b"]\ntogether = [\n  ["a"],\n  ["a", "b"],\n]\n'
        'k = 5\nbudget = 0.1\nsensitive = "b"\nguess_budget = 0.2\ncertain_budget = 0\nl = 2\nt = 0.3\n'
        'fail_over = [\n  "linkability>0.5",\n  "certain:b>0.1",\n]\n'
    )
    assert (found.person, found.form.header, found.k, found.sensitive) == ("id", True, 5, ("b",))
    assert (found.columns, found.together) == (("id", "a", "b"), (("a",), ("a", "b")))
    assert found.gates == (
        ("budget", Gate("exposure", ">", Fraction(1, 10))),
        ("guess_budget", Gate("guess_rise:b", ">", Fraction(1, 5))),
        ("certain_budget", Gate("certain:b", ">", Fraction(0))),
        ("l", Gate("l_diversity:b", "<", Fraction(2))),
        ("t", Gate("t_closeness:b", ">", Fraction(3, 10))),
        ("fail_over", Gate("linkability", ">", Fraction(1, 2))),
        ("fail_over", Gate("certain:b", ">", Fraction(1, 10))),
    )
    assert found.lines["together"] == 5
    assert (found.lines["k"], found.lines["fail_over"]) == (9, 16)
    unused = {"preset", "missing", "delimiter", "encoding", "wildcards", "ledger", "counts"}
    assert {*found.lines} == {*KEYS} - unused


@pytest.mark.parametrize(
    ("text", "gate", "k"),
    [
        ("k = 3", ("k", Gate("k_anonymity", "<", Fraction(3))), 3),
        ('preset = "ema"', ("preset", Gate("k_anonymity", "<", Fraction(11))), 11),
        ('preset = "ema"\nk = 11', ("k", Gate("k_anonymity", "<", Fraction(11))), 11),
        ("budget = 0.01", ("budget", Gate("exposure", ">", Fraction(1, 100))), 10),
        ('preset = "k5"\nbudget = 0', ("budget", Gate("exposure", ">", Fraction(0))), 5),
    ],
)
def test_k_alone_is_a_rule_and_with_a_budget_says_who_is_exposed(policy, text: str, gate, k: int) -> None:
    found = policy(text)
    assert (found.gates, found.k) == ((gate,), k)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("k = 5\n\nbudgt = 0.1", ["line 3", "'budgt'", "did you mean 'budget'"]),
        ("columns = ['a']\n[tool.discretion]\nk = 5", ["line 2", "'tool'", "it is one of person, header, delimiter"]),
        ("'k ' = 5", ["did you mean 'k'"]),
        ("k = 0", ["line 1", "k must be a whole number of at least 1, got 0"]),
        ("k = true", ["line 1", "k must be a whole number"]),
        ("k = 2.0", ["k must be a whole number"]),
        ("budget = 2.5", ["line 1", "budget must be a number in [0, 1], got 2.5"]),
        ("budget = nan", ["budget must be a number in [0, 1]"]),
        ("budget = -0.1", ["budget must be a number in [0, 1]"]),
        ("budget = 1e-999999999", ["budget must be a number in [0, 1]"]),
        ("budget = true", ["budget must be a number in [0, 1]"]),
        ("budget = '0.1'", ["budget must be a number in [0, 1]"]),
        ("k = 1" + "0" * 5000, ["not TOML"]),
        ("k = 1" + "0" * 500, ["k must be a whole number"]),
        ("columns = 'a'", ["columns must be a list of names"]),
        ("columns = []", ["columns must be a list of names"]),
        ("columns = ['a', 1]", ["columns must be a list of names"]),
        ("columns = ['a', 'a']", ["line 1", "'a' is named twice"]),
        ("together = ['a', 'b']", ["together must be a list of lists"]),
        ("together = []", ["together must be a list of lists"]),
        ("together = [['a', 'a']]", ["'a' is named twice"]),
        ("preset = 'emma'", ["line 1", "'emma'", "ema, health-canada"]),
        ("preset = 5", ["preset must be text"]),
        ("\npreset = 'ema'\nk = 5", ["line 3", "k is 5, but the preset 'ema' has k = 11"]),
        ("l = 2", ["line 1", "sensitive"]),
        ("k = 2\nsensitive = 'a'", ["line 2", "guess_budget, certain_budget, l, t"]),
        ("fail_over = 'exposure>0'", ["fail_over must be a list"]),
        ("fail_over = ['exposure']", ["line 1", "a measure, >"]),
        ("fail_over = ['exposed>0']", ["line 1", "did you mean 'exposure'"]),
        ("fail_over = ['guess:a>0']", ["'guess:a'"]),
        ("k = 2\nwildcards = '*'", ["line 2", "wildcards needs a gate of wildcard_exp", "add one to fail_over"]),
        ("k = 2\nwildcards = []", ["line 2", 'must be a list of values, such as ["*"]', "got []"]),
        ("k = 2\nwildcards = [5]", ["line 2", "must be a list of values"]),
        ("fail_over = ['wildcard_exposure>0']", ["no measure here called 'wildcard_exposure'"]),
        ("wildcards = '*'\nfail_over = ['wildcard_k_anonymity>2']", ["write 'wildcard_k_anonymity<2'"]),
        ("wildcards = '*'\nfail_over = ['wildcard_k_anonymity<1']", ["no rule that a file could break"]),
        ("k = 2\nheader = 'yes'", ["line 2", "header must be true, false or a list of names"]),
        ("k = 2\nperson = ['id']", ["line 2", "person must be text"]),
        ("", ["no rule"]),
        ("person = 'id'\nheader = true", ["no rule"]),
        ("k = ", ["not TOML", "end of document"]),
        ("k = 5\nl == 2", ["not TOML", "line 2"]),
        ("a = " + "[" * 5000, ["not TOML"]),
        (b"\xff\xfe", ["UTF-8"]),
        (b"#" * 2_000_000, ["bytes"]),
    ],
)  # fmt: skip
def test_what_no_policy_says_is_refused(policy, text: str | bytes, expected: list[str]) -> None:
    with pytest.raises(InvalidValueError) as raised:
        policy(text)
    for part in expected:
        assert part in str(raised.value)
    assert "\n" not in str(raised.value)
    assert "discretion.toml" in str(raised.value)


def test_a_policy_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidValueError, match=r"cannot read a policy from .*no such file"):
        read_policy(tmp_path / "none.toml")


LINES = {
    "k": "k = 5", "quoted": '"t"=0.1', "multi-line": 'columns = [\n  "k = 3",\n  "budget = 1",\n]',
    "text": 'person = """\nl = 3\nk = 2"""', "comment": "# k = 1", "empty": "",
}  # fmt: skip
KEY_OF = {"k": "k", "quoted": "t", "multi-line": "columns", "text": "person"}


@given(st.permutations(list(LINES)))
def test_the_line_of_a_key_is_where_it_begins(order: list[str]) -> None:
    text = "\n".join(LINES[part] for part in order)
    for part, key in KEY_OF.items():
        before = order[: order.index(part)]
        assert _line_of(key, text) == 1 + sum(LINES[each].count("\n") + 1 for each in before)
