"""What parties that work together learn: as named to participants, as in the protocol's table, and by enumeration."""

from dataclasses import replace
from pathlib import Path

import pytest

from discretion.collection import Party
from discretion.collection.coalitions import coalitions
from oracles.coalitions import ROWS, Admission, coalitions as all_coalitions, guess
from support.collection.in_process import features, made

PROTOCOL = Path(__file__).parents[2] / "docs" / "explanation" / "protocol.md"
ADMISSIONS: tuple[Admission, ...] = ("first shuffler", "honest admitter", "coalition's admitter")
KEYS = [bytes([255, place]) + bytes(253) + b"\1" for place in range(3)]


def rows(curated: bool) -> list[str]:
    """Return the rows of the protocol's table."""
    lines: list[str] = []
    for coalition in all_coalitions(curated):
        shares = [f"{float(guess(coalition, admission, curated)):.1%}".replace("%", " %") for admission in ADMISSIONS]
        lines.append(f"| {' + '.join(coalition) or 'nobody'} | {' | '.join(shares)} |")
    return lines


@pytest.mark.one_in(2)
@pytest.mark.parametrize("curated", [True, False])
def test_the_protocol_s_table_is_what_enumeration_comes_to(curated: bool) -> None:
    heading = "With a curator" if curated else "Without a curator"
    table = PROTOCOL.read_text(encoding="utf-8").partition(f"| {heading} |")[2].partition("\n\n")[0]
    assert table.splitlines()[2:] == rows(curated)


@pytest.mark.parametrize("curated", [True, False])
@pytest.mark.parametrize("admission", ADMISSIONS)
def test_whoever_learns_everything_has_a_coalition_in_it_that_participants_are_told(
    admission: Admission, curated: bool
) -> None:
    task = made(features(2, 2), 2, curated=curated).task
    if admission != "first shuffler":
        moduli = ((KEYS[0], KEYS[1]), (KEYS[2],))
        task = replace(task, admitter=Party("http://127.0.0.1:99", bytes([7] * 32)), admission=moduli)
    named = [{*each.parties} for each in coalitions(task)]
    for coalition in all_coalitions(curated):
        members = {*coalition} | ({"admitter"} if admission == "coalition's admitter" else set[str]())
        learns = guess(coalition, admission, curated)
        nothing = guess((), admission, curated)
        assert learns >= nothing >= 1 / len(ROWS)
        if learns == 1:
            assert any(parties <= members for parties in named)
        if any(parties <= members for parties in named):
            assert learns > max(guess((one,), "honest admitter", curated) for one in ("shuffler 2", "analyst"))
