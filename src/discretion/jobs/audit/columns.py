"""What is said of each column by itself."""

from collections.abc import Iterator, Mapping

from discretion.anonymity import ClassSizes, Population
from discretion.jobs.audit.result import ColumnReport, least_holders
from discretion.jobs.audit.sets import is_identifier_like


def column_reports(
    population: Population, alone: Mapping[str, ClassSizes], k: int, show_rare: bool
) -> Iterator[ColumnReport]:
    """Yield what is said of each column; its rarest value if that may be shown, which is asked for no others."""
    open_to = show_rare or population.person is not None
    asked = [column for column, sizes in alone.items() if open_to or sizes.smallest >= least_holders(k)]
    rarest = population.rarest_values(asked)
    for column, sizes in alone.items():
        value, holders = rarest.get(column, (None, sizes.smallest))
        shown, exposed = show_rare or holders >= least_holders(k), sizes.exposed(k=k)
        yield ColumnReport(
            column=column,
            values=sizes.classes,
            entropy_bits=sizes.entropy,
            rarest_people=holders,
            rarest_value=value if shown else None,
            rarest_withheld=not shown,
            most_common_share=sizes.largest / sizes.people,
            exposed_people=exposed,
            exposure=exposed / sizes.people,
            identifier_like=is_identifier_like(sizes),
        )
