"""Redaction rules: who suppresses which answer, under which condition, and sets of rules that go together."""

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
    """A rule: people with certain answers redact one of them, and all others redact it with some probability.

    The values that are redacted without need are decoys. Without them, whoever sees a redacted answer knows what made
    it so: if one person alone has such a value, redacting it hides nothing. The adversary is assumed to know the rule,
    and which values are rare. All conditions are about the answers as they are before anything is redacted, so that the
    order of rules makes no difference.

    Parameters
    ----------
    column
        The column.
    rarer_than
        Values that fewer people have are redacted, at least 1. The rule does not say which these are: that stays in the
        engine that holds the table.
    decoys
        With what probability anybody else redacts it too, in [0, 1]. Everybody tosses a coin of their own.
    values
        Instead of ``rarer_than`` the values that are redacted, as the table spells them; None is a missing one.
    when
        Only of people who have one of these values of other columns: column → values. With it, all values of the
        column are redacted if neither ``values`` nor ``rarer_than`` is given.

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
                f"a rule names its values= or says rarer_than=, not both; make two rules for {self.column!r}"
            )
        if self.values is None and self.rarer_than is None and not self.when:
            raise InvalidValueError(
                f"a rule for {self.column!r} needs values=, rarer_than= or when=; a column that everybody redacts "
                "is not asked for at all"
            )
        if not isinstance(self.when, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidValueError(f"when= has the values of other columns by their names, got {self.when!r}")
        if self.column in self.when:
            raise InvalidValueError(
                f"a rule for {self.column!r} says by values= which of its values it redacts; when= is of other columns"
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
        """Who has to redact, as an engine that holds the table finds them."""
        values = None if self.values is None else tuple(self.values)
        return Match(values, self.rarer_than, tuple((name, tuple(these)) for name, these in self.when.items()))


def _values(values: object, name: str) -> Values:
    """Return different values, each a text or None, at least one."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InvalidValueError(f"{name} must be a sequence of values, as in {_EXAMPLE}, got {values!r}")
    given: list[object] = list(values)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    if not given or not all(value is None or isinstance(value, str) for value in given):
        raise InvalidValueError(f"{name} must be texts as the table spells them, or None, one at least, got {given!r}")
    if len(set(given)) < len(given):
        raise InvalidValueError(f"{name} must differ, got {given!r}")
    return tuple(given)  # pyright: ignore[reportReturnType]


def as_rule(rule: object) -> RedactionRule:
    """Return the redaction rule, or refuse what is none."""
    if not isinstance(rule, RedactionRule):
        raise UnsupportedError(
            f"a rule must be a RedactionRule, got {type(rule).__name__}; take those of "
            f"discretion.anonymity.redaction_rules, or make one: discretion.anonymity.{_EXAMPLE}"
        )
    return rule


def rules_by_column(rules: Iterable[RedactionRule], known: Iterable[str]) -> dict[str, list[RedactionRule]]:
    """Return the rules for each column, if they can be followed together.

    Parameters
    ----------
    rules
        A column may have several rules: whoever meets one of them redacts it.
    known
        The columns that there are.

    Raises
    ------
    InvalidValueError
        If two rules for a column have other decoys, if a rule is there twice, or if rules ask about one another's
        columns in a circle: then nobody could say what a redaction tells.
    UnknownColumnError
        If a rule names a column that there is not.
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
                f"two rules for {rule.column!r} have decoys of {others[0].decoys:g} and {rule.decoys:g}; everybody "
                "tosses one coin for a column, so give both the same"
            )
        others.append(rule)
    asked_about = {column: {name for rule in its for name in rule.when} for column, its in by_column.items()}
    try:
        TopologicalSorter(asked_about).prepare()
    except CycleError as error:
        circle = error.args[1][::-1]
        raise InvalidValueError(
            f"the rules ask about one another in a circle ({' by '.join(map(repr, circle))}): what a redaction tells "
            "of the one column depends on what it tells of the other; let one of them ask about neither"
        ) from None
    return by_column
