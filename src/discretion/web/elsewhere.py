"""Other forms of a question of the page: a command, Python, a policy, a release, files to take away."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Self, cast

from discretion.jobs.options.column_roles import ColumnChoiceOptions
from discretion.jobs.options.tables import NO_PERSON, ExposureOptions, ReleaseOptions
from discretion.presenting.shell import Command
from discretion.presenting.views.result import JobResult
from discretion.web.doors import Question, Texts

if TYPE_CHECKING:
    from discretion.jobs.audit import Audit
    from discretion.jobs.columns import ColumnChoice
    from discretion.jobs.design import Design


class Lead(NamedTuple):
    """A question to ask next: the heading above it in the list, its label, its door, and its texts."""

    heading: str
    label: str
    path: str
    texts: Texts


@dataclass(frozen=True)
class Elsewhere:
    """The same question in other forms, and documents that follow from its answer.

    Parameters
    ----------
    commands
        The question as one command or several.
    python
        The question in Python, if there is a function.
    policy
        A policy in TOML that a file with the published columns meets.
    release
        The texts of the release that writes the recommended file; None if there is none.
    columns
        The columns of a table, each with its kind and its role.
    leads
        Questions that the page lists in place of an answer.
    files
        Files to take away, by name.
    """

    commands: tuple[str, ...]
    python: str
    policy: str = ""
    release: Texts | None = None
    columns: tuple[Mapping[str, Any], ...] = ()
    leads: tuple[Lead, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict[str, str])

    @classmethod
    def of(cls, question: Question, paths: Mapping[str, str], result: Any = None) -> Self:
        """Return the other forms of a question, and of its result if there is one.

        Commands use the ``paths`` of files, which are given by name.
        """
        here = question.on_this_machine(paths)
        asked = cls(tuple(str(Command(each)) for each in here.commands), here.python)
        if question.door.writes:
            texts = {name: given for name, given in question.texts.items() if name != "out"}
            return replace(asked, release=texts)
        if result is not None and question.door.path in _MORE:
            return replace(asked, **_MORE[question.door.path](question, here, result))
        return asked


def _of_columns(question: Question, here: Question, choice: "ColumnChoice") -> dict[str, Any]:
    """Return the command and Python code for the exposure by the published columns, and their policy."""
    from discretion.jobs.check.policy import policy_text  # noqa: PLC0415

    options = cast(ColumnChoiceOptions, question.options)
    given: dict[str, Any] = {**vars(options), "columns": [*choice.known, *options.sensitive], "k": choice.k}
    exposure = ExposureOptions.of_parameters(given)
    (table,) = here.about
    opened = {name: given[name] for name in ("person", "header", "delimiter", "encoding")}
    opened = {name: value for name, value in opened.items() if value not in (None, NO_PERSON)}
    people = f"dc.Population({_call(table, opened)})" if opened else repr(table)
    published = (*choice.known, *(name for name in options.sensitive if name in options.keep))
    release = _release_of(choice, published, given)
    asked = {
        "commands": (str(Command(["discretion", "exposure", table, *exposure.arguments()])),),
        "python": f"dc.exposure({people}, k={choice.k}, columns={[*choice.known]!r})",
    }
    if choice.generalized:  # which only a release does
        inputs = release.inputs()
        named = {name: inputs[name] for name in release.texts()}
        command = ["discretion", "release", table, "--out=published.parquet", *release.arguments()]
        asked = {
            "commands": (str(Command(command)),),
            "python": f"dc.release({_call(table, {'out': 'published.parquet', **named})})",
        }
    return {
        **asked,
        "policy": policy_text(options, published, choice.k) if published and choice.is_safe else "",
        "columns": tuple(vars(each) for each in choice.columns),
        "release": {"about": [*question.about], **release.texts()} if published and choice.question is None else None,
    }


def _release_of(choice: "ColumnChoice", published: Sequence[str], given: Mapping[str, Any]) -> ReleaseOptions:
    """Return the options of a release that publishes the chosen columns, generalized as chosen."""
    hows = {each.column: f"{each.column}={each.how}" for each in choice.generalized}
    publish = [hows.get(name, name) for name in published]
    return ReleaseOptions.of_parameters({**given, "columns": None, "publish": publish, "keep": (), "drop": ()})


def _of_audit(question: Question, _: Question, audit: "Audit") -> dict[str, Any]:
    """Return the file that an audit recommends, as a release and as a policy, if it recommends one."""
    from discretion.jobs.check.policy import policy_text  # noqa: PLC0415

    if audit.decision.question is not None or not audit.decision.offers:
        return {}
    best = audit.decision.offers[0]
    return {
        "policy": policy_text(audit.options, best.columns, audit.k),
        "release": None if best.plan is None else {"about": [*question.about], **best.plan.texts()},
    }


def _of_design(_: Question, __: Question, design: "Design") -> dict[str, Any]:
    """Return the files of the recommended protocol, if there is one."""
    return {} if design.recommended is None else {"files": design.shipment().files}


def _of_papers(_: Question, __: Question, result: JobResult) -> dict[str, Any]:
    """Return a question for each item of a list of contents."""
    contents: dict[str, Any] = result.to_dict()
    if "items" in contents:  # one item, and its paper
        return {}
    leads = (
        Lead(each["citation"], title, "papers", {"about": [f"{paper}\n{item}"]})
        for paper, each in contents.items()
        for item, title in each["items"].items()
    )
    return {"leads": tuple(leads)}


def _call(first: object, named: Mapping[str, object]) -> str:
    return ", ".join([repr(first), *(f"{name}={value!r}" for name, value in named.items())])


# The functions that return further forms, by the door.
_MORE = {"columns": _of_columns, "table": _of_audit, "design": _of_design, "papers": _of_papers}
