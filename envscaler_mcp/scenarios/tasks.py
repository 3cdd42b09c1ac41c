"""Tasks: one or several stories in one message, as somebody would write it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from envscaler_mcp.artifacts import Call, Environment, Level, Provenance, Scenario, Span, State
from envscaler_mcp.drawing.chance import Chance
from envscaler_mcp.errors import GrowthError
from envscaler_mcp.language.interpreter.store import Ref
from envscaler_mcp.language.model import Model
from envscaler_mcp.language.stories import Speech, Story
from envscaler_mcp.scenarios.casting import Casting, drawn_records
from envscaler_mcp.scenarios.facts import checks_and_frame
from envscaler_mcp.scenarios.judges import Unproven
from envscaler_mcp.scenarios.knowledge import Unknown
from envscaler_mcp.scenarios.proof import Prover
from envscaler_mcp.scenarios.replay import content_form
from envscaler_mcp.scenarios.spoken import heading, polished
from envscaler_mcp.scenarios.threads import Thread, Threading, Unfit
from envscaler_mcp.serving.code import EnvironmentCode
from envscaler_mcp.serving.local_world import LocalWorld
from envscaler_mcp.serving.world import World, open_world

BANDS: dict[Level, tuple[int, int]] = {"easy": (4, 6), "medium": (7, 12), "hard": (13, 30)}
"""How many calls the oracle makes at each level."""
_THREADS: dict[Level, tuple[int, int]] = {"easy": (1, 2), "medium": (1, 3), "hard": (2, 5)}
_TRIES = 220
_OPENINGS = {
    1: ("", "", "", "Hello! ", "One for you: ", "Could you take care of this? "),
    2: (
        "Two things, please. ",
        "Hi, a couple of things. ",
        "Could you see to the following? ",
        "Here is what came in today. ",
    ),
    3: (
        "A few things for today. ",
        "Could you work through these for me? ",
        "Here is what has come up. ",
        "I need a hand with the following. ",
    ),
}
_CLOSINGS = ("", "", "", "", "Thanks!", "Thank you.", "That is all for now.")
_LINKS = ("Also, ", "Then there is this: ", "And one more: ", "", "", "", "")


class Reasons:
    """Why candidates were left out, for who writes stories."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def note(self, story: str, reason: object) -> None:
        self.counts[f"{story}: {reason}"] += 1


