"""The channel job: the leakage of one channel or of two, and which of two is safer against every adversary."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from discretion.adversaries.priors import as_prior
from discretion.channels import System
from discretion.errors import InvalidValueError, TooLargeError
from discretion.jobs.measure import Measurement, measure
from discretion.jobs.monitor import Monitor
from discretion.jobs.options.mechanisms import ChannelOptions
from discretion.jobs.scenario import Scenario
from discretion.measures import Hyper, hyper
from discretion.numerics.draws import fresh_seed
from discretion.presenting.numbers import in_brief, in_full
from discretion.presenting.views.document import Block, Document, Figure, Grid, Section
from discretion.presenting.views.result import JobResult
from discretion.refinement import Refinement, Witness, refines
from discretion.spelling import gain_of, mechanism_of, prior_of

# A triangle has three corners; a proof shows at most this many rows and columns.
_CORNERS, _SHOWN = 3, 12
_ORDINALS = ("first", "second")


@dataclass(frozen=True, repr=False)
class ChannelAnswers(JobResult):
    """The leakage of one channel, or of two, and which of two is safer.

    Parameters
    ----------
    channels
        The spelling of each channel.
    systems
        The channels.
    measurements
        The measures of each.
    posteriors
        The distribution of posteriors of each channel with three secrets; None for any other number.
    refinements
        For two channels: whether the second refines the first (is at least as safe), and whether the first refines the
        second.
    """

    channels: tuple[str, ...]
    systems: tuple[System, ...]
    measurements: tuple[Measurement, ...]
    posteriors: tuple[Hyper | None, ...]
    refinements: tuple[Refinement[Witness], ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the result as one object for JSON."""
        answers = [
            {"channel": name, **measurement.to_dict()}
            for name, measurement in zip(self.channels, self.measurements, strict=True)
        ]
        order = dict(zip(("second_refines_first", "first_refines_second"), self.refinements, strict=False))
        return {"channels": answers} | {name: found.to_dict() for name, found in order.items()}

    def table_rows(self) -> Iterator[Mapping[str, Any]]:
        """Yield a row for each number of each channel."""
        for name, measurement in zip(self.channels, self.measurements, strict=True):
            for row in measurement.table_rows():
                yield {"channel": name, **row}

    def document(self) -> Document:
        """Return the document: the safer one of two channels, the measures, and the posteriors of three secrets."""
        size = " and ".join(f"{system.secrets:,} × {_outputs(system):,}" for system in self.systems)
        title = f"A channel of {size}" if len(self.systems) == 1 else f"Two channels of {size}"
        sections = [Section("Which is safer", tuple(self._order()))] if self.refinements else []
        measured = "What an adversary gains" if len(self.systems) == 1 else "What an adversary gains from each"
        sections.append(Section(measured, tuple(self._measures())))
        for which, found in zip(_ORDINALS, self.posteriors, strict=False):
            if found is not None:
                of = "" if len(self.systems) == 1 else f" after the {which} channel"
                figure = Figure(f"posteriors-{which}", f"The posteriors of three secrets{of}", found.chart)
                sections.append(Section(f"The posteriors{of}", (figure,)))
        return Document(title, (), tuple(sections), kind="channel", line=title)

    def _measures(self) -> Iterator[Block]:
        if len(self.measurements) == 1:
            yield from self.measurements[0].document().blocks
            return
        names = list(dict.fromkeys(name for each in self.measurements for name in each.answers))
        rows = [
            (name, *(in_full(each.answers[name]) if name in each.answers else "—" for each in self.measurements))
            for name in names
        ]
        yield Grid(("measure", *_ORDINALS), tuple(rows), frozenset(["measure"]), first=len(rows))
        for which, each in zip(_ORDINALS, self.measurements, strict=True):
            if each.curve is not None:
                yield Figure(f"tradeoff-{which}", f"The best attack on the {which} channel", each.curve.chart)

    def _order(self) -> Iterator[Block]:
        forth, back = self.refinements
        if forth.holds and back.holds:
            yield "Both leak the same to every adversary, whatever its prior and its gains."
        elif forth.holds or back.holds:
            safer, other = ("second", "first") if forth.holds else ("first", "second")
            yield f"The {safer} channel is at least as safe as the {other} one, against every adversary."
        elif forth.holds is False and back.holds is False:
            yield "Neither channel is safer against every adversary: each leaks more than the other to some adversary."
        for found, (one, other) in ((forth, _ORDINALS), (back, _ORDINALS[::-1])):
            yield from _proof(found, one, other)


