"""The risks of a synthetic table, and their document: the decision, each attack, and the parts not examined."""

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

#: The attacks, except those on a sensitive column, which are named inference:COLUMN.
ATTACKS = ("copied", "copied_alone", "singling_out_univariate", "singling_out_multivariate", "linkability")

# If a risk may be as high as this, the decision is not "no sign".
HIGH_RISK = 0.5

Decision = Literal["tells more", "not alike", "no sign", "nothing can be concluded"]


def synthetic_measures(sensitive: Sequence[str]) -> list[str]:
    """Return the names of the numbers that a gate may name.

    Examples
    --------
    >>> synthetic_measures(["income"])[-2:]
    ['inference:income', 'risk']
    """
    return [*ATTACKS, *(f"inference:{name}" for name in sensitive), "risk"]


@dataclass(frozen=True)
class AttackResult:
    """The result of an attack.

    Parameters
    ----------
    attack
        The name of the attack.
    original, control
        The numbers of its successes and of attacks, on the people of the original and on those held out: counts,
        except for singling out on held-out people, which is a mean if their number is not the original's.
    control_rate
        The share of successes if there were as many held-out people as people of the original.
    naive
        The share of successes on the original without the records of its people; None if nobody would guess this.
    risk
        ``(r − c)/(1 − c)`` for the shares r and c of successes on the original's and on held-out people, from -1 to 1.
    """

    attack: str
    original: AttackCount
    control: AttackCount
    control_rate: float
    naive: float | None
    risk: Estimate

    @property
    def is_weak(self) -> bool:
        """Whether its share of successes on the original is no higher than the naive one."""
        return self.naive is not None and self.original.rate <= self.naive

    @property
    def is_inconclusive(self) -> bool:
        """Whether its risk may be 0 and may be 0.5 or more."""
        return self.risk.low <= 0 and self.risk.high >= HIGH_RISK


@dataclass(frozen=True, repr=False)
class SyntheticRisk(JobResult):
    """The risk of a synthetic table for the people it was made from, beyond others like them.

    Parameters
    ----------
    original, synthetic, control
        The three tables.
    people, records, held_out
        The numbers of their rows.
    columns
        The columns that were compared.
    left_out
        Each column that was not compared, since it looks like the name of people → the reason.
    newly_made
        The columns of which hardly any synthetic value occurs among the people: copies of rows are counted on the
        others.
    overlap
        People of the original who seem to be among those held out; None if there are none.
    linked
        The columns that each party knows, for linkability; None if it was not attacked.
    neighbours, seed, confidence
        The options, with the seed that was used; the intervals hold together with this confidence.
    attacks
        The result of each attack.
    not_attacked
        Each attack that was not made → the reason.
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
        """The conclusion from the attacks.

        "tells more" if an attack's risk is certainly above 0; "not alike" if an attack's risk is certainly below 0, so
        that the tables are not comparable; and "no sign" only if each attack's risk is certainly below 0.5.
        """
        if any(each.risk.low > 0 for each in self.attacks):
            return "tells more"
        if any(each.risk.high < 0 for each in self.attacks):
            return "not alike"
        return "nothing can be concluded" if self.inconclusive else "no sign"

    @property
    def inconclusive(self) -> tuple[str, ...]:
        """The attacks whose risk may be 0 and may be 0.5 or more."""
        return tuple(each.attack for each in self.attacks if each.is_inconclusive)

    @property
    def measures(self) -> dict[str, Estimate | None]:
        """The numbers that a gate may name; None for attacks that were not made."""
        results = {each.attack: each.risk for each in self.attacks} | {"risk": self.risk}
        return dict.fromkeys(self.not_attacked) | results

    def to_dict(self) -> dict[str, Any]:
        """Return the result as dicts, lists, numbers and strings, ready for JSON."""
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
# The attacks by distances, which take long.
_BY_NEAREST = ("linkability", "inference:")
_DECIMALS = 10**4
_TITLES = {
    "tells more": "The synthetic table reveals more about the people it was made from than about others.",
    "not alike": (
        "The tables are not comparable: the synthetic table reveals more about the held-out people than about those "
        "it was made from."
    ),
    "nothing can be concluded": (
        "Nothing can be concluded on whether the synthetic table reveals more about the people it was made from than "
        "about others."
    ),
    "no sign": (
        "There is no sign that the synthetic table reveals more about the people it was made from than about others. "
        "This is no proof."
    ),
}


def _document(risks: SyntheticRisk) -> Document:
    """Return the document of the attacks with a synthetic table."""
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
                f"For {attack_words(least.attack)} the risk is {_between(least.risk)}, {together}. Check that the "
                "original's and the held-out people were chosen at random from the same people, and that the tables "
                "are in the right order."
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
            ("weak", "the attack succeeds no more often than without any record of a person, so its risk shows little.")
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
        what = "only searched for copies" if f"copied:{name}" in risks.measures else "not compared"
        yield f"{printable(name)} is {what}: {reason}. If it is a fact about people, add --keep {printable(name)}."
    if risks.newly_made:
        yield (
            f"Copied rows are counted without {briefly(risks.newly_made)}: hardly any of its synthetic values occurs "
            "among the people."
        )
    for name, reason in risks.not_attacked.items():
        yield f"{attack_words(name)}: not attacked, {reason}."


def _why_nothing(risks: SyntheticRisk) -> str:
    if risks.overlap is not None:
        return f"{_same_people(risks)} Hold out people at random who are not in the original."
    open_ones = ", ".join(map(attack_words, risks.inconclusive))
    settled = [each.risk for each in risks.attacks if not each.is_inconclusive]
    others = f" The other attacks' risk is at most {_ends(max(settled, key=_high))[1]}." if settled else ""
    return (
        "These attacks succeed on too many held-out people, or were tried on too few people, to bound the risk: it "
        f"may be 0 and may be {HIGH_RISK} or more ({open_ones}).{others} Use more columns (--columns), or more people "
        "of both tables."
    )


def _same_people(risks: SyntheticRisk) -> str:
    overlap = risks.overlap
    assert overlap is not None
    if overlap.people == risks.held_out:
        return "The people held out seem to be those of the original: both tables have the same rows."
    return (
        f"Of the {people(risks.held_out)} held out, {overlap.people:,} seem to be in the original: each has the same "
        f"row as one person there and as nobody else (by chance, {overlap.by_chance:,.3g} would)."
    )


def _high(risk: Estimate) -> float:
    return risk.high


def _value(risk: Estimate) -> str:
    """Return a risk as text, as a lower bound or as not known if the interval allows no more."""
    if risk.low <= 0 and risk.high >= 1:
        return "not known"
    return f"≥ {_ends(risk)[0]}" if risk.value == risk.low < risk.high else f"{risk.value:.4f}"


def _between(risk: Estimate) -> str:
    low, high = _ends(risk)
    if risk.value == risk.low < risk.high:
        return f"at least {low}"
    return f"{risk.value:.4f}, between {low} and {high}"


def _ends(risk: Estimate) -> tuple[str, str]:
    """Return the bounds of an interval with four decimals, rounded outwards."""
    return f"{floor(risk.low * _DECIMALS) / _DECIMALS:.4f}", f"{ceil(risk.high * _DECIMALS) / _DECIMALS:.4f}"
