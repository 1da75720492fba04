"""The doors of the page: the subject of each, the fields of its form, and the job that answers."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import Any, cast

from discretion.errors import InvalidValueError, one_of
from discretion.jobs.monitor import Monitor
from discretion.jobs.options import Options
from discretion.jobs.options.column_roles import ColumnChoiceOptions, with_roles
from discretion.jobs.options.mechanisms import (
    ChannelOptions,
    ClaimOptions,
    CompareOptions,
    DesignOptions,
    EstimateOptions,
    MeasureOptions,
)
from discretion.jobs.options.tables import NO_PERSON, AuditOptions, ExposureOptions, ReleaseOptions
from discretion.presenting.views.result import JobResult

# The prefixes, before a column's name, of the fields of its role and of its generalization; and the field for tables
# whose rows are each one person.
ROLE, HOW = "as:", "how:"
EACH_ROW = "rows"
# The texts of a question by the names of its fields: options, or the subject of the question.
Texts = Mapping[str, Sequence[str]]
Run = Callable[[Sequence[Any], Any, Monitor], JobResult]


@dataclass(frozen=True, kw_only=True)
class FileToWrite(ReleaseOptions):
    """The options of a release, and the new file that it is written to."""

    out: str | None = None


@dataclass(frozen=True)
class Field:
    """A field of a form.

    Parameters
    ----------
    name
        The option that the field sets, or ``about`` for the subject of the question.
    label
        The label on the page.
    hint
        The values that the field takes, and the meaning of an empty field.
    example
        A value to try.
    choices
        The possible values, each with its label, if there are few.
    slider
        The least and the largest value of a slider next to the field, if it has one.
    file
        Whether the field takes an open file.
    lines
        The number of lines. A field with several lines sets an option once for each line.
    """

    name: str
    label: str
    hint: str = ""
    example: str = ""
    choices: tuple[tuple[str, str], ...] = ()
    slider: tuple[float, float] | None = None
    file: bool = False
    lines: int = 1


def _each_line(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(line.strip() for text in texts for line in text.splitlines() if line.strip())


@dataclass(frozen=True)
class Door:
    """A page with a form, and the job that answers it.

    Parameters
    ----------
    path
        The path of its address.
    command
        The command that answers the same question.
    title
        The thing that the reader has, or the reader's goal.
    short
        The same in a word or two, for the bar of doors.
    about
        The purpose of the door, in a sentence.
    options
        The options that its address sets.
    run
        The job, a function of the subject of the question, the options and a monitor of its progress.
    fields
        The fields of the form that every reader needs.
    more
        Further fields, which are folded.
    spell
        A function from the texts of the field ``about`` to the subjects of the question; by default each line is one.
    job
        The options of the job, if its address sets more than these.
    commands
        A function that returns the commands that answer the same question; by default ``command`` with the subject and
        the options.
    answers_at_once
        Whether there is an answer before anything is asked.
    is_listed
        Whether it is listed among the doors, rather than shown as a part of another one.
    keeps_table
        Whether the job takes the open table that the answering process keeps.
    writes
        Whether the job writes a file. Only a button starts such a job; its address shows the result.
    """

    path: str
    command: str
    title: str
    short: str
    about: str
    options: type[Options]
    run: Run
    fields: tuple[Field, ...]
    more: tuple[Field, ...] = ()
    spell: Callable[[Sequence[str]], tuple[str, ...]] = _each_line
    job: type[Options] | None = None
    commands: Callable[[Sequence[str], Any], list[list[str]]] | None = None
    answers_at_once: bool = False
    is_listed: bool = True
    keeps_table: bool = False
    writes: bool = False

    @property
    def all_fields(self) -> tuple[Field, ...]:
        """All fields that an address may set."""
        return (*self.fields, *self.more)


@dataclass(frozen=True)
class Question:
    """A question to a door: its subject, and the options of its job.

    Examples
    --------
    >>> question = Question.of_texts("design", {"answers": ["12"], "guess": ["+0.01"], "error": [""]})
    >>> question.options.answers, question.texts
    (12, {'answers': ['12'], 'guess': ['+0.01']})
    >>> question.commands
    [['discretion', 'design', '--answers=12', '--guess=+0.01']]
    """

    door: Door
    about: tuple[Any, ...]
    options: Options
    texts: Mapping[str, list[str]] = field(compare=False)

    @classmethod
    def of_texts(cls, path: str, texts: Texts) -> "Question":
        """Return the question that the texts of fields spell; an empty text leaves its field unset.

        Raises
        ------
        InvalidValueError
            If there is no such field, or a text is not a value of its field.
        """
        door = DOORS[path]
        fields = {field.name: field for field in door.all_fields}
        given = dict[str, list[str]]()
        for name, each in texts.items():
            is_split = fields[one_of(name, fields, "field")].lines > 1 and name != "about"
            given[name] = [
                part for text in each for part in (text.splitlines() if is_split else [text]) if part.strip()
            ]
        about = door.spell(given.get("about", ()))
        if "about" in fields and not about and any(given.values()) and not door.answers_at_once:
            raise InvalidValueError(f"{door.fields[0].label}: this field is empty, and the question needs it")
        named = {name: each for name, each in given.items() if each and name != "about"}
        options = door.options.of_texts(named)
        return cls(door, about, options, {**({"about": [*about]} if about else {}), **options.texts()})

    @property
    def asked(self) -> Options:
        """The options of the job."""
        return self.options if self.door.job is None else self.door.job.of_parameters(vars(self.options))

    @property
    def asked_texts(self) -> Texts:
        """The texts of the fields that the job takes."""
        options = vars(self.asked)
        return {name: given for name, given in self.texts.items() if name == "about" or name in options}

    @property
    def is_empty(self) -> bool:
        """Whether nothing is asked yet."""
        return not self.texts and not self.door.answers_at_once

    def on_this_machine(self, paths: Mapping[str, str]) -> "Question":
        """Return the same question with the paths of files in place of their names, for commands."""
        is_of_files = any(field.file for field in self.door.fields)
        return replace(self, about=tuple(paths.get(name, name) for name in self.about)) if is_of_files else self

    @property
    def commands(self) -> list[list[str]]:
        """The commands that answer the same question."""
        if self.door.commands is not None:
            return self.door.commands(self.about, self.asked)
        return [["discretion", self.door.command, *self.about, *self.asked.arguments()]]

    @property
    def python(self) -> str:
        """The same question in Python, or an empty text if the job has no public function."""
        given = [repr(each) for each in self.about]
        inputs = self.asked.inputs()
        given += [f"{name}={inputs[name]!r}" for name in self.asked.texts()]
        return f"dc.{self.door.command}({', '.join(given)})" if self.door.command in _PUBLIC else ""

    def answer(self, monitor: Monitor) -> JobResult:
        """Return the job's result."""
        return self.door.run(self.about, self.asked, monitor)


