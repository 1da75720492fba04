"""Types of arrays."""

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.float64]
Complexes = NDArray[np.complex128]
Integers = NDArray[np.int64]
Codes = NDArray[np.int32]  # values of a column, numbered
Bytes = NDArray[np.uint8]
Booleans = NDArray[np.bool_]
