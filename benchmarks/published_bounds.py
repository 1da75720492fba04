"""What shuffled k-RR costs in ε, exactly, beside the upper bounds that have been published: a figure and its numbers.

Usage: ``uv run python benchmarks/published_bounds.py OUT.svg`` (or .png, .pdf), next to which it writes OUT.csv.
"""

import csv
import sys
from collections.abc import Iterator
from pathlib import Path

import discretion as dc
from discretion.charts import Axis, Curve, Panel, curves, to_pdf, to_png, to_svg

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from oracles import published_bounds as published

LOCAL, DELTA = 1.0, 1e-6
USERS = [10**2, 10**3, 10**4, 10**5, 10**6, 10**7]
VALUES = [2, 3, 10]
BOUNDS = {**published.UPPER_BOUNDS, "variation ratio": published.variation_ratio}
ALIKE, WORST, CLOSED = "exact, others on one value", "certified, whatever the others hold", "clones, closed form"

Row = tuple[int, int, str, float]


def others_alike(k: int, n: int) -> float | dc.Estimate:
    """Return ε(δ) against somebody who knows that all others hold one value."""
    return dc.dp_epsilon(crowd(k, n).seen_by(dc.AllButOne([n - 1] + [0] * (k - 1))), DELTA)


def crowd(k: int, n: int) -> dc.Shuffled:
    return dc.Shuffled(dc.RandomizedResponse(k, epsilon=LOCAL), n)


def compared(k: int, n: int) -> Iterator[Row]:
    """Yield ε(δ) by each name."""
    yield k, n, ALIKE, float(others_alike(k, n))
    worst = dc.dp_epsilon(crowd(k, n).seen_by(dc.WorstAllButOne()), DELTA)
    yield k, n, WORST, worst.high if isinstance(worst, dc.Estimate) else worst
    for name, bound in BOUNDS.items():
        yield k, n, name, published.least_epsilon(bound, k, n, LOCAL, DELTA)
    yield k, n, CLOSED, published.clones_closed_form(k, n, LOCAL, DELTA)


def drawn(rows: list[Row]):
    """Return the figure: every ε as a multiple of the exact one, a panel per number of values."""
    panels = []
    for k in VALUES:
        exact = {n: epsilon for values, n, name, epsilon in rows if values == k and name == ALIKE}
        names = [WORST, *BOUNDS]
        lines = {
            name: [(float(n), epsilon / exact[n]) for values, n, kind, epsilon in rows if values == k and kind == name]
            for name in names
        }
        panels.append(
            Panel(
                [Curve(points, "ours" if name == WORST else "published", name) for name, points in lines.items()],
                Axis("users", USERS[0], USERS[-1], logarithmic=True, ticks=USERS),
                Axis(f"ε over the exact one, k = {k}", 0.8, 3.4, ticks=[1, 1.5, 2, 2.5, 3]),
            )
        )
    notes = [
        f"The ε that δ = {DELTA:g} leaves of a local ε of {LOCAL:g}, over the exact one if all others hold one value.",
        "Variation ratio is no upper bound for k > 2: it leaves out what the other reports tell.",
        "The clones' closed form is far above the others, and in the table only.",
    ]
    looks = {"ours": "solid", "published": "dashed"}
    title = "What a shuffled answer costs, and what has been proved of it"
    description = "Lines: certified and published bounds of ε over the exact ε, by users and number of values."
    return curves(panels, looks, title, notes, description)


def main(out: Path) -> None:
    rows = [row for k in VALUES for n in USERS for row in compared(k, n)]
    chart = drawn(rows)
    render = {".svg": lambda: to_svg(chart).encode(), ".png": lambda: to_png(chart), ".pdf": lambda: to_pdf(chart)}
    out.write_bytes(render[out.suffix]())
    with out.with_suffix(".csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["values", "users", "bound", "epsilon"])
        writer.writerows(rows)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