def settled(texts: Texts) -> dict[str, list[str]] | None:
    """Return the options for the roles of columns in a form, with its other fields; None if the form has no roles.

    Examples
    --------
    >>> settled({"about": ["people.csv"], "k": [""], "as:sex": ["goes out"], "as:zip": ["does not go out"]})
    {'about': ['people.csv'], 'drop': ['zip']}
    >>> settled({"about": ["people.csv"], "as:age": ["goes out, generalized"], "how:age": ["in steps of 10"]})
    {'about': ['people.csv'], 'generalize': ['age=in steps of 10']}
    """
    roles = {name.removeprefix(ROLE): given[-1] for name, given in texts.items() if name.startswith(ROLE)}
    if not roles:
        return None
    hows = {name.removeprefix(HOW): given[-1] for name, given in texts.items() if name.startswith(HOW)}
    others = {name: given for name, given in texts.items() if not name.startswith((ROLE, HOW)) and name != EACH_ROW}
    others["person"] = [NO_PERSON] if EACH_ROW in texts else []
    question = Question.of_texts("columns", others)
    options = with_roles(cast(ColumnChoiceOptions, question.options), roles, hows)
    return {"about": [*question.about], **options.texts()}


def _claim(about: Sequence[str], options: ClaimOptions, monitor: Monitor) -> JobResult:
    from discretion.jobs.claim import run_claim  # noqa: PLC0415

    return run_claim(_only(about), options, monitor=monitor)


def _commands_of_claim(about: Sequence[str], options: ClaimOptions) -> list[list[str]]:
    level = [] if options.delta is None else [f"--delta={options.delta}"]
    rates = (f"--false-positive-rate={rate}" for rate in (0.1, 0.01, 0.001))
    return [["discretion", "measure", *about, rate, *level] for rate in rates]


def _channel(about: Sequence[str], options: ChannelOptions, monitor: Monitor) -> JobResult:
    from discretion.jobs.channel import run_channel  # noqa: PLC0415

    return run_channel(about, options, monitor=monitor)


def _commands_of_channels(about: Sequence[str], options: ChannelOptions) -> list[list[str]]:
    each = [["discretion", "measure", name, *options.arguments()] for name in about]
    prior = ChannelOptions(prior=options.prior).arguments()
    return each if len(about) == 1 else [*each, ["discretion", "compare", *about, *prior]]


