"""Propositions 9, 11, 12, 26 and 28, Figures 1, 8 and 9: compositions of noise and shuffler with equal leakage."""

from collections.abc import Mapping

import discretion as dc
from discretion.charts import refinement_order
from discretion.refinement import compare_all
from discretion.reproduce.item import Published, Reproduction, Row, exact

# Users, values and the probability of a true answer.
_CASES = ((3, 2, 0.75), (4, 2, 0.9), (2, 3, 0.6))

_EQUIVALENT = {
    "Prop. 9, Fig. 1": ("S", "Sʳ"),
    "Prop. 11, Fig. 1": ("NS", "SN"),
    "Prop. 12, Fig. 1": ("NS", "NSʳ"),
    "Prop. 26, Fig. 8": ("NSʳ", "SʳNʳ"),
    "Prop. 28, Fig. 9": ("SN", "SʳNʳ"),
}
# What follows from a part of a composition, of which the factor is the other part; and not the other way round.
_REFINED = (("N", "NS"), ("S", "SN"))


def equivalences() -> Reproduction:
    """Return, for each statement, the largest difference between an adversary's gains from the two sides."""
    rows: list[Row] = []
    published: list[Published] = []
    for n, k, p in _CASES:
        channels, of = _channels(n, k, p), f"n = {n}, k = {k}, p = {p}"
        for where, (one, other) in _EQUIVALENT.items():
            both = dc.equivalent(channels[one], channels[other])
            gained = [exact(dc.deficiency(channels[a], channels[b])) for a, b in ((one, other), (other, one))]
            rows.append(_row(f"{one} ≡ {other}", of, both.holds, *gained))
            published.append(Published.number(where, f"{one} ≡ {other}, {of}: gained more at most", "0", max(gained)))
        for one, other in _REFINED:
            gained = [exact(dc.deficiency(channels[a], channels[b])) for a, b in ((one, other), (other, one))]
            rows.append(_row(f"{one} ⊑ {other}", of, dc.refines(channels[one], channels[other]).holds, *gained))
            rows.append(_row(f"{other} ⊑ {one}", of, dc.refines(channels[other], channels[one]).holds, *gained[::-1]))
            what = f"{one} ⊑ {other}, {of}: gained more at most"
            published.append(Published.number("Theorem 4", what, "0", gained[0]))
    order = compare_all(_channels(*_CASES[0])).to_dict()
    return Reproduction(
        tuple(rows), lambda: refinement_order(order["classes"], order["covers"], _TITLE), tuple(published), _REMARKS
    )


def _channels(n: int, k: int, p: float) -> Mapping[str, dc.Channel]:
    """Return the channels on datasets by the paper's names."""
    noise = dc.RandomizedResponse(k, p=p)
    N, S = dc.shuffling.dataset_channel(noise, n).channel(), dc.shuffling.full_shuffle_channel(n, k)
    reduced = dc.shuffling.reduced_shuffle_channel(n, k)
    by_histograms = reduced >> dc.shuffling.reduced_dataset_channel(noise, n)
    return {"N": N, "S": S, "Sʳ": reduced, "NS": N >> S, "SN": S >> N, "NSʳ": N >> reduced, "SʳNʳ": by_histograms}


def _row(statement: str, of: str, holds: bool | None, from_second: float, from_first: float) -> Row:
    return {
        "statement": statement,
        "of": of,
        "holds": holds,
        "gained more from the second": from_second,
        "gained more from the first": from_first,
    }


_TITLE = "Noise and shuffler: compositions with equal leakage, and with less"
_REMARKS = (
    "Theorem 4, in both directions: a channel turns the noise or the shuffler alone into the composition, and no "
    "channel turns the composition into either, so that some adversary gains more from either.",
)
