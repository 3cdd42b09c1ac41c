"""The solution of a task as an episode: its calls made in a world of their own."""

from __future__ import annotations

from envscaler_mcp.artifacts import Scenario, StateDiff, Step
from envscaler_mcp.errors import EnvScalerError, RunError
from envscaler_mcp.serving.session import Session
from envscaler_mcp.viewer.review import Review, Reviewed

ORACLE = "oracle"


def played_by_oracle(review: Review, reviewed: Reviewed) -> Reviewed:
    """What the solution of an episode's task does, from the same start."""
    scenario = reviewed.scenario
    if scenario is None or not scenario.oracle:
        raise RunError("The solution of this task is not known.")
    session = review.session(scenario)
    try:
        steps = tuple(_step(session, number, scenario) for number in range(1, len(scenario.oracle) + 1))
        verdict = session.verify("upstream" if reviewed.episode.verdict.scoring == "upstream" else "framed")
        final = session.state_hash()
    except EnvScalerError as cause:
        raise RunError(f"The solution of this task cannot be played here: {cause}") from cause
    finally:
        session.close()
    episode = reviewed.episode.model_copy(
        update={
            "id": f"{scenario.id}-{ORACLE}",
            "agent": ORACLE,
            "user": "",
            "mode": "task",
            "attempt": 1,
            "steps": steps,
            "messages": ({"role": "user", "content": scenario.task},),
            "ended": "completed",
            "final_hash": final,
            "verdict": verdict,
        }
    )
    return review.beside(episode, scenario)


def _step(session: Session, number: int, scenario: Scenario) -> Step:
    call = scenario.oracle[number - 1]
    outcome = session.world.call(call.tool, dict(call.arguments))
    return Step(
        number=number,
        turn=number,
        tool=call.tool,
        arguments=call.arguments,
        observation=outcome.text,
        is_error=outcome.is_error,
        diff=StateDiff() if outcome.is_error else session.diff(),
    )