def _spelled_channels(texts: Sequence[str]) -> tuple[str, ...]:
    """Return each text as the spelling of a mechanism; a text is a spelling already, or the rows of a matrix."""
    return tuple(text.strip() if _SPELLING.match(text) else f"channel:{_rows(text)}" for text in texts if text.strip())


def _rows(text: str) -> str:
    lines = [re.sub(r"\s*,\s*|\s+", ",", line.strip()) for line in re.split(r"[;\n]", text)]
    return ";".join(line for line in lines if line) + ";" * ("," not in text and len([*filter(None, lines)]) == 1)


def _papers(about: Sequence[str], _: Options, monitor: Monitor) -> JobResult:
    from discretion.reproduce import PAPERS, Contents, PaperReproduction  # noqa: PLC0415

    if not about:
        return Contents(PAPERS)
    paper = PAPERS[one_of(about[0], PAPERS, "paper here called")]
    if len(about) == 1:
        return Contents({about[0]: paper})
    name = paper.item_name(_only(about[1:]))
    with monitor.step(f"{name}: computing"):
        return PaperReproduction(paper, {name: paper.items[name].reproduce()})


# The jobs that are public functions by the name of their command.
_PUBLIC = frozenset({"design", "audit"})


def _design(_: Sequence[str], options: DesignOptions, monitor: Monitor) -> JobResult:
    from discretion.jobs.design import run_design  # noqa: PLC0415 - each job is loaded where it runs

    return run_design(options, monitor, figure=True)


def _measure(about: Sequence[str], options: MeasureOptions, monitor: Monitor) -> JobResult:
    from discretion.jobs.measure import run_measure  # noqa: PLC0415

    return run_measure(_only(about), options, curve=True, monitor=monitor)


def _compare(about: Sequence[str], options: CompareOptions, monitor: Monitor) -> JobResult:
    from discretion.jobs.compare import run_compare  # noqa: PLC0415

    return run_compare(about, options, monitor=monitor)


def _estimate(about: Sequence[str], options: EstimateOptions, monitor: Monitor) -> JobResult:
    from discretion.jobs.estimate import estimate  # noqa: PLC0415

    return estimate(_only(about), options, converging=True, monitor=monitor)


def _exposure(about: Sequence[str], options: ExposureOptions, monitor: Monitor) -> JobResult:
    from discretion.jobs.exposure import table_exposure  # noqa: PLC0415

    with monitor.step("who shares the values of others"):
        return table_exposure(_only(about), options, curve=True)


def _audit(about: Sequence[str], options: AuditOptions, monitor: Monitor) -> JobResult:
    from discretion.jobs.audit.job import run_audit  # noqa: PLC0415
    from discretion.jobs.audit.time_limit import TimeLimit  # noqa: PLC0415

    return run_audit(_only(about), options, progress=_telling(monitor), time=TimeLimit(None))


def _columns(about: Sequence[Any], options: ColumnChoiceOptions, monitor: Monitor) -> JobResult:
    from discretion.jobs.columns import choose_columns  # noqa: PLC0415

    with monitor.step("who is exposed by these columns"):
        return choose_columns(_only(about), options)


def _release(about: Sequence[Any], options: FileToWrite, monitor: Monitor) -> JobResult:
    from discretion.jobs.release.job import run_release  # noqa: PLC0415

    release = ReleaseOptions.of_parameters(vars(options))
    return run_release(_only(about), str(options.out), release, progress=_telling(monitor), is_new=True)


def _telling(monitor: Monitor) -> Callable[[str], None]:
    """Return a function that reports the progress of a job to a monitor, as steps."""

    def tell(what: str) -> None:
        with monitor.step(what):
            pass

    return tell


def _only(about: Sequence[Any]) -> Any:
    if len(about) != 1:
        raise InvalidValueError(f"this field takes exactly one line; got {len(about)}")
    return about[0]


_SEED = Field("seed", "Seed", "The same seed gives the same result where only sampling answers.")
_PEOPLE = Field("users", "People", "How many people answer, such as 50000.", "50000")
_ADVERSARY = Field(
    "adversary",
    "What the adversary knows about the other people",
    choices=(("worst", "all their values, in the worst case (the safe assumption)"), ("uninformed", "nothing")),
)
_PRIOR = Field("prior", "Prior", "The law of the value, as 0.5,0.3,0.2; uniform if empty.")
_LEVELS = (Field("epsilon", "ε", "Adds δ at this ε."), Field("delta", "δ", "Adds ε at this δ."))
_MECHANISM = "Such as krr:k=5,epsilon=1, laplace:scale=1, gaussian:sigma=1 or dpsgd:sigma=1,rate=0.01,steps=1000."
_SPELLING = re.compile(r"\s*[a-z-]+:")
_NO_OR_YES = (("no", "no"), ("yes", "yes"))
_HEADER = Field("header", "First line of a CSV file", "Whether it holds names: yes or no; or the names, as a,b.")
_TEXT_FORMAT = (
    _HEADER,
    Field("delimiter", "Delimiter of a CSV file", "One of , ; | : or tab; as the first lines show if empty."),
    Field("encoding", "Encoding of a CSV file", "Such as latin-1, if it is not UTF-8."),
)

