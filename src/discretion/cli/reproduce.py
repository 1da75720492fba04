"""``discretion reproduce``: compute the papers' tables and figures again."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from discretion.cli.options import OutputOptions, TimeOption, command
from discretion.cli.output import print_json, show, working, writing
from discretion.cli.terminal import say
from discretion.cli.watchdog import Watchdog, as_seconds
from discretion.errors import InvalidValueError, one_of
from discretion.jobs.gates import gates_of, judged
from discretion.presenting.files import folder_written_whole

if TYPE_CHECKING:
    from discretion.presenting.progress import Progress
    from discretion.reproduce import Contents, Paper, Reproduction


@command
def reproduce(
    paper: str | None = None,
    figure: str | None = None,
    /,
    *,
    out: Annotated[str | None, Parameter(metavar="FOLDER")] = None,
    limits: TimeOption,
    output: OutputOptions,
) -> int:
    """Compute a paper's tables and figures again, next to the printed numbers; without a paper, list them.

    Parameters
    ----------
    paper
        The paper: shuffle, ldp, bayes-security or anonymity.
    figure
        A table, figure or other item of the paper, such as figure-2; all by default. For an item that the paper numbers
        and that is not reproduced, the command shows the reason.
    out
        The folder for the CSV, SVG, PDF and PNG file of each item; reproduced/PAPER by default.
    output.fail_over
        Exit with 1 if the count of the paper's printed numbers (published), of those that agree with the computed ones
        (agree) or of those that do not (disagree) is above or below a limit, as "disagree>0"; give the option once for
        each.
    """
    from discretion.reproduce import PAPERS, Contents, PaperReproduction  # noqa: PLC0415 - the charts take half a second

    gates = gates_of(output.fail_over, ("published", "agree", "disagree"))
    if paper is None:
        if gates or output.html or output.markdown:
            raise InvalidValueError(
                "--fail-over, --html and --markdown need a paper; name one, such as discretion reproduce shuffle"
            )
        _list(Contents(PAPERS), output.json)
        return 0
    chosen = PAPERS[one_of(paper, PAPERS, "paper here called")]
    names = list(chosen.items) if figure is None else [chosen.item_name(figure)]
    folder = f"reproduced/{paper}" if out is None else out
    with working(Watchdog(as_seconds(limits.time))) as progress, writing(output) as write:
        result = PaperReproduction(chosen, _written(chosen, names, folder, progress), folder)
        verdicts = judged(gates, result.counts)
        write(result, verdicts)
    inputs = {"paper": paper, "figure": figure, "out": out, "time": limits.time}
    return show("reproduce", inputs, result, verdicts, output)


def _written(paper: "Paper", names: Sequence[str], folder: str, progress: "Progress") -> dict[str, "Reproduction"]:
    """Compute these items, write their files into the folder, and return them."""
    from discretion.charts import to_pdf, to_png, to_svg  # noqa: PLC0415
    from discretion.reproduce.item import files_of  # noqa: PLC0415

    made: dict[str, Reproduction] = {}
    with folder_written_whole(folder, [file for name in names for file in files_of(name)]) as contents:
        for name in names:
            progress(f"{name}: computing")
            made[name] = result = paper.items[name].reproduce()
            progress(f"{name}: drawing")
            chart = result.chart()
            files = (result.to_csv(), to_svg(chart), to_pdf(chart), to_png(chart))
            for file, content in zip(files_of(name), files, strict=True):
                contents[file].append(content)
    return made


def _list(contents: "Contents", json: bool) -> None:
    if json:
        inputs = {"paper": None, "figure": None, "out": None, "time": None}
        print_json("reproduce", inputs, contents.to_dict())
        return
    for name, paper in contents.papers.items():
        say(f"{name}: {paper.citation}")
        for item in paper.items:
            say(f"  {item:<14} {paper.items[item].title}")
    say()
    say("All items of a paper: discretion reproduce PAPER; one item: discretion reproduce PAPER FIGURE")
