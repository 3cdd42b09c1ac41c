"""Where models are reached."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field, SecretStr


class Endpoint(BaseModel):
    """An OpenAI-compatible endpoint, and how much of it may be used."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    base_url: str = "https://api.openai.com/v1"
    api_key: SecretStr = SecretStr("")
    key_variable: str = "OPENAI_API_KEY"
    """The variable that the key was in; messages about the key name it."""
    timeout: float = Field(default=600.0, gt=0)
    """Seconds until a request that brings nothing is given up."""
    parallel: int = Field(default=8, ge=1)
    """How many questions are asked at once."""
    attempts: int = Field(default=6, ge=1)
    """How often a question is put before it counts as unanswered."""
    longest_wait: float = Field(default=300.0, ge=0)
    """Seconds that are waited at most when the endpoint asks for a pause."""
