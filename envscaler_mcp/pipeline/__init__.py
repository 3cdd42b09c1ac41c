"""Build time: from a blueprint or a written class to a server folder with proven scenarios."""

from envscaler_mcp.pipeline.admission import evaluate_folder
from envscaler_mcp.pipeline.authoring import BlueprintReport, check_blueprints
from envscaler_mcp.pipeline.building import Built, blueprint_of, build
from envscaler_mcp.pipeline.corpus import SEED, SHIPPED, STATES, level_of
from envscaler_mcp.pipeline.emission import Emission, emit_environments
from envscaler_mcp.pipeline.proving import Proven, prove_folder, prove_folders, write_scenarios
from envscaler_mcp.pipeline.telling import TellingReport, tell_stories

__all__ = [
    "SEED",
    "SHIPPED",
    "STATES",
    "BlueprintReport",
    "Built",
    "Emission",
    "Proven",
    "TellingReport",
    "blueprint_of",
    "build",
    "check_blueprints",
    "emit_environments",
    "evaluate_folder",
    "level_of",
    "prove_folder",
    "prove_folders",
    "tell_stories",
    "write_scenarios",
]
