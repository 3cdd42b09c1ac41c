"""What a farm holds, counted: environments and their structure, scenarios and what can be learned from them."""

from envscaler_mcp.census.figures import Figures, figures_of
from envscaler_mcp.census.page import page
from envscaler_mcp.census.reading import Holding, holdings
from envscaler_mcp.census.signal import Signal, signal_of
from envscaler_mcp.census.similarity import Similarities, similarities
from envscaler_mcp.census.structure import Structure, structure_of

__all__ = [
    "Figures",
    "Holding",
    "Signal",
    "Similarities",
    "Structure",
    "figures_of",
    "holdings",
    "page",
    "signal_of",
    "similarities",
    "structure_of",
]
