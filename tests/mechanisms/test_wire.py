"""A report as bytes: it comes back as it was, and each has one form only."""

import contextlib
import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import discretion as dc
from mechanisms.table import MECHANISMS, observed

LARGER = [
    dc.RandomizedResponse(256, epsilon=1),
    dc.RandomizedResponse(257, epsilon=1),
    dc.RandomizedResponse(10**8, epsilon=1),
    dc.LocalHashing(1000, epsilon=1),
    dc.LocalHashing(10**6, epsilon=3, g=6),
    dc.UnaryEncoding.oue(8, epsilon=1),
    dc.UnaryEncoding.rappor(37, epsilon=1),
    dc.SubsetSelection(10, epsilon=1),
    dc.SubsetSelection(300, epsilon=1),
    dc.SubsetSelection(1000, epsilon=5),
    dc.SubsetSelection(100_000, epsilon=math.inf),
    dc.HadamardResponse(1000, epsilon=1),
    dc.Exponential([[2, 1, 0], [1, 2, 1]], epsilon=1),
]
NOISE = [
    dc.Laplace(1e-3),
    dc.Gaussian(1e100),
    dc.Geometric(1e-9, sensitivity=5),
    dc.DiscreteGaussian(1000.0),
    dc.SubsampledGaussian(1, 0.5, 3),
]
ALL = [*MECHANISMS, *(pytest.param(mechanism, id=repr(mechanism)) for mechanism in LARGER + NOISE)]

each = pytest.mark.parametrize("mechanism", ALL)


def reports_of(mechanism, people=64):
    return mechanism.sample(np.arange(people) % 2, rng=1)


@each
def test_a_report_comes_back_as_it_was_and_all_are_as_long(mechanism):
    for report in reports_of(mechanism):
        sent = mechanism.encode(report)
        assert len(sent) == mechanism.report_width
        found = mechanism.decode(sent)
        assert np.array_equal(found, report)
        assert np.asarray(found).dtype == report.dtype
        assert mechanism.encode(found) == sent


@pytest.mark.one_in(5)
@each
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_any_bytes_are_a_report_that_is_sent_as_them_or_are_refused(mechanism, data):
    width = mechanism.report_width
    if width <= 64:
        sent = data.draw(st.binary(min_size=width, max_size=width))
    else:  # near a report, since of any bytes next to none are one
        sent = bytearray(mechanism.encode(reports_of(mechanism, 2)[0]))
        sent[data.draw(st.integers(0, width - 1))] ^= data.draw(st.integers(0, 255))
        sent = bytes(sent)
    try:
        report = mechanism.decode(sent)
    except dc.errors.InvalidValueError as error:
        assert str(error).startswith("an encoded report must")
    else:
        assert mechanism.encode(report) == sent


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_every_report_of_the_channel_has_one_form_and_nothing_else_has_any(mechanism):
    assert mechanism.report_width == 1
    found = []
    for byte in range(256):
        with contextlib.suppress(dc.errors.InvalidValueError):
            found.append(mechanism.decode(bytes([byte])))
    columns = observed(mechanism, np.array(found))
    assert sorted(columns) == list(range(len(mechanism.channel().outputs)))


@each
def test_what_is_not_as_long_as_a_report_is_refused(mechanism):
    sent = mechanism.encode(reports_of(mechanism, 1)[0])
    for wrong in (b"", sent[:-1], sent + b"\0", sent + sent):
        with pytest.raises(dc.errors.InvalidValueError, match=f"must be {mechanism.report_width:,} bytes, got"):
            mechanism.decode(wrong)
    with pytest.raises(dc.errors.UnsupportedError, match="must be bytes, got str"):
        mechanism.decode(sent.hex())


@pytest.mark.parametrize(
    ("mechanism", "report", "sent"),
    [
        (dc.RandomizedResponse(2, epsilon=1), 1, "01"),
        (dc.RandomizedResponse(1000, epsilon=1), 258, "0102"),
        (dc.RandomizedResponse(10**8, epsilon=1), 99_999_999, "05f5e0ff"),
        (dc.LocalHashing(1000, epsilon=1), 4 * 1023 + 3, "0fff"),
        (dc.UnaryEncoding.oue(10, epsilon=1), [1, 0, 0, 0, 0, 0, 0, 1, 0, 1], "8140"),
        (dc.SubsetSelection(10, epsilon=1), [0, 1, 9], "c040"),
        (dc.SubsetSelection(1000, epsilon=5), [0, 1, 2, 255, 256, 998, 999], "00000001000200ff010003e603e7"),
        (dc.HadamardResponse(1000, epsilon=1), 1023, "03ff"),
        (dc.Laplace(1), 1.0, "3ff0000000000000"),
        (dc.Laplace(1), -0.0, "0000000000000000"),
        (dc.Geometric(1), -2, "fffffffffffffffe"),
        (dc.Geometric(1), -(2**63), "8000000000000000"),
        (dc.DiscreteGaussian(1), 2**63 - 1, "7fffffffffffffff"),
        (dc.SubsampledGaussian(1, 0.5, 2), [1.0, -2.0], "3ff0000000000000c000000000000000"),
    ],
    ids=str,
)
def test_the_bytes_are_these(mechanism, report, sent):
    assert mechanism.encode(report).hex() == sent
    assert np.array_equal(mechanism.decode(bytes.fromhex(sent)), report)


