"""The outputs of commands: a result's files, one JSON object or a document on stdout, and progress on a terminal."""

import sys
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

from discretion.cli.exit_codes import FAILED, NOT_DECIDED
from discretion.cli.options import OutputOptions
from discretion.cli.terminal import say
from discretion.cli.watchdog import Watchdog
from discretion.jobs.gates import Verdict, Word
from discretion.jobs.monitor import Monitor
from discretion.presenting.files import chart_format, check_apart, check_not_an_input, written_whole
from discretion.presenting.json_answers import answer
from discretion.presenting.progress import Progress
from discretion.presenting.views.document import Bullets, Document, Section
from discretion.presenting.views.result import JobResult


def print_json(
    command: str, inputs: Mapping[str, Any], results: Mapping[str, Any], verdicts: Sequence[Verdict] = ()
) -> None:
    """Print the object that every command's --json prints."""
    sys.stdout.write(answer(command, inputs, results, verdicts) + "\n")


@contextmanager
def writing(
    output: OutputOptions, *tables: str, read: Iterable[str | Path] = (), others: Iterable[str] = ()
) -> Generator[Callable[..., None]]:
    """Yield a function that writes a result, its gates and a note on them into the files that the options name.

    An error is raised first for a file that cannot be written, or that the command also reads. The files are put in
    their places at the end, if no error occurred.

    Parameters
    ----------
    output
        The options.
    tables, read
        The tables and the files that the command reads.
    others
        The files that the command writes by itself.
    """
    paths = _files(output)
    if paths:
        from discretion.tables.locations import files_read  # noqa: PLC0415 - the engine takes a second

        inputs = [*read, *chain.from_iterable(map(files_read, tables))]
        for path in paths.values():
            check_not_an_input(path, *inputs)
        check_apart(*paths.values(), *others)
    suffix = chart_format(paths["chart"]) if "chart" in paths else ""
    with ExitStack() as stack:
        contents = {name: stack.enter_context(written_whole(path)) for name, path in paths.items()}

        def write(result: JobResult, verdicts: Sequence[Verdict] = (), note: str | None = None) -> None:
            if not contents:
                return
            from discretion.presenting.views.markdown import to_markdown  # noqa: PLC0415 - JSON needs neither
            from discretion.presenting.views.page import to_page  # noqa: PLC0415

            document = _with_gates(result.document(), verdicts, note)
            for name, content in contents.items():
                if name == "chart":
                    from discretion.charts.page import to_format  # noqa: PLC0415 - Altair takes half a second

                    content.append(to_format(result.chart(), suffix, document.title))
                else:
                    content.append(to_page(document) if name == "html" else to_markdown(document))

        yield write


def show(
    command: str,
    inputs: Mapping[str, Any],
    result: JobResult,
    verdicts: Sequence[Verdict],
    output: OutputOptions,
    *,
    note: str | None = None,
    words: Iterable[Word] | None = None,
) -> int:
    """Print a result as JSON, or as its document with the written files and the gates; return the exit code.

    ``words`` are the verdicts on the parts of a result whose document already shows the gates.
    """
    if output.json:
        print_json(command, inputs, result.to_dict(), verdicts)
    else:
        print_document(result.document(), full=output.full)
        for name, path in _files(output).items():
            say(f"{'Chart' if name == 'chart' else 'Report'}: {path}")
        if words is None:
            say_verdicts(verdicts, note)
    return code_of((verdict.verdict for verdict in verdicts) if words is None else words)


def print_document(document: Document, *, full: bool = True) -> None:
    """Print a result's document in the terminal's width, abridged to a first screen unless ``full``."""
    from discretion.presenting.tables import Screen  # noqa: PLC0415 - JSON needs no rich
    from discretion.presenting.views.terminal import to_text  # noqa: PLC0415

    Screen().print(to_text(document, full=full or not document.is_abridged))


def _files(output: OutputOptions) -> dict[str, str]:
    """Return the files to write, by the options that name them."""
    named = ((name, getattr(output, name, None)) for name in ("html", "markdown", "chart"))
    return {name: path for name, path in named if path is not None}


def say_verdicts(verdicts: Sequence[Verdict], note: str | None = None) -> None:
    """Print a line for each gate's verdict, after a note on their assumptions."""
    for line in _gate_lines(verdicts, note):
        say(line)


def _with_gates(document: Document, verdicts: Sequence[Verdict], note: str | None) -> Document:
    """Return the document with a section on the gates' verdicts."""
    return document.with_section(Section("Gates", (Bullets(_gate_lines(verdicts, note)),))) if verdicts else document


def _gate_lines(verdicts: Sequence[Verdict], note: str | None) -> tuple[str, ...]:
    return (*([] if note is None else [f"note: {note}"]), *map(str, verdicts))


def code_of(words: Iterable[Word]) -> int:
    """Return the exit code of a command from the verdicts of its gates."""
    ends = set(words)
    return FAILED if "failed" in ends else NOT_DECIDED if "not decided" in ends else 0


class _TerminalMonitor(Monitor):
    """A monitor that shows each step on the terminal, and ends it at a limit."""

    def __init__(self, progress: Progress, limits: Watchdog) -> None:
        self._progress, self._limits = progress, limits

    @property
    def over(self) -> bool:
        return self._limits.reached is not None

    def step(self, what: str) -> AbstractContextManager[None]:
        self._progress(what)
        return self._limits.working()


@contextmanager
def working(limits: Watchdog) -> Generator[Progress]:
    """Yield the progress of a job under limits, which is erased at the end."""
    progress = Progress()
    try:
        with limits.watched(), limits.working():
            yield progress
    finally:
        progress.done()


@contextmanager
def monitored(limits: Watchdog) -> Generator[Monitor]:
    """Yield a monitor of a job on a terminal and under limits."""
    progress = Progress()
    try:
        with limits.watched():
            yield _TerminalMonitor(progress, limits)
    finally:
        progress.done()
