"""What attacks by a synthetic table found, for a terminal: the decision, each attack, and what was not looked at."""

from collections.abc import Iterator
from math import ceil, floor

from rich.console import Group, RenderableType

from discretion.anonymity.synthetic.singling_out import COLUMNS
from discretion.escaping import printable
from discretion.estimate import Estimate
from discretion.jobs.synthetic.result import HIGH_RISK, SyntheticRisk
from discretion.presenting.names import briefly
from discretion.presenting.numbers import people, percent
from discretion.presenting.tables import plain_table, plain_words

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


def to_text(found: SyntheticRisk) -> Group:
    """Return what a terminal shows of it."""
    return Group(*_parts(found))


def _parts(found: SyntheticRisk) -> Iterator[RenderableType]:
    yield plain_words(_decision(found))
    yield plain_words(
        f"{found.people:,} people in the original, {found.records:,} synthetic records, {found.held_out:,} people held "
        f"out; {len(found.columns)} column{'s' * (len(found.columns) != 1)}. Seed {found.seed}."
    )
    table = plain_table("attack", "tries", "original", "held out", "naive", "risk", "from", "to", wide=14)
    for each in found.attacks:
        table.add_row(
            said(each.attack) + (" (weak)" if each.is_weak else ""),
            f"{each.original.attacks:,}",
            percent(each.original.rate, 3),
            percent(min(1.0, each.control_rate), 3),
            "" if each.naive is None else percent(each.naive, 2),
            _value(each.risk),
            *_ends(each.risk),
        )
    yield table
    yield plain_words(
        "risk is (r - c)/(1 - c), r and c being the shares of successful attacks on the original's and on held-out "
        f"people; the intervals hold together with {percent(found.confidence)} confidence, assuming "
        f"{found.risk.assuming}."
    )
    if any(each.is_weak for each in found.attacks):
        yield plain_words("weak: the attack does no better than without looking at a person, so its risk says little.")
    near = [each for each in found.attacks if each.attack.startswith(_BY_NEAREST)]
    if near and (near[0].original.attacks < found.people or near[0].control.attacks < found.held_out):
        yield plain_words(
            f"Linkability and inference were tried on samples of {near[0].original.attacks:,} of the original's people "
            f"and {near[0].control.attacks:,} of those held out."
        )
    if found.linked is not None:
        first, second = found.linked
        yield plain_words(f"Linkability: one party knows {briefly(first)}; the other {briefly(second)}.")
    for name, reason in found.left_out.items():
        what = "only looked for" if f"copied:{name}" in found.measures else "not compared"
        yield plain_words(
            f"{printable(name)} is {what}: {reason}. If it is a fact about people, add --keep {printable(name)}."
        )
    if found.newly_made:
        yield plain_words(
            f"Copied rows are counted without {briefly(found.newly_made)}: hardly any synthetic value there is that of "
            "a person."
        )
    for name, reason in found.not_attacked.items():
        yield plain_words(f"{said(name)}: not attacked, {reason}.")


def said(attack: str) -> str:
    """Return the name of an attack in words.

    Examples
    --------
    >>> said("inference:income"), said("copied:mail")
    ('inference of income', 'copied values of mail')
    """
    kind, _, column = attack.partition(":")
    return _NAMES.get(attack, f"{'copied values' if kind == 'copied' else kind} of {column}" if column else kind)


def _decision(found: SyntheticRisk) -> str:
    sure = percent(found.confidence)
    match found.decision:
        case "tells more":
            worst = max(found.attacks, key=lambda each: each.risk.low)
            return (
                "The synthetic table tells more of the people it was made from than of others: by "
                f"{said(worst.attack)}, a risk of {_between(worst.risk)} (all together {sure})."
                + (f" {_same_people(found)} The risk may be higher." if found.overlap else "")
            )
        case "not alike":
            least = min(found.attacks, key=lambda each: each.risk.high)
            return (
                "The tables do not compare: the synthetic table tells more of the held-out people than of those it was "
                f"made from, by {said(least.attack)}, a risk of {_between(least.risk)} (all together {sure}). Are they "
                "drawn alike, and given in the right order?"
            )
        case "nothing can be concluded":
            return (
                "Nothing can be concluded on whether the synthetic table tells more of the people it was made from "
                f"than of others. {_why_nothing(found)}"
            )
        case "no sign":
            attacks = sum(each.original.attacks for each in found.attacks)
            return (
                "No sign that the synthetic table tells more of the people it was made from than of others, at "
                f"{attacks:,} attacks: the risk by these is at most {_ends(found.risk)[1]} (all together "
                f"{sure}). That is no proof: other attacks may find more."
            )


def _why_nothing(found: SyntheticRisk) -> str:
    if found.overlap is not None:
        return f"{_same_people(found)} Hold out people who are not in the original, at random."
    open_ones = ", ".join(map(said, found.inconclusive))
    settled = [each.risk for each in found.attacks if not each.is_inconclusive]
    others = f" The other attacks' risk is at most {_ends(max(settled, key=_high))[1]}." if settled else ""
    return (
        f"These attacks succeed on so many held-out people, or were tried on so few, that the risk may be none and may "
        f"be {HIGH_RISK} or more: {open_ones}.{others} Take more columns (--columns), or more people of both "
        "tables."
    )


def _same_people(found: SyntheticRisk) -> str:
    overlap = found.overlap
    assert overlap is not None
    if overlap.people == found.held_out:
        return "The people held out seem to be those of the original: both tables hold the same rows."
    return (
        f"Of the {people(found.held_out)} held out, {overlap.people:,} seem to be in the original: each shares a row "
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
