"""A person's own program refuses what she did not agree to, and tells everything once."""

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from random import Random
from typing import Any

import cbor2
import pytest
from hypothesis import given, settings, strategies as st

from discretion.collection import Choice, Client, Feature, Task, Terms
from discretion.collection.errors import CollectionError, MalformedError, RefusedTaskError
from discretion.collection.wire.noise import Noise
from discretion.collection.wire.records import decoded, encoded
from discretion.collection.wire.reports import ShufflerReport
from discretion.collection.wire.rounds import Round
from discretion.collection.wire.selection import Rule
from discretion.collection.wire.uploads import Upload, upload_bytes
from support.collection.in_process import NOW, SEX_AND_TOWN, made, together

TOKEN = bytes(range(32))
TASK = made(shufflers=2, smallest_batch=20, budget="0.05").task


def client(task: Task | bytes = TASK, now: Callable[[], float] = lambda: NOW, **terms: Any) -> Client:
    return Client(task, TOKEN, {"sex": "f", "town": "Lima"}, terms=Terms(**terms), now=now)


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "expired": ({"now": lambda: 2_000.0}, "over"),
    "changed": ({"digest": bytes(32)}, "its digest is different"),
    "too few people": ({"smallest_batch": 21}, "batches of 20 people"),
    "too large a budget": ({"largest_budget": 0.049}, "share of 0.05"),
    "too few shufflers": ({"fewest_shufflers": 3}, "has 2 shufflers"),
    "without noise": ({"largest_epsilon": 3.0}, "has no noise"),
    "too little noise": (
        {"task": replace(TASK, noise=Noise(5_000, 40)), "largest_epsilon": 3.0}, "and you require at most 3",
    ),
    "of another version": ({"task": encoded({**cbor2.loads(TASK.encoded), "version": 2})}, "not a task of version 3"),
    "with more fields": ({"task": encoded({**cbor2.loads(TASK.encoded), "more": 1})}, "not have exactly the fields"),
    "with more said of a feature": (
        {"task": encoded({
            **cbor2.loads(TASK.encoded), "features": [{"name": "a", "values": ["b"], "randomizer": None, "more": 1}],
        })},
        "not have exactly the fields",
    ),
    **{
        f"with rules that are {what}": (
            {"task": encoded({
                **cbor2.loads(TASK.encoded),
                "features": [{"name": "a", "values": ["b"], "randomizer": None, "decoys": "0", "rules": rules}],
            })},
            said,
        )
        for what, rules, said in (
            ("none", [{}], "not have exactly the fields"),
            ("a text", "ab", "not have exactly the fields"),
            ("conditions without answers", [{"values": None, "when": [["b"]]}], "not have exactly the fields"),
            ("conditions of three", [{"values": None, "when": [["b", ["c"], ["d"]]]}], "not have exactly the fields"),
            ("numbers", [{"values": [1], "when": []}], "at least one answer"),
            ("of an unknown feature", [{"values": None, "when": [["b", ["c"]]]}], "is no feature"),
        )
    },
    "written otherwise": ({"task": cbor2.dumps(dict(reversed(cbor2.loads(TASK.encoded).items())))}, "deterministic"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_a_task_that_does_not_meet_her_terms_is_refused(case: str) -> None:
    changed, said = REFUSED[case]
    with pytest.raises((RefusedTaskError, MalformedError), match=said):
        client(**changed)


def test_a_task_that_meets_her_terms_just_so_is_accepted() -> None:
    client(smallest_batch=20, largest_budget=0.05, fewest_shufflers=2, digest=TASK.digest)


CHANGES: dict[str, tuple[dict[str, Any], str]] = {
    "no feature": ({"features": ()}, "features"),
    "a feature twice": ({"features": SEX_AND_TOWN[:1] * 2}, "different names"),
    "no shuffler": ({"shufflers": ()}, "shufflers"),
    "over before it begins": ({"closes": 0}, "closes"),
    "a budget above all": ({"budget": "1.1"}, "budget"),
    "a budget that is no number": ({"budget": "NaN"}, "budget"),
    "a budget that is a float": ({"budget": 0.1}, "budget"),
    "k of nobody": ({"k": 0}, "k must"),
    "k by half": ({"k": 2.5}, "k must"),
    "a short id": ({"id": b"id"}, "16 bytes"),
    "a curator who does not sign": ({"signer": None}, "needs a curator"),
    "no round": ({"rounds": 0}, "rounds must"),
    "more rounds than anybody would answer": ({"rounds": 9}, "rounds must"),
    "redaction that hides nothing": ({"redaction": "0"}, "redaction"),
    "redaction that is a float": ({"redaction": 0.5}, "redaction"),
    "redaction that is no probability": ({"redaction": "1.5"}, "redaction"),
    "redaction by everybody": ({"redaction": "0.5", "curator": None, "signer": None}, "needs a curator"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_no_task_is_not_made(change: str) -> None:
    changed, said = CHANGES[change]
    with pytest.raises(MalformedError, match=said):
        replace(TASK, **changed)


@pytest.mark.parametrize("randomizer", ["krr", "krr:epsilon=x", "nothing:epsilon=1", "oue:epsilon=1", "krr:k=5,p=0.5"])
def test_a_randomizer_that_tells_no_answer_is_refused(randomizer: str) -> None:
    task = made([Feature("sex", ("f", "m"), randomizer)]).task
    with pytest.raises(MalformedError, match="'sex'"):
        Client(task, TOKEN, {}, now=lambda: NOW)


def test_a_question_that_is_not_asked_has_no_answer() -> None:
    with pytest.raises(MalformedError, match="does not ask for 'town '"):
        Client(TASK, TOKEN, {"town ": "Lima"}, now=lambda: NOW)


def test_the_same_bytes_are_sent_again_also_after_a_restart() -> None:
    one = client()
    sent = one.upload()
    again = Client.restored(one.state, now=lambda: NOW)
    assert again.upload() == one.upload() == sent
    assert again.messages(1) == one.messages(1)


FIRST = {"choice": None, "messages": [bytes(22)] * 2, "upload": bytes(upload_bytes(Round(TASK)))}


@pytest.mark.parametrize(
    "changed",
    [
        {"codes": b"\x00\x02"}, {"codes": [0, 9]}, {"codes": [0]}, {"codes": ["f", "m"]}, {"task": 1},
        {"token": "x" * 32},
        {"sent": {}}, {"sent": 3}, {"sent": [1]}, {"sent": [{**FIRST, "messages": []}]}, {"sent": [FIRST, FIRST]},
        {"sent": [{**FIRST, "messages": [b"short"] * 2}]}, {"sent": [{**FIRST, "upload": None}]},
        {"sent": [{**FIRST, "upload": b""}]}, {"sent": [{**FIRST, "choice": b""}]},
        {"sent": [{**FIRST, "choice": together(TASK, 0, 1).encoded}]}, {"sent": [{**FIRST, "more": 1}]},
    ],
)  # fmt: skip
def test_what_is_no_state_of_hers_is_refused(changed: dict[str, Any]) -> None:
    held = cbor2.loads(client().state)
    assert Client.restored(encoded({**held, "sent": [FIRST]}), now=lambda: NOW).messages(1) == FIRST["messages"]
    with pytest.raises((MalformedError, RefusedTaskError)):
        Client.restored(encoded({**held, **changed}), now=lambda: NOW)


def test_all_uploads_of_a_round_are_equally_long() -> None:
    answers: list[dict[str, str | None]] = [{}, {"sex": "f"}, {"sex": None, "town": "Atlantis"}, {"town": "Lima"}]
    of = Round(TASK)
    assert {len(Client(TASK, TOKEN, each, now=lambda: NOW).upload()) for each in answers} == {upload_bytes(of)}


def test_an_answer_that_is_not_listed_is_other_and_none_is_missing() -> None:
    assert [SEX_AND_TOWN[1].code_of(answer) for answer in ("Kyiv", "Lima", "Rome", None)] == [0, 2, 3, 4]
    assert SEX_AND_TOWN[1].labels == ("Kyiv", "Lagos", "Lima", "other", None)


PAIRS = ((0, 1), (0, 2))
FALSE_CHOICES: dict[str, tuple[dict[str, Any], str]] = {
    "over the budget": ({"exposure": 0.1}, "budget"),
    "no share": ({"exposure": -0.1}, "claims that at most a share of -0.1"),
    "no number": ({"exposure": float("nan")}, "claims that at most a share of nan"),
    "of too few people": ({"people": 19}, "fewer people"),
    "of another task": ({"task": bytes(32)}, "another task"),
    "of nothing": ({"groups": ()}, "at least one, each once"),
    "of a group of nothing": ({"groups": ((),)}, "at least one, each once"),
    "out of order": ({"groups": ((1, 0),)}, "in order"),
    "of no such feature": ({"groups": ((3,),)}, "features of its task"),
    "of two groups for the analyst": ({"groups": PAIRS}, "for the analyst one group"),
    "for nobody": ({"receiver": "anybody"}, "a choice must name"),
    "of the first round": ({"number": 1}, "a choice must name"),
    "of half a round": ({"number": True}, "a choice must name"),
    "of a round too many": ({"number": 4}, "last choice of the analyst is for round 3"),
    "of triples in a round of pairs": ({"receiver": "curator", "groups": ((0, 1, 2),)}, "r of them in each group"),
    "of a single one in a round of pairs": ({"receiver": "curator", "groups": ((0, 1), (2,))}, "r of them in each"),
    "of a pair twice": ({"receiver": "curator", "groups": PAIRS[:1] * 2}, "each once and in order"),
    "of pairs out of order": ({"receiver": "curator", "groups": PAIRS[::-1]}, "each once and in order"),
    "of pairs over the budget": ({"receiver": "curator", "groups": PAIRS, "exposure": 0.1}, "budget"),
    "of groups beyond the rounds allowed": (
        {"receiver": "curator", "number": 3, "groups": ((0, 1, 2),)},
        "last choice of the curator is for round 2",
    ),
    "after something else": ({"before": bytes(32)}, "follows other choices"),
    "with rules for the curator": (
        {"receiver": "curator", "groups": PAIRS, "rules": (Rule(0, (1,), 0.1),)},
        "a choice must name",
    ),
    "with a rule for what is not asked": ({"rules": (Rule(2, (1,), 0.1),)}, "a choice must name"),
    "with a rule for what is randomized": (
        {"groups": ((0, 3),), "rules": (Rule(3, (1,), 0.1),)},
        "that are neither randomized nor already redacted",
    ),
    "with two rules for a feature": ({"rules": (Rule(0, (1,), 0.1), Rule(0, (2,), 0.1))}, "a choice must name"),
    "with a rule for no answer": ({"rules": (Rule(0, (), 0.1),)}, "a choice must name"),
    "with a rule for what is no answer": ({"rules": (Rule(0, (4,), 0.1),)}, "a choice must name"),
    "with a rule out of order": ({"rules": (Rule(0, (1, 0), 0.1),)}, "a choice must name"),
    "with decoys that are no probability": ({"rules": (Rule(0, (1,), 1.1),)}, "a choice must name"),
    "with decoys that are no number": ({"rules": (Rule(0, (1,), float("nan")),)}, "a choice must name"),
    "with rules where nothing is redacted": (
        {"rules": (Rule(0, (1,), 0.1),), "redaction": None},
        "allows no redaction",
    ),
}  # fmt: skip
MORE = (*SEX_AND_TOWN, Feature("age", ("young", "old")), Feature("vote", ("yes", "no"), "krr:epsilon=1"))


@pytest.mark.parametrize("case", FALSE_CHOICES)
def test_a_choice_that_breaks_a_promise_is_refused(case: str) -> None:
    changed, said = FALSE_CHOICES[case]
    changed = {"redaction": "0.5", **changed}
    of = made(MORE[: 3 if "randomized" not in case else 4], smallest_batch=20, budget="0.05", rounds=2,
              redaction=changed.pop("redaction"))  # fmt: skip
    one = client(of.task)
    with pytest.raises((RefusedTaskError, MalformedError), match=said):
        one.upload(together(of.task, 0, 1, **changed).signed(of.signer))
    one.upload(together(of.task, 0, 1).signed(of.signer))


def test_a_choice_that_its_curator_did_not_sign_is_refused() -> None:
    of = made(smallest_batch=20, budget="0.05")
    choice = together(of.task, 0, 1)
    other = ((ShufflerReport(42, 0, 0, bytes(32)),),)
    for false in (choice, choice.signed(made().signer), replace(choice.signed(of.signer), reports=other)):
        with pytest.raises(RefusedTaskError, match="has not signed"):
            client(of.task).upload(false)
    assert len(client(of.task).upload(choice.signed(of.signer))) == upload_bytes(
        Round(of.task, together(of.task, 0, 1))
    )


plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**62), 2**62) | st.text(max_size=5) | st.binary(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@pytest.mark.long
@settings(deadline=None)
@given(plain)
def test_a_record_has_one_encoding(value: Any) -> None:
    assert decoded(encoded(value), "it", at_most=1000) == value


NO_RECORDS = {
    "a float": cbor2.dumps(1.5), "a tag": cbor2.dumps(Decimal("1.5")), "a long count": b"\x1b" + bytes(7) + b"\1",
    "no end": b"\x9f\1", "a million levels": b"\x81" * 1_000_000, "a large promise": b"\x9b" + b"\x7f" * 8,
    "keys out of order": b"\xa2\x61b\1\x61a\1", "a key twice": b"\xa2\x61a\1\x61a\1", "more than one": b"\1\1",
    "numbers as keys": b"\xa1\1\1", "nothing": b"", "half a text": b"\x63ab", "no text": b"\x62\xff\xff",
}  # fmt: skip


@pytest.mark.parametrize("case", NO_RECORDS)
def test_what_is_no_record_is_refused_whatever_it_promises(case: str) -> None:
    with pytest.raises(MalformedError):
        decoded(NO_RECORDS[case], "it", at_most=1 << 21)


def _changed(data: bytes, draw: Random) -> bytes:
    held = bytearray(data)
    for _ in range(draw.randint(1, 3)):
        place = draw.randrange(len(held) + 1)
        change = draw.randrange(4)
        if change == 0 and place < len(held):
            held[place] = draw.randrange(256)
        elif change == 1:
            held[place:place] = draw.randbytes(draw.randint(1, 4))
        elif change == 2:
            del held[place : place + draw.randint(1, 9)]
        else:
            held[place:place] = held[draw.randrange(len(held) + 1) :][:9]
    return bytes(held)


@pytest.mark.parametrize("cases", [2_000, pytest.param(250_000, marks=pytest.mark.hostile)])
def test_no_decoder_takes_what_nobody_wrote_or_ends_otherwise_than_by_a_reason(cases: int) -> None:
    of, draw = made(MORE, rounds=2, redaction="0.5"), Random(3)
    question = together(of.task, 0, 1, receiver="curator", groups=PAIRS).signed(of.signer)
    choice = together(
        of.task, 0, 1, number=3, before=question.digest, rules=(Rule(0, (1,), 0.25), Rule(1, (0, 3), 0.5))
    ).signed(of.signer)  # fmt: skip
    one = Client(of.task, TOKEN, {}, now=lambda: NOW)
    unsigned = made(MORE, curated=False, rounds=2).task
    posted = together(unsigned, 0, 1, receiver="curator", groups=PAIRS)

    def answered(data: bytes) -> bytes:
        choice = Choice.decoded(data, unsigned)
        Client(unsigned, TOKEN, {}, now=lambda: NOW).upload(choice)
        return choice.encoded

    decoders: list[tuple[bytes, Callable[[bytes], Any]]] = [
        (of.task.encoded, lambda data: Task.decoded(data).encoded),
        (question.encoded, lambda data: Choice.decoded(data, of.task).encoded),
        (choice.encoded, lambda data: Choice.decoded(data, of.task).encoded),
        (posted.encoded, answered),
        (one.upload(), lambda data: Upload.decoded(data, Round(of.task)).encoded),
        (one.upload(question), lambda data: Upload.decoded(data, Round(of.task, question)).encoded),
        (one.upload(choice), lambda data: Upload.decoded(data, Round(of.task, choice)).encoded),
        (one.state, lambda data: Client.restored(data, now=lambda: NOW).state),
    ]
    for whole, decoder in decoders:
        assert decoder(whole) == whole
        for _ in range(cases):
            data = _changed(whole, draw)
            try:
                assert decoder(data) == data
            except CollectionError:
                continue
