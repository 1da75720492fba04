"""Minimum class sizes that regulators and statistical offices ask for, with their sources."""

from dataclasses import dataclass
from fractions import Fraction

from discretion.errors import InvalidValueError


@dataclass(frozen=True)
class Preset:
    """A threshold that an authority has published.

    Parameters
    ----------
    name
        The name for :func:`preset`.
    k
        The least number of people in an equivalence class, or in a cell of counts.
    stated
        The requirement in the words of the source.
    source
        The authority and the document.
    """

    name: str
    k: int
    stated: str
    source: str

    @property
    def threshold(self) -> Fraction:
        """The highest accepted risk of one person, ``1/k``."""
        return Fraction(1, self.k)


# What custodians of health data have long asked for, most of them five and some three.
_CELL_SIZES = (
    "El Emam, Guide to the De-Identification of Personal Health Information (2013), chapter on cell size precedents"
)

# 0.09 is 1/11 to two digits; to the letter it would ask for 12.
PRESETS = (
    Preset(
        "ema",
        11,
        "a risk of at most 0.09",
        "European Medicines Agency, guidance on the anonymization of clinical reports for Policy 0070 (2016)",
    ),
    Preset(
        "health-canada",
        11,
        "a risk of at most 0.09",
        "Health Canada, guidance on the Public Release of Clinical Information (2019)",
    ),
    Preset(
        "cms",
        11,
        "no cell of 1 to 10",
        "US Centers for Medicare & Medicaid Services, cell size suppression policy",
    ),
    Preset(
        "cdc-wonder",
        10,
        "no death count of 9 or fewer",
        "US Centers for Disease Control and Prevention, data use restrictions of the mortality data in CDC WONDER",
    ),
    Preset("k5", 5, "a cell size of five, a risk of at most 0.2", _CELL_SIZES),
    Preset("k3", 3, "a cell size of three, a risk of at most 0.33", _CELL_SIZES),
)


def preset(name: str) -> Preset:
    """Return a published threshold by its name.

    Parameters
    ----------
    name
        The name of one of the ``PRESETS``.

    Raises
    ------
    InvalidValueError
        If no preset has that name.

    Notes
    -----
    The European Medicines Agency and Health Canada set 0.09, which is a class of 11: 1/11 is 0.0909.

    Examples
    --------
    >>> preset("ema").k, preset("ema").threshold
    (11, Fraction(1, 11))
    """
    for each in PRESETS:
        if each.name == name:
            return each
    known = ", ".join(each.name for each in PRESETS)
    raise InvalidValueError(f"there is no preset of thresholds called {name!r}; use one of {known}")
