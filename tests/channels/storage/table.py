"""Every kind of storage, as makers of channels: a new one is one more line."""

import tempfile
from fractions import Fraction

import numpy as np
from scipy import sparse

import discretion as dc
from discretion.channels.storage.mapped import ByRows


class OneByOne(ByRows):
    """What a kind needs to say of itself: how many rows and columns, and the rows."""

    def __init__(self, matrix):
        self.matrix_of_rows = matrix

    @property
    def shape(self):
        return self.matrix_of_rows.shape

    def blocks(self):
        for start, row in enumerate(self.matrix_of_rows):
            yield start, row[None, :]


def computed(matrix):
    return dc.Channel.derived(OneByOne(matrix), *(tuple(range(size)) for size in matrix.shape))


def mapped(matrix):
    with tempfile.TemporaryFile() as file:
        array = np.memmap(file, dtype=np.float64, mode="w+", shape=matrix.shape)
    array[:] = matrix
    return dc.StoredChannel(array)


def meant(entry):
    """The simple fraction that a double is nearest to, or else its own value."""
    simple = Fraction(entry).limit_denominator(10**9)
    return simple if float(simple) == entry else Fraction(entry)


def in_fractions(matrix):
    """The fractions that the doubles stand for, in rows that sum to 1."""
    rows = [[meant(float(entry)) for entry in row] for row in matrix]
    return dc.Channel([[entry / sum(row) for entry in row] for row in rows])


STORAGES = {
    "dense": dc.Channel,
    "fractions": in_fractions,
    "sparse, CSR": lambda matrix: dc.Channel(sparse.csr_array(matrix)),
    "sparse, from columns": lambda matrix: dc.Channel(sparse.csc_matrix(matrix)),
    "mapped": mapped,
    "rows computed when asked for": computed,
}
