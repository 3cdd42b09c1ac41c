"""The words that models are asked in: one Markdown file for each kind of question."""

from envscaler_mcp.prompts.rendering import PROMPTS, Prompts, prompt_names

__all__ = ["PROMPTS", "Prompts", "prompt_names"]
