"""The audit in a few sentences, for somebody who reads nothing else."""

from collections.abc import Iterator

from tacit.jobs.audit.collection_text import in_short
from tacit.jobs.audit.result import Audit
from tacit.presenting.names import briefly, listed
from tacit.presenting.numbers import bounded, odds, people, percent, times

# Of a section that a time limit left empty or incomplete.
CUT_SHORT = "The time limit cut this short; section 8 says what is missing."


def summary(found: Audit) -> list[str]:
    """Return the answer in a few sentences: what stands out, what may go out, who is guessed, how to ask instead.

    Examples
    --------
    >>> import tacit as tc
    >>> summary(tc.audit("example:adult", columns=["sex", "race"]))[0]
    'Published whole, the table exposes nobody: everybody shares all 2 values with at least 9 others.'
    """
    return list(_sentences(found))


def promise(found: Audit) -> str | None:
    """Return what knowing the single columns alone lets one promise of several, if it does."""
    best = next(iter(found.certified_selection), None)
    if best is None or len(best.columns) == 1:
        return None
    exposed = f"{bounded(best.bound)} of the people" if best.bound.value else "nobody"
    return f"Knowing the single columns alone one could already promise that {listed(best.columns)} expose {exposed}."


def _sentences(found: Audit) -> Iterator[str]:
    if found.cut_short:
        yield "The time limit cut this audit short: what it says is so, and section 8 names what is missing."
    whole = found.sets.whole
    others = "1 other" if found.k == 2 else f"{found.k - 1} others"
    values = "the same value" if len(whole.columns) == 1 else f"all {len(whole.columns)} values"
    if whole.exposed_people == 0:
        yield f"Published whole, the table exposes nobody: everybody shares {values} with at least {others}."
    else:
        said = odds(whole.exposure)
        who = "everybody" if said == "all" else f"{said} people ({people(whole.exposed_people)})"
        unique = f"{people(whole.unique_people)} {'is' if whole.unique_people == 1 else 'are'} unique"
        alike = "nobody else shares" if found.k == 2 else f"fewer than {others} share"
        yield f"Published whole, the table exposes {who}: {alike} {values}; {unique}."
    if found.selected:
        best = found.selected[0]
        sure = found.sets.complete or best == whole
        most = "Up to" if sure else "At least"
        many = "1 column" if len(best.columns) == 1 else f"{most} {len(best.columns)} columns"
        exposed = "nobody" if not best.exposed_people else f"{odds(best.exposure)} people"
        yield (
            f"{many} can go out within the budget of {percent(found.budget)}: {listed(best.columns)}, for one, "
            f"{'exposes' if len(best.columns) == 1 else 'expose'} {exposed}."
        )
    elif "sets" in found.cut_short:
        yield f"Whether a column can go out within the budget of {percent(found.budget)} was not worked out in time."
    else:
        yield f"No column can go out within the budget of {percent(found.budget)}."
    if promised := promise(found):
        yield promised
    if found.inference:
        best_known = max(found.inference, key=lambda report: (report.posterior, -len(report.known)))
        yield (
            f"The column {best_known.sensitive} is guessed right {times(best_known.prior)} without any column, and "
            f"{times(best_known.posterior)} by who knows {briefly(best_known.known)}."
        )
    yield from in_short(found.collection)
