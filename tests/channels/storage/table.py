"""Every kind of storage, as makers of channels: a new one is one more line."""

import tempfile

import numpy as np
from scipy import sparse

import tacit as tc
from tacit.channels.storage.by_rows import ByRows


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
    return tc.Channel.derived(OneByOne(matrix), *(tuple(range(size)) for size in matrix.shape))


def mapped(matrix):
    with tempfile.TemporaryFile() as file:
        array = np.memmap(file, dtype=np.float64, mode="w+", shape=matrix.shape)
    array[:] = matrix
    return tc.StoredChannel(array)


STORAGES = {
    "dense": tc.Channel,
    "sparse, CSR": lambda matrix: tc.Channel(sparse.csr_array(matrix)),
    "sparse, from columns": lambda matrix: tc.Channel(sparse.csc_matrix(matrix)),
    "mapped": mapped,
    "rows computed when asked for": computed,
}
