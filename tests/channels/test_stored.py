"""A channel on disk answers as the same channel in memory does."""

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

import discretion as dc
from discretion.channels.storage import storage
from discretion.errors import InvalidChannelError, TooLargeError
from oracles.promise import exactly
from support.lowering import lowered

MATRIX = np.random.default_rng(0).dirichlet(np.ones(7), size=50)


def as_npy(path):
    np.save(path / "channel.npy", MATRIX)
    return path / "channel.npy"


def as_halves(path):
    np.save(path / "halves.npy", np.tile(np.array([[0.5, 0.5, 0], [0, 0.5, 0.5]], dtype=np.float32), (4, 1)))
    return path / "halves.npy"


def as_fortran(path):
    np.save(path / "fortran.npy", np.asfortranarray(MATRIX))
    return str(path / "fortran.npy")


def as_map(path):
    return np.load(as_npy(path), mmap_mode="r")


def _table():
    return pa.table({f"o{y}": MATRIX[:, y] for y in range(7)})


def as_parquet(path):
    parquet.write_table(_table(), path / "channel.parquet", row_group_size=13)
    return path / "channel.parquet"


def as_feather(path):
    feather.write_feather(_table(), str(path / "channel.feather"), compression="uncompressed", chunksize=11)
    return path / "channel.feather"


def as_arrow(path):
    with pa.OSFile(str(path / "channel.arrow"), "wb") as file, pa.ipc.new_file(file, _table().schema) as writer:
        writer.write_table(_table(), max_chunksize=17)
    return path / "channel.arrow"


SOURCES = [as_npy, as_fortran, as_map, as_parquet, as_feather, as_arrow]


@pytest.fixture(params=SOURCES, ids=lambda source: source.__name__)
def channel(request, tmp_path, monkeypatch):
    monkeypatch.setattr(storage, "_ENTRIES_AT_ONCE", 64)
    return dc.StoredChannel(request.param(tmp_path))


IN_MEMORY = dc.Channel(MATRIX)
PRIOR = np.random.default_rng(1).dirichlet(np.ones(50))


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "ask",
    [
        dc.bayes_security,
        lambda C: dc.bayes_security(C, PRIOR),
        dc.bayes_risk,
        lambda C: dc.bayes_risk(C, PRIOR),
        dc.posterior_vulnerability,
        lambda C: dc.posterior_vulnerability(C, PRIOR),
        lambda C: dc.posterior_vulnerability(C, PRIOR, dc.gain_matrix(np.arange(100).reshape(2, 50))),
        dc.leakage,
        dc.multiplicative_bayes_capacity,
        dc.ldp_epsilon,
        dc.mutual_information,
        lambda C: dc.shannon_capacity(C).value,
        lambda C: dc.measures.sibson_information(C, 2),
        lambda C: dc.privacy_profile(C, 0.5),
        lambda C: dc.security.bayes_security_bounds(C).low,
    ],
)
def test_it_measures_as_the_channel_in_memory(ask, channel):
    assert ask(channel) == exactly(ask(IN_MEMORY))


def test_it_has_the_same_leakiest_pairs(channel):
    assert dc.leakiest_pair(channel) == dc.leakiest_pair(IN_MEMORY)
    assert dc.leakiest_pairs(channel, tol=0.3) == dc.leakiest_pairs(IN_MEMORY, tol=0.3)


def test_it_is_the_same_channel(channel):
    assert channel.shape == (50, 7)
    assert np.array_equal(channel.matrix, MATRIX)
    assert np.array_equal(channel.channel().matrix, MATRIX)
    assert not channel.matrix.flags.writeable


def test_some_of_its_secrets_are_a_channel_in_memory(channel):
    assert np.array_equal(dc.restricted(channel, [40, 3]).matrix, MATRIX[[40, 3]])


def test_numbers_of_single_precision_are_taken_for_what_they_are(tmp_path):
    assert dc.bayes_security(dc.StoredChannel(as_halves(tmp_path))) == 0.5


