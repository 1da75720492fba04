"""Services that do not start, or end midway, are named with their last words."""

from pathlib import Path

import pytest

from discretion.collection.errors import UnavailableError
from discretion.collection.services.home import Home
from discretion.collection.simulation.parties import Parties, free_ports
from discretion.collection.simulation.people import send_answers
from support.collection.homes import housed


def test_a_service_that_cannot_start_is_named_with_its_last_words(tmp_path: Path) -> None:
    home = Home(housed(tmp_path).homes["curator"].folder)
    with pytest.raises(UnavailableError, match=r"the curator has ended: .*no such option|Unknown option"):
        Parties((home,), {"curator": ["--nothing"]}).__enter__()


def test_a_service_that_was_killed_is_missed(tmp_path: Path) -> None:
    home = Home(housed(tmp_path).homes["curator"].folder)
    parties = Parties((home,), {"curator": ["--port", str(free_ports(1)[0])]})
    parties.start(home)
    parties.check()
    parties.kill(home)
    with pytest.raises(UnavailableError, match="the curator has ended"):
        parties.check()
    parties.__exit__()


def test_people_who_cannot_take_part_say_why(tmp_path: Path) -> None:
    of, heard = housed(tmp_path).task, list[object]()

    class Pipe:
        send = staticmethod(heard.append)

    send_answers(of.encoded, [{"sex": "f"}], [b"short"], Pipe)
    assert len(heard) == 1
    assert "Error: " in str(heard[0])
