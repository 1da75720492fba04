"""The risks of a synthetic table, and their document: the decision, each attack, and what was not examined."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from math import ceil, floor
from typing import Any, Literal

from discretion.anonymity.synthetic.attack import AttackCount
from discretion.anonymity.synthetic.copies import Overlap
from discretion.anonymity.synthetic.singling_out import COLUMNS
from discretion.escaping import printable
from discretion.estimate import Estimate, largest
from discretion.presenting.json_answers import plain
from discretion.presenting.names import briefly
from discretion.presenting.numbers import people, percent
from discretion.presenting.views.document import Block, Document, Grid, Section, Terms
from discretion.presenting.views.result import JobResult, number_row

#: The attacks but those on a sensitive column, which are called inference:COLUMN.
ATTACKS = ("copied", "copied_alone", "singling_out_univariate", "singling_out_multivariate", "linkability")

# Where a risk may be as high as this, there is no saying that nothing shows it.
HIGH_RISK = 0.5

Decision = Literal["tells more", "not alike", "no sign", "nothing can be concluded"]


def synthetic_measures(sensitive: Sequence[str]) -> list[str]:
    """Return the names of the numbers that a gate may be of.

    Examples
    --------
    >>> synthetic_measures(["income"])[-2:]
    ['inference:income', 'risk']
    """
    return [*ATTACKS, *(f"inference:{name}" for name in sensitive), "risk"]


@dataclass(frozen=True)
class AttackResult:
    """What an attack did.

    Parameters
    ----------
    attack
        Its name.
    original, control
        How often it succeeded on the people of the original and on those held out, and of how many attacks: a count,
        but for singling out on held-out people, which is a mean where they are not as many as the original's.
    control_rate
        The share of successes if the held-out people were as many as the original's.
    naive
        The share of successes on the original without looking at its people; None for what nobody guesses.
    risk
        By how much of what others leave to gain the original's people are worse off, from -1 to 1.
    """

    attack: str
    original: AttackCount
    control: AttackCount
    control_rate: float
    naive: float | None
    risk: Estimate

    @property
    def is_weak(self) -> bool:
        """Whether it does no better on the original than without looking at its people."""
        return self.naive is not None and self.original.rate <= self.naive

    @property
    def is_inconclusive(self) -> bool:
        """Whether its risk may be none, and may be 0.5 or more."""
        return self.risk.low <= 0 and self.risk.high >= HIGH_RISK


@dataclass(frozen=True, repr=False)
class SyntheticRisk(JobResult):
    """What a synthetic table reveals about the people it was made from, beyond others like them.

    Parameters
    ----------
    original, synthetic, control
        The three tables.
    people, records, held_out
        How many rows these have.
    columns
        What was looked at.
    left_out
        Of each column that was not compared, since it looks as if it names people, why.
    newly_made
        The columns of which hardly any synthetic value is a person's: copies of rows are counted on the others.
    overlap
        People of the original among those held out; None if none show.
    linked
        The columns that either party knows, for linkability; None if it was not attacked.
    neighbours, seed, confidence
        The options; a seed may be drawn; the intervals hold together with this confidence.
    attacks
        What each attack did.
    not_attacked
        Of attacks that were not made why.
    """

    original: str
    synthetic: str
    control: str
    people: int
    records: int
    held_out: int
    columns: tuple[str, ...]
    left_out: Mapping[str, str]
    newly_made: tuple[str, ...]
    overlap: Overlap | None
    linked: tuple[tuple[str, ...], tuple[str, ...]] | None
    neighbours: int
    seed: int
    confidence: float
    attacks: tuple[AttackResult, ...]
    not_attacked: Mapping[str, str]

    @property
    def risk(self) -> Estimate:
        """The highest risk of all attacks."""
        results = largest([each.risk for each in self.attacks])
        assert isinstance(results, Estimate)
        return replace(results, confidence=self.confidence)

    @property
    def decision(self) -> Decision:
        """What follows of the attacks.

        "not alike" if it reveals more about held-out people, so that the tables do not compare; and "no sign"
        only if each attack's risk is known to be below 0.5.
        """
        if any(each.risk.low > 0 for each in self.attacks):
            return "tells more"
        if any(each.risk.high < 0 for each in self.attacks):
            return "not alike"
        return "nothing can be concluded" if self.inconclusive else "no sign"

    @property
    def inconclusive(self) -> tuple[str, ...]:
        """The attacks whose risk may be none, and may be 0.5 or more."""
        return tuple(each.attack for each in self.attacks if each.is_inconclusive)

    @property
    def measures(self) -> dict[str, Estimate | None]:
        """The numbers that a gate may be of; None for attacks that were not made."""
        results = {each.attack: each.risk for each in self.attacks} | {"risk": self.risk}
        return dict.fromkeys(self.not_attacked) | results

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as dicts, lists, numbers and strings, ready for JSON."""
        whole = {"decision": self.decision, "risk": self.risk, "inconclusive": self.inconclusive}
        return plain(whole | {field.name: getattr(self, field.name) for field in fields(self)})

    def table_rows(self) -> Iterator[Mapping[str, Any]]:
        """Yield a row for each attack."""
        for each in self.attacks:
            counts = {"tries": each.original.attacks, "original": each.original.rate, "control": each.control_rate}
            yield {**number_row(each.attack, each.risk), **counts, "naive": each.naive}

    def document(self) -> Document:
        """Return the document."""
        return _document(self)


