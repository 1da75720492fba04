"""The result of a design: the protocols at their best parameters, the recommended one, and the reasons."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from discretion.errors import InvalidValueError
from discretion.estimate import Estimate, highest, lowest
from discretion.jobs.design.goals import USUAL_DELTA, Goal, shares_of
from discretion.jobs.gates import numbers_in
from discretion.jobs.options.mechanisms import DesignOptions
from discretion.jobs.protocols import PROTOCOLS
from discretion.jobs.scenario import Result
from discretion.jobs.shipping import DesignNumber, Shipment
from discretion.mechanisms.device import DeviceWork
from discretion.mechanisms.mechanism import as_mechanism
from discretion.presenting.numbers import bounded, percent, rounded_down, rounded_up, within
from discretion.presenting.sentences import not_computed, seed_sentence
from discretion.presenting.shell import Command
from discretion.presenting.views.document import Advice, Block, Bullets, Document, Figure, Grid, Section, Terms
from discretion.presenting.views.result import JobResult, number_row
from discretion.spelling import knowledge_of, mechanism_of, spelled

Order = Literal["error", "users", "guess"]

# Half of the interval that holds a normal variable 95 % of the time.
NORMAL_95 = 1.959963984540054


@dataclass(frozen=True)
class ProtocolDesign:
    """A protocol at the parameters that fit the goals best.

    Parameters
    ----------
    protocol
        The protocol's name on the command line.
    mechanism
        The mechanism as the command line spells it, with these parameters.
    epsilon
        The ε of each report; infinite for honest answers.
    users
        The number of people who report.
    shuffled
        The measures of the shuffled reports against the adversary, by their names; of each report by itself if nothing
        is shuffled. A measure that takes too long is left out.
    alone
        The same measures of each person's reports if the shuffler reveals who sent them.
    frequency_error
        The standard error of a share, the standard error of a count in people, and half of the 95 % interval of a
        count.
    bits
        The length of each report.
    work
        The number of random draws and hash evaluations per report on the device.
    undecided
        The goals that the numbers do not decide.
    """

    protocol: str
    mechanism: str
    epsilon: float
    users: int
    shuffled: Mapping[str, Result]
    alone: Mapping[str, Result]
    frequency_error: Mapping[str, float]
    bits: int
    work: DeviceWork
    undecided: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """The usual name of the protocol, with its ε."""
        if self.epsilon == math.inf:
            return "honest answers"
        return f"{PROTOCOLS[self.protocol]} with ε = {self.epsilon:g}"

    @property
    def guess(self) -> Result | None:
        """The probability that the best guess of a person's answer is correct; None if it takes too long to compute."""
        return self.shuffled.get("posterior_vulnerability")

    def to_dict(self) -> dict[str, Any]:
        """Return the protocol's design as a dictionary for JSON."""
        return {
            "mechanism": self.mechanism,
            "epsilon": self.epsilon,
            "users": self.users,
            **self.shuffled,
            "alone": {**self.alone},
            "frequency_error": {**self.frequency_error},
            "bits": self.bits,
            "work": self.work._asdict(),
            "undecided": list(self.undecided),
        }


Points = Mapping[str, Sequence[Mapping[str, Any]]]


