"""Tasks in environments that are not compiled: found by trying, told in default words, proven like any other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass

from envscaler_mcp.artifacts import Call, Level, Provenance, Scenario, Span, State
from envscaler_mcp.errors import GrowthError, Unproven
from envscaler_mcp.sampling.chance import Chance
from envscaler_mcp.sampling.offers import Offers
from envscaler_mcp.sandbox.checking import Checker, checker
from envscaler_mcp.scenarios.default_wording import Telling
from envscaler_mcp.scenarios.discovered_proof import Opener, WrittenProver, wishes_of
from envscaler_mcp.scenarios.discovered_threads import (
    WrittenThread,
    also_fits,
    distinct,
    joined_calls,
    only_ones,
    places,
    texts_in,
    together,
)
from envscaler_mcp.scenarios.phrases import heading, polished
from envscaler_mcp.scenarios.plain_facts import PlainFacts
from envscaler_mcp.scenarios.routes import ReadRoute, Routes
from envscaler_mcp.scenarios.shapes import Shapes, shown_in
from envscaler_mcp.scenarios.tasks import BANDS
from envscaler_mcp.scenarios.trying import Chain, Trials, touched
from envscaler_mcp.serving.code import EnvironmentCode
from envscaler_mcp.serving.formats import is_minute
from envscaler_mcp.serving.world import World

_TRIES = 40
_CHAINS = 24
_LONGEST: dict[Level, int] = {"easy": 2, "medium": 3, "hard": 3}
_ONE = ("", "", "Hello! ", "One thing, please. ")
_MANY = ("Hi, a few things.", "Here is what came in.", "Could you see to the following?", "I need a hand with these.")
_CLOSINGS = ("", "", "", "Thanks!", "Thank you.")


@dataclass(slots=True)
class _Place:
    """What is known of one state."""

    shapes: Shapes
    routes: Routes
    usable: dict[str, ReadRoute]
    """How each record is found that can be found at all."""
    today: str


class WrittenTaskMaker:
    """Makes proven scenarios of one environment whose class is not compiled; its code runs where the opener opens worlds."""

    def __init__(self, code: EnvironmentCode, seed: int, opener: Opener) -> None:
        self.code, self.environment, self.seed, self._opener = code, code.environment, seed, opener
        self.chance = Chance(seed, f"tasks of {self.environment.id}")
        self._places: dict[str, _Place] = {}
        self._used: Counter[str] = Counter()
        self.reasons: Counter[str] = Counter()
        """Why candidates were left out."""

    def scenario(self, state: State, level: Level, number: int) -> Scenario:
        """One proven scenario of the level."""
        with ExitStack() as stack:
            world, start = (
                stack.enter_context(closing(self._opener(self.code, state.content, self.seed))) for _ in range(2)
            )
            judging = stack.enter_context(checker(one_author=True))
            place = self._place(state, start)
            trials = Trials(self.environment.tools, world, start, place.shapes, self.chance)
            trials.used = self._used
            for _ in range(_TRIES):
                threads = self._threads(trials, place, level)
                if threads is None:
                    if not self._used and not trials.changed_anything:
                        break
                    continue
                try:
                    return self._proven(world, judging, place, state, level, number, threads)
                except Unproven as reason:
                    self.reasons[str(reason)] += 1
        if not trials.changed_anything:
            raise GrowthError(
                f"{self.environment.id} offers nothing to do at {state.name!r}: none of {trials.tried} calls of "
                f"{len(trials.guesses.tools)} changing tools changed anything"
            )
        why = "; ".join(f"{reason} ({times})" for reason, times in self.reasons.most_common(5))
        raise GrowthError(
            f"no {level} task could be made of {state.name!r} in {_TRIES} tries; {why or 'too few calls'}"
        )

    def _place(self, state: State, start: World) -> _Place:
        if state.digest not in self._places:
            mark = start.snapshot()
            shapes = Shapes(start.state())
            routes = Routes(self.environment.tools, start, shapes)
            start.restore(mark)
            read_routes = {key: routes.route(home, key) for key, home in shapes.home.items()}
            usable = {key: route for key, route in read_routes.items() if route is not None}
            self._places[state.digest] = _Place(shapes, routes, usable, Offers(state.content, {}).today)
        return self._places[state.digest]

    # Threads

    def _threads(self, trials: Trials, place: _Place, level: Level) -> list[WrittenThread] | None:
        """Chains that do not get in each other's way and together make the level's number of calls."""
        low, high = BANDS[level]
        target = self.chance.between(low, (low + high) // 2)
        threads: list[WrittenThread] = []
        before = trials.used
        for _ in range(_CHAINS):
            trials.used = before + Counter(call.tool for thread in threads for call in thread.chain.calls)
            written = {key for thread in threads for key in thread.written}
            free = place.usable.keys() - written
            chain = trials.chain(self.chance.between(1, _LONGEST[level]), free)
            if chain is None:
                if not trials.changed_anything:
                    return None
                continue
            thread = self._thread(chain, trials, place)
            if thread is None or self._meets(thread, threads):
                continue
            if len(joined_calls([*threads, thread])) > high:
                continue
            threads.append(thread)
            if len(joined_calls(threads)) >= target:
                break
        trials.used = before
        self._look_closer(threads, place, low)
        return threads if threads and low <= len(joined_calls(threads)) <= high else None

    def _thread(self, chain: Chain, trials: Trials, place: _Place) -> WrittenThread | None:
        """The chain with its reads; nothing where an id of it cannot be read."""
        named = {key for call in chain.calls for key in place.shapes.ids_in(call.arguments)}
        routes = {key: place.usable[key] for key in sorted(named)}
        calls = distinct(call for r in routes.values() for call in r.calls)
        world = trials.world
        mark = world.snapshot()
        try:
            heard = set[str]()
            for call in calls:
                heard |= shown_in(world.call(call.tool, call.arguments).payload)
            for step in chain.steps:
                for key in sorted(chain.made - chain.given):
                    if key in texts_in(step.call) and key not in heard:
                        read = place.routes.seen_after(world, key, heard | named)
                        if read is None:
                            self.reasons["no read shows a new id"] += 1
                            return None
                        calls.append(read)
                        heard |= shown_in(world.call(read.tool, read.arguments).payload)
                calls.append(step.call)
                heard |= shown_in(world.call(step.call.tool, step.call.arguments).payload)
        finally:
            world.restore(mark)
        return WrittenThread(chain, calls, routes, touched(chain.diff), {*named, *chain.given})

    def _meets(self, thread: WrittenThread, others: Sequence[WrittenThread]) -> bool:
        """Whether it touches what another one names, or the other way round."""
        for other in others:
            scalars = {path for path in thread.written & other.written if path not in other.named}
            counts = all(isinstance(thread.chain.diff.scalars.get(path, (None, ""))[1], int) for path in scalars)
            if (
                thread.chain.given & other.chain.given
                or (thread.named & other.written)
                or (thread.written & other.named)
            ):
                return True
            if (thread.written & other.written) - scalars or not counts:
                return True
            if any(call in other.chain.calls for call in thread.chain.calls):
                return True
        return False

    def _look_closer(self, threads: list[WrittenThread], place: _Place, low: int) -> None:
        """Records are looked at before they are changed, where a task would be too short otherwise."""
        for thread in threads:
            for key in sorted(thread.named & place.usable.keys()):
                echo = place.routes.echo(key)
                if len(joined_calls(threads)) >= low:
                    return
                if echo is not None and echo not in joined_calls(threads):
                    at = next(at for at, call in enumerate(thread.calls) if call in thread.chain.calls)
                    thread.calls.insert(at, echo)

    # The scenario

    def _proven(
        self,
        world: World,
        judging: Checker,
        place: _Place,
        state: State,
        level: Level,
        number: int,
        threads: list[WrittenThread],
    ) -> Scenario:
        threads = together(world, threads)
        oracle = joined_calls(threads)
        wishes, diff = wishes_of(self.code, oracle, world, state.content, self.seed, self._opener)
        checks = tuple(PlainFacts(wishes, diff, state.content).all())
        if also_fits(threads, place.shapes, diff):
            raise Unproven("the words for a record fit another one at the end")
        if not checks:
            raise Unproven("nothing that a task could ask for is different afterwards")
        spans = tuple(polished(self._message(threads, place, state)))
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
            frame=wishes.frame(diff),
            oracle=tuple(oracle),
            threads=tuple(places(threads)),
            features=self._features(threads, oracle, place),
        )
        proof = WrittenProver(scenario, self.code, world, self._opener, judging, wishes).prove()
        if proof.mutants["drop"].equivalent:
            raise Unproven("a change makes no difference")
        self._used.update(call.tool for thread in threads for call in thread.chain.calls)
        return scenario.model_copy(update={"proof": proof})

    def _features(self, threads: list[WrittenThread], oracle: list[Call], place: _Place) -> dict[str, int]:
        changes = sum(thread.changes for thread in threads)
        homes = {place.shapes.home[key] for thread in threads for key in thread.routes}
        named = {key for thread in threads for key in thread.routes}
        return {
            "calls": len(oracle),
            "reads": len(oracle) - changes,
            "changes": changes,
            "threads": len(threads),
            "dependent": sum(thread.changes - 1 for thread in threads),
            "distractors": sum(len(place.shapes.containers[home]) for home in homes) - len(named),
            # The share, in percent, of what is asked for in words that no author chose.
            "default_words": 100,
        }

    # The message

    def _message(self, threads: list[WrittenThread], place: _Place, state: State) -> Iterator[Span]:
        now = state.content.get("now")
        if isinstance(now, str) and is_minute(now):
            yield Span(text=heading(now), fact="now")
            yield Span(text="\n\n")
        many = len(threads) > 1
        telling = Telling(self.environment.tools, place.shapes, now[:10] if isinstance(now, str) else "")
        yield Span(text=self.chance.pick(_MANY if many else _ONE))
        for at, thread in enumerate(threads):
            yield Span(text="\n- " if many else "")
            yield from self._told(thread, telling, as_list=many or at > 0)
        closing_ = self.chance.pick(_CLOSINGS)
        if closing_:
            yield Span(text=f"\n\n{closing_}" if many else f" {closing_}")

    def _told(self, thread: WrittenThread, telling: Telling, *, as_list: bool) -> Iterator[Span]:
        new: dict[str, str] = {}
        for at, step in enumerate(thread.chain.steps):
            first = self.chance.pick(telling.beginnings(again=at > 0)) if at or not as_list else ""
            if at:
                yield Span(text=" ")
            yield from telling.sentence(step.call, thread.routes, new, first)
            new.update(only_ones(thread, telling.shapes, step.call))
            for container, records in thread.chain.diff.created.items():
                new.update({key: container for key in records if key in step.created})
