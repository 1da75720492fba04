import pytest
from hypothesis import settings

# The same examples on every machine: a red test can then be run again.
settings.register_profile("tacit", deadline=None, derandomize=True, database=None, max_examples=60)
settings.load_profile("tacit")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--cases", type=int, help="with -m hostile: how many cases of each kind")


@pytest.fixture
def cases(request: pytest.FixtureRequest) -> int | None:
    return request.config.getoption("--cases")
