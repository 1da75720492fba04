"""The result of a check, as plain frozen data: a verdict on each rule."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from discretion.jobs.gates import Verdict, Word, verdict_word
from discretion.presenting.json_answers import plain
from discretion.presenting.names import briefly, listed
from discretion.presenting.views.document import Document, Section
from discretion.presenting.views.result import JobResult


@dataclass(frozen=True)
class ColumnsRule:
    """A rule on the columns that a file may have (``columns``) or have together (``together``).

    ``allowed`` are the columns of the rule, for ``together`` those of the set with most of the file's columns;
    ``beyond`` are the other columns of the file.
    """

    line: int
    rule: Literal["columns", "together"]
    allowed: tuple[str, ...]
    beyond: tuple[str, ...]

    @property
    def verdict(self) -> Word:
        """The verdict: whether the file has no other columns."""
        return "failed" if self.beyond else "passed"

    def __str__(self) -> str:
        beyond, allowed = listed(self.beyond), briefly(self.allowed)
        match self.rule, self.verdict:
            case "columns", "failed":
                columns = f"the file also has {beyond}; allowed are {allowed}"
            case "columns", _:
                columns = "the file has no other columns"
            case _, "failed":
                columns = f"no allowed set has all columns of the file; the nearest, {allowed}, lacks {beyond}"
            case _:
                columns = f"all columns of the file are among {allowed}"
        return f"{verdict_word(self.verdict)} line {self.line}, {self.rule}: {columns}"

    def to_dict(self) -> dict[str, Any]:
        """Return the rule as plain data."""
        return {"line": self.line, "rule": self.rule, "verdict": self.verdict} | {
            "allowed": list(self.allowed),
            "beyond": list(self.beyond),
        }


@dataclass(frozen=True)
class NumberRule:
    """A limit on a number of all columns together, from a line of the policy, or from an option (None)."""

    line: int | None
    rule: str
    gate: Verdict

    @property
    def verdict(self) -> Word:
        """The verdict on the limit."""
        return self.gate.verdict

    def __str__(self) -> str:
        place = f"--{self.rule}" if self.line is None else f"line {self.line}, {self.rule}"
        return f"{verdict_word(self.verdict)} {place}: {self.gate.sentence}"

    def to_dict(self) -> dict[str, Any]:
        """Return the rule as plain data."""
        gate = {name: value for name, value in plain(self.gate).items() if name not in ("of", "verdict")}
        return {"line": self.line, "rule": self.rule, "verdict": self.verdict} | gate


@dataclass(frozen=True)
class MissingRule:
    """A rule on a sensitive column that the file lacks, so that no number decides it.

    ``why`` lists the columns that the file has.
    """

    line: int
    rule: str
    column: str
    why: str
    verdict: Word

    def __str__(self) -> str:
        return f"{verdict_word(self.verdict)} line {self.line}, {self.rule}: {self.why}"

    def to_dict(self) -> dict[str, Any]:
        """Return the rule as plain data."""
        rule = {"line": self.line, "rule": self.rule, "verdict": self.verdict}
        return rule | {"missing": self.column, "why": self.why}


@dataclass(frozen=True, repr=False)
class PolicyCheck(JobResult):
    """The verdicts on a file for each rule of a policy, and for each gate.

    Parameters
    ----------
    table, policy
        The file, and the file of the policy.
    people, columns
        The number of people in the file, and its columns.
    rules, gates
        The verdict on each rule, and on each gate.
    notes
        Notes on the assumptions of the rules and gates, and on rules that would fail without them.
    """

    table: str
    policy: str
    people: int
    columns: tuple[str, ...]
    rules: tuple[ColumnsRule | NumberRule | MissingRule, ...]
    gates: tuple[Verdict, ...]
    notes: tuple[str, ...] = ()

    @property
    def words(self) -> tuple[Word, ...]:
        """The verdicts on all rules and gates, in words."""
        return (*(rule.verdict for rule in self.rules), *(gate.verdict for gate in self.gates))

    def to_dict(self) -> dict[str, Any]:
        """Return the verdicts on the rules as plain data for JSON."""
        rules = [rule.to_dict() for rule in self.rules]
        return {
            "people": self.people, "columns": list(self.columns), "rules": rules, "notes": list(self.notes),
        }  # fmt: skip

    def table_rows(self) -> Iterator[Mapping[str, Any]]:
        """Yield a row for each rule."""
        return (
            {"line": rule.line, "rule": rule.rule, "verdict": rule.verdict, "sentence": str(rule)}
            for rule in self.rules
        )

    def document(self) -> Document:
        """Return the document: a line for each rule, each note and each gate."""
        title = f"{self.table}, {self.people:,} people, by {self.policy}"
        lines = (*map(str, self.rules), *(f"note: {note}" for note in self.notes), *map(str, self.gates))
        failed, undecided = (self.words.count(word) for word in ("failed", "not decided"))
        counts = f"{failed} failed, {undecided} not decided of {len(self.words)}"
        return Document(title, lines, kind="check", line=f"{self.table} by {self.policy}: {counts}")


@dataclass(frozen=True, repr=False)
class PolicyChecks(JobResult):
    """The verdicts on several files."""

    files: tuple[PolicyCheck, ...]

    @property
    def words(self) -> tuple[Word, ...]:
        """The verdicts on all rules and gates of all files, in words."""
        return tuple(word for file in self.files for word in file.words)

    @property
    def gates(self) -> tuple[Verdict, ...]:
        """The verdict on each gate for each file."""
        return tuple(gate for file in self.files for gate in file.gates)

    def table_rows(self) -> Iterator[Mapping[str, Any]]:
        """Yield a row for each rule of each file."""
        return ({"file": file.table, **row} for file in self.files for row in file.table_rows())

    def to_dict(self) -> dict[str, Any]:
        """Return the verdicts on each file for JSON."""
        return {file.table: file.to_dict() for file in self.files}

    def document(self) -> Document:
        """Return the document of the file, or one with a section for each."""
        first, *others = (file.document() for file in self.files)
        if not others:
            return first
        sections = tuple(Section(document.title, document.blocks) for document in (first, *others))
        failed = sum("failed" in file.words for file in self.files)
        title = f"{failed} of {len(self.files)} files fail"
        return Document(title, (), sections, kind="check", line="; ".join(each.line for each in (first, *others)))
