"""From an environment to worlds worth playing in: grown start states, calls that work in them, and proven tasks."""

from envscaler_mcp.errors import Unproven
from envscaler_mcp.scenarios.discovered import WrittenTaskMaker
from envscaler_mcp.scenarios.discovered_proof import WrittenProver
from envscaler_mcp.scenarios.examples import Example, examples
from envscaler_mcp.scenarios.growth import Grown, grow
from envscaler_mcp.scenarios.proof import Prover
from envscaler_mcp.scenarios.rehearsal import Surprise
from envscaler_mcp.scenarios.tasks import TaskMaker

__all__ = [
    "Example",
    "Grown",
    "Prover",
    "Surprise",
    "TaskMaker",
    "Unproven",
    "WrittenProver",
    "WrittenTaskMaker",
    "examples",
    "grow",
]
