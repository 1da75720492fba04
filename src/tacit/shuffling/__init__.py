"""The shuffle model: what the target's value risks in a crowd whose reports are shown without their senders."""

from tacit.shuffling import plans as plans  # registers the algorithms
from tacit.shuffling.datasets import (
    dataset_channel,
    full_shuffle_channel,
    reduced_dataset_channel,
    reduced_shuffle_channel,
)
from tacit.shuffling.maximum_load import maximum_load
from tacit.shuffling.shuffled import Shuffled

__all__ = [
    "Shuffled",
    "dataset_channel",
    "full_shuffle_channel",
    "maximum_load",
    "reduced_dataset_channel",
    "reduced_shuffle_channel",
]
