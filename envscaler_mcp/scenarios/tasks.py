"""Tasks: one or several stories in one message, as a user would write it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from envscaler_mcp.artifacts import (
    Call,
    Conversation,
    Environment,
    Level,
    ProofExtent,
    Provenance,
    Scenario,
    Split,
    State,
)
from envscaler_mcp.errors import GrowthError, Unproven
from envscaler_mcp.language.expressions import Scan, walk
from envscaler_mcp.language.interpreter.steady import SteadyEvaluator
from envscaler_mcp.language.interpreter.store import Ref, Store
from envscaler_mcp.language.model import Model
from envscaler_mcp.language.stories import Story, Storybook, Worked
from envscaler_mcp.sampling.chance import Chance
from envscaler_mcp.scenarios.casting import Casting, drawn_records
from envscaler_mcp.scenarios.conversation import conversation
from envscaler_mcp.scenarios.facts import checks_and_frame
from envscaler_mcp.scenarios.knowledge import Unknown
from envscaler_mcp.scenarios.message import TaskMessage, message
from envscaler_mcp.scenarios.proof import Prover
from envscaler_mcp.scenarios.replay import content_form
from envscaler_mcp.scenarios.splits import split_of
from envscaler_mcp.scenarios.threads import Thread, Threading, Unfit, loops_of
from envscaler_mcp.scenarios.variety import DescribedTask
from envscaler_mcp.serving.code import EnvironmentCode
from envscaler_mcp.serving.local_world import LocalWorld
from envscaler_mcp.serving.world import open_world

BANDS: dict[Level, tuple[int, int]] = {"easy": (4, 6), "medium": (7, 12), "hard": (13, 30)}
"""How many calls the oracle makes at each level."""
_THREADS: dict[Level, tuple[int, int]] = {"easy": (1, 2), "medium": (1, 3), "hard": (2, 5)}
_TRIES = 220
_CASTS = 4
_CASTS_FOR_A_BRANCH = 16
"""How often a story is cast anew: where a record is unmistakable, and where the rarer branch is looked for."""
_PATIENCE = 24
"""How often a story that cannot be cast, or is too long, is tried for one task before the others go first."""
_WITHOUT_THEME = 35
"""How many of a hundred tasks of several stories are not held together by an occasion."""


class Reasons:
    """Why candidates were left out, for who writes stories."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def note(self, story: str, reason: object) -> None:
        self.counts[f"{story}: {reason}"] += 1


