"""Section 7: a release of people other than those whose features were counted."""

import math
from collections.abc import Sequence
from functools import reduce

import numpy as np

import discretion as dc
from discretion.anonymity import SampledMarginals, future_exposure, future_exposure_bound, sampled_entropy
from discretion.charts import Axis, Curve, Look, Panel, curves
from discretion.numerics.arrays import Integers, Reals
from discretion.reproduce.anonymity.tables import people_with
from discretion.reproduce.item import Reproduction, Row

# The paper has no law for its browsers; ours are three features, the values of each in proportion to 1, 1/4, 1/9, ….
VALUES, RELEASE, K, EPSILON, CONFIDENCE = (2, 5, 400), 100_000, 10, 6.0, 0.95
SAMPLES = (300, 1_000, 3_000, 10_000, 30_000, 100_000)
_NAMES = tuple(f"feature {place}" for place in range(1, len(VALUES) + 1))
_DOMAIN = dict(zip(_NAMES, VALUES, strict=True))
_SEED = 2022
_HIGHEST = 0.25

_TOGETHER, _SINGLE, _REPORTS = "features together", "single features", "randomized single features"
_UNKNOWN, _TRUTH = "single features, values unknown", "truth"


def section_7() -> Reproduction:
    """Return the bounds that samples of browsers certify for 100,000 others' exposure and for their law's entropy."""
    rows = tuple(_row(size) for size in SAMPLES)
    first, middle, last = rows[0], rows[len(rows) // 2], rows[-1]
    few, many = (f"{row['users sampled']:,}" for row in (middle, last))
    remarks = (
        f"Of {RELEASE:,} other users at most {_percent(first[_TRUTH])} are in classes of fewer than {K} on average, if "
        f"drawn from our law. Single features of {few} users certify at most {_percent(middle[_SINGLE])}, and at most "
        f"{_percent(middle[_UNKNOWN])} if the number of possible values is not known; those of {many} users at most "
        f"{_percent(last[_SINGLE])}.",
        f"Where users report each feature by randomized response with ε = {EPSILON:g}, {few} of them certify at most "
        f"{_percent(middle[_REPORTS])}, and {many} at most {_percent(last[_REPORTS])}.",
        f"Section 7.3: the entropy of the law is {first['bits']:.3f} bits. A sample of {SAMPLES[0]:,} users, for "
        f"{math.prod(VALUES):,} possible values, shows that it is between {first['bits, at least']:.2f} and "
        f"{first['bits, at most']:.2f}.",
    )
    return Reproduction(rows, lambda: _chart(rows), (), remarks)


def _percent(most: float) -> str:
    """Return a share in percent, rounded up."""
    return f"{math.ceil(1e4 * most) / 100:.2f} %"


def _laws() -> list[Reals]:
    return [(weights := np.arange(1.0, values + 1) ** -2) / weights.sum() for values in VALUES]


def _row(size: int) -> Row:
    rng = np.random.default_rng(_SEED)
    people = [rng.choice(law.size, size, p=law) for law in _laws()]
    known = people_with(dict(zip(_NAMES, people, strict=True)))
    joint = known.class_sizes(_NAMES)
    law = reduce(np.kron, _laws())
    bits = sampled_entropy(joint, CONFIDENCE, domain=law.size)
    return {
        "users sampled": size,
        _TRUTH: dc.anonymity.statistical_exposure(law, RELEASE, K),
        _TOGETHER: future_exposure(joint, RELEASE, K, CONFIDENCE, domain=law.size).high,
        _SINGLE: future_exposure_bound(SampledMarginals(known, _DOMAIN), RELEASE, K, CONFIDENCE).high,
        _UNKNOWN: future_exposure_bound(known, RELEASE, K, CONFIDENCE).high,
        _REPORTS: future_exposure_bound(_reports(people, rng), RELEASE, K, CONFIDENCE).high,
        "bits": float(-law @ np.log2(law)),
        "bits, at least": bits.low,
        "bits, at most": bits.high,
    }


def _reports(people: Sequence[Integers], rng: np.random.Generator) -> SampledMarginals:
    """Return the counts of people's reports by randomized response, each feature by itself."""
    randomizers = {name: dc.RandomizedResponse(values, epsilon=EPSILON) for name, values in _DOMAIN.items()}
    reports = {name: randomizers[name].sample(values, rng) for name, values in zip(_NAMES, people, strict=True)}
    return SampledMarginals(people_with(reports).marginals(), randomizers=randomizers)


_LOOKS: dict[str, Look] = {_TOGETHER: "dotted", _SINGLE: "solid", _REPORTS: "dashed"}


def _chart(rows: Sequence[Row]) -> object:
    drawn = [Curve([(row["users sampled"], row[how]) for row in rows], how) for how in _LOOKS]
    across = Axis("users sampled", SAMPLES[0], SAMPLES[-1], logarithmic=True, ticks=SAMPLES)
    notes = [
        f"Three features of {', '.join(map(str, VALUES))} values, our choice, independent. {RELEASE:,} others, who "
        f"are exposed in classes of fewer than {K}.",
        f"Upper bounds with confidence {CONFIDENCE:g}. Randomized: each feature by k-ary randomized response, ε = "
        f"{EPSILON:g}.",
    ]
    description = (
        "Three falling curves over the size of the sample: bounds on the exposure of other users from all features "
        "together, from single features, and from randomized ones, which are the highest at most sizes."
    )
    title = "Section 7: bounds for other users from a sample"
    return curves(
        [Panel(drawn, across, Axis("exposure, at most", 0, _HIGHEST, percent=True))], _LOOKS, title, notes, description
    )
