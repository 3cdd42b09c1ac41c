"""A user that needs no model: it knows what it wants, tells what it is asked for, and looks whether it was done."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from copy import copy

from envscaler_mcp.artifacts import Scenario
from envscaler_mcp.artifacts.scenario import Conversation, Goal
from envscaler_mcp.episode.asked_facts import asked_facts
from envscaler_mcp.episode.progress import GoalProgress
from envscaler_mcp.episode.speech import Speech
from envscaler_mcp.episode.user import STOP, Look

PATIENCE = 6
"""How often an agent may say something that leads nowhere before its goal is given up."""
ROUNDS = 2
"""How often a goal is asked for: once more where it came undone, or was not reached."""


class ScriptedUser:
    """The goals of a scenario, one after the other."""

    stops_by_rule = True

    def __init__(self, conversation: Conversation, progress: GoalProgress) -> None:
        self._first = conversation.first
        self._goals = conversation.goals
        self._progress = progress
        self._rounds: Counter[int] = Counter()
        self._in_vain = 0
        self._closed: set[int] = set()
        """Goals that are not spoken of any more, whatever the state is."""
        self._begin(0, self._first)

    async def opening(self) -> str:
        """What they say first."""
        return self._first

    async def reply(self, said: str, look: Look) -> str:
        """Thanks and the next goal, an answer, or the end."""
        left = await self._progress.now(look)
        speech = Speech.of(said)
        if self._is_over(left[self._at], speech):
            if left[self._at] is None:
                self._closed.add(self._at)
            return self._next(left, "No, thank you." if speech.offers else "Thank you.")
        told_before, nearer = len(self._told), self._is_nearer(left[self._at])
        answer = self._answer(speech)
        self._in_vain = 0 if nearer or len(self._told) > told_before else self._in_vain + 1
        if self._in_vain < PATIENCE:
            return answer
        self._closed.add(self._at)
        return self._next(left, "Leave it, then.")

    def fork(self, progress: GoalProgress) -> ScriptedUser:
        """A copy at the same point of the conversation, who looks at another world."""
        forked = copy(self)
        forked._progress = progress
        forked._rounds, forked._closed, forked._told = Counter(self._rounds), set(self._closed), set(self._told)
        return forked

    @property
    def _goal(self) -> Goal:
        return self._goals[self._at]

    def _begin(self, number: int, saying: str) -> str:
        self._at = number
        self._rounds[number] += 1
        self._in_vain = 0
        self._fewest = math.inf
        self._told: set[str] = set()
        """Facts of the goal that were told, and its request."""
        if self._goal.request in saying:
            self._told.add(self._goal.request)
        return saying

    @property
    def _requested(self) -> bool:
        """Whether all of the goal was told."""
        return self._goal.request in self._told

    def _is_over(self, left: frozenset[int] | None, speech: Speech) -> bool:
        if left is None:
            return self._requested and not speech.asks and not speech.offers
        # Who asks for something before they know all of it is told, even if it happens to be so.
        return not left and (self._requested or not speech.asks)

    def _is_nearer(self, left: frozenset[int] | None) -> bool:
        if left is None or len(left) >= self._fewest:
            return False
        self._fewest = len(left)
        return True

    def _next(self, left: Sequence[frozenset[int] | None], thanks: str) -> str:
        """A goal that was not spoken of yet, else one that was done and is not so any more, else the end."""
        undone = [
            number
            for number, missing in enumerate(left)
            if missing != frozenset() and number not in self._closed and self._rounds[number] < ROUNDS
        ]
        if not undone:
            return f"{thanks} That's all. {STOP}"
        number = min(undone, key=lambda goal: (self._rounds[goal], goal))
        again = f"There is still this: {self._goals[number].request}"
        return self._begin(number, f"{thanks} {again if self._rounds[number] else self._goals[number].ask}")

    def _answer(self, speech: Speech) -> str:
        """The facts that it asks for, and all of the goal where it is not sure which; never yes, but what was wanted."""
        facts = asked_facts(speech.clauses, self._goal.facts)
        knew = self._requested
        brings_something = any(fact.name not in self._told for fact in facts)
        self._told |= {fact.name for fact in facts}
        answers = [f"{fact.name.replace('_', ' ').capitalize()}: {fact.says}." for fact in facts]
        if facts and not speech.offers and (brings_something or knew):
            return " ".join(answers if knew else [*answers, "There is more to it than that."])
        self._told.add(self._goal.request)
        if speech.offers:
            answers.append("Please do just this:")
        elif speech.asks and knew:
            answers.append("I can't tell you more than this:")
        elif speech.closes or knew:
            answers.append("That isn't done yet.")
        return " ".join([*answers, self._goal.request])


def scripted_user(scenario: Scenario, progress: GoalProgress, _seed: int = 0) -> ScriptedUser:
    """The user of a scenario."""
    conversation = scenario.conversation
    if conversation is None or not conversation.goals:
        # The task is all that there is to say.
        goal = Goal(story="", ask=scenario.task, request=scenario.task)
        conversation = Conversation(first=scenario.task, goals=(goal,))
    return ScriptedUser(conversation, progress)
