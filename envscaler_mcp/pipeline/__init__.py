"""Build time: from a blueprint or a written class to a server folder with proven scenarios."""

from envscaler_mcp.pipeline.admission import evaluate_folder
from envscaler_mcp.pipeline.authoring import BlueprintReport, check_blueprints
from envscaler_mcp.pipeline.building import (
    LEVELS,
    SEED,
    STATES,
    Built,
    Emission,
    blueprint_of,
    build,
    emit_environments,
)
from envscaler_mcp.pipeline.proving import Proven, prove_folder, write_scenarios

__all__ = [
    "LEVELS",
    "SEED",
    "STATES",
    "BlueprintReport",
    "Built",
    "Emission",
    "Proven",
    "blueprint_of",
    "build",
    "check_blueprints",
    "emit_environments",
    "evaluate_folder",
    "prove_folder",
    "write_scenarios",
]