_NAMES = {
    "copied": "copied rows",
    "copied_alone": "copied rare rows",
    "singling_out_univariate": "singling out, 1 column",
    "singling_out_multivariate": f"singling out, {COLUMNS} columns",
    "linkability": "linkability",
}
# Those by distances, which are the ones that take long.
_BY_NEAREST = ("linkability", "inference:")
_DECIMALS = 10**4
_TITLES = {
    "tells more": "The synthetic table reveals more about the people it was made from than about others.",
    "not alike": (
        "The tables do not compare: the synthetic table reveals more about the held-out people than about those it "
        "was made from."
    ),
    "nothing can be concluded": (
        "Nothing can be concluded on whether the synthetic table reveals more about the people it was made from than "
        "about others."
    ),
    "no sign": (
        "No sign that the synthetic table reveals more about the people it was made from than about others, which is "
        "no proof."
    ),
}


def _document(risks: SyntheticRisk) -> Document:
    """Return the document of attacks by a synthetic table."""
    title = _TITLES[risks.decision]
    return Document(
        title,
        (),
        (
            Section("What the attacks show", (_reason(risks), _tables(risks))),
            Section("The attacks", tuple(_attacks(risks))),
            *([Section("What was not compared", notes)] if (notes := tuple(_left_out(risks))) else []),
        ),
        kind="synthetic",
        line=title,
    )


def attack_words(attack: str) -> str:
    """Return the name of an attack in words.

    Examples
    --------
    >>> attack_words("inference:income"), attack_words("copied:mail")
    ('inference of income', 'copied values of mail')
    """
    kind, _, column = attack.partition(":")
    return _NAMES.get(attack, f"{'copied values' if kind == 'copied' else kind} of {column}" if column else kind)


def _reason(risks: SyntheticRisk) -> str:
    together = f"at {percent(risks.confidence)} confidence for all attacks together"
    match risks.decision:
        case "tells more":
            worst = max(risks.attacks, key=lambda each: each.risk.low)
            return (
                f"The attack that succeeds most is {attack_words(worst.attack)}: its risk is "
                f"{_between(worst.risk)}, {together}."
                + (f" {_same_people(risks)} The risk may be higher." if risks.overlap else "")
            )
        case "not alike":
            least = min(risks.attacks, key=lambda each: each.risk.high)
            return (
                f"For {attack_words(least.attack)} the risk is {_between(least.risk)}, {together}. Were the original's "
                "and the held-out people chosen at random from the same people, and given in the right order?"
            )
        case "nothing can be concluded":
            return _why_nothing(risks)
        case "no sign":
            attacks = sum(each.original.attacks for each in risks.attacks)
            return (
                f"The risk by these {attacks:,} attacks is at most {_ends(risks.risk)[1]}, {together}. Other attacks "
                "may find more."
            )


def _tables(risks: SyntheticRisk) -> str:
    columns = len(risks.columns)
    return (
        f"{risks.people:,} people in the original, {risks.records:,} synthetic records, {risks.held_out:,} people held "
        f"out; {columns} column{'s' * (columns != 1)}. Seed {risks.seed} repeats this."
    )


