"""The figures of results, each by its name."""

from collections.abc import Iterator
from typing import Any

import altair as alt

from discretion.anonymity.choosing.selection import Selection
from discretion.anonymity.choosing.trust import TrustTradeoff
from discretion.anonymity.exposure.bound_curve import ExposureBoundCurve
from discretion.charts.attack_curve import attack_curve
from discretion.charts.barycentric import barycentric
from discretion.charts.front import front_of_sets
from discretion.charts.over_threshold import exposure_over_threshold
from discretion.charts.refinement import refinement_order
from discretion.charts.trust import information_by_design
from discretion.errors import InvalidValueError
from discretion.estimate import Estimate, highest, lowest
from discretion.measures.attack_curves.curve import AttackCurve
from discretion.measures.guesses.hyper import Hyper
from discretion.presenting.json_answers import plain
from discretion.presenting.numbers import percent
from discretion.presenting.views.result_views import figures, rates_of, steps_of
from discretion.refinement.order import Order
from discretion.tables.counting.class_sizes import ExposureCurve

# A difference that nobody sees on a logarithmic axis.
_UNSEEN = 0.01
# The least of whom are not accused, of which there is more than a point to see on such an axis.
_RAREST = 0.01


def chart(result: object, name: str | None = None) -> alt.TopLevelMixin:
    """Return a result's figure by its name, or its main figure."""
    others: list[str] = []
    for own, drawn in figures(result):
        if name in (None, own):
            return drawn
        others.append(repr(own))
    has = f"no figure {name!r}; it has {', '.join(others)}" if others else "nothing to draw"
    raise InvalidValueError(f"this {type(result).__name__} has {has}")


@figures.register
def _attack_curve(result: AttackCurve) -> Iterator[tuple[str, Any]]:
    few = rates_of()
    rates = [*few, *(1 - rate for rate in few[-2::-1] if rate > _RAREST), 1.0]
    hits = [result.true_positive_rate(rate) for rate in rates]
    is_told = all(highest(each) - lowest(each) <= _UNSEEN * float(each) for each in hits)
    low, high = ([] if is_told else [*zip(rates, map(end, hits), strict=True)] for end in (lowest, highest))
    whose = "any two secrets" if result.pair is None else "{!r} and {!r}".format(*result.pair)
    title = f"The best attack that distinguishes {whose}"
    confidence = next((each.confidence for each in hits if isinstance(each, Estimate) and each.confidence), None)
    sure = "for sure" if confidence is None else f"with a confidence of {percent(confidence)}"
    yield (
        "attacks",
        attack_curve([*zip(rates, map(float, hits), strict=True)], low, high, title, f"between these {sure}"),
    )


@figures.register
def _curve(result: ExposureCurve) -> Iterator[tuple[str, Any]]:
    yield "exposure", _fitted(exposure_over_threshold(result.sizes.tolist(), result.exposed.tolist(), result.people))


@figures.register
def _bound_curve(result: ExposureBoundCurve) -> Iterator[tuple[str, Any]]:
    # Between two steps the bound still rises: what is drawn is the bound at the end of each.
    sizes = steps_of(result)
    ends = sizes if result.itself is not None else [*(size - 1 for size in sizes[1:]), result.people]
    bounds = result.at_most(ends).tolist()
    yield "exposure", _fitted(exposure_over_threshold(sizes, None, result.people, certified=bounds))


@figures.register
def _selection(result: Selection) -> Iterator[tuple[str, Any]]:
    if result.front:
        yield "front", front_of_sets(plain(result.front))


@figures.register
def _trust_tradeoff(result: TrustTradeoff) -> Iterator[tuple[str, Any]]:
    yield "trust", information_by_design(result.to_dict()["designs"], result.record_bits)


@figures.register
def _hyper(result: Hyper) -> Iterator[tuple[str, Any]]:
    posteriors = [
        {"probability": probability, "posterior": posterior}
        for probability, posterior in zip(result.outer.tolist(), result.inners.tolist(), strict=True)
    ]
    yield "posteriors", barycentric(posteriors, list(map(str, result.secrets)), "The posteriors")


@figures.register
def _order(result: Order) -> Iterator[tuple[str, Any]]:
    plain = result.to_dict()
    yield "order", refinement_order(plain["classes"], plain["covers"], "The order of refinement")


def _fitted(figure: alt.LayerChart) -> alt.LayerChart:
    """Return a figure that fills its container's width."""
    return figure.properties(width="container", autosize=alt.AutoSizeParams(type="fit-x", contains="padding"))
