"""The design of a question: each protocol at the parameters that fit the goals best, and the recommended one."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext, suppress
from dataclasses import replace
from functools import partial
from typing import Any, NoReturn

from discretion.errors import InvalidValueError, UnsupportedError, one_of
from discretion.estimate import Estimate, highest
from discretion.jobs.design.goals import Setting, goals_of
from discretion.jobs.design.result import NORMAL_95, Design, Order, Points, ProtocolDesign, measures_of, words_of
from discretion.jobs.design.solving import Solver, UnmetError
from discretion.jobs.monitor import Monitor
from discretion.jobs.options.mechanisms import DesignOptions
from discretion.jobs.protocols import PROTOCOLS, Protocol
from discretion.jobs.scenario import Result
from discretion.numerics.draws import fresh_seed

# Errors that differ by less are as good as equal: the shorter report is then better.
_ALIKE = 1.01
# Where the curves of the figure have their points, as parts of a protocol's own ε.
_PARTS = (0.4, 0.6, 0.8, 1.0, 1.15)


def design(
    answers: int | None = None,
    users: int | None = None,
    *,
    guess: float | str | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    error: float | str | None = None,
    targets: Sequence[str] = (),
    false_positive_rate: float | None = None,
    shares: Sequence[float] | str | None = None,
    adversary: str = "worst",
    questions: int = 1,
    unshuffled: bool = False,
    protocols: Sequence[str] = (),
    local_epsilon: float | None = None,
    seed: int | None = None,
) -> Design:
    """Return the protocol, the ε and the number of people that meet the goals of a question.

    It solves for the free parameter: without ``error`` the largest ε within the goals of privacy, with ``error`` the
    least ε that reaches it, and without ``users`` the fewest people.

    Parameters
    ----------
    answers
        The number of answers to the question, at least 2.
    users
        The number of people who answer, at least 1; None finds the fewest.
    guess
        The limit on the probability that the best guess of a person's answer is correct, in [0, 1], or on its
        increase, as ``"+0.01"``.
    epsilon, delta
        The limit on the (ε, δ)-differential privacy of the shuffled reports.
    error
        The limit on the standard error of a share; or, for example, ``"100 people"`` or ``"2 digits"``.
    targets
        Further goals, as ``"bayes_security>=0.95"``.
    false_positive_rate
        The share of false accusations at which a goal of ``tradeoff`` applies.
    shares
        The share of each answer; they sum to 1. All are equal by default.
    adversary
        The adversary's knowledge of the other users, as on the command line.
    questions
        The number of such questions that the same people answer; the goals of privacy hold for all together.
    unshuffled
        Whether the goals hold for each report by itself.
    protocols
        The names of the protocols on the command line; all by default.
    local_epsilon
        The ε of each report, if it is given.
    seed
        The seed of samples; drawn at random by default.

    Returns
    -------
    Design
        ``.recommended``, ``.runner_up``, and ``.protocols`` by their names, each with its parameters and its numbers.

    Raises
    ------
    InvalidValueError
        If goals contradict each other, or leave too many parameters free; the message names the goals.

    Notes
    -----
    All numbers of privacy are for the same adversary, by default one that knows all other answers. Every ε that is
    found has three digits, and the goals are checked for it.

    Examples
    --------
    >>> import discretion as dc
    >>> question = dc.design(12, users=50_000, guess="+0.01", protocols=["krr"])
    >>> question.recommended.mechanism, round(question.recommended.frequency_error["people"], 1)
    ('krr:k=12,epsilon=5.61', 18.6)
    """
    spelled = shares if shares is None or isinstance(shares, str) else ",".join(repr(float(share)) for share in shares)
    options = DesignOptions(
        answers=answers,
        users=users,
        guess=None if guess is None else str(guess),
        epsilon=epsilon,
        delta=delta,
        error=None if error is None else str(error),
        targets=tuple(targets),
        false_positive_rate=false_positive_rate,
        shares=spelled,
        adversary=adversary,
        questions=questions,
        unshuffled=unshuffled,
        protocols=protocols,
        local_epsilon=local_epsilon,
        seed=seed,
    )
    return run_design(options)


def run_design(
    options: DesignOptions,
    monitor: Monitor | None = None,
    *,
    figure: bool = False,
    searching: Callable[[], AbstractContextManager[None]] = nullcontext,
) -> Design:
    """Return the design for the options.

    Parameters
    ----------
    options
        The options.
    monitor
        Follows each step, and may end the job.
    figure
        Whether to compute the points of the protocols' curves, too.
    searching
        Returns a context manager for the search after the first protocol's design: a KeyboardInterrupt in it ends only
        the search.
    """
    options = replace(options, seed=fresh_seed() if options.seed is None else options.seed)
    return _Job(options, monitor or Monitor()).run(figure=figure, searching=searching)


def _points(options: DesignOptions, designs: Sequence[ProtocolDesign]) -> Points:
    return _Job(options, Monitor()).points(designs)


class _Job:
    """One design in progress."""

    def __init__(self, options: DesignOptions, monitor: Monitor) -> None:
        self._options, self._monitor = options, monitor
        self._setting = Setting(options)
        self._goals = goals_of(options, self._setting)
        names = [one_of(name, PROTOCOLS, "protocol") for name in options.protocols] or [*PROTOCOLS]
        self._protocols = {name: Protocol(name, self._setting.k) for name in names}
        limits_error = any(goal.is_accuracy for goal in self._goals)
        self._by: Order = "users" if options.users is None else "guess" if limits_error else "error"
        self._best: ProtocolDesign | None = None
        self._solver = Solver(self._setting, self._goals, options.local_epsilon, self._step)

    def run(self, *, figure: bool, searching: Callable[[], AbstractContextManager[None]]) -> Design:
        """Return the design of all protocols, or of those that were finished before an interruption."""
        designs: dict[str, ProtocolDesign] = {}
        refused: dict[str, Exception] = {}
        with ExitStack() as begun:
            try:
                for name in self._protocols:
                    self._add(name, designs, refused)
                    if name in designs and len(designs) == 1:
                        begun.enter_context(searching())
            except KeyboardInterrupt as interrupt:
                if type(interrupt) is not KeyboardInterrupt or not designs:  # a limit of the process, say
                    raise
        if not designs:
            self._refuse(refused)
        ordered = sorted(designs.values(), key=self._order)
        sure = [design for design in ordered if not design.undecided]
        chosen = _shortest_of_best(sure, self._order)
        left_out = [name for name in self._protocols if name not in designs and name not in refused]
        return Design(
            recommended=chosen,
            runner_up=next((each for each in sure if chosen and not _is_same(each, chosen)), None),
            protocols={each.protocol: each for each in ordered},
            not_computed={name: str(error) for name, error in refused.items()}
            | dict.fromkeys(left_out, "the search was interrupted"),
            rivals=() if left_out else self._rivals(chosen, sure),
            largest_epsilon=None if left_out else self._largest_epsilon(chosen),
            goals=words_of(self._goals),
            adversary=self._setting.adversary,
            before=self._setting.before,
            options=self._options,
            by=self._by,
            points=(self.points(ordered) or None) if figure and not left_out else None,
            find_points=_points,
        )

    def _add(self, name: str, designs: dict[str, ProtocolDesign], refused: dict[str, Exception]) -> None:
        """Add a protocol's design, or the reason that it has none."""
        try:
            designs[name] = self._designed(self._protocols[name])
        except (InvalidValueError, UnsupportedError) as error:
            refused[name] = error
        else:
            self._best = min(designs.values(), key=self._order)

    def _step(self, what: str) -> AbstractContextManager[None]:
        best = "" if self._best is None else f"; best so far {self._best.mechanism}"
        return self._monitor.step(what + best)

    def _order(self, design: ProtocolDesign) -> float:
        match self._by:
            case "users":
                return design.users
            case "guess":
                return math.inf if design.guess is None else highest(design.guess)
            case _:
                return float(f"{design.frequency_error['share']:.9g}")  # rounding is no reason to prefer one

    def _designed(self, protocol: Protocol) -> ProtocolDesign:
        solved = self._solver.solve(protocol)
        mechanism, users, setting = protocol.at(solved.epsilon), solved.users, self._setting
        spelling = protocol.spelled(solved.epsilon)
        shuffled = {name: partial(setting.measure(name), mechanism, users) for name in measures_of(self._options)}
        alone: dict[str, Callable[[], Result]] = {
            "posterior_vulnerability": partial(setting.guess_without_shuffler, mechanism),
            "ldp_epsilon": partial(setting.measure("ldp_epsilon"), mechanism, users),
        }
        share = setting.error(mechanism, users)
        error = {"share": share, "people": users * share, "half_width": NORMAL_95 * users * share}
        undecided = words_of(solved.undecided)
        return ProtocolDesign(
            protocol.name,
            spelling,
            solved.epsilon,
            users,
            self._answers(spelling, shuffled),
            self._answers(spelling, alone),
            error,
            8 * mechanism.report_width,
            mechanism.device_work,
            undecided,
        )

    def _answers(self, spelling: str, questions: Mapping[str, Callable[[], Result]]) -> dict[str, Result]:
        """Return the values of those measures that are supported and finished in time."""
        answers: dict[str, Result] = {}
        for name, ask in questions.items():
            with suppress(InvalidValueError, UnsupportedError), self._step(f"{spelling}: {name}"):
                answers[name] = ask()
        return answers

    def _rivals(self, chosen: ProtocolDesign | None, sure: Sequence[ProtocolDesign]) -> tuple[str, ...]:
        """Return the protocols that may have a smaller error, according to their bounds."""
        if chosen is None or self._by != "error" or self._options.local_epsilon is not None:
            return ()
        others = [each for each in sure if not _is_same(each, chosen) and isinstance(each.guess, Estimate)]
        error = chosen.frequency_error["share"]
        return tuple(
            each.protocol
            for each in others
            if self._solver.may_be_better(self._protocols[each.protocol], chosen.users, error)
        )

    def _largest_epsilon(self, chosen: ProtocolDesign | None) -> float | None:
        if chosen is None or self._by == "error" or self._options.local_epsilon is not None:
            return None
        return self._solver.largest_epsilon(self._protocols[chosen.protocol], chosen.users)

    def points(self, designs: Sequence[ProtocolDesign]) -> Points:
        """Return the points of each protocol's curve, including its own ε."""
        return {
            each.protocol: [*self._curve(self._protocols[each.protocol], each)]
            for each in designs
            if each.epsilon < math.inf
        }

    def _curve(self, protocol: Protocol, own: ProtocolDesign) -> Iterator[Mapping[str, Any]]:
        for part in _PARTS:
            epsilon = float(f"{part * own.epsilon:.3g}")
            mechanism = protocol.at(epsilon)
            with self._step(f"{protocol.spelled(epsilon)}: the figure"):
                guess = self._setting.measure("posterior_vulnerability")(mechanism, own.users)
            people = own.users * self._setting.error(mechanism, own.users)
            yield {"epsilon": epsilon, "guess": highest(guess), "people": people, "given": part == 1.0}

    def _refuse(self, refused: Mapping[str, Exception]) -> NoReturn:
        """Raise the error that no protocol meets the goals, with the goals in conflict and a way to change them."""
        unmet = {name: error for name, error in refused.items() if isinstance(error, UnmetError)}
        if not unmet:
            raise next(iter(refused.values()))
        name, error = next(iter(unmet.items()))
        against = " and ".join(goal.words for goal in error.goals[:2])
        both = "both " if len(error.goals) > 1 else ""
        raise InvalidValueError(f"no protocol meets {both}{against}: for {PROTOCOLS[name]}, {error}. {self._way_out()}")

    def _way_out(self) -> str:
        """Return a sentence with a number of people that is large enough, or with the advice to change the goals."""
        fewest: dict[str, int] = {}
        if self._setting.users is not None and any(goal.is_accuracy for goal in self._goals):
            setting = Setting(replace(self._options, users=None))
            try:
                solver = Solver(setting, goals_of(self._options, setting), self._options.local_epsilon, self._step)
            except InvalidValueError:
                return "Choose other goals"
            for name, protocol in self._protocols.items():
                try:
                    fewest[name] = solver.solve(protocol).users
                except (InvalidValueError, UnsupportedError):
                    continue
        if not fewest:
            return "Choose other goals"
        name = min(fewest, key=lambda each: fewest[each])
        return f"Choose other goals, or {fewest[name]:,} people, which is enough for {PROTOCOLS[name]}"


def _shortest_of_best(
    sure: Sequence[ProtocolDesign], order: Callable[[ProtocolDesign], float]
) -> ProtocolDesign | None:
    """Return the best design; among equally good ones, the one with the shortest reports."""
    if not sure:
        return None
    best = order(sure[0])
    return min((each for each in sure if order(each) <= _ALIKE * best), key=lambda each: each.bits)


def _is_same(one: ProtocolDesign, other: ProtocolDesign) -> bool:
    """Return whether both are the same mechanism, as subset selection of one answer is randomized response."""
    errors = one.frequency_error["share"], other.frequency_error["share"]
    return one.epsilon == other.epsilon and math.isclose(*errors, rel_tol=1e-9) and one.bits == other.bits
