"""The pages of the gallery: the papers' items beside the printed numbers, and every chart with its code."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import discretion as dc
from discretion.reproduce import PAPERS, Item, Published

# What draws each chart of `dc.charts`, as an expression.
CHARTS: dict[str, str] = {
    "answered_shares": """dc.charts.answered_shares([
    {"answers": ["f", "Lima"], "share": 0.40, "low": 0.36, "high": 0.44},
    {"answers": ["m", "Lima"], "share": 0.35, "low": 0.31, "high": 0.39},
])""",
    "attack_curve": """dc.charts.attack_curve([(0.001, 0.02), (0.01, 0.1), (0.1, 0.4), (1.0, 1.0)])""",
    "barycentric": """dc.charts.barycentric(
    [{"probability": 0.2, "posterior": [0.0, 0.5, 0.5]}, {"probability": 0.8, "posterior": [0.7, 0.2, 0.1]}],
    ["ann", "bob", "cyd"],
    "The posteriors of three secrets",
)""",
    "bayes_security_over_epsilon": "dc.charts.bayes_security_over_epsilon()",
    "certified_beside_truth": """dc.charts.certified_beside_truth(
    [{"columns": ["sex", "race"], "exposure": 0.02, "bound": {"value": 0.3}}], 10
)""",
    "collection_options": """dc.charts.collection_options({
    "column": "sex",
    "options": [
        {
            "epsilon": epsilon,
            "best": {"error_share": error},
            "shares": {"blind": 0.5, "report": report, "knows_all": guess},
        }
        for epsilon, error, report, guess in [(4.0, 0.01, 0.98, 0.54), (1.0, 0.03, 0.73, 0.51)]
    ],
    "recommended": {
        "epsilon": 1.0,
        "best": {"error_share": 0.03},
        "shares": {"blind": 0.5, "report": 0.73, "knows_all": 0.51},
    },
})""",
    "convergence_over_samples": """dc.charts.convergence_over_samples(
    [10, 100, 1000], [0.5, 0.2, 0.22], [0.0, 0.1, 0.18], [0.8, 0.3, 0.24], 0.95, "frequentist"
)""",
    "curves": """dc.charts.curves(
    [dc.charts.Panel(
        [
            dc.charts.Curve([(1, 0.9), (10, 0.51)], "shuffled", "p = 0.9"),
            dc.charts.Curve([(1, 0.9), (10, 0.9)], "alone"),
        ],
        dc.charts.Axis("people", 1, 10, logarithmic=True),
        dc.charts.Axis("best guess", 0.5, 1),
    )],
    {"shuffled": "solid", "alone": "dotted"},
    "The best guess in a crowd",
    [],
    "Two curves of the best guess, from 0.9 down to 0.51 when shuffled.",
)""",
    "design": """dc.charts.design(
    {"krr": [
        {"epsilon": 4.0, "guess": 0.085, "people": 40.0, "given": False},
        {"epsilon": 5.6, "guess": 0.0933, "people": 18.6, "given": True},
    ]},
    "the worst adversary",
)""",
    "distributions_before_and_after": """dc.charts.distributions_before_and_after([
    {"column": "sex", "distance": 0.1, "bins": [
        {"label": "f", "before": 0.4, "after": 0.5}, {"label": "m", "before": 0.6, "after": 0.5},
    ]},
])""",
    "exposure_by_column": """dc.charts.exposure_by_column(
    [
        {"column": "sex", "exposure": 0.0, "exposed_people": 0, "identifier_like": False},
        {"column": "town", "exposure": 0.02, "exposed_people": 12, "identifier_like": False},
    ],
    k=10, budget=0.01,
)""",
    "exposure_by_set": """dc.charts.exposure_by_set(
    [
        {"columns": ["sex"], "exposure": 0.0, "exposed_people": 0, "unique_people": 0},
        {"columns": ["sex", "town"], "exposure": 0.05, "exposed_people": 30, "unique_people": 3},
    ],
    k=10, budget=0.01,
)""",
    "exposure_over_threshold": "dc.charts.exposure_over_threshold([1, 3, 8], [2, 5, 13], people=20)",
    "front_of_sets": """dc.charts.front_of_sets([
    {"columns": ["sex"], "utility": 1.0, "exposure": 0.0},
    {"columns": ["sex", "race"], "utility": 2.0, "exposure": 0.25},
])""",
    "inference_before_and_after": """dc.charts.inference_before_and_after([
    {"sensitive": "income", "known": ["sex"], "prior": 0.75, "posterior": 0.8},
    {"sensitive": "income", "known": ["age", "town"], "prior": 0.75, "posterior": 0.83},
])""",
    "information_by_design": """dc.charts.information_by_design(
    [{
        "name": "two rounds",
        "curator": {"questions": 1, "record_bits": 1.5},
        "analyst": {"questions": 1, "record_bits": 1.5},
        "participants": {"questions": 0, "record_bits": 0.0},
        "certified_exposure": 0.01,
    }],
    3.0,
)""",
    "privacy_utility": """dc.charts.privacy_utility(
    [(
        dc.charts.Quantity("hidden", "hidden", "towards one", marks=dc.charts.percentages([0, 0.5, 0.9])),
        dc.charts.Quantity("worth", "worth", "logarithmic", marks=dc.charts.percentages([0.01, 0.1])),
    )],
    [dc.charts.Protocol("k-RR", [
        {"epsilon": 1, "hidden": 0.9, "worth": 0.02}, {"epsilon": 2, "hidden": 0.5, "worth": 0.2, "given": True},
    ])],
    "Privacy against utility",
    [],
    "One curve: 90 % hidden at a utility of 2 %, 50 % at 20 %.",
)""",
    "refinement_order": """dc.charts.refinement_order(
    [["a"], ["b", "c"]], [{"refined": ["a"], "by": ["b", "c"]}], "The order of refinement"
)""",
    "tradeoff": """dc.charts.tradeoff(
    {"krr:k=3,epsilon=1": [
        {"epsilon": 1.0, "worst_case_privacy": 0.37, "effective_participation": 0.16, "given": True},
        {"epsilon": 2.0, "worst_case_privacy": 0.14, "effective_participation": 0.43, "given": False},
    ]},
    "only one mechanism is compared",
    None,
    "Privacy against utility",
)""",
}


def write(folder: Path) -> None:
    """Write the pages of the gallery, and their images, into the folder."""
    (folder / "images").mkdir(parents=True, exist_ok=True)
    (folder / "charts.md").write_text("".join(_charts(folder)), encoding="utf-8")
    for paper in PAPERS:
        (folder / f"{paper}.md").write_text("".join(_paper(folder, paper)), encoding="utf-8")


def _paper(folder: Path, paper: str) -> Iterator[str]:
    yield f"# Gallery: {paper}\n\n{_escaped(PAPERS[paper].citation)}\n\n"
    yield "Each table shows the numbers that the paper prints, and what Discretion computes.\n\n"
    for name, item in PAPERS[paper].items.items():
        yield f"## {name}\n\n{_escaped(item.title)}.\n\n```bash\ndiscretion reproduce {paper} {name}\n```\n\n"
        yield from _item(folder, f"{paper}-{name}", item)


def _item(folder: Path, file: str, item: Item) -> Iterator[str]:
    result = item.reproduce()
    yield _image(folder, file, result.chart(), item.title)
    if result.published:
        yield "| where | number | printed | Discretion | agree |\n|---|---|---|---|---|\n"
        yield from map(_row, result.published)
        yield "\n"
    if result.findings:
        yield "".join(f"- {_escaped(finding)}\n" for finding in result.findings) + "\n"


def _row(number: Published) -> str:
    cells = (number.where, number.what, number.printed, f"{number.ours:.8g}", "yes" if number.agrees else "no")
    return f"| {' | '.join(map(_escaped, cells))} |\n"


def _charts(folder: Path) -> Iterator[str]:
    yield "# Gallery: charts\n\nEach chart of `dc.charts` stands below the code that draws it. "
    yield "The data are made up.\n\n"
    for name, code in CHARTS.items():
        yield f"## {name}\n\n```python\nimport discretion as dc\n\nchart = {code}\n```\n\n"
        yield _image(folder, name, eval(code, {"dc": dc}), name)
    others = ", ".join(f"`{name}`" for name in dc.charts.__all__ if name not in CHARTS)
    yield "## Other names\n\nThe other names of `dc.charts` describe a part of a chart, set a limit, or write a chart "
    yield f"to a file: {others}.\n"


def _image(folder: Path, file: str, chart: Any, title: str) -> str:
    """Write a chart as SVG, and return the directive that shows it."""
    (folder / "images" / f"{file}.svg").write_text(dc.charts.to_svg(chart), encoding="utf-8")
    words = " ".join(str(chart.to_dict().get("description") or title).split())
    return f"```{{image}} images/{file}.svg\n:alt: {json.dumps(words, ensure_ascii=False)}\n```\n\n"


def _escaped(text: str) -> str:
    return re.sub(r"([\\`*_$<>\[\]|{}#])", r"\\\1", " ".join(text.split()))
