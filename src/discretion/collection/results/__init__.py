"""The results of a collection: those of the curator and of the analyst, and the information that each party gains."""
