"""How the probabilities of a channel are kept: one file a kind, all of which answer the same questions."""

from tacit.channels.storage.dense import Dense
from tacit.channels.storage.kinds import kind_of, leading, matrices, stored
from tacit.channels.storage.storage import Matrix, Storage

__all__ = ["Dense", "Matrix", "Storage", "kind_of", "leading", "matrices", "stored"]
