"""The library's numbers against other routes to them, over all that it takes: who asks, of what, with which parameters.

Each family draws systems and asks everything of them; `oracles` has the truth. The small part is among the long
tests, the wide one runs with ``-m sweep`` and says how many answers there were of which kind.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

import pytest
from scipy.stats import binom

from sweep import (
    attack_curves,
    black_boxes,
    channels,
    closed_forms,
    compositions,
    conversions,
    crowds,
    information,
    inverse_answers,
    inverse_crowds,
    large_crowds,
    large_numbers,
    noises,
    tables,
)
from sweep.draws import Draw
from sweep.question import Agreement, Question, Verdict, judged

Family = Callable[[Draw], Iterator[Question] | Iterator[Agreement]]

# How many systems the small part and the wide one draw of each.
FAMILIES: dict[str, tuple[Family, int, int]] = {
    "channels and mechanisms": (channels.questions, 10, 600),
    "closed forms": (closed_forms.questions, 20, 800),
    "noises": (noises.questions, 15, 800),
    "conversions": (conversions.questions, 20, 800),
    "inverse answers": (inverse_answers.questions, 20, 1200),
    "inverse answers of crowds": (inverse_crowds.questions, 20, 300),
    "compositions": (compositions.questions, 10, 400),
    "small crowds": (crowds.questions, 7, 120),
    "large crowds": (large_crowds.questions, 8, 200),
    "large numbers": (large_numbers.questions, 5, 80),
    "information": (information.questions, 5, 100),
    "tables": (tables.questions, 4, 60),
    "attack curves": (attack_curves.questions, 60, 5000),
    "black boxes": (black_boxes.questions, 20, 800),
}
# Intervals with a confidence may miss as often as they say: no more than in one sweep of a million.
_RARELY = 1e-6


def swept(name: str, family: Family, systems: int, seed: str) -> Iterator[Verdict]:
    for number in range(systems):
        yield from map(judged, family(Draw(f"{seed}: {name} {number}")))


def faults(verdicts: Iterable[Verdict]) -> list[str]:
    """Return what is wrong with single answers, and with how often intervals miss."""
    given = list(verdicts)
    found = [verdict.fault for verdict in given if verdict.fault]
    unsure = [verdict for verdict in given if verdict.confidence is not None]
    missed, most = sum(verdict.missed for verdict in unsure), max((1 - v.confidence for v in unsure), default=0.0)
    if missed and binom.sf(missed - 1, len(unsure), most) < _RARELY:
        found.append(f"{missed} of {len(unsure)} intervals miss that should miss at most {most:.0%}")
    return found


@pytest.mark.long
@pytest.mark.parametrize("name", FAMILIES)
def test_every_answer_is_what_another_route_says(name: str) -> None:
    family, systems, _ = FAMILIES[name]
    assert faults(swept(name, family, systems, "small")) == []


@pytest.mark.sweep
@pytest.mark.parametrize("name", FAMILIES)
def test_none_of_tens_of_thousands_of_answers_is_outside_its_claim(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    family, _, systems = FAMILIES[name]
    verdicts = list(swept(name, family, systems, "wide"))
    kinds = Counter(verdict.kind for verdict in verdicts)
    with capsys.disabled():
        print(f"\n{name}: {len(verdicts)} answers, " + ", ".join(f"{n} {kind}" for kind, n in kinds.most_common()))
    found = faults(verdicts)
    assert not found, "\n".join(islice(found, 20))