class TaskMaker:
    """Makes proven scenarios of one environment."""

    def __init__(
        self, model: Model, speech: Speech, environment: Environment, code: EnvironmentCode, seed: int
    ) -> None:
        if not speech.stories:
            raise GrowthError(f"{environment.id} tells no stories; write some under 'stories' in its blueprint")
        self.model, self.environment, self.code, self.seed = model, environment, code, seed
        self.speech = speech
        self.chance = Chance(seed, f"tasks of {environment.id}")
        self.casting = Casting(model)
        self.told: Counter[str] = Counter()
        """How often each story and each telling was used."""
        self.unproven: Counter[str] = Counter()
        self.reasons = Reasons()

    def scenario(self, state: State, level: Level, number: int) -> Scenario:
        """One proven scenario of the level."""
        world = open_world(self.code, state.content, state.seed)
        try:
            for _ in range(_TRIES):
                threads = self._threads(world, level)
                if threads is None:
                    continue
                try:
                    return self._proven(world, state, level, number, threads)
                except Unproven as reason:
                    self.unproven.update(thread.story.name for thread in threads)
                    self.reasons.note("+".join(thread.story.name for thread in threads), reason)
        finally:
            world.close()
        raise GrowthError(f"no {level} task could be made of {state.name} in {_TRIES} tries; {self._why()}")

    def _why(self) -> str:
        return (
            "; ".join(f"{reason} ({times})" for reason, times in self.reasons.counts.most_common(6)) or "no story fits"
        )

    # Threads

    def _threads(self, world: World, level: Level) -> list[Thread] | None:
        """Threads that do not get in each other's way and together make the level's number of calls."""
        low, high = BANDS[level]
        fewest, most = _THREADS[level]
        wanted = self.chance.between(fewest, most)
        mark = world.snapshot()
        threads: list[Thread] = []
        written: set[str] = set()
        for story in self._by_use()[: wanted * 4]:
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
                continue
            threads.append(thread)
            written |= changed
            if len(threads) >= wanted and sum(len(t.calls) for t in threads) >= low:
                break
        total = sum(len(thread.calls) for thread in threads)
        return threads if threads and low <= total <= high and len(threads) >= fewest else None

    def _by_use(self) -> list[Story]:
        """Stories told least often first, otherwise as chance has it; one that fails again and again waits."""
        stories = list(self.speech.stories.values())
        shuffled = self.chance.some(stories, len(stories))
        return sorted(shuffled, key=lambda story: self.told[story.name] + self.unproven[story.name] // 8)

    def _alone(self, story: Story, world: World, taken: set[Ref]) -> Thread | None:
        """The story cast and played from the start, its changes still in the world."""
        mark = world.snapshot()
        names = self.casting.cast(story, world.state(), self.chance, taken)
        if names is None:
            self.reasons.note(story.name, "nobody fits its cast")
            return None
        tellings = sorted(
            self.chance.some(range(len(story.tell)), len(story.tell)), key=lambda n: self.told[f"{story.name}/{n}"]
        )
        for number in tellings:
            threading = Threading(self.model, self.speech, self.chance)
            try:
                thread = threading.thread(story, names, world, story.tell[number])
                thread.telling = number
                return thread
            except (Unfit, Unknown) as reason:
                self.reasons.note(story.name, reason)
                world.restore(mark)
        return None

    # The scenario

    def _proven(self, world: LocalWorld, state: State, level: Level, number: int, threads: list[Thread]) -> Scenario:
        mark = world.snapshot()
        initial = world.state()
        played = self._together(world, mark, threads)
        diff = world.diff_since(mark)
        world.restore(mark)
        checks, frame = checks_and_frame(self.model, diff, initial)
        if not checks:
            raise Unproven("nothing is different afterwards")
        oracle = [call for thread in played for call in thread.calls]
        spans = tuple(polished(self._message(threads, initial["now"])))
        scenario = Scenario(
            provenance=Provenance(parents={"state": state.digest}, seed=self.seed),
            id=f"{self.environment.id}-{level}-{number:02d}",
            environment=self.environment.id,
            code_digest=self.environment.code_digest,
            state=state.name,
            state_digest=state.digest,
            seed=self.seed,
            level=level,
            task="".join(span.text for span in spans),
            spans=spans,
            checks=checks,
            frame=frame,
            oracle=tuple(oracle),
            threads=tuple(_places(played)),
            features=self._features(threads, oracle),
        )
        proof = Prover(scenario, self.model, self.environment, world).prove()
        for thread in threads:
            self.told.update((thread.story.name, f"{thread.story.name}/{thread.telling}"))
        return scenario.model_copy(update={"proof": proof})

    def _together(self, world: World, mark: int, threads: list[Thread]) -> list[Thread]:
        """The threads one after the other; first in another order, to see that they mean the same and end the same there."""
        threading = Threading(self.model, self.speech, self.chance)
        ends: set[str] = set()
        for order in (threads[::-1], threads):
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

    def _features(self, threads: list[Thread], oracle: list[Call]) -> dict[str, int]:
        effects = {tool.name: tool.effect for tool in self.environment.tools}
        reads = sum(1 for call in oracle if effects[call.tool] == "reads")
        return {
            "calls": len(oracle),
            "reads": reads,
            "changes": len(oracle) - reads,
            "threads": len(threads),
            "branches": sum(thread.branches for thread in threads),
            "distractors": sum(phrase.distractors for thread in threads for phrase in thread.phrases),
        }

    # The message

    def _message(self, threads: list[Thread], now: str) -> Iterator[Span]:
        """A dated message: opening, what is asked for, closing."""
        words = self.model.blueprint.words
        yield Span(text=heading(now), fact="now")
        yield Span(text="\n\n")
        many = len(threads)
        own = [f"{opening} " for opening in words.openings] if many > 1 else []
        yield Span(text=self.chance.pick([*_OPENINGS[min(many, 3)], *own]))
        as_list = many > 2 and self.chance.of(50)
        for place, thread in enumerate(threads):
            if place:
                yield Span(text="\n- " if as_list else "\n\n" if many > 2 or self.chance.of(40) else " ")
            elif as_list:
                yield Span(text="\n- ")
            yield from self._joined(thread.spans, place, many, as_list)
        closing = self.chance.pick([*_CLOSINGS, *words.closings])
        if closing:
            yield Span(text=f"\n\n{closing}" if as_list else f" {closing}")

    def _joined(self, spans: tuple[Span, ...], place: int, many: int, as_list: bool) -> Iterator[Span]:
        link = "" if as_list or not place or place == 1 else self.chance.pick(_LINKS) if place == many - 1 else ""
        if link and spans[0].text[:1].isupper() and not spans[0].fact and not spans[0].text.startswith(("I ", "I'")):
            yield Span(text=link)
            yield spans[0].model_copy(update={"text": spans[0].text[0].lower() + spans[0].text[1:]})
            yield from spans[1:]
            return
        yield from spans


def _changed(world: World, mark: int) -> set[str]:
    diff = world.diff_since(mark)
    found = {key for records in diff.changed.values() for key in records}
    return found | {key for records in diff.deleted.values() for key in records}


def _places(threads: list[Thread]) -> Iterator[tuple[int, ...]]:
    start = 0
    for thread in threads:
        yield tuple(range(start, start + len(thread.calls)))
        start += len(thread.calls)
