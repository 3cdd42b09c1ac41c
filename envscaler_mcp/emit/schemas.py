"""The JSON schema of each stored document, for readers that are not Python."""

from __future__ import annotations

import json

from envscaler_mcp import artifacts
from envscaler_mcp.artifacts.artifact import Artifact


def schemas() -> dict[str, str]:
    """The text of each schema by its file name; a new artifact has one as soon as `artifacts` exports it."""
    models = (getattr(artifacts, name) for name in artifacts.__all__)
    documents = [model for model in models if isinstance(model, type) and issubclass(model, Artifact)]
    return {_file_name(model): _text(model) for model in documents if model is not Artifact}


def _file_name(model: type[Artifact]) -> str:
    words = "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in model.__name__)
    return f"{words.lstrip('-')}.json"


def _text(model: type[Artifact]) -> str:
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **model.model_json_schema(mode="serialization"),
    }
    return json.dumps(schema, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
