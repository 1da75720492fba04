"""``discretion collect result``: show the counts of a curator or an analyst."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from discretion.cli.options import FailOver
from discretion.cli.output import code_of, print_json, say_verdicts
from discretion.errors import InvalidValueError
from discretion.jobs.gates import Number, gates_of, judged
from discretion.presenting.files import check_apart, written_whole

if TYPE_CHECKING:
    from discretion.collection.services.home import Home
    from discretion.presenting.views.document import Document

_MEASURES = ("people", "exposure")
_Shown = tuple[dict[str, Any], list["Document"], dict[str, Number]]


def result(
    home: str,
    /,
    *,
    html: str | None = None,
    parquet: str | None = None,
    show_rare: Annotated[bool, Parameter(negative="")] = False,
    fail_over: FailOver = (),
    json: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Show the counts of a curator or an analyst, from its folder, and what they reveal about people.

    Parameters
    ----------
    home
        The party's folder.
    html
        Write the analyst's answers as a page to this file.
    parquet
        Write all of the analyst's answers, rare ones too, to this file, for the analyst alone.
    show_rare
        Show the answers of fewer than k people one by one.
    fail_over
        Exit with 1 if a measure is above or below a limit, as "exposure>0.01", and with 3 if only a bound is; once for
        each: people, exposure.
    json
        Print one JSON object.
    """
    from discretion.collection.services.home import Home  # noqa: PLC0415 - the extra collect

    gates = gates_of(fail_over, _MEASURES)
    check_apart(html, parquet)
    party_home = Home(Path(home))
    if party_home.role == "analyst":
        results, documents, measures = _of_analyst(party_home, html, parquet, show_rare)
    elif party_home.role == "curator" and html is None and parquet is None:
        results, documents, measures = _of_curator(party_home)
    else:
        raise InvalidValueError(f"{home} is the home of the {party_home.role}; only an analyst has answers for a file")
    verdicts = judged(gates, measures, "a choice of questions", dict.fromkeys(_MEASURES, "no question goes out"))
    if json:
        inputs = {"home": home, "html": html, "parquet": parquet, "show_rare": show_rare}
        print_json("collect result", inputs, results, verdicts)
    else:
        from discretion.presenting.tables import Screen  # noqa: PLC0415 - JSON needs no rich
        from discretion.presenting.views.terminal import to_text  # noqa: PLC0415

        for document in documents:
            Screen().print(to_text(document))
        say_verdicts(verdicts)
    return code_of(verdict.verdict for verdict in verdicts)


def _of_analyst(home: "Home", html: str | None, parquet: str | None, show_rare: bool) -> _Shown:
    from discretion.collection.results.documents import analyst_document  # noqa: PLC0415
    from discretion.collection.results.page import to_page  # noqa: PLC0415
    from discretion.collection.results.parquet import to_parquet  # noqa: PLC0415
    from discretion.collection.services.analyst import read_analyst_result  # noqa: PLC0415

    analysed = read_analyst_result(home)
    if html is not None:
        with written_whole(html) as contents:
            contents.append(to_page(analysed, show_rare=show_rare))
    if parquet is not None:
        with written_whole(parquet) as contents:
            contents.append(to_parquet(analysed))
    results = dict(analysed.to_dict(show_rare=show_rare))
    document = analyst_document(analysed, show_rare=show_rare)
    return results, [document], {"people": analysed.joint.people, "exposure": analysed.exposure}


def _of_curator(home: "Home") -> _Shown:
    from discretion.collection.results.documents import curator_document, leaks_document  # noqa: PLC0415
    from discretion.collection.services.curator import read_curator_result  # noqa: PLC0415

    curated, leaks = read_curator_result(home)
    measures: dict[str, Number] = {"people": curated.people}
    if curated.chosen is not None:
        measures["exposure"] = curated.chosen.exposure
    results = {**curated.to_dict(), "leaks": leaks.to_dict()}
    return results, [curator_document(curated), leaks_document(leaks)], measures
