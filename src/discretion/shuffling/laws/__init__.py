"""The law of the reports in a crowd: groups of users, histograms, pairs of values, closed bounds and samples."""
