"""What a blueprint's author is told of it: what is wrong, and what never happens in the worlds that grow from it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from envscaler_mcp.errors import EnvScalerError
from envscaler_mcp.language import Problem, check_blueprint, read_blueprint
from envscaler_mcp.language.analysis import tool_names, unexplained
from envscaler_mcp.language.model import Model
from envscaler_mcp.pipeline.building import STATES
from envscaler_mcp.pipeline.start_warnings import start_warnings
from envscaler_mcp.scenarios import Grown
from envscaler_mcp.scenarios.growth import watch_growth
from envscaler_mcp.scenarios.growth_log import GrowthLog
from envscaler_mcp.serving.code import load_class
from envscaler_mcp.synthesis.nursery import compile_nursery

_PROBES = (11, 12, 13)
_PROBED_STEPS = 240
_WHOLE = 0.9
"""How much of the history must come about."""


@dataclass(slots=True)
class BlueprintReport:
    """What an author is told about one file."""

    path: Path
    id: str = ""
    problems: list[Problem] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)

    @property
    def sound(self) -> bool:
        return not any(problem.severity == "error" for problem in self.problems)


def check_blueprints(paths: Iterable[Path], *, probe: bool = True) -> list[BlueprintReport]:
    """What an author must mend or should look at, file by file."""
    return [_check(path, probe) for path in paths]


def _check(path: Path, probe: bool) -> BlueprintReport:
    report = BlueprintReport(path)
    try:
        blueprint = read_blueprint(path)
        report.id = blueprint.id
        checked = check_blueprint(blueprint)
        report.problems = list(checked.problems)
        if checked.model is None:
            return report
        report.counts = _counts(checked.model)
        report.problems.extend(Problem("warning", *finding) for finding in unexplained(checked.model))
        if path.stem != blueprint.id:
            report.problems.append(
                Problem("warning", "id", f"the file is called {path.name}, and the id is {blueprint.id!r}")
            )
        if probe:
            report.problems.extend(_probe(checked.model))
    except EnvScalerError as error:
        report.problems.append(_unreadable(path, str(error)))
    return report


def _unreadable(path: Path, error: str) -> Problem:
    """An error of the whole file, or of a line of it."""
    said = error.removeprefix(f"{path}: ").removeprefix(f"{path}:")
    line, _, message = said.partition(": ")
    place = f"{path.name}:{line}" if line.isdigit() else path.name
    return Problem("error", place, message if line.isdigit() else said)


def _counts(model: Model) -> dict[str, int]:
    effects = Counter(effect for _, effect in tool_names(model))
    return {
        "entities": len(model.entities),
        "attributes": sum(len(entity.attributes) for entity in model.entities.values()),
        "rules": len(model.rules),
        "query tools": effects["reads"],
        "change tools": effects["writes"],
    }


def _probe(model: Model) -> list[Problem]:
    """Play long histories, and tell what no guard foresaw, what never came about, and what is odd about the start states."""
    nursery = compile_nursery(model)
    made = load_class(nursery.source, nursery.class_name)
    log = GrowthLog(model)
    starts = [watch_growth(model, made, seed, log) for seed in STATES.values()]
    probes = [] if log.stopped else [watch_growth(model, made, seed, log, _PROBED_STEPS) for seed in _PROBES]
    if log.stopped:
        return [Problem("error", "start", log.stopped)]
    runs = [starts[0], *probes]
    return [
        *_surprises(model, runs),
        *_never_played(model, runs),
        *_stalled(model, runs[0]),
        *_empty(model, runs[0]),
        *start_warnings(model, made, starts, log.planned),
    ]


def _stalled(model: Model, grown: Grown) -> list[Problem]:
    """Whether the history ran out of things that could happen."""
    wanted, came = model.blueprint.start.history, sum(grown.played.values()) - grown.daily
    if came >= _WHOLE * wanted:
        return []
    message = (
        f"only {came} of {wanted} operations of the history came about; ask for fewer, for more base records, or give "
        "parameters values that fit"
    )
    return [Problem("warning", "start", message)]


def _empty(model: Model, grown: Grown) -> list[Problem]:
    """Kinds of which the start state has no record, so that nothing can be found or asked of them."""
    message = "no record of it in the start state; make one under records, or give what makes it more weight under play"
    return [
        Problem("warning", f"entity {name}", message)
        for name, entity in model.entities.items()
        if not grown.content[entity.container]
    ]


def _surprises(model: Model, runs: list[Grown]) -> list[Problem]:
    problems: list[Problem] = []
    for name in model.operations:
        met = [surprise for run in runs for surprise in run.surprises if surprise.operation == name]
        permitted = sum(run.permitted.get(name, 0) for run in runs)
        for error, times in Counter(surprise.error for surprise in met).items():
            example = next(surprise.arguments for surprise in met if surprise.error == error)
            problems.append(
                Problem(
                    "warning",
                    f"operation {name}",
                    f"{times} of {permitted} calls that passed every guard were refused: {error!r}; a guard with a "
                    f"sentence of its own would tell the caller what to do. For example {example}",
                )
            )
    return problems


def _never_played(model: Model, runs: list[Grown]) -> list[Problem]:
    first, others = runs[0], runs[1:]
    problems: list[Problem] = []
    for name in model.operations:
        if model.blueprint.start.play.get(name, 1) == 0:
            continue
        if not any(run.played.get(name) for run in runs):
            problems.append(Problem("warning", f"operation {name}", "it never succeeded while start states grew"))
        elif not first.played.get(name) and not any(run.played.get(name, 0) > 1 for run in others):
            problems.append(Problem("warning", f"operation {name}", "it hardly ever succeeds while start states grow"))
    return problems
