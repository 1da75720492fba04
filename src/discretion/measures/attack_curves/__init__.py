"""How well the best attacks trade false positives for false negatives: curves, bands of them, and what follows."""
