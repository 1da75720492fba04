"""Who together learns who said what: told by the parties' real keys; and how far lies move a result, by trying all."""

from collections.abc import Iterable
from itertools import chain, combinations, product
from pathlib import Path

import numpy as np
import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from discretion.collection.coalitions import coalitions
from discretion.collection.parts.joint import joint_shares
from discretion.collection.randomizers import randomizer_of
from discretion.collection.results.leaks import NOT_PROMISED, moved_joint, moved_single
from discretion.collection.wire.rounds import Round
from discretion.collection.wire.sealing import unsealed
from discretion.collection.wire.uploads import Upload
from support.collection.drawn_results import Collected, collected, features_of
from support.collection.in_process import Made, Run, made, round_of

PROTOCOL = Path(__file__).parents[3] / "docs" / "explanation" / "protocol.md"
PERSON = {"a": "a0", "b": "b1"}


def subsets(of: Iterable[str]) -> Iterable[frozenset[str]]:
    parties = sorted(of)
    return map(frozenset, chain.from_iterable(combinations(parties, n) for n in range(len(parties) + 1)))


def learned(of: Made, keys: dict[str, X25519PrivateKey], known: frozenset[str], number: Round, upload: bytes) -> bool:
    """Whether parties open a person's upload, which the first shuffler has beside her name, with their keys alone."""
    if "shuffler 1" not in known:
        return False
    width = number.width()
    message = Upload.decoded(upload, number).messages[:width]
    receiver = "analyst" if number.number == 2 else "curator"
    for layer in [*range(1, len(of.shufflers) + 1), *([] if number.ends_open else [0])]:
        party = f"shuffler {layer}" if layer else receiver
        opened = unsealed(message, keys[party], number.info(layer)) if party in known else None
        if opened is None:
            return False
        message = opened
    return True


@pytest.mark.one_in(3)
@pytest.mark.parametrize("shufflers", [1, 2, 3])
@pytest.mark.parametrize("curated", [True, False])
def test_those_who_can_open_an_upload_are_those_who_are_named(shufflers: int, curated: bool, tmp_path: Path) -> None:
    of = made(features_of(2, 2), shufflers, curated=curated, budget="1")
    run = Run(of, [PERSON] * 4, tmp_path)
    run.ask()
    choice = run.choice()
    assert choice is not None
    rounds = {Round(of.task): ("a", "b"), Round(of.task, choice): ("a", "b")}
    (client, *_) = run.clients
    uploads = [client.upload(), client.upload(choice)]
    keys = {f"shuffler {place}": key for place, key in enumerate(of.shufflers, 1)} | {"analyst": of.analyst}
    keys |= {"curator": of.curator} if curated else {}
    who = {
        known
        for known in subsets(keys)
        if any(learned(of, keys, known, number, upload) for number, upload in zip(rounds, uploads, strict=True))
    }
    smallest = {known for known in who if not any(other < known for other in who)}
    opening = [each for each in coalitions(of.task, choice.chosen) if each.means == "opens"]
    assert {frozenset(each.parties) for each in opening} == smallest
    assert all(each.features == ("a", "b") for each in opening)


def test_the_analyst_s_keys_open_what_was_chosen_alone() -> None:
    task = made(features_of(2, 2, 2), 2).task
    opening = [each for each in coalitions(task, (0, 2)) if each.means == "opens"]
    assert [(each.parties[-1], each.features) for each in opening] == [
        ("curator", ("a", "b", "c")),
        ("analyst", ("a", "c")),
    ]


def test_what_is_not_promised_is_what_the_protocol_says() -> None:
    said = PROTOCOL.read_text(encoding="utf-8").partition("## What is not guaranteed\n")[2].partition("\n## ")[0]
    bullets = [" ".join(bullet.split()) for bullet in said.split("\n- ")[1:]]
    assert bullets[1:] == [*NOT_PROMISED]


def joint(of: Collected, told: list[tuple[int, ...]]) -> dict[tuple[int, ...], float]:
    places = tuple(range(len(of.task.features)))
    found = joint_shares(np.array(told, dtype=np.int64).reshape(-1, len(places)), round_of(of.task, *places))
    return dict(zip(map(tuple, found.codes.tolist()), found.shares.tolist(), strict=True))


@pytest.mark.long
@pytest.mark.parametrize("randomizers", [(), ("krr:epsilon=1", None), ("krr:epsilon=1", "krr:epsilon=2")])
@pytest.mark.parametrize("liars", [1, 2])
def test_no_liars_move_a_joint_share_further_and_some_move_it_as_far(randomizers, liars: int) -> None:
    of = collected(features_of(1, 1, randomizers=randomizers), [[0, 0]])
    cells = [*product(range(3), repeat=2)]
    honest, furthest = cells[0:5:2], 0.0
    for said in product(cells, repeat=liars):
        before = joint(of, [*honest, *said])
        for lies in chain(product(cells, repeat=liars), [()]):
            after = joint(of, [*honest, *lies])
            moved = max(abs(before.get(cell, 0) - after.get(cell, 0)) for cell in {*before, *after})
            people = len(honest) + len(lies)
            told = joint_shares(np.array([*honest, *lies]), round_of(of.task, 0, 1))
            assert moved <= min(1.0, liars * told.reach_of_one) + 1e-9 or moved_joint(told, liars) == 1
            assert moved <= liars * told.reach_of_one + 1e-9
            furthest = max(furthest, moved * people)
    assert furthest == pytest.approx(liars * told.reach_of_one * people)


@pytest.mark.parametrize("features", [1, 2, 3])
@pytest.mark.parametrize("liars", [1, 2])
def test_no_liars_move_a_single_share_further_and_some_move_it_as_far(features: int, liars: int) -> None:
    task = made(features_of(*[1] * features)).task
    most, reached = liars * features, False
    for honest in product(range(3), repeat=3):
        for said in product(range(3), repeat=liars):
            before = np.bincount([*honest, *said], minlength=3)
            before = before / before.sum()
            for lies in product(range(most + 1), repeat=3):
                if sum(lies) > most:
                    continue
                after = np.bincount(honest, minlength=3) + lies
                moved = float(np.abs(after / after.sum() - before).max())
                bound = moved_single(task, int(after.sum()), liars)
                assert moved <= bound + 1e-12
                reached |= moved == pytest.approx(bound)
    assert reached


def test_a_liar_moves_more_where_a_randomizer_is_undone() -> None:
    feature = features_of(3, randomizers=["krr:epsilon=1"])
    plain, undone = (collected(f, [0, 1, 2, 3]).analysed(0).joint for f in (features_of(3), feature))
    assert moved_joint(plain, 1) == 0.25
    assert moved_joint(undone, 1) == pytest.approx(min(1, 0.25 / randomizer_of(feature[0]).gap))
    assert moved_joint(undone, 100) == 1
