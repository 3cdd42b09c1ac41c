"""Every operation tried, rightly and wrongly, in aged worlds, and judged by its contract. No model is asked."""

from envscaler_mcp.quality.evaluation import Evaluation, evaluate
from envscaler_mcp.quality.report import BAR, Judged
from envscaler_mcp.quality.upstream import func_test_result

__all__ = ["BAR", "Evaluation", "Judged", "evaluate", "func_test_result"]
