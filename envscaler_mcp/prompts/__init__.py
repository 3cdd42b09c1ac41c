"""The words that models are asked in: one Markdown file for each kind of question."""

from envscaler_mcp.prompts.rendering import PROMPTS, Prompt, Prompts, prompt_names

__all__ = ["PROMPTS", "Prompt", "Prompts", "prompt_names"]
