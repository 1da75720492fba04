"""How the probabilities of a channel are kept: one file a kind, all of which answer the same questions."""

from discretion.channels.storage.dense import Dense
from discretion.channels.storage.kinds import kind_of, leading, matrices, stored
from discretion.channels.storage.storage import Matrix, Storage

__all__ = ["Dense", "Matrix", "Storage", "kind_of", "leading", "matrices", "stored"]