class TaskMaker:
    """Makes proven scenarios of one environment."""

    tries = _TRIES
    patience = _PATIENCE
    extent: ProofExtent = "whole"

    def __init__(
        self, model: Model, speech: Storybook, environment: Environment, code: EnvironmentCode, seed: int
    ) -> None:
        if not speech.stories:
            raise GrowthError(f"{environment.id} tells no stories; write some under 'stories' in its blueprint")
        self.model, self.environment, self.code, self.seed = model, environment, code, seed
        self.speech = speech
        self.chance = Chance(seed, f"tasks of {environment.id}")
        self.casting = Casting(model)
        self.uses = DescribedTask()
        self.unproven: Counter[str] = Counter()
        self.uncast: Counter[str] = Counter()
        """How often a story could not be cast while the task at hand was made."""
        self.choosy = True
        """Whether stories told least often come first; when none of them fits the level, any will do."""
        self.misfit: Counter[str] = Counter()
        """How often a story was longer than the task at hand may be."""
        self.reasons = Reasons()

    def scenario(self, state: State, level: Level, number: int) -> Scenario:
        """One proven scenario of the level."""
        self._begin(level)
        world = open_world(self.code, state.content, state.seed)
        self.at_rest = SteadyEvaluator(Store(self.model, world.state()))
        try:
            for turn in range(self.tries):
                self.choosy = turn < self.tries // 2
                chosen = self._threads(world, level)
                if chosen is None:
                    continue
                threads, openings = chosen
                try:
                    return self._proven(world, state, level, number, threads, openings)
                except Unproven as reason:
                    self.unproven.update(thread.story.name for thread in threads)
                    self.reasons.note("+".join(thread.story.name for thread in threads), reason)
        finally:
            world.close()
        raise GrowthError(f"no {level} task could be made of {state.name} in {self.tries} tries; {self._why(level)}")

    def _begin(self, _level: Level) -> None:
        """Another task: what did not fit the one before may fit this one."""
        self.uncast.clear()
        self.misfit.clear()

    def _why(self, level: Level) -> str:
        (fewest, most), (low, high), many = _THREADS[level], BANDS[level], len(self._by_use())
        if many < fewest:
            return f"it needs at least {fewest} stories, and this world has {many}"
        reasons = "; ".join(f"{reason} ({times})" for reason, times in self.reasons.counts.most_common(6))
        if not reasons:
            return (
                f"no {fewest} to {most} of its {many} stories make {low} to {high} calls together: write "
                f"{'shorter ones' if level == 'easy' else 'longer ones, or more that touch other records'}"
            )
        return (
            f"{reasons}. Write more stories or tellings, or let start states hold more of what they need: `envscaler blueprint grow` "
            "counts what there is, `envscaler blueprint tell` how often each story is used"
        )

    def silent(self) -> dict[str, str]:
        """The stories that are in no task, each with the most frequent reason."""
        silent = {name: "it was not tried" for name in self.speech.stories if not self.uses.stories[name]}
        for reason, _ in reversed(self.reasons.counts.most_common()):
            names, _, why = reason.partition(": ")
            silent.update((name, why) for name in names.split("+") if name in silent)
        return silent

    # Threads

    def _threads(self, world: LocalWorld, level: Level) -> tuple[list[Thread], Sequence[str]] | None:
        """Threads that do not get in each other's way and together make the level's number of calls, and openings that suit them."""
        low, high = BANDS[level]
        fewest, most = _THREADS[level]
        wanted = self.chance.between(fewest, most)
        stories, openings = self._stories(wanted)
        mark = world.snapshot()
        threads: list[Thread] = []
        written: set[str] = set()
        for story in stories:
            thread = self._alone(story, world, {ref for t in threads for ref in drawn_records(t.story, t.names)})
            if thread is None:
                continue
            changed = _changed(world, mark)
            world.restore(mark)
            cast = {ref.id for ref in drawn_records(story, thread.names)}
            earlier = {ref.id for t in threads for ref in drawn_records(t.story, t.names)}
            if written & (changed | cast) or changed & earlier:
                continue
            if sum(len(t.calls) for t in (*threads, thread)) > high:
                self.misfit[story.name] += not threads
                continue
            threads.append(thread)
            written |= changed
            if len(threads) >= wanted and sum(len(t.calls) for t in threads) >= low:
                break
        total = sum(len(thread.calls) for thread in threads)
        fits = threads and low <= total <= high and len(threads) >= fewest
        return (threads, openings if len(threads) > 1 else ()) if fits else None

    def _stories(self, wanted: int) -> tuple[list[Story], Sequence[str]]:
        """Stories to try, those of one occasion where there are several to tell, and what is said at it."""
        stories = self._by_use()
        themes = [theme for theme in self.model.blueprint.words.themes.values() if len(theme.stories) >= wanted]
        if wanted < 2 or not themes or self.chance.of(_WITHOUT_THEME):
            return stories[: wanted * 4] if self.choosy else stories, ()
        shuffled = self.chance.some(themes, len(themes))
        theme = min(
            shuffled,
            key=lambda candidate: sum(self.uses.stories[name] for name in candidate.stories) / len(candidate.stories),
        )
        return [story for story in stories if story.name in theme.stories], theme.openings

    def _by_use(self) -> list[Story]:
        """Stories told least often first, otherwise as chance has it; one that fails again and again waits."""
        stories = list(self.speech.stories.values())
        shuffled = self.chance.some(stories, len(stories))
        return sorted(shuffled, key=self._turn)

    def _turn(self, story: Story) -> tuple[bool, int]:
        name = story.name
        hopeless = max(self.uncast[name], self.misfit[name]) >= self.patience
        return hopeless, self.uses.stories[name] + self.unproven[name] // 8 if self.choosy else 0

    def _alone(self, story: Story, world: LocalWorld, taken: set[Ref]) -> Thread | None:
        """The story cast and played from the start, its changes still in the world.

        It is cast anew a few times where it would take a branch that was taken too often, or where nothing could be
        mistaken for a record that it speaks of.
        """
        mark = world.snapshot()
        for turn in range(_CASTS_FOR_A_BRANCH):
            world.restore(mark)
            thread = self._cast(story, world, mark, taken)
            if thread is None or not (self.uses.lopsided(thread) or (thread.alone and turn < _CASTS - 1)):
                break
        return thread

    def _cast(self, story: Story, world: LocalWorld, mark: int, taken: set[Ref]) -> Thread | None:
        names = self.casting.cast(story, self.at_rest, self.chance, taken)
        if names is None:
            self.uncast[story.name] += 1
            self.reasons.note(story.name, self.casting.why(story))
            return None
        tellings = self.chance.some(range(len(story.tell)), len(story.tell))
        for number in sorted(tellings, key=lambda n: self.uses.tellings[story.name, n]):
            threading = Threading(self.model, self.speech, self.chance)
            try:
                return threading.thread(story, names, world, number, self.at_rest)
            except (Unfit, Unknown) as reason:
                self.reasons.note(story.name, reason)
                world.restore(mark)
        return None

    # The scenario

    def _proven(
        self,
        world: LocalWorld,
        state: State,
        level: Level,
        number: int,
        threads: list[Thread],
        openings: Sequence[str],
    ) -> Scenario:
        mark = world.snapshot()
        initial = world.state()
        played = self._together(world, mark, threads)
        diff = world.diff_since(mark)
        world.restore(mark)
        checks, frame = checks_and_frame(self.model, diff, initial)
        if not checks:
            raise Unproven("nothing is different afterwards")
        oracle = [call for thread in played for call in thread.calls]
        words = message(self.model.blueprint.words, threads, initial["now"], self.chance, openings)
        goals = conversation(threads, words.opening)
        self._refuse_known(words, goals)
        id_, split = self._name(level, number)
        scenario = Scenario(
            provenance=Provenance(parents={"state": state.digest}, seed=self.seed),
            id=id_,
            environment=self.environment.id,
            code_digest=self.environment.code_digest,
            state=state.name,
            state_digest=state.digest,
            seed=self.seed,
            level=level,
            task=words.text,
            spans=words.spans,
            checks=checks,
            frame=frame,
            oracle=tuple(oracle),
            threads=tuple(_places(played)),
            features=self._features(world, threads, oracle, words),
            conversation=goals,
            split=split,
        )
        proof = Prover(scenario, self.model, self.speech, self.environment, world).prove(self.extent)
        self.uses.note(threads, words.spans)
        return scenario.model_copy(update={"proof": proof})

    def _refuse_known(self, words: TaskMessage, _goals: Conversation) -> None:
        """Unproven where the task is not to be made, because of what was made before."""
        if self.uses.known(words.spans):
            raise Unproven("an earlier task is nearly the same")

    def _name(self, level: Level, number: int) -> tuple[str, Split]:
        """The scenario's id, and the split that it is in."""
        id_ = f"{self.environment.id}-{level}-{number:02d}"
        return id_, split_of(self.environment.id, id_)

    def _together(self, world: LocalWorld, mark: int, threads: list[Thread]) -> list[Thread]:
        """The threads one after the other; first in another order, to see that they mean the same and end the same there."""
        threading = Threading(self.model, self.speech, self.chance)
        ends: set[str] = set()
        # One thread has one order.
        for order in (threads[::-1], threads) if len(threads) > 1 else (threads,):
            world.restore(mark)
            try:
                played = [threading.again(thread, world) for thread in order]
            except (Unfit, Unknown) as reason:
                world.restore(mark)
                raise Unproven(f"not after the others: {reason}") from None
            ends.add(content_form(world.diff_since(mark)))
        if len(ends) > 1:
            world.restore(mark)
            raise Unproven("its threads end otherwise in another order")
        return played

    def _features(
        self, world: LocalWorld, threads: list[Thread], oracle: list[Call], words: TaskMessage
    ) -> dict[str, int]:
        effects = {tool.name: tool.effect for tool in self.environment.tools}
        reads = sum(1 for call in oracle if effects[call.tool] == "reads")
        threading = Threading(self.model, self.speech, self.chance)
        return {
            "calls": len(oracle),
            "reads": reads,
            "changes": len(oracle) - reads,
            "threads": len(threads),
            "branches": sum(len(thread.forks) for thread in threads),
            "branches_held": sum(held for thread in threads for _, held in thread.forks),
            "enabled": self._enabled(world, threads),
            "superlatives": sum(_superlatives(thread.story) for thread in threads),
            "quantified": sum(len(loops_of(thread.story.do)) for thread in threads),
            "distractors": sum(threading.distractors(thread, world, self.at_rest) for thread in threads),
            "chosen": sum(thread.chosen for thread in threads),
            "unmistakable": sum(thread.alone for thread in threads),
            "sentences": words.sentences,
            "stock_sentences": words.stock,
        }

    def _enabled(self, world: LocalWorld, threads: list[Thread]) -> int:
        """How many changes are refused until another one of the task is made."""
        mark = world.snapshot()
        refused = 0
        for thread in threads:
            for call in thread.acts:
                if call.tool in self.model.operations:
                    refused += world.call(call.tool, call.arguments).kind != "done"
                    world.restore(mark)
        return refused


def _superlatives(story: Story) -> int:
    return sum(
        isinstance(inner, Scan) and inner.gather in ("first", "min", "max")
        for role in story.cast
        if isinstance(role, Worked)
        for inner in walk(role.value)
    )


def _changed(world: LocalWorld, mark: int) -> set[str]:
    diff = world.diff_since(mark)
    changed = {key for records in diff.changed.values() for key in records}
    return changed | {key for records in diff.deleted.values() for key in records}


def _places(threads: list[Thread]) -> Iterator[tuple[int, ...]]:
    start = 0
    for thread in threads:
        yield tuple(range(start, start + len(thread.calls)))
        start += len(thread.calls)
