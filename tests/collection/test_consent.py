"""What a participant reads before anything is sent: all that the task is, and whom to believe."""

from dataclasses import replace
from io import StringIO

from rich.console import Console

from discretion.collection import Party
from discretion.collection.coalitions import coalitions
from discretion.collection.consent import BELIEVED, consent_document
from discretion.collection.results.documents import coalition_words
from discretion.collection.wire.noise import Noise
from discretion.presenting.views.document import Document
from discretion.presenting.views.terminal import to_text
from support.collection.in_process import made

TASK = made(shufflers=2, smallest_batch=20, budget="0.05", redaction="0.5", invited=300).task
KEYS = [bytes([255, place]) + bytes(253) + b"\1" for place in range(3)]
ADMITTED = replace(
    TASK, admitter=Party("http://127.0.0.1:99", bytes([7] * 32)), admission=((KEYS[0], KEYS[1]), (KEYS[2],))
)


def shown(document: Document, width: int) -> str:
    console = Console(file=StringIO(), width=width)
    console.print(to_text(document))
    return console.file.getvalue()


def test_she_reads_the_purpose_the_terms_and_every_party_with_its_host_and_key() -> None:
    text = " ".join(shown(consent_document(ADMITTED), 200).split())
    for part in ("Purpose: to know", "sex (2 answers); town (3 answers)", "5 %", "20 people", "300 people", "0.5"):
        assert part in text
    for name, party in ADMITTED.parties.items():
        assert name in text
        assert party.host in text
        assert party.key.hex()[:16] in text
    assert all(sentence in text for sentence in BELIEVED)


def test_she_reads_each_coalition_that_would_learn_her_answers() -> None:
    for task in (TASK, ADMITTED, made(curated=False).task):
        text = " ".join(shown(consent_document(task), 300).split())
        assert all(coalition_words(each) in text for each in coalitions(task))


def test_she_reads_what_the_noise_of_an_honest_shuffler_hides() -> None:
    task = replace(TASK, redaction=None, noise=Noise(9_000, 200))
    text = " ".join(shown(consent_document(task), 300).split())
    assert "each shuffler adds 0 to 200 dummies to every count: if one shuffler is honest" in text
    assert "hidden by ε = 0.6321 with δ = 1e-05" in text
    assert "Noise" not in " ".join(shown(consent_document(TASK), 300).split())


def test_an_admitter_takes_the_invention_of_people_out_of_the_first_shuffler_s_hands() -> None:
    inventing = [[each.parties for each in coalitions(task) if each.means == "invents"] for task in (TASK, ADMITTED)]
    assert inventing == [[("shuffler 1",)], [("shuffler 1", "admitter")]]
