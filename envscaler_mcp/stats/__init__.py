"""What a home holds, counted: environments and their structure, scenarios and what can be learned from them."""

from envscaler_mcp.stats.figures import HomeFigures, figures_of
from envscaler_mcp.stats.page import stats_page
from envscaler_mcp.stats.reading import Holding, holdings
from envscaler_mcp.stats.statistic import STATISTICS, Measured, Statistic

__all__ = ["STATISTICS", "Holding", "HomeFigures", "Measured", "Statistic", "figures_of", "holdings", "stats_page"]