@pytest.mark.parametrize(
    ("mechanism", "sent", "words"),
    [
        (dc.RandomizedResponse(1000, epsilon=1), "03e8", r"a number in 0..999, got 1000"),
        (dc.LocalHashing(1000, epsilon=1), "1000", r"a number in 0..4095, got 4096"),
        (dc.UnaryEncoding.oue(10, epsilon=1), "8141", "10 bits and zeros up to a whole byte, got a one"),
        (dc.SubsetSelection(10, epsilon=1), "c000", "must have 3 bits set, got 2"),
        (dc.SubsetSelection(10, epsilon=1), "f000", "must have 3 bits set, got 4"),
        (dc.SubsetSelection(10, epsilon=1), "c041", "10 bits and zeros up to a whole byte"),
        (dc.SubsetSelection(1000, epsilon=5), "00000001000200ff010003e603e8", r"numbers in 0..999, got 1000"),
        (dc.SubsetSelection(1000, epsilon=5), "00010000000200ff010003e603e7", "in increasing order"),
        (dc.SubsetSelection(1000, epsilon=5), "00010001000200ff010003e603e7", "distinct numbers"),
        (dc.Laplace(1), "7ff8000000000000", "finite numbers, got nan"),
        (dc.Gaussian(1), "fff0000000000000", "finite numbers, got -inf"),
        (dc.Gaussian(1), "8000000000000000", "0 without a sign"),
        (dc.SubsampledGaussian(1, 0.5, 2), "3ff00000000000007ff0000000000000", "finite numbers, got inf"),
    ],
)
def test_what_is_no_report_is_refused(mechanism, sent, words):
    with pytest.raises(dc.errors.InvalidValueError, match=words):
        mechanism.decode(bytes.fromhex(sent))


@pytest.mark.parametrize(
    ("mechanism", "report"),
    [
        (dc.RandomizedResponse(5, epsilon=1), 5),
        (dc.RandomizedResponse(5, epsilon=1), [1]),
        (dc.RandomizedResponse(5, epsilon=1), True),
        (dc.LocalHashing(5, epsilon=1), -1),
        (dc.UnaryEncoding.oue(3, epsilon=1), [0, 1]),
        (dc.UnaryEncoding.oue(3, epsilon=1), [0, 1, 2]),
        (dc.UnaryEncoding.oue(3, epsilon=1), [[0, 1, 1]]),
        (dc.SubsetSelection(10, epsilon=1), [0, 9, 1]),
        (dc.Laplace(1), math.nan),
        (dc.Laplace(1), [1.0]),
        (dc.Geometric(1), 2**63),
        (dc.Geometric(1), -(2**63) - 1),
        (dc.Geometric(1), 2**80),
        (dc.Geometric(1), 0.5),
        (dc.Geometric(1), True),
        (dc.SubsampledGaussian(1, 0.5, 2), [1.0]),
        (dc.SubsampledGaussian(1, 0.5, 2), [1.0, math.inf]),
    ],
    ids=str,
)
def test_what_the_mechanism_does_not_report_is_not_sent(mechanism, report):
    with pytest.raises(dc.errors.InvalidValueError, match="reports must"):
        mechanism.encode(report)


def test_decoded_reports_are_tallied_as_they_were():
    for mechanism in (dc.LocalHashing(20, 1), dc.UnaryEncoding.oue(20, 1), dc.SubsetSelection(20, 1)):
        reports = mechanism.sample(np.arange(100) % 20, rng=1)
        received = [mechanism.decode(mechanism.encode(report)) for report in reports]
        assert np.array_equal(mechanism.aggregate(received), mechanism.aggregate(reports))


@pytest.mark.parametrize("mechanism", [dc.Laplace(1), dc.SubsampledGaussian(1, 0.5, 2)])
def test_no_reports_of_noise_are_checked_as_well(mechanism):
    assert mechanism.checked_reports([]).size == 0