def test_its_secrets_can_have_names(tmp_path):
    names = [f"page {i}" for i in range(50)]
    C = dc.StoredChannel(as_npy(tmp_path), inputs=names)
    assert dc.leakiest_pair(C) == dc.leakiest_pair(dc.Channel(MATRIX, inputs=names))
    assert C.channel().inputs == tuple(names)


def test_what_does_not_fit_in_memory_is_measured_where_it_is(tmp_path):
    C = dc.StoredChannel(as_npy(tmp_path))
    with lowered(MAX_ENTRIES=10):
        assert dc.bayes_security(C) == exactly(dc.bayes_security(IN_MEMORY))
        with pytest.raises(TooLargeError, match="measure it where it is stored"):
            dc.mutual_information(C)


@pytest.mark.parametrize(
    ("matrix", "complaint"),
    [
        (np.vstack([MATRIX, np.full((1, 7), 0.2)]), "row 50 sums to 1.4"),
        (np.vstack([MATRIX, [[1, np.nan, 0, 0, 0, 0, 0]]]), "row 50 has an entry that is not a number"),
        (np.vstack([MATRIX, [[1.5, -0.5, 0, 0, 0, 0, 0]]]), "row 50 has an entry that is negative"),
        (np.ones(3), r"got an array of float64 of shape \(3,\)"),
        (np.empty((0, 3)), r"shape \(0, 3\)"),
        (np.array([["a", "b"]]), "got an array of <U1"),
    ],
)
def test_what_is_not_a_channel_is_refused(tmp_path, monkeypatch, matrix, complaint):
    monkeypatch.setattr(storage, "_ENTRIES_AT_ONCE", 64)
    np.save(tmp_path / "wrong.npy", matrix)
    with pytest.raises(InvalidChannelError, match=complaint):
        dc.StoredChannel(tmp_path / "wrong.npy")


def test_a_file_that_is_not_a_channel_is_refused(tmp_path):
    parquet.write_table(pa.table({"name": ["a"], "o": [1.0]}), tmp_path / "names.parquet")
    with pytest.raises(InvalidChannelError, match="'name' holds string"):
        dc.StoredChannel(tmp_path / "names.parquet")
    with pytest.raises(InvalidChannelError, match="there is no such file"):
        dc.StoredChannel(tmp_path / "none.npy")
    (tmp_path / "text.parquet").write_text("a,b")
    with pytest.raises(InvalidChannelError, match="cannot read a channel"):
        dc.StoredChannel(tmp_path / "text.parquet")
    with pytest.raises(InvalidChannelError, match=r"read a CSV file with numpy\.loadtxt"):
        dc.StoredChannel(tmp_path / "channel.csv")
    parquet.write_table(pa.table({"o": pa.array([], pa.float64())}), tmp_path / "empty.parquet")
    with pytest.raises(InvalidChannelError, match=r"shape \(0, 1\)"):
        dc.StoredChannel(tmp_path / "empty.parquet")
    with pytest.raises(InvalidChannelError, match="one label per row"):
        dc.StoredChannel(as_npy(tmp_path), inputs=["a"])


@pytest.mark.parametrize("source", [None, 3, True, [[1.0]], np.eye(2), b"channel.npy"])
def test_what_is_no_path_is_refused(source):
    with pytest.raises(InvalidChannelError, match="must be a path or a numpy"):
        dc.StoredChannel(source)


def test_files_of_other_kinds_are_refused(tmp_path):
    (tmp_path / "empty.npy").write_bytes(b"")
    with pytest.raises(InvalidChannelError, match="cannot read a channel"):
        dc.StoredChannel(tmp_path / "empty.npy")
    np.savez(tmp_path / "several.npz", a=MATRIX)
    (tmp_path / "several.npz").rename(tmp_path / "several.npy")
    with pytest.raises(InvalidChannelError, match="several arrays"):
        dc.StoredChannel(tmp_path / "several.npy")