def _proof(found: Refinement[Witness], one: str, other: str) -> Iterator[Block]:
    """Yield the proof that a second channel is at least as safe as a first one, or that it is not."""
    if found.holds is None:
        yield f"It is not decided whether the {other} channel is at least as safe as the {one} one: {found.reason}."
    elif found.certificate is not None:
        rows = found.certificate.factor
        yield (
            f"The proof: this channel turns the outputs of the {one} channel into those of the {other} one, up to "
            f"{float(found.certificate.residual):.1g} of a row's probability. An adversary can apply it by itself."
        )
        yield _matrix(rows.dense(), "output")
    elif isinstance(found.witness, Witness):
        witness, (of_one, of_other) = found.witness, map(float, found.witness.vulnerabilities)
        yield (
            f"The proof that the {other} channel is not as safe as the {one} one: an adversary with this prior and "
            f"these gains gets {in_brief(of_other)} from the {other} channel and {in_brief(of_one)} from the {one} one."
        )
        yield _matrix([witness.prior.tolist()], "prior")
        try:
            yield _matrix(witness.gain.guesses(), "guess")
        except TooLargeError as error:
            yield f"The gains cannot be listed: {error}."


def _matrix(rows: Any, head: str) -> Grid:
    """Return the first rows and columns of a matrix as a table."""
    shown = [[f"{float(entry):.4g}" for entry in row[:_SHOWN]] for row in islice(rows, _SHOWN)]
    whole = len(rows) <= _SHOWN and len(rows[0]) <= _SHOWN
    heads = (head, *(str(place) for place in range(len(shown[0]))))
    note = "" if whole else f"the first rows and columns of {len(rows):,} × {len(rows[0]):,}"
    table = tuple((str(place), *row) for place, row in enumerate(shown))
    return Grid(heads, table, frozenset([head]), note=note, first=len(table))


def _outputs(system: System) -> int:
    return system.channel().shape[1]


def run_channel(channels: Sequence[str], options: ChannelOptions, *, monitor: Monitor | None = None) -> ChannelAnswers:
    """Return the leakage of one channel, or of two, and which of two is safer.

    Parameters
    ----------
    channels
        One or two, spelled as mechanisms are: ``channel:0.9,0.1;0.2,0.8``.
    options
        The adversary.
    monitor
        Follows each step, and may end it.

    Raises
    ------
    InvalidValueError
        If there are more than two channels or none, or the adversary does not fit them.

    Examples
    --------
    >>> found = run_channel(["krr:k=2,p=0.9", "krr:k=2,p=0.8"], ChannelOptions())
    >>> [refinement.holds for refinement in found.refinements]
    [True, False]
    """
    if not 1 <= len(channels) <= len(_ORDINALS):
        raise InvalidValueError(f"give one channel or two, got {len(channels)}")
    monitor = monitor or Monitor()
    systems = tuple(mechanism_of(name) for name in channels)
    secrets = systems[0].secrets
    if any(system.secrets != secrets for system in systems):
        sizes = " and ".join(f"{system.secrets:,}" for system in systems)
        raise InvalidValueError(f"two channels must have the same number of secrets, got {sizes}")
    scenario = Scenario(
        prior=None if options.prior is None else prior_of(options.prior),
        gain=None if options.gain is None else gain_of(options.gain, secrets),
        seed=fresh_seed(),
    )
    law = as_prior(scenario.prior, secrets)
    measurements: list[Measurement] = []
    posteriors: list[Hyper | None] = []
    for which, name, system in zip(_ORDINALS, channels, systems, strict=False):
        with monitor.step(f"the {which} channel"):
            measurements.append(measure(system, scenario, name=name, curve=True, monitor=monitor))
            posteriors.append(hyper(system, law) if secrets == _CORNERS else None)
    refinements: tuple[Refinement[Witness], ...] = ()
    if len(systems) > 1:
        with monitor.step("which is safer against every adversary"):
            refinements = refines(*systems), refines(*systems[::-1])
    return ChannelAnswers(tuple(channels), systems, tuple(measurements), tuple(posteriors), refinements)
