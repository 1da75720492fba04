"""A simulated collection as a document: the comparison with the truth, the results, and the data of each party."""

from discretion.collection.results.documents import (
    TRUST,
    analyst_document,
    curator_document,
    leaks_document,
    truth_document,
)
from discretion.collection.simulation.simulate import Simulation
from discretion.presenting.names import briefly
from discretion.presenting.numbers import people
from discretion.presenting.views.document import Block, Document, Grid, Section

_SAW = {
    "shuffler": "the senders, and sealed messages; no answers",
    "curator": "single answers without senders; no combinations",
    "analyst": "combinations of the chosen answers, without senders",
    "admitter": "who asked for tokens, and blinded numbers",
}


def simulation_document(simulation: Simulation, *, full: bool = False) -> Document:
    """Return the document of a simulated collection, in short or in full."""
    ran = simulation.ran
    chosen = () if ran.chosen is None else tuple(ran.task.features[place].name for place in ran.chosen.chosen)
    lead: list[Block] = [
        simulation.truth.verdict,
        f"{_who_answered(simulation)} in {simulation.seconds:.0f} s, with each party in a separate process. Features "
        f"that went out together: {briefly(chosen) if chosen else 'none'}.",
    ]
    sections = [Section("What each party saw", (_parties(simulation),))]
    if ran.analysed is not None:
        sections.append(Section("What the analyst got", analyst_document(ran.analysed).blocks))
    leaks = leaks_document(simulation.leaks)
    sections.append(Section("What it leaks", leaks.blocks))
    if full:
        sections.extend(leaks.sections)
        if ran.curated is not None:
            sections.append(Section("The result of the curator", curator_document(ran.curated).blocks))
        sections.append(Section("The result compared with the truth", truth_document(simulation.truth).blocks[1:]))
    else:
        sections.extend(section for section in leaks.sections if section.heading == TRUST)
    return Document("A simulated collection", tuple(lead), tuple(sections))


def _who_answered(simulation: Simulation) -> str:
    asked_in, questions = simulation.ran.asked_in, len(simulation.ran.task.features)
    if asked_in is None:
        return f"{people(simulation.truth.people)} answered {questions} questions"
    alone, together = (people(asked_in.count(number)) for number in (1, 2))
    return f"{alone} answered {questions} single questions and {together} others the joint one"


def _parties(simulation: Simulation) -> Grid:
    rows: list[tuple[str, str, str, str]] = []
    for name, status in simulation.ran.statuses.items():
        rounds = status.get("rounds", [])
        passed, dropped = (
            f"{sum(each[key] for each in rounds):,}" if rounds else "" for key in ("messages", "dropped")
        )
        rows.append((name, _SAW[status["role"]], passed, dropped))
    if simulation.ran.task.curator is None:
        rows.append(("everybody", "single answers without senders, on the board", "", ""))
    return Grid(("party", "saw", "passed on", "did not open"), tuple(rows), frozenset({"party", "saw"}))
