"""What leaked, said by the result: the right numbers for each party, within a terminal's width."""

import json
import math
from io import StringIO

import numpy as np
import pytest
from rich.console import Console

from discretion.collection.parts.choosing import exposure_of
from discretion.collection.results.curator import curator_result
from discretion.collection.results.documents import analyst_document, curator_document, leaks_document, truth_document
from discretion.collection.results.leaks import Leaks, leaks_of, moved_joint, moved_single
from discretion.collection.results.truth import compare_with_truth
from discretion.estimate import highest, lowest
from discretion.presenting.json_answers import answer
from discretion.presenting.views.document import Document
from discretion.presenting.views.terminal import to_text
from support.collection.drawn_results import Collected, drawn, features_of, rows_counted
from support.collection.in_process import made

KRR = "krr:epsilon=2"


def of_people(*randomizers: str | None, **task) -> Collected:
    return drawn(features_of(1, 3, randomizers=randomizers), 300, k=5, **task)


def leaks(of: Collected) -> Leaks:
    return leaks_of(of.task, of.counts, of.choice(0, 1), of.analysed(0, 1))


def shown(document: Document, width: int = 80) -> str:
    console = Console(file=StringIO(), width=width)
    console.print(to_text(document))
    return console.file.getvalue()


def test_each_party_guesses_among_the_shares_that_were_found() -> None:
    of = of_people()
    found = leaks(of)
    for guess, feature in zip(found.single, of.task.features, strict=True):
        assert guess.features == (feature.name,)
        assert guess.before == pytest.approx(of.counts[feature.name].max() / 300)
        assert guess.before <= lowest(guess.after) + 1e-12
    assert found.joint is not None
    cells = np.unique(of.told, axis=0, return_counts=True)[1]
    assert found.joint.before == pytest.approx(cells.max() / 300)
    assert highest(found.joint.after) < found.joint.before + 0.06


def test_a_randomizer_s_shares_are_undone_before_they_are_a_population() -> None:
    of = of_people(KRR)
    truth = np.bincount(of.rows[:, 0], minlength=3).max() / 300
    told = of.counts["a"].max() / 300
    assert abs(leaks(of).single[0].before - truth) < abs(told - truth)


def test_who_knows_all_others_knows_all_that_is_not_randomized() -> None:
    plain, randomized = leaks(of_people(KRR)).among_known[::-1]
    assert (plain.epsilon, plain.bayes_security) == (math.inf, 0.0)
    assert randomized.epsilon == pytest.approx(2)
    assert 0.8 < lowest(randomized.bayes_security) < 1


def test_measured_exposure_stands_beside_the_certified_one() -> None:
    of = of_people()
    found = leaks(of)
    cells = np.unique(of.told, axis=0, return_counts=True)[1]
    assert found.exposure == cells[cells < 5].sum() / 300
    assert found.certified == exposure_of(of.task, of.counts, (0, 1))
    assert found.exposure <= found.certified.high


def test_lies_are_told_for_one_person_and_for_shares_of_all() -> None:
    of = of_people(KRR)
    result, found = of.analysed(0, 1), leaks(of)
    assert [each.people for each in found.liars] == [1, 3, 30]
    for each in found.liars:
        assert each.joint == moved_joint(result.joint, each.people)
        assert each.single == moved_single(of.task, 300, each.people)


def test_before_anything_is_chosen_there_is_no_joint_answer() -> None:
    of = of_people()
    found = leaks_of(of.task, of.counts)
    assert (found.joint, found.exposure, found.certified) == (None, None, None)
    assert [each.parties for each in found.trust] == [("shuffler 1", "curator"), ("shuffler 1",)]
    assert "Nothing went out together." in shown(leaks_document(found))


def test_the_same_seed_has_the_same_numbers() -> None:
    of = of_people(KRR)
    assert leaks(of) == leaks(of)


def test_it_is_json() -> None:
    told = json.loads(answer("collect", {}, leaks(of_people(KRR)).to_dict()))["results"]
    assert told["among_known"][1]["epsilon"] == "inf"
    assert told["single"][0]["features"] == ["a"]
    assert told["certified"]["confidence"] is None


@pytest.mark.one_in(3)
@pytest.mark.parametrize("randomizers", [(), (KRR,), (KRR, KRR)])
@pytest.mark.parametrize("width", [80, 40])
def test_a_terminal_shows_all_of_it_in_its_width(randomizers, width: int) -> None:
    of = of_people(*randomizers)
    result = of.analysed(0, 1)
    documents = [
        leaks_document(leaks(of)),
        analyst_document(result),
        curator_document(curator_result(of.task, of.counts, rows_counted(of.told, 0), of.choice(0, 1))),
        truth_document(compare_with_truth(of.task, of.rows, of.counts, result)),
    ]
    for document in documents:
        text = shown(document, width)
        assert max(map(len, text.splitlines())) <= width
        assert text.count("\n") < (70 if width == 80 else 160)


def test_sections_say_who_and_what() -> None:
    text = " ".join(shown(leaks_document(leaks(of_people(KRR)))).split())
    assert "• shuffler 1 + curator: a, b; their keys open" in text
    assert "• shuffler 1 + analyst: a, b; their keys open" in text
    assert "• shuffler 1: a, b; they can invent all other people" in text
    assert "• shuffler 1 + curator: a, b; they can leave a person out" in text
    assert "It knows everything about b" in text
    assert "there is no forward secrecy" in text


def test_without_a_curator_everybody_sees_the_single_answers() -> None:
    task = made(features_of(1, 3), 2, curated=False).task
    found = leaks_of(task, of_people().counts)
    text = " ".join(shown(leaks_document(found)).split())
    assert "all participants" in text
    assert "• shuffler 1 + shuffler 2: a, b; their keys open" in text
