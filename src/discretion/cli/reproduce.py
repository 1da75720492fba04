"""``discretion reproduce``: the papers' tables and figures, computed anew."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from discretion.cli.limits import Limits, as_seconds
from discretion.cli.options import FailOver
from discretion.cli.output import code_of, print_document, print_json, say_verdicts
from discretion.cli.terminal import say
from discretion.errors import InvalidValueError, one_of
from discretion.jobs.gates import gates_of, judged
from discretion.presenting.files import folder_written_whole
from discretion.presenting.progress import Progress

if TYPE_CHECKING:
    from discretion.reproduce import Paper, Reproduction

FORMATS = ("csv", "svg", "pdf", "png")


def reproduce(
    paper: str | None = None,
    figure: str | None = None,
    /,
    *,
    out: str | None = None,
    fail_over: FailOver = (),
    time: str | None = None,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Compute a paper's tables and figures anew, beside what it prints; without a paper, list them.

    Parameters
    ----------
    paper
        The paper: shuffle, ldp, bayes-security or anonymity.
    figure
        One of its tables or figures, such as figure-2; all by default.
    out
        The folder for the CSV, SVG, PDF and PNG file of each; reproduced/PAPER by default.
    fail_over
        Exit with 1 if there are more or fewer than so many numbers that the paper prints (published), that ours agree
        with (agree) or do not (disagree), as "disagree>0"; once for each.
    time
        When to stop, in seconds or as 2m or 1h; no limit by default.
    json
        Print one JSON object.
    """
    from discretion.reproduce import PAPERS, PaperReproduction  # noqa: PLC0415 - the charts take half a second

    gates = gates_of(fail_over, ("published", "agree", "disagree"))
    if paper is None:
        if gates:
            raise InvalidValueError(
                "--fail-over is about the numbers of a paper; name one, as in discretion reproduce shuffle"
            )
        _list(PAPERS, json)
        return 0
    chosen = PAPERS[one_of(paper, PAPERS, "paper here called")]
    names = list(chosen.items) if figure is None else [one_of(figure, chosen.items, "table or figure called")]
    folder = f"reproduced/{paper}" if out is None else out
    result = PaperReproduction(chosen, _written(chosen, names, folder, Limits(as_seconds(time))))
    verdicts = judged(gates, result.counts)
    if json:
        items = {name: item | {"files": _files(name)} for name, item in result.to_dict().items()}
        results = {"citation": chosen.citation, "folder": folder, "items": items}
        print_json("reproduce", {"paper": paper, "figure": figure, "out": out, "time": time}, results, verdicts)
    else:
        print_document(result.document())
        say(f"Files: {folder}/NAME.csv, the numbers with all their digits, and NAME.svg, .pdf and .png, the chart")
        say_verdicts(verdicts)
    return code_of(verdict.verdict for verdict in verdicts)


def _written(paper: "Paper", names: Iterable[str], folder: str, limits: Limits) -> dict[str, "Reproduction"]:
    """Compute these, write them into the folder, and return them."""
    from discretion.charts import to_pdf, to_png, to_svg  # noqa: PLC0415

    progress = Progress()
    made: dict[str, Reproduction] = {}
    try:
        files_of_all = [file for name in names for file in _files(name)]
        with limits.watched(), limits.working(), folder_written_whole(folder, files_of_all) as contents:
            for name in names:
                progress(f"{name}: computing")
                made[name] = found = paper.items[name].reproduce()
                progress(f"{name}: drawing")
                chart = found.chart()
                files = (found.to_csv(), to_svg(chart), to_pdf(chart), to_png(chart))
                for file, content in zip(_files(name), files, strict=True):
                    contents[file].append(content)
    finally:
        progress.done()
    return made


def _files(name: str) -> list[str]:
    return [f"{name}.{suffix}" for suffix in FORMATS]


def _list(papers: Mapping[str, "Paper"], json: bool) -> None:
    if json:
        results = {
            name: {"citation": paper.citation, "items": {item: paper.items[item].title for item in paper.items}}
            for name, paper in papers.items()
        }
        print_json("reproduce", {"paper": None, "figure": None, "out": None, "time": None}, results)
        return
    for name, paper in papers.items():
        say(f"{name}: {paper.citation}")
        for item in paper.items:
            say(f"  {item:<14} {paper.items[item].title}")
    say()
    say("All of a paper: discretion reproduce PAPER; one of them: discretion reproduce PAPER FIGURE")