@dataclass(frozen=True, repr=False)
class Design(JobResult):
    """The design of a question: the protocol, its ε, and the number of people.

    Parameters
    ----------
    recommended
        The protocol to use, or None if the numbers decide for no protocol that it meets the goals.
    runner_up
        The next best protocol that is a different mechanism, or None.
    protocols
        All protocols by their names, the best first.
    not_computed
        The reason for each protocol without a design.
    rivals
        The protocols that may be better than the recommended one, according to their bounds.
    largest_epsilon
        The largest ε of the recommended protocol within the goals of privacy, if the goals of accuracy need a smaller
        one.
    goals
        The goals of the design, in words.
    adversary
        The adversary that the numbers are for, in words.
    before
        The probability that the best guess is correct without any report.
    options
        The options of the design, with its seed.
    by
        The number that orders the protocols: the one that the goals leave free.
    points
        Points of each protocol for different ε, for the figure; None leaves the figure out.
    find_points
        The function that computes these points for the designs of these options.
    """

    recommended: ProtocolDesign | None
    runner_up: ProtocolDesign | None
    protocols: Mapping[str, ProtocolDesign]
    not_computed: Mapping[str, str]
    rivals: tuple[str, ...]
    largest_epsilon: float | None
    goals: tuple[str, ...]
    adversary: str
    before: float
    options: DesignOptions
    by: Order
    points: Points | None = None
    find_points: Callable[[DesignOptions, Sequence[ProtocolDesign]], Points] | None = field(default=None, compare=False)

    @property
    def numbers(self) -> dict[str, Any]:
        """The numbers of the recommended protocol by their names."""
        return {} if self.recommended is None else numbers_in(self.recommended.to_dict())

    def to_dict(self) -> dict[str, Any]:
        """Return the design as a dictionary for JSON."""
        return {
            "recommended": None if self.recommended is None else self.recommended.to_dict(),
            "runner_up": None if self.runner_up is None else self.runner_up.protocol,
            "goals": list(self.goals),
            "adversary": self.adversary,
            "prior_vulnerability": self.before,
            "largest_epsilon": self.largest_epsilon,
            "may_be_better": list(self.rivals),
            "protocols": {name: design.to_dict() for name, design in self.protocols.items()},
            "not_computed": {**self.not_computed},
        }

    def table_rows(self) -> Iterator[Mapping[str, Any]]:
        """Yield a row for each number of each protocol."""
        for design in self.protocols.values():
            for name, value in numbers_in(design.to_dict()).items():
                yield {"mechanism": design.mechanism, **number_row(name, value)}

    def chart(self, name: str | None = None) -> Any:
        """Return the figure: the error of a count over the best guess, for different ε.

        If the design has no points, it computes them first: for a crowd that takes longer than the design.

        Examples
        --------
        >>> import discretion as dc
        >>> dc.design(4, users=1000, local_epsilon=1, unshuffled=True).chart().to_dict()["title"]["text"]
        'Accuracy against privacy'
        """
        whole = self
        if self.points is None and self.find_points is not None:
            whole = replace(self, points=self.find_points(self.options, [*self.protocols.values()]) or None)
        return super(Design, whole).chart(name)

    def shipment(self, labels: Sequence[str] = ()) -> Shipment:
        """Return the files to ship for the recommended protocol: parameters, code, and a notebook with checks.

        Parameters
        ----------
        labels
            The answers in words, in order; if empty, their numbers.

        Raises
        ------
        InvalidValueError
            If no protocol is recommended, or the number of labels is not the number of answers.

        Examples
        --------
        >>> import discretion as dc
        >>> question = dc.design(3, users=100, guess="+0.1", protocols=["krr"], adversary="uninformed")
        >>> sorted(question.shipment(["yes", "no", "I do not know"]).files)
        ['check.ipynb', 'collect.toml', 'parameters.js', 'parameters.json', 'randomize_and_tally.py']
        """
        chosen = self.recommended
        if chosen is None:
            raise InvalidValueError(
                "no protocol certainly meets the goals, so that there is nothing to ship; choose other goals"
            )
        mechanism = as_mechanism(mechanism_of(chosen.mechanism), "a shipment")
        shares = None if self.options.shares is None else shares_of(self.options.shares).tolist()
        return Shipment(mechanism, chosen.users, labels, shares, self._command, tuple(self._checks(chosen)))

    @property
    def _command(self) -> list[str]:
        return ["discretion", "design", *self.options.arguments()]

    def _checks(self, chosen: ProtocolDesign) -> Iterator[DesignNumber]:
        """Yield the numbers that a notebook recomputes; for several questions, the numbers of each report."""
        options = self.options
        yield DesignNumber(
            "ε of each report", "dc.ldp_epsilon(mechanism)", chosen.alone["ldp_epsilon"] / options.questions
        )
        prior = "None" if options.shares is None else "shares"
        share = chosen.frequency_error["share"]
        yield DesignNumber("standard error of a share", f"dc.frequency_error(mechanism, n, {prior}).share", share)
        if options.questions > 1:
            return
        seen = "mechanism"
        if not options.unshuffled:
            knowledge = f"dc.{knowledge_of(options.adversary)!r}"
            seen = f"dc.Shuffled(mechanism, n).seen_by({knowledge}, seed={options.seed})"
            name = "best guess of an answer, if the shuffler is not honest"
            expression = f"dc.posterior_vulnerability(mechanism, {prior})"
            yield DesignNumber(name, expression, chosen.alone["posterior_vulnerability"])
        of_seen = {
            "posterior_vulnerability": ("best guess of an answer", f"dc.posterior_vulnerability({seen}, {prior})"),
            "bayes_security": ("Bayes security", f"dc.bayes_security({seen})"),
            "dp_epsilon": (f"ε at δ = {self._delta:g}", f"dc.dp_epsilon({seen}, {self._delta!r})"),
        }
        for measure, (name, expression) in of_seen.items():
            if measure in chosen.shuffled:
                yield DesignNumber(name, expression, chosen.shuffled[measure])

    def document(self) -> Document:
        """Return the document: the recommendation, its privacy and the error of its counts, and all protocols."""
        options = self.options
        users = options.users if self.recommended is None else self.recommended.users
        among = "" if users is None else f" for {users:,} people"
        several = "" if options.questions == 1 else f"{options.questions:,} questions, each"
        title = f"{several or 'A question'} with {options.answers or 0:,} answers{among}"
        sections = [Section("All protocols", tuple(self._tables()))]
        if notes := tuple(self._notes()):
            sections.append(Section("Bounds and estimates (*)", (Terms(notes),)))
        if self.points is not None:
            figure = Figure("design", "The error of a count over the best guess, for different ε", self._chart)
            sections.append(Section("What accuracy costs", (figure,), level="page"))
        return Document(title, tuple(self._first()), tuple(sections), kind="design", line=self._line())

    def _line(self) -> str:
        return "no protocol certainly meets the goals" if self.recommended is None else self.recommended.mechanism

    def _first(self) -> Iterator[Block]:
        chosen = self.recommended
        if chosen is None:
            yield Advice("Not decided: no protocol certainly meets the goals, but some may.")
            yield Bullets(tuple(self._undecided()))
            return
        yield Advice(f"Use {chosen.title}: {chosen.mechanism}")
        yield Bullets((*self._sentences(chosen), *self._reasons(chosen)))
        numbers = (number for each in self.protocols.values() for number in each.shuffled.values())
        yield from seed_sentence(numbers, self.options.seed)
        measured = ["discretion", "measure", chosen.mechanism, f"--users={chosen.users}"]
        if not self.options.unshuffled:
            measured += ["--shuffled", f"--adversary={self.options.adversary}"]
        if self.options.shares is not None:
            measured += [f"--prior={spelled(shares_of(self.options.shares))}"]
        yield "Ship it, with code for client and analyst and a notebook that checks these numbers:"
        yield Command([*self._command, "--ship=question"])
        yield "Measure it again:" if self.options.questions == 1 else "Measure one question by itself:"
        yield Command(measured)

    def _undecided(self) -> Iterator[str]:
        for design in self.protocols.values():
            bounds = "; ".join(f"{name} {within(n)}" for name, n in design.shuffled.items() if isinstance(n, Estimate))
            yield f"{design.mechanism}: {' and '.join(design.undecided)} is not decided. {bounds}"
        fewer = "fewer questions, " if self.options.questions > 1 else ""
        yield f"To decide this, choose {fewer}more people, or a goal outside of the intervals."

    def _sentences(self, chosen: ProtocolDesign) -> Iterator[str]:
        options = self.options
        many = "" if options.questions == 1 else f" once all {options.questions:,} questions are answered"
        if chosen.guess is not None:
            yield (
                f"The best guess of one person's answer is right {bounded(chosen.guess)} of the time{many}, and "
                f"{percent(self.before)} without any report, for {self.adversary}."
            )
        if not options.unshuffled:
            alone = chosen.alone["posterior_vulnerability"]
            right = bounded(alone)
            if lowest(alone) < highest(alone) == 1:  # a bound that excludes nothing
                right = f"between {percent(lowest(alone))} and 100 %"
            yield (
                f"This needs an honest shuffler. If the shuffler is not honest, the best guess is right {right} of the "
                f"time, and the ε is {highest(chosen.alone['ldp_epsilon']):g}."
            )
            delta, epsilon = self._delta, chosen.shuffled.get("dp_epsilon")
            if epsilon is not None:
                most = (
                    f"at most {rounded_up(highest(epsilon), 3)}" if isinstance(epsilon, Estimate) else f"{epsilon:.4g}"
                )
                yield f"The shuffled reports are (ε, {delta:g})-differentially private with an ε of {most}."
        error = chosen.frequency_error
        if not error["share"]:
            yield "Every count is exact."
            return
        yield (
            f"A count has a standard error of {_people(error['people'])} people, {percent(error['share'], 3)} of all: "
            f"with 95 % probability it is within {_people(error['half_width'])} people of the truth."
        )

    @property
    def _delta(self) -> float:
        return USUAL_DELTA if self.options.delta is None else self.options.delta

    def _reasons(self, chosen: ProtocolDesign) -> Iterator[str]:
        if self.goals:
            yield f"Goals: {'; '.join(self.goals)}."
        if chosen.epsilon == math.inf:
            yield "The shuffler alone meets the goals, without noise. Use this only if everybody trusts the shuffler."
        what = {"error": "the smallest error", "users": "the fewest people", "guess": "the lowest best guess"}[self.by]
        second = self.runner_up
        if second is None:
            yield "Reason: no other protocol has a design to compare with."
        else:
            beside = {
                "error": f"{_people(second.frequency_error['people'])} people",
                "users": f"{second.users:,} people",
                "guess": "its guess is not computed" if second.guess is None else bounded(second.guess),
            }[self.by]
            yield f"Reason: it has {what} of all protocols within the goals. Runner-up: {second.mechanism}, {beside}."
        if self.largest_epsilon is not None and self.largest_epsilon > chosen.epsilon:
            yield (
                "A larger ε would give away more than the goals of accuracy need. The goals of privacy hold up to "
                f"ε = {self.largest_epsilon:g}."
            )
        if self.rivals:
            yield f"Not decided, because of bounds: {' and '.join(self.rivals)} may have a smaller error."

    def _tables(self) -> Iterator[Block]:
        options, designs = self.options, self.protocols.values()
        strong = frozenset(i for i, design in enumerate(designs) if design is self.recommended)
        order = {"error": "error", "users": "number of people", "guess": "best guess"}[self.by]
        if designs:
            heads = ["protocol", "ε", "users", "guess", "error", "± 95 %", "bits", "draws"]
            rows = [
                (
                    design.protocol, f"{design.epsilon:.4g}", f"{design.users:,}", _at_most(design.guess),
                    _people(design.frequency_error["people"], 4), _people(design.frequency_error["half_width"], 4),
                    f"{design.bits:,}", f"{design.work.random_draws:,}",
                )
                for design in designs
            ]  # fmt: skip
            note = (
                f"Each protocol at its best parameters, ordered by {order}. Guess: {self.adversary}. Errors in people. "
                "Bits and random draws: per report."
            )
            yield Grid(tuple(heads), tuple(rows), frozenset(["protocol"]), note=note, first=len(rows), strong=strong)
            heads = ["protocol", "guess", *(["equal shares"] if options.shares else []), "β*", f"ε({self._delta:g})"]
            dishonest = [] if options.unshuffled else ["guess", "ε"]
            yield self._trust(heads, dishonest, strong)
        if self.not_computed:
            names = {PROTOCOLS[name]: reason for name, reason in self.not_computed.items()}
            yield Bullets(tuple(not_computed(names)))

    def _trust(self, heads: list[str], dishonest: list[str], strong: frozenset[int]) -> Grid:
        heads = [*heads, *(f"{head}, not honest" for head in dishonest)]
        rows = [
            (
                design.protocol,
                *(_SHOWN[name](design.shuffled.get(name)) for name in measures_of(self.options)),
                *(_at_most(value) for value in design.alone.values() if dishonest),
            )
            for design in self.protocols.values()
        ]
        alone = "Each report by itself" if self.options.questions == 1 else "All reports of a person together"
        caption = "With an honest shuffler, and with one that is not honest" if dishonest else alone
        return Grid(tuple(heads), tuple(rows), frozenset(["protocol"]), caption=caption, first=len(rows), strong=strong)

    def _notes(self) -> Iterator[tuple[str, str]]:
        methods: dict[str, None] = {}
        for design in self.protocols.values():
            estimates = {name: n for name, n in design.shuffled.items() if isinstance(n, Estimate)}
            methods |= dict.fromkeys(estimate.method for estimate in estimates.values())
            if estimates:
                yield design.mechanism, "; ".join(f"{name} {within(n)} *" for name, n in estimates.items())
        if methods:
            yield "*", "; ".join(methods)

    def _chart(self) -> Any:
        from discretion import charts  # noqa: PLC0415 - Altair takes half a second

        assert self.points is not None
        return charts.design(self.points, self.adversary)


