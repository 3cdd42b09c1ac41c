"""The verdict on an episode: whose failure it was, from how it was played and how its final state was judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import mean

from envscaler_mcp.artifacts import Step, Verdict
from envscaler_mcp.artifacts.episode import AnyScoring, Owner, Scoring
from envscaler_mcp.errors import RunError
from envscaler_mcp.grading.reward import GRADING
from envscaler_mcp.serving.outcome import says_ended, says_failed


def own_rule(scoring: AnyScoring) -> Scoring:
    """The rule, where it is one of this package; what the code of a benchmark's authors judged has none."""
    if scoring == "official":
        raise RunError("The code of a benchmark's authors judged that, and no rule of this package does.")
    return scoring


def unplayable(owner: Owner, reason: str, scoring: AnyScoring) -> Verdict:
    """The verdict on an episode that left no final state to judge."""
    return Verdict(scoring=scoring, owner=owner, masked=owner != "agent", reason=reason, grading=GRADING)


def ungraded_as_published(ended: str, steps: Sequence[Step]) -> str:
    """Why the published runtime gives the episode no reward, whatever state it left; empty where it grades it."""
    if ended in ("steps", "tokens"):
        return f"the limit of {ended} was reached, and the published runtime does not grade that"
    raised = first_raised(steps)
    return f"{raised.tool} raised, and the published runtime ends the episode there" if raised is not None else ""


def first_raised(steps: Sequence[Step]) -> Step | None:
    """The first call that raised in its tool."""
    return next((step for step in steps if _raised(step)), None)


def _raised(step: Step) -> bool:
    # A trajectory has only the text. An agent that forges it loses its reward, and nothing is masked.
    return bool(step.tool) and step.is_error and says_failed(step.observation) and not says_ended(step.observation)


def final_verdict(judged: Verdict, owner: Owner | None, reason: str, ungraded: str = "") -> Verdict:
    """The verdict on a final state, given the owner of the event that ended or disturbed the episode.

    1. By the published rule (`upstream`) the reward is 0 and the agent owns the failure where the published runtime does
       not grade the episode; `ungraded` says why.
    2. A solved task stays solved, whatever else went wrong.
    3. A check that cannot run makes the result unknown: the checker owns it.
    4. Otherwise the owner of the disturbance owns the failure, and it is masked unless that is the agent.
    """
    if judged.scoring == "upstream" and ungraded:
        update = {"reward": 0.0, "solved": False, "owner": "agent", "masked": False, "reason": ungraded}
        return judged.model_copy(update=update)
    if judged.solved or judged.owner == "checker" or owner is None:
        return judged
    return judged.model_copy(update={"owner": owner, "masked": owner != "agent", "reason": reason})


def on_all(judged: Mapping[str, Verdict]) -> Verdict:
    """The verdict on an episode in several worlds: solved where each is solved, with the mean of their rewards.

    It is masked where one of them is.
    """
    verdicts = list(judged.values())
    if len(verdicts) == 1:
        return verdicts[0]
    owners = [verdict.owner for verdict in verdicts if not verdict.solved]
    return verdicts[0].model_copy(
        update={
            "checks": tuple(check for verdict in verdicts for check in verdict.checks),
            "frame_violations": tuple(
                f"{name}: {path}" for name, verdict in judged.items() for path in verdict.frame_violations
            ),
            "reward": mean(verdict.reward for verdict in verdicts),
            "solved": not owners,
            "owner": next((owner for owner in owners if owner != "agent"), "agent") if owners else None,
            "masked": any(verdict.masked for verdict in verdicts),
            "reason": "; ".join(f"{name}: {verdict.reason}" for name, verdict in judged.items() if not verdict.solved),
        }
    )
