"""Redaction rules: which people suppress which answer under which condition, and sets of rules that go together."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from types import MappingProxyType

from discretion.errors import InvalidValueError, UnsupportedError
from discretion.tables.counting.matches import Match
from discretion.tables.layouts.names import names_among
from discretion.validation import as_count, as_real

#: Values of a column as a table spells them; None is a missing one.
Values = tuple[str | None, ...]
_EXAMPLE = 'RedactionRule("race", values=["Other"], decoys=0.01)'


@dataclass(frozen=True)
class RedactionRule:
    """A rule: people with certain answers suppress one of them, and all others suppress it with some probability.

    The answers of the others that are suppressed are decoys. Without decoys, an adversary that sees a suppressed answer
    knows that the rule required it: if only one person has such a value, suppressing it hides nothing. The adversary is
    assumed to know the rule, and which values are rare. All conditions are about the answers before suppression, so
    the order of rules makes no difference.

    Parameters
    ----------
    column
        The column.
    rarer_than
        A number of people, at least 1; the rule suppresses values that fewer people have. The rule does not list these
        values: only the engine that holds the table finds them.
    decoys
        The probability, in [0, 1], that any other person suppresses the column too. Each person tosses their own coin.
    values
        Instead of ``rarer_than``, the values to suppress, as the table spells them; None is a missing one.
    when
        The rule applies only to people who have one of these values of other columns: column → values. With ``when``,
        and neither ``values`` nor ``rarer_than``, the rule suppresses all values of the column.

    Examples
    --------
    >>> RedactionRule("race", rarer_than=300, decoys=0.01)
    RedactionRule(column='race', rarer_than=300, decoys=0.01, values=None, when={})
    >>> RedactionRule("income", when={"workclass": ["Never-worked", None]}).when["workclass"]
    ('Never-worked', None)
    """

    column: str
    rarer_than: int | None = None
    decoys: float = 0.0
    values: Sequence[str | None] | None = None
    when: Mapping[str, Sequence[str | None]] = field(default_factory=dict[str, Sequence[str | None]])

    def __post_init__(self) -> None:
        if not isinstance(self.column, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidValueError(f"a rule is for one column, named by text, got {self.column!r}")
        decoys = as_real(self.decoys, "decoys")
        if not 0 <= decoys <= 1:
            raise InvalidValueError(f"decoys must be a probability, in [0, 1], got {self.decoys!r}")
        if self.values is not None and self.rarer_than is not None:
            raise InvalidValueError(
                f"a rule takes values= or rarer_than=, not both; make two rules for {self.column!r}"
            )
        if self.values is None and self.rarer_than is None and not self.when:
            raise InvalidValueError(
                f"a rule for {self.column!r} needs values=, rarer_than= or when=; if everybody should suppress the "
                "column, do not ask for it at all"
            )
        if not isinstance(self.when, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidValueError(f"when= must map names of other columns to values, got {self.when!r}")
        if self.column in self.when:
            raise InvalidValueError(
                f"when= takes other columns than {self.column!r}; the values that a rule suppresses go in values="
            )
        when = {name: _values(values, f"when[{name!r}]") for name, values in self.when.items()}
        settled = {
            "rarer_than": None if self.rarer_than is None else as_count(self.rarer_than, "rarer_than", at_least=1),
            "decoys": decoys,
            "values": None if self.values is None else _values(self.values, "values"),
            "when": MappingProxyType(when),
        }
        for name, value in settled.items():
            object.__setattr__(self, name, value)

    def __hash__(self) -> int:
        return hash((self.column, self.rarer_than, self.decoys, self.values, tuple(sorted(self.when))))

    def __repr__(self) -> str:
        return (
            f"RedactionRule(column={self.column!r}, rarer_than={self.rarer_than!r}, decoys={self.decoys!r}, "
            f"values={self.values!r}, when={dict(self.when)!r})"
        )

    def __reduce__(self) -> tuple[type["RedactionRule"], tuple[object, ...]]:
        return RedactionRule, (self.column, self.rarer_than, self.decoys, self.values, dict(self.when))

    @property
    def match(self) -> Match:
        """The condition under which a person has to suppress the column, as an engine evaluates it."""
        values = None if self.values is None else tuple(self.values)
        return Match(values, self.rarer_than, tuple((name, tuple(these)) for name, these in self.when.items()))


def _values(values: object, name: str) -> Values:
    """Return different values, each a text or None, at least one."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InvalidValueError(f"{name} must be a sequence of values, as in {_EXAMPLE}, got {values!r}")
    given: list[object] = list(values)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    if not given or not all(value is None or isinstance(value, str) for value in given):
        raise InvalidValueError(f"{name} must be one or more texts as the table spells them, or None; got {given!r}")
    if len(set(given)) < len(given):
        raise InvalidValueError(f"{name} must differ, got {given!r}")
    return tuple(given)  # pyright: ignore[reportReturnType]


def as_rule(rule: object) -> RedactionRule:
    """Return the redaction rule; refuse anything else."""
    if not isinstance(rule, RedactionRule):
        raise UnsupportedError(
            f"a rule must be a RedactionRule, got {type(rule).__name__}; use "
            f"discretion.anonymity.redaction_rules, or make one: discretion.anonymity.{_EXAMPLE}"
        )
    return rule


def rules_by_column(rules: Iterable[RedactionRule], known: Iterable[str]) -> dict[str, list[RedactionRule]]:
    """Return the rules for each column, if they can be followed together.

    Parameters
    ----------
    rules
        The rules. A column may have several: a person suppresses it if one of them applies.
    known
        The columns of the table.

    Raises
    ------
    InvalidValueError
        If two rules for a column have different decoys, if a rule is given twice, or if the conditions of rules refer
        to one another's columns in a circle: then the leakage of a suppression is not defined.
    UnknownColumnError
        If a rule names a column that the table lacks.
    """
    if isinstance(rules, (RedactionRule, str)) or not isinstance(rules, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise UnsupportedError(f"rules must be a sequence of RedactionRules, got {type(rules).__name__}")
    known = tuple(known)
    by_column: dict[str, list[RedactionRule]] = {}
    for rule in map(as_rule, rules):
        names_among((rule.column, *rule.when), known)
        others = by_column.setdefault(rule.column, [])
        if rule in others:
            raise InvalidValueError(f"the same rule for {rule.column!r} is there twice; leave one out")
        if others and others[0].decoys != rule.decoys:
            raise InvalidValueError(
                f"two rules for {rule.column!r} have decoys of {others[0].decoys:g} and {rule.decoys:g}; each person "
                "tosses one coin for a column, so give both rules the same decoys"
            )
        others.append(rule)
    asked_about = {column: {name for rule in its for name in rule.when} for column, its in by_column.items()}
    try:
        TopologicalSorter(asked_about).prepare()
    except CycleError as error:
        circle = error.args[1][::-1]
        raise InvalidValueError(
            f"the conditions of the rules form a circle ({' by '.join(map(repr, circle))}): the leakage of one column "
            "depends on that of the other; remove the condition from one of the rules"
        ) from None
    return by_column
