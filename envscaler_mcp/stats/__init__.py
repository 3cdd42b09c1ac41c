"""What a farm holds, counted: environments and their structure, scenarios and what can be learned from them."""

from envscaler_mcp.stats.figures import Figures, figures_of
from envscaler_mcp.stats.page import page
from envscaler_mcp.stats.reading import Holding, holdings
from envscaler_mcp.stats.signal import Signal, signal_of
from envscaler_mcp.stats.similarity import Similarities, similarities
from envscaler_mcp.stats.structure import Structure, structure_of

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
