"""Where randomness comes from."""

import numpy as np
import pytest
from scipy.special import chdtrc

import discretion as dc
from discretion.numerics.draws.randomness import SystemSource, fresh_seed, random_source


def test_a_fresh_seed_is_a_number_that_json_and_javascript_keep():
    seeds = [fresh_seed() for _ in range(200)]
    assert all(0 <= seed < 2**53 and int(float(seed)) == seed for seed in seeds)
    assert max(seeds) >= 2**50 and len(set(seeds)) == len(seeds)


@pytest.mark.parametrize("high", [1, 2, 3, 10, 257])
def test_the_system_s_whole_numbers_are_uniform(high):
    drawn = SystemSource().integers(high, size=50_000)
    observed, expected = np.bincount(drawn, minlength=high), 50_000 / high
    assert len(observed) == high
    if high > 1:
        assert chdtrc(high - 1, ((observed - expected) ** 2).sum() / expected) > 1e-9


def test_the_system_s_numbers_lie_evenly_in_the_unit_interval():
    drawn = SystemSource().random(50_000)
    assert 0 <= drawn.min() < drawn.max() < 1
    assert np.array_equal(drawn * 2**53, np.floor(drawn * 2**53))
    observed = np.bincount((drawn * 20).astype(int), minlength=20)
    assert chdtrc(19, ((observed - 2500) ** 2).sum() / 2500) > 1e-9


@pytest.mark.parametrize("seed", [1, None])
def test_bytes_are_uniform_and_independent_of_their_neighbours(seed):
    drawn = random_source(seed).bytes(3_000_001)
    assert (drawn.dtype, drawn.shape) == (np.uint8, (3_000_001,))
    for digits in (drawn, drawn[:-1].view(np.uint16), drawn[1:].view(np.uint16)):
        observed = np.bincount(digits, minlength=np.iinfo(digits.dtype).max + 1)
        expected = digits.size / observed.size
        assert chdtrc(observed.size - 1, ((observed - expected) ** 2).sum() / expected) > 1e-9


def test_seeded_bytes_do_not_depend_on_the_machine_s_order_of_bytes():
    words = np.random.default_rng(5).integers(2**64, size=2, dtype=np.uint64).tolist()
    expected = b"".join(word.to_bytes(8, "little") for word in words)
    assert random_source(5).bytes(11).tobytes() == expected[:11]


@pytest.mark.parametrize("high", [2**63 - 1, 2**62 + 1, 3 * 2**61])
def test_numbers_that_would_favour_some_are_drawn_again(high):
    # Half to a quarter of all 64-bit words must be rejected here; the rest is spread evenly.
    drawn = SystemSource().integers(high, size=20_000)
    assert 0 <= drawn.min() <= drawn.max() < high
    below = int((drawn < high // 2).sum())
    assert abs(below - 10_000) < 6 * 71


class FromWords(SystemSource):
    """A system source that hands out given words."""

    def __init__(self, *words):
        self.words = list(words)

    def _words(self, size):
        taken, self.words = self.words[:size], self.words[size:]
        return np.array(taken, dtype=np.uint64)


def test_exactly_the_last_incomplete_round_is_rejected():
    # 2^64 = 1 mod 3 and 1 mod 5: only the very last word is in excess.
    assert FromWords(2**64 - 1, 2**64 - 2, 5).integers(3, size=1).tolist() == [(2**64 - 2) % 3]
    assert FromWords(0, 2**64 - 1, 2**64 - 1, 7).integers(5, size=2).tolist() == [0, 2]
    # Powers of two reject none.
    assert FromWords(2**64 - 1).integers(8, size=1).tolist() == [7]


def test_two_runs_of_the_system_s_source_differ():
    assert not np.array_equal(SystemSource().random(8), SystemSource().random(8))


@pytest.mark.parametrize("draw", [lambda s: s.random(0), lambda s: s.integers(5, size=0), lambda s: s.bytes(0)])
@pytest.mark.parametrize("seed", [1, None])
def test_no_draw(draw, seed):
    assert draw(random_source(seed)).size == 0


def test_a_seed_a_generator_or_nothing():
    assert isinstance(random_source(None), SystemSource)
    generator = np.random.default_rng(5)
    assert random_source(generator).random(2).tolist() == np.random.default_rng(5).random(2).tolist()
    assert random_source(generator).random(1) == np.random.default_rng(5).random(3)[2]
    assert random_source(5).random(3).tolist() == np.random.default_rng(5).random(3).tolist()
    assert random_source(np.int64(5)).random(1) == np.random.default_rng(5).random(1)


@pytest.mark.parametrize("rng", [-1, 1.0, "1", True, [1]])
def test_anything_else_is_refused(rng):
    with pytest.raises(dc.errors.InvalidValueError, match="Generator"):
        random_source(rng)
