"""The nouns of the system: frozen documents that are read, written and digested, and do nothing else."""

from envscaler_mcp.artifacts.artifact import Artifact, Provenance
from envscaler_mcp.artifacts.blueprint import (
    Blueprint,
    OperationSpec,
    QuerySpec,
    RuleSpec,
    StartSpec,
)
from envscaler_mcp.artifacts.canonical import canonical_json, digest_of
from envscaler_mcp.artifacts.environment import Environment
from envscaler_mcp.artifacts.registry import Registry, RegistryEntry
from envscaler_mcp.artifacts.state import State, StateDiff
from envscaler_mcp.artifacts.tool import Tool

__all__ = [
    "Artifact",
    "Blueprint",
    "Environment",
    "OperationSpec",
    "Provenance",
    "QuerySpec",
    "Registry",
    "RegistryEntry",
    "RuleSpec",
    "StartSpec",
    "State",
    "StateDiff",
    "Tool",
    "canonical_json",
    "digest_of",
]
