"""Whose failure an episode was, from how it was played and how its ending was judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import mean

from envscaler_mcp.artifacts import Step, Verdict
from envscaler_mcp.artifacts.episode import Owner
from envscaler_mcp.sandbox.judging import GRADING
from envscaler_mcp.serving.grading import Scoring
from envscaler_mcp.serving.outcome import says_ended, says_failed


def unplayable(owner: Owner, reason: str, scoring: Scoring) -> Verdict:
    """The verdict on an episode of which there is no ending to judge."""
    return Verdict(scoring=scoring, owner=owner, masked=owner != "agent", reason=reason, grading=GRADING)


def ungraded_as_published(ended: str, steps: Sequence[Step]) -> str:
    """Why the published runtime pays nothing for the episode, whatever state it left; nothing where it grades it."""
    if ended in ("steps", "tokens"):
        return f"the limit of {ended} was reached, and the published runtime does not grade that"
    raised = next((step for step in steps if _raised(step)), None)
    return f"{raised.tool} raised, and the published runtime ends the episode there" if raised is not None else ""


def _raised(step: Step) -> bool:
    # A record has only the words. To forge these costs the agent its reward, and masks nothing.
    return bool(step.tool) and step.is_error and says_failed(step.observation) and not says_ended(step.observation)


def final_verdict(judged: Verdict, owner: Owner | None, reason: str, ungraded: str = "") -> Verdict:
    """The verdict on an ending, given who ended the episode or disturbed it.

    By the published rule nothing is paid, and the agent has failed, where the published runtime does not grade; `ungraded`
    says why it does not. Else what is done is done, whatever else went wrong. A check that cannot answer makes the rest unknown. After that
    an owner that disturbed the episode comes before the agent, and a failure that is not the agent's is masked.
    """
    if judged.scoring == "upstream" and ungraded:
        update = {"reward": 0.0, "solved": False, "owner": "agent", "masked": False, "reason": ungraded}
        return judged.model_copy(update=update)
    if judged.solved or judged.owner == "checker" or owner is None:
        return judged
    return judged.model_copy(update={"owner": owner, "masked": owner != "agent", "reason": reason})


def on_all(judged: Mapping[str, Verdict]) -> Verdict:
    """The verdict on an episode in several worlds: solved where each is solved, the mean of their rewards.

    A check without an answer in one of them makes the whole unknown.
    """
    verdicts = list(judged.values())
    if len(verdicts) == 1:
        return verdicts[0]
    owners = [one.owner for one in verdicts if not one.solved]
    return verdicts[0].model_copy(
        update={
            "checks": tuple(check for one in verdicts for check in one.checks),
            "frame_violations": tuple(
                f"{name}: {path}" for name, one in judged.items() for path in one.frame_violations
            ),
            "reward": mean(one.reward for one in verdicts),
            "solved": not owners,
            "owner": next((owner for owner in owners if owner != "agent"), "agent") if owners else None,
            "masked": any(one.masked for one in verdicts),
            "reason": "; ".join(f"{name}: {one.reason}" for name, one in judged.items() if not one.solved),
        }
    )
