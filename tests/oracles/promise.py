"""What a float of Discretion promises."""

import pytest


def exactly(value):
    """The value, to a relative 1e-10 or an absolute 1e-12."""
    return pytest.approx(float(value), rel=1e-10, abs=1e-12)
