"""The figures by which the paper describes its environments, for what a farm holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from envscaler_mcp.artifacts import LEVELS, Level
from envscaler_mcp.artifacts.state import State
from envscaler_mcp.stats.reading import Holding

PAPER = {
    "environments": 191.0,
    "scenarios": 7_000.0,
    "query tools": 10.44,
    "change tools": 8.14,
    "attributes": 21.38,
    "scenarios each": 37.28,
}
"""What arXiv 2601.05808 reports; its state categories are attributes here."""


@dataclass(frozen=True, slots=True)
class EnvironmentFigures:
    """One environment in numbers."""

    id: str
    sector: str
    entities: int
    attributes: int
    rules: int
    query_tools: int
    change_tools: int
    records: int
    """In its first start state."""
    scenarios: dict[Level, int]

    @property
    def tools(self) -> int:
        return self.query_tools + self.change_tools


@dataclass(frozen=True, slots=True)
class HomeFigures:
    """A farm in numbers."""

    environments: tuple[EnvironmentFigures, ...]

    @property
    def scenarios(self) -> int:
        return sum(sum(environment.scenarios.values()) for environment in self.environments)

    @property
    def sectors(self) -> dict[str, int]:
        return dict(sorted(Counter(environment.sector for environment in self.environments).items()))

    @property
    def table(self) -> dict[str, float]:
        """Totals and means under the names of the paper's figures, and some that it does not give."""
        many = len(self.environments)
        each = self.environments
        return {
            "environments": float(many),
            "scenarios": float(self.scenarios),
            "query tools": _mean(environment.query_tools for environment in each),
            "change tools": _mean(environment.change_tools for environment in each),
            "attributes": _mean(environment.attributes for environment in each),
            "scenarios each": self.scenarios / many if many else 0.0,
            "entities": _mean(environment.entities for environment in each),
            "rules": _mean(environment.rules for environment in each),
            "records": _mean(environment.records for environment in each),
            "most tools": float(max((environment.tools for environment in each), default=0)),
        }


def figures_of(farm: Iterable[Holding]) -> HomeFigures:
    """The figures of everything that a farm holds."""
    return HomeFigures(tuple(_of(holding) for holding in farm))


def _of(holding: Holding) -> EnvironmentFigures:
    environment = holding.environment
    effects = Counter(tool.effect for tool in environment.tools)
    levels = Counter(scenario.level for scenario in holding.scenarios)
    content = State.read_in(holding.folder, f"states/{environment.states[0]}.json").content
    containers = [value for value in content.values() if isinstance(value, dict)]
    model = holding.model
    if model is not None:
        entities, attributes = len(model.entities), sum(len(entity.attributes) for entity in model.entities.values())
        mine = {entity.container for entity in model.entities.values()}
        containers = [value for name, value in content.items() if name in mine and isinstance(value, dict)]
    else:
        entities = len(containers)
        kinds = [
            {key for record in records.values() if isinstance(record, dict) for key in record} for records in containers
        ]
        attributes = sum(len(keys) for keys in kinds)
    return EnvironmentFigures(
        id=environment.id,
        sector=environment.sector,
        entities=entities,
        attributes=attributes,
        rules=len(environment.rules),
        query_tools=effects["reads"],
        change_tools=effects["writes"],
        records=sum(len(records) for records in containers),
        scenarios={level: levels[level] for level in LEVELS},
    )


def _mean(numbers: Iterable[int]) -> float:
    counted: Sequence[int] = list(numbers)
    return sum(counted) / len(counted) if counted else 0.0