def _people(error: float, digits: int = 3) -> str:
    """Return an error in people, never with an exponent."""
    return f"{error:.{digits}g}" if error < 10**digits - 0.5 else f"{error:,.0f}"


def _at_most(result: Result | None) -> str:
    """Return a result as a table shows it; for a bound, its upper limit."""
    if result is None:
        return "—"
    return f"≤{rounded_up(result.high, 4)}*" if isinstance(result, Estimate) else f"{result:.4g}"


def _at_least(result: Result | None) -> str:
    if result is None:
        return "—"
    return f"≥{rounded_down(result.low, 4)}*" if isinstance(result, Estimate) else f"{result:.4g}"


# The measures of what the adversary sees, each as a table has it.
_SHOWN: Mapping[str, Callable[[Result | None], str]] = {
    "posterior_vulnerability": _at_most,
    "uniform_posterior_vulnerability": _at_most,
    "bayes_security": _at_least,
    "dp_epsilon": _at_most,
}


def measures_of(options: DesignOptions) -> list[str]:
    """Return the measures of the adversary's observation; if shares are given, also the measure for equal shares."""
    return [name for name in _SHOWN if name != "uniform_posterior_vulnerability" or options.shares is not None]


def words_of(goals: Sequence[Goal]) -> tuple[str, ...]:
    """Return the goals in words."""
    return tuple(goal.words for goal in goals)