_TABLE_FIELDS: tuple[tuple[Field, ...], tuple[Field, ...]] = (
    (
        Field("about", "Table", "A table that was opened here.", file=True),
        Field("k", "Least group", "A person is exposed in a group of fewer people with the same values; 10 if empty."),
        Field("sensitive", "Sensitive columns", "Names with commas; nobody should be able to guess these."),
        Field("person", "Column that names a person", "Or none, if every row is a person."),
    ),
    (
        Field("columns", "Columns to examine", "Names with commas; all if empty."),
        Field("keep", "Columns that must go out"),
        Field("drop", "Columns that must not go out"),
        Field("generalize", "Columns that go out generalized", "As age=in steps of 10, with commas."),
        Field("budget", "Share of the people who may be exposed", "0.01 if empty; 0 is strict."),
        Field("max_suppressed", "Share of the people who may be left out", "0.02 if empty."),
        Field("weight", "Column of sampling weights"),
        Field("population", "Size of the population", "The number of people, if the table is a sample of them."),
        *_TEXT_FORMAT,
    ),
)


DOORS: Mapping[str, Door] = MappingProxyType(
    {
        door.path: door
        for door in (
            Door(
                "table",
                "audit",
                "I have a table",
                "Table",
                "Find the columns that may go out together, the people who stand out, and the best file to publish.",
                ColumnChoiceOptions,
                _audit,
                *_TABLE_FIELDS,
                job=AuditOptions,
            ),
            Door(
                "columns",
                "columns",
                "What the columns of a table are for",
                "Columns",
                "Find the people who are exposed by the columns that go out.",
                ColumnChoiceOptions,
                _columns,
                *_TABLE_FIELDS,
                is_listed=False,
                keeps_table=True,
            ),
            Door(
                "release",
                "release",
                "Write the file",
                "Release",
                "Only the button writes the file, and it replaces no file. Discretion reads it back and audits it.",
                FileToWrite,
                _release,
                (
                    Field("about", "Table", "A table that was opened here.", file=True),
                    Field("out", "New file", "Its path on this machine, ending in .parquet or .csv."),
                ),
                tuple(Field(each.name, each.name) for each in fields(ReleaseOptions)),
                is_listed=False,
                writes=True,
            ),
            Door(
                "exposure",
                "exposure",
                "Who stands out by some columns of a table",
                "Columns",
                "Count the people in groups of fewer than k people with the same values.",
                ExposureOptions,
                _exposure,
                (
                    Field("about", "Table", "A table that was opened here.", file=True),
                    Field("columns", "Columns", "Names with commas; all if empty."),
                    Field(
                        "k",
                        "Least group",
                        "A person is exposed in a group of fewer people with the same values; 10 if empty.",
                    ),
                    Field("sensitive", "Sensitive columns", "Names with commas."),
                ),
                (Field("person", "Column that names a person", "Or none, if every row is a person."), *_TEXT_FORMAT),
            ),
            Door(
                "design",
                "design",
                "I want to ask people",
                "Question",
                "Find the randomizer, the ε and the number of people that a question needs, and the code to ship.",
                DesignOptions,
                _design,
                (
                    Field("answers", "Answers", "How many answers the question has, such as 12.", "12"),
                    _PEOPLE,
                    Field(
                        "guess",
                        "Best guess",
                        "How often a guess may be correct, as 10%, or how much more often, as +0.01.",
                        "+0.01",
                    ),
                    Field("error", "Standard error", "Of a share, as 0.002, 100 people or 2 digits."),
                    Field("local_epsilon", "ε of each report", "Chosen if empty.", slider=(0.1, 8.0)),
                ),
                (
                    Field("epsilon", "ε after the shuffler", "With δ: (ε, δ)-differential privacy of all reports."),
                    Field("delta", "δ"),
                    Field("shares", "Share of each answer", "As 0.5,0.3,0.2; all equal if empty."),
                    _ADVERSARY,
                    Field("questions", "Questions", "The number of such questions to the same people; 1 if empty."),
                    Field("unshuffled", "Without a shuffler", choices=_NO_OR_YES),
                    Field("targets", "Further goals", "One on each line, such as bayes_security>=0.95.", lines=3),
                    Field("protocols", "Protocols", "Among krr, ss, oue, olh, hadamard, rappor; all if empty."),
                    _SEED,
                ),
            ),
            Door(
                "mechanism",
                "measure",
                "I have a mechanism",
                "Mechanism",
                "Compute how well an adversary can guess one person's value, alone or in a crowd.",
                MeasureOptions,
                _measure,
                (
                    Field("about", "Mechanism", _MECHANISM, "krr:k=12,epsilon=1"),
                    _PEOPLE,
                    Field("shuffled", "Shuffled", "The reports of all people together.", choices=_NO_OR_YES),
                    _ADVERSARY,
                ),
                (
                    _PRIOR,
                    Field("gain", "What the adversary wants", "identity if empty; tries:2, set:0,3 …"),
                    *_LEVELS,
                    Field("false_positive_rate", "False positive rate", "Adds what share the best attack then misses."),
                    Field("only", "Measures", "Names with commas; all if empty."),
                    _SEED,
                ),
            ),
            Door(
                "compare",
                "compare",
                "I have several mechanisms or channels",
                "Comparison",
                "Compare what each gives away, how accurate it is, and which is safer against every adversary.",
                CompareOptions,
                _compare,
                (
                    Field("about", "Mechanisms", "One on each line.", "krr:k=5,epsilon=1", lines=3),
                    _PEOPLE,
                    Field("target", "Target", "Such as posterior_vulnerability<=0.25."),
                ),
                (
                    _PRIOR,
                    _ADVERSARY,
                    *_LEVELS,
                    _SEED,
                ),
            ),
            Door(
                "black-box",
                "estimate",
                "I have a black box",
                "Black box",
                "Estimate how well a program hides its secrets, from samples of secrets and observations.",
                EstimateOptions,
                _estimate,
                (
                    Field("about", "Samples", "A CSV file that was opened here.", file=True),
                    Field("secret", "Column of the secret", "The first one if empty."),
                    Field("confidence", "Confidence", "Of each interval; 0.95 if empty."),
                ),
                (
                    Field("all_secrets", "The file has all secrets", choices=_NO_OR_YES),
                    Field("epsilon", "ε", "Adds a lower bound of δ at this ε, of two secrets."),
                    Field("delta", "δ", "Adds a lower bound of ε at this δ."),
                    Field("half_width", "Half width of intervals", "Adds how many samples give an interval of ± this."),
                    _HEADER,
                    _SEED,
                ),
            ),
            Door(
                "claim",
                "claim",
                "I have a privacy claim",
                "Claim",
                "Show what ε and δ, or a mechanism, mean for one person: how surely an attacker identifies them.",
                ClaimOptions,
                _claim,
                (
                    Field(
                        "about",
                        "Claim or mechanism",
                        "Such as dp:epsilon=1,delta=1e-6, gaussian:sigma=1 or dpsgd:sigma=1,rate=0.01,steps=1000.",
                        "dp:epsilon=1,delta=1e-6",
                    ),
                    Field("base_rate", "Share of the suspects who are guilty", "0.5 if empty.", slider=(0.001, 0.999)),
                    Field("delta", "δ", "Adds the ε at this δ."),
                ),
                commands=_commands_of_claim,
            ),
            Door(
                "channel",
                "channel",
                "I have a channel, or two",
                "Channel",
                "Compute what an adversary gains; for two, which is safer against all adversaries, with a proof.",
                ChannelOptions,
                _channel,
                (
                    Field(
                        "about",
                        "Channel",
                        "A row for each secret, a column for each output; or a spelling, such as krr:k=3,epsilon=1.",
                        "0.9, 0.1\n0.2, 0.8",
                        lines=4,
                    ),
                    Field("about", "Second channel", "To compare with; empty if there is none.", lines=4),
                    Field("prior", "Prior", "The law of the secret, as 0.5,0.3,0.2; uniform if empty."),
                    Field("gain", "What the adversary wants", "identity if empty; tries:2, set:0,3 …"),
                ),
                spell=_spelled_channels,
                commands=_commands_of_channels,
            ),
            Door(
                "papers",
                "reproduce",
                "I want to see the papers",
                "Papers",
                "Recompute the tables and figures of four papers, next to the printed numbers.",
                Options,
                _papers,
                (Field("about", "Paper, and on the next line a table or figure of it", "All if empty.", lines=2),),
                answers_at_once=True,
            ),
        )
    }
)
