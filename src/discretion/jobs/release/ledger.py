"""A release with a ledger: held to the budget together with the earlier publications, and entered there."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from discretion.anonymity import JointExposure, Ledger, Population, joint_exposure
from discretion.anonymity.ledgers.ledger import ledger_with
from discretion.errors import InvalidValueError
from discretion.escaping import printable
from discretion.estimate import Estimate
from discretion.input_files import read_toml
from discretion.jobs.release.decision import ReleaseDecision
from discretion.jobs.release.file import as_bytes
from discretion.presenting.files import writable
from discretion.presenting.numbers import people, percent

# With up to this many columns, each is left out in turn to see whether the others keep to the budget.
_TRIED = 32


@dataclass(frozen=True, eq=False)
class LedgerRelease:
    """A release that keeps to its budget together with a ledger.

    Parameters
    ----------
    ledger
        The ledger.
    rows
        The rows that go out, with the person of each if a column names the persons.
    person
        That column.
    joint
        The exposure of the release together with the ledger.
    """

    ledger: Ledger
    rows: Any
    person: str | None
    joint: JointExposure

    def files(self, out: Path, content: bytes) -> Mapping[Path, list[str | bytes]]:
        """Return the files to write: the copy of the rows with their persons, if any, and the ledger with the release.

        Raises
        ------
        InvalidValueError
            If the ledger has changed since it was read, or such a copy exists already.
        """
        assert self.ledger.path is not None
        path = Path(self.ledger.path).resolve()
        if read_toml(path, "a ledger")[1] != self.ledger.text:
            raise InvalidValueError(
                f"the ledger {self.ledger.path} has changed since it was read; run the command again"
            )
        columns = [name for name in self.rows.column_names if name != self.person]
        copy, kept = out, content
        if self.person is not None:
            copy, kept = copy_of(out, path), as_bytes(self.rows, ".parquet")
        text = ledger_with(
            self.ledger,
            copy,
            person=self.person,
            columns=columns,
            day=datetime.now(UTC).date(),
            sha256=hashlib.sha256(kept).hexdigest(),
        )
        return {**({copy: [kept]} if self.person is not None else {}), path: [text]}


def copy_of(out: Path, ledger: Path) -> Path:
    """Return the path for the rows of a release with their persons: in the ledger's folder, not the release's."""
    copy = ledger.parent / f"{out.stem}.people.parquet"
    if copy.exists():
        raise InvalidValueError(
            f"cannot enter {out.name} in the ledger: {str(copy)!r} exists and may have the people of an earlier "
            "release; name another file for this one (--out)"
        )
    return writable(str(copy))


def beside_ledger(decision: ReleaseDecision, ledger: Ledger, persons: tuple[str, Any] | None) -> LedgerRelease:
    """Return a release with its ledger, if both together keep to the budget.

    Parameters
    ----------
    decision
        The release.
    ledger
        The earlier publications.
    persons
        The column that names the persons, and the person of each row of the whole table; None if no column names them.

    Raises
    ------
    InvalidValueError
        If both together expose, or may expose, more people than the budget; the message has the ways out.
    """
    rows, person = decision.table.select([*decision.shown]), None
    if persons is not None:
        person, whose = persons
        rows = rows.append_column(person, whose.take(decision.rows))
    released = LedgerRelease(ledger, rows, person, _joint(decision, ledger, rows, person))
    if (kept := released.joint.keeps_to(decision.candidates.goal.budget)) is not True:
        raise InvalidValueError(_refusal(decision, released, decided=kept is False))
    return released


def _joint(decision: ReleaseDecision, ledger: Ledger, rows: Any, person: str | None) -> JointExposure:
    goal, secrets = decision.candidates.goal, decision.candidates.secrets
    return joint_exposure(Population(rows, person=person), ledger, goal.k, sensitive=[*secrets])


def _refusal(decision: ReleaseDecision, released: LedgerRelease, *, decided: bool) -> str:
    joint, goal = released.joint, decision.candidates.goal
    number = joint.exposed_people
    most = number.high if isinstance(number, Estimate) else number
    what = [f"{'at most ' if isinstance(number, Estimate) else ''}{people(most)} of {joint.people:,} in the file"]
    what += [f"{people(joint.left)} of earlier tables who are not in it"] if joint.left else []
    what += [f"{people(found)} who came or went since {name}" for name, found in joint.found.items() if found]
    names = [*_columns_to_leave_out(decision, released)]
    ways = [f"leave out {' or '.join(map(printable, names))}"] if names else []
    if not decided and released.person is None:
        ways.append("name the persons (--person), so that they are counted")
    ways += ["raise --budget", "lower --k"]
    return (
        f"together with the ledger {released.ledger.path} the release {'exposes' if decided else 'may expose'} "
        f"{' and '.join(what)} (fewer than {goal.k} people share their values); the budget is "
        f"{percent(float(goal.budget))}, and by itself the file exposes {people(joint.alone)}: {', '.join(ways[:-1])} "
        f"or {ways[-1]}"
    )


def _columns_to_leave_out(decision: ReleaseDecision, released: LedgerRelease) -> Iterator[str]:
    """Yield each column that is enough to leave out for the release to keep to the budget."""
    columns = [*decision.shown]
    if not 1 < len(columns) <= _TRIED:
        return
    for name in columns:
        if name in decision.candidates.options.keep:
            continue
        joint = _joint(decision, released.ledger, released.rows.drop_columns([name]), released.person)
        if joint.keeps_to(decision.candidates.goal.budget):
            yield name
