"""What a service waits for is in its log and in its metrics, in words of ours and not too often."""

import errno
import json
import re
from pathlib import Path

import pytest
from cryptography import x509

from discretion.collection.errors import ConflictError, UnavailableError
from discretion.collection.services import service as service_module, waiting as waiting_module
from discretion.collection.services.analyst import AnalystService
from discretion.collection.services.home import Home
from discretion.collection.services.monitoring import Log
from discretion.collection.services.serving import certificate_end
from discretion.collection.services.shuffler import ShufflerService
from discretion.collection.services.waiting import LONGEST_PAUSE, PERIOD, Waiting
from support.collection.certificates import certified
from support.collection.homes import NOW, AsOperator, housed
from support.collection.parties import eventually


@pytest.fixture
def passed(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that have passed, which a test may set."""
    seconds = [0.0]
    monkeypatch.setattr(waiting_module.time, "monotonic", lambda: seconds[0])
    return seconds


def at_neighbour(why: str, party: str = "curator") -> ConflictError:
    error = ConflictError("http://10.0.0.1:8443: the answers of Ada")
    error.party, error.why = party, why
    return error


def logged(capsys: pytest.CaptureFixture[str]) -> list[tuple[str, str]]:
    events = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    return [(event["on"], event["why"]) for event in events if event["event"] == "waits"]


def test_a_neighbour_that_is_away_for_a_day_is_logged_ever_more_seldom(
    passed: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    waiting, pauses = Waiting(Log()), []
    while passed[0] < 24 * 3600:
        waiting.failed(at_neighbour("refused"))
        pauses.append(waiting.pause)
        passed[0] += waiting.pause
    assert pauses[:8] == [PERIOD, 1, 2, 4, 8, 16, LONGEST_PAUSE, LONGEST_PAUSE]
    assert 2_800 < len(logged(capsys)) == len(pauses) < 2_900


def test_another_reason_is_logged_at_once_and_the_same_one_is_not(
    passed: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    waiting = Waiting(Log())
    for error in (
        at_neighbour("refused"), at_neighbour("refused"), at_neighbour("certificate"), at_neighbour("certificate"),
        at_neighbour("certificate", "shuffler 2"), OSError(errno.ENOSPC, "/var/lib/x is full"),
        UnavailableError("the disk cannot store now"), ConflictError("of ours"),
    ):  # fmt: skip
        waiting.failed(error)
    assert logged(capsys) == [
        ("curator", "refused"), ("curator", "certificate"), ("shuffler 2", "certificate"), ("disk", "ENOSPC"),
        ("disk", "UnavailableError"), ("this party", "ConflictError"),
    ]  # fmt: skip
    waiting.went_well()
    waiting.failed(ConflictError("of ours"))
    assert logged(capsys) == [("this party", "ConflictError")]


def test_a_wake_has_it_tried_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting_module, "PERIOD", 1e9)
    tried: list[int] = []

    class Failing(AnalystService):
        def step(self) -> None:
            tried.append(1)
            raise at_neighbour("refused")

    service = Failing(housed(tmp_path).homes["analyst"])
    with AsOperator(service):
        eventually(lambda: len(tried) == 1)
        for count in (2, 3):
            service.wake()
            eventually(lambda count=count: len(tried) == count)


def test_a_call_that_fails_names_the_party_and_why_in_words_of_ours(tmp_path: Path) -> None:
    home = housed(tmp_path).homes["shuffler-0"]
    service = ShufflerService(home)
    assert service.task.curator is not None
    with service.neighbour(service.task.curator) as curator, pytest.raises(UnavailableError) as failed:
        curator.ask("GET", "/health")
    assert (failed.value.party, failed.value.why) == ("curator", "refused")


def value(text: str, name: str) -> float:
    match = re.search(rf"^discretion_collect_{name}(?:{{[^}}]*}})? (\S+)$", text, re.MULTILINE)
    assert match is not None, name
    return float(match[1])


def test_the_metrics_have_latency_the_queue_the_disk_and_what_expires(tmp_path: Path) -> None:
    tls = certified(tmp_path / "tls")
    ends = certificate_end(str(tls.certificate), str(tls.key))
    assert ends == x509.load_pem_x509_certificate(tls.certificate.read_bytes()).not_valid_after_utc.timestamp()
    service = ShufflerService(housed(tmp_path).homes["shuffler-0"])
    key = service.home.key(service.home.party.key)
    service.application(certificate_expires=ends)
    text = service.meter.prometheus_text().decode()
    assert value(text, "uploads_waiting") == 0
    assert value(text, "disk_free_bytes") > 0
    assert value(text, "clock_doubtful") == 0
    assert value(text, "certificate_expires_seconds") == pytest.approx(ends - NOW)
    assert value(text, "key_expires_seconds") == (key.expires or 0) - NOW


def test_how_long_requests_take_is_counted(tmp_path: Path) -> None:
    with AsOperator(AnalystService(housed(tmp_path).homes["analyst"])) as service:
        for _ in range(3):
            service.get("/health")
        text = service.get("/metrics", headers=service.operator).text
    assert 'discretion_collect_request_seconds_bucket{le="60.0",operation="GET /health"} 3.0' in text
    assert 'discretion_collect_request_seconds_count{operation="GET /health"} 3.0' in text


@pytest.mark.parametrize("what", ["certificate", "key", "disk"])
def test_a_service_that_could_not_go_on_is_not_ready(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [NOW]
    folder = housed(tmp_path).homes["analyst"].folder
    service = AnalystService(Home(folder, now=lambda: now[0]))
    with AsOperator(service) as asked:
        assert asked.get("/ready").status_code == 200
        if what == "disk":
            monkeypatch.setattr(service_module, "disk_usage", lambda _: type("", (), {"free": 1 << 20}))
        elif what == "certificate":
            service._certificate_expires = NOW
        else:
            now[0] = (service._key_expires or 0) + 1.0
        answer = asked.get("/ready")
    assert answer.status_code == 503
    assert ("less than" if what == "disk" else f"the {what} has expired") in answer.json()["error"]
