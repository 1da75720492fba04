from hypothesis import settings

# The same examples on every machine: a red test can then be run again.
settings.register_profile("tacit", deadline=None, derandomize=True, database=None, max_examples=60)
settings.load_profile("tacit")
