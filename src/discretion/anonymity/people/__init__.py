"""People described by columns: populations, marginals, kinds of columns, surprisals."""