def _attacks(risks: SyntheticRisk) -> Iterator[Block]:
    heads = ("attack", "tries", "original", "held out", "naive", "risk", "from", "to")
    rows = (
        (
            attack_words(each.attack) + (" (weak)" if each.is_weak else ""),
            f"{each.original.attacks:,}",
            percent(each.original.rate, 3),
            percent(min(1.0, each.control_rate), 3),
            "" if each.naive is None else percent(each.naive, 2),
            _value(each.risk),
            *_ends(each.risk),
        )
        for each in risks.attacks
    )
    yield Grid(heads, tuple(rows), frozenset(heads[:1]))
    terms = [
        (
            "risk",
            "(r - c)/(1 - c), where r and c are the shares of successful attacks on the original's and on held-out "
            f"people; the intervals hold together with {percent(risks.confidence)} confidence, assuming "
            f"{risks.risk.assuming}.",
        )
    ]
    if any(each.is_weak for each in risks.attacks):
        terms.append(
            ("weak", "the attack succeeds no more often than without looking at a person, so its risk shows little.")
        )
    if risks.linked is not None:
        first, second = map(briefly, risks.linked)
        terms.append(("linkability", f"one party knows {first}; the other {second}."))
    yield Terms(tuple(terms))
    near = [each for each in risks.attacks if each.attack.startswith(_BY_NEAREST)]
    if near and (near[0].original.attacks < risks.people or near[0].control.attacks < risks.held_out):
        yield (
            f"Linkability and inference were tried on samples of {near[0].original.attacks:,} of the original's people "
            f"and {near[0].control.attacks:,} of those held out."
        )


def _left_out(risks: SyntheticRisk) -> Iterator[str]:
    for name, reason in risks.left_out.items():
        what = "only looked for" if f"copied:{name}" in risks.measures else "not compared"
        yield f"{printable(name)} is {what}: {reason}. If it is a fact about people, add --keep {printable(name)}."
    if risks.newly_made:
        yield (
            f"Copied rows are counted without {briefly(risks.newly_made)}: hardly any synthetic value there occurs "
            "among the people."
        )
    for name, reason in risks.not_attacked.items():
        yield f"{attack_words(name)}: not attacked, {reason}."


def _why_nothing(risks: SyntheticRisk) -> str:
    if risks.overlap is not None:
        return f"{_same_people(risks)} Hold out people who are not in the original, at random."
    open_ones = ", ".join(map(attack_words, risks.inconclusive))
    settled = [each.risk for each in risks.attacks if not each.is_inconclusive]
    others = f" The other attacks' risk is at most {_ends(max(settled, key=_high))[1]}." if settled else ""
    return (
        f"These attacks succeed on so many held-out people, or were tried on so few, that the risk may be none and may "
        f"be {HIGH_RISK} or more: {open_ones}.{others} Take more columns (--columns), or more people of both "
        "tables."
    )


def _same_people(risks: SyntheticRisk) -> str:
    overlap = risks.overlap
    assert overlap is not None
    if overlap.people == risks.held_out:
        return "The people held out seem to be those of the original: both tables hold the same rows."
    return (
        f"Of the {people(risks.held_out)} held out, {overlap.people:,} seem to be in the original: each shares a row "
        f"with one person there and with nobody else (by chance, {overlap.by_chance:,.3g} would)."
    )


def _high(risk: Estimate) -> float:
    return risk.high


def _value(risk: Estimate) -> str:
    """Return a risk, or what is known of it where nothing is between the ends."""
    if risk.low <= 0 and risk.high >= 1:
        return "not known"
    return f"≥ {_ends(risk)[0]}" if risk.value == risk.low < risk.high else f"{risk.value:.4f}"


def _between(risk: Estimate) -> str:
    low, high = _ends(risk)
    if risk.value == risk.low < risk.high:
        return f"at least {low}"
    return f"{risk.value:.4f}, between {low} and {high}"


def _ends(risk: Estimate) -> tuple[str, str]:
    """Return the ends of an interval with four decimals, rounded outwards."""
    return f"{floor(risk.low * _DECIMALS) / _DECIMALS:.4f}", f"{ceil(risk.high * _DECIMALS) / _DECIMALS:.4f}"
