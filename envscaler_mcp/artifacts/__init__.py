"""The nouns of the system: frozen documents that are read, written and digested, and do nothing else."""

from envscaler_mcp.artifacts.answers import ToolAnswers
from envscaler_mcp.artifacts.artifact import Artifact, Provenance
from envscaler_mcp.artifacts.blueprint import (
    Blueprint,
    OperationSpec,
    QuerySpec,
    RuleSpec,
    StartSpec,
    StorySpec,
    WordsSpec,
)
from envscaler_mcp.artifacts.canonical import canonical_json, digest_of, digest_of_state, pieces_of
from envscaler_mcp.artifacts.environment import Environment
from envscaler_mcp.artifacts.episode import Step, Trajectory, Verdict
from envscaler_mcp.artifacts.fresh_task import FreshTask, TaskStream
from envscaler_mcp.artifacts.quality import Case, CaseCounts, QualityReport
from envscaler_mcp.artifacts.registry import Registry, RegistryEntry
from envscaler_mcp.artifacts.scenario import (
    LEVELS,
    Call,
    Check,
    Conversation,
    Fact,
    Frame,
    Goal,
    Level,
    Proof,
    ProofExtent,
    Scenario,
    Span,
    Split,
    VariantCounts,
)
from envscaler_mcp.artifacts.state import State, StateDiff
from envscaler_mcp.artifacts.tool import Tool
from envscaler_mcp.artifacts.topic import Topic

__all__ = [
    "LEVELS",
    "Artifact",
    "Blueprint",
    "Call",
    "Case",
    "CaseCounts",
    "Check",
    "Conversation",
    "Environment",
    "Fact",
    "Frame",
    "FreshTask",
    "Goal",
    "Level",
    "OperationSpec",
    "Proof",
    "ProofExtent",
    "Provenance",
    "QualityReport",
    "QuerySpec",
    "Registry",
    "RegistryEntry",
    "RuleSpec",
    "Scenario",
    "Span",
    "Split",
    "StartSpec",
    "State",
    "StateDiff",
    "Step",
    "StorySpec",
    "TaskStream",
    "Tool",
    "ToolAnswers",
    "Topic",
    "Trajectory",
    "VariantCounts",
    "Verdict",
    "WordsSpec",
    "canonical_json",
    "digest_of",
    "digest_of_state",
    "pieces_of",
]
