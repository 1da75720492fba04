"""A party's address is read once, and has nothing that two readers could take for two things."""

import pytest

from discretion.collection import Party
from discretion.collection.errors import MalformedError
from discretion.collection.services.calls import Neighbour
from discretion.collection.wire.addresses import web_address

SPELLED = {
    "https://first.example": "https://first.example:443",
    "HTTPS://First.Example/": "https://first.example:443",
    "hTTp://127.0.0.1:8443": "http://127.0.0.1:8443",
    "https://[2001:DB8::1]:8443/first": "https://[2001:db8::1]:8443/first",
    "http://localhost": "http://localhost:80",
}
NONE = [
    "", "first.example", "ftp://first.example", "https://", "https://:8443", "https:first.example",
    "https://first.example:0", "https://first.example:65536", "https://first.example:port", "https://first.example:",
    "https://ada@first.example", "https://ada:secret@first.example", "https://first.example?board=1",
    "https://first.example#board", "https://first.example/a?b", "https://first.example\\@other.example",
    "https://first.example/../task", "https://first.example//other.example", "https://first.example/%2e",
    "https://first.example\n", " https://first.example", "https://fir\tst.example", "https://[::1%25eth0]",
    "https://fırst.example", "https://first.example:٤٤٣", None, b"https://first.example",
]  # fmt: skip


@pytest.mark.parametrize("given", SPELLED)
def test_an_address_has_one_spelling(given: str) -> None:
    address = web_address(given)
    assert address is not None
    assert address.url == SPELLED[given]
    assert web_address(address.url) == address


@pytest.mark.parametrize("given", NONE)
def test_what_could_be_read_in_two_ways_is_no_address_for_anybody(given: str) -> None:
    with pytest.raises(MalformedError, match="needs a web address"):
        Party(given, bytes(32))
    if isinstance(given, str):
        with pytest.raises(MalformedError, match="is no web address") as refused:
            Neighbour(given)
        assert "secret" not in str(refused.value)
