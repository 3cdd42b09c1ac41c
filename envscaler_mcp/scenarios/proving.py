"""That a task can be solved, is not given away, and is not judged too strictly; in any environment."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from envscaler_mcp.artifacts import (
    Call,
    Environment,
    Frame,
    Proof,
    ProofExtent,
    Scenario,
    StateDiff,
    VariantCounts,
    canonical_json,
)
from envscaler_mcp.errors import Unproven
from envscaler_mcp.grading.graders import LocalGrader
from envscaler_mcp.language.column_types import Nearby, other_values
from envscaler_mcp.language.types import Type
from envscaler_mcp.sampling.chance import Chance
from envscaler_mcp.scenarios.fact_coverage import missing_facts, text_mutants
from envscaler_mcp.scenarios.facts import frame_of
from envscaler_mcp.scenarios.key_order import in_key_order
from envscaler_mcp.scenarios.replay import CallRecording, content_form, record
from envscaler_mcp.serving.state_diff import diff_of_states, sharing
from envscaler_mcp.serving.world import World

_ORDERS = 6
_EXTRA = 3
_NEAR = 6
_UNASKED = 1
_WRONG = 5
"""How many other values an argument is given."""
_DRAWS = 8


class Proving(ABC):
    """Proves a scenario on a world that is at its start; what its records are is for those who know the environment."""

    def __init__(self, scenario: Scenario, environment: Environment, world: World) -> None:
        if scenario.frame is None:
            raise Unproven("its plan is not known")
        self.scenario, self.world, self.frame = scenario, world, scenario.frame
        self.effects = {tool.name: tool.effect for tool in environment.tools}
        self.mark = world.snapshot()
        self.initial: dict[str, Any] = in_key_order(world.state())
        self.judge = self._judge()
        self.chance = Chance(scenario.seed, f"proof of {scenario.id}")
        self._ahead = (self.mark, 0)
        """A mark from which changed plans are played, and how many of the calls are made there."""
        self._unnoticed: dict[str, Call | str] = {}
        """By kind, the first mutant that earned everything: the call that is other, or what of the end is."""

    def prove(self, extent: ProofExtent = "whole") -> Proof:
        """The proof; the first thing that does not hold is raised. The half of it tries no wrong endings and no variants."""
        recording = record(self.world, self.scenario.oracle)
        final_hash, diff = self.world.state_hash(), self.world.diff_since(self.mark)
        # What did not change is the same object, so that it need not be compared again and again.
        final = sharing(self.initial, self.world.state())
        self._back()
        self._solvable(recording, final_hash)
        answers = self.judge.answers(self.initial)
        if any(answers):
            raise Unproven(f"check {answers.index(True) + 1} is true at the start")
        if _allowed(self.frame) - _allowed(self._frame(diff)):
            raise Unproven("the frame allows what the oracle leaves alone")
        lost = missing_facts(self.scenario.task, self.scenario.spans)
        if lost:
            raise Unproven(f"the text does not say {lost[0]!r}")
        if extent == "half":
            return Proof(
                final_hash=final_hash,
                oracle_reward=self.judge.grade(final, diff)[0],
                do_nothing_reward=self.judge.grade(self.initial, StateDiff())[0],
                flow=tuple(self._flow(recording)),
                extent="half",
            )
        wanted = self._form(diff)
        proof = Proof(
            final_hash=final_hash,
            oracle_reward=self.judge.grade(final, diff)[0],
            do_nothing_reward=self.judge.grade(self.initial, StateDiff())[0],
            orders=self._orders(recording),
            flow=tuple(self._flow(recording)),
            mutants=self._mutants(recording, final, wanted),
            benign=self._benign(recording, wanted),
            text_mutants=text_mutants(self.scenario.task, self.scenario.spans),
        )
        self._whole(proof)
        return proof

    def _back(self) -> None:
        self.world.restore(self.mark)

    def _whole(self, proof: Proof) -> None:
        for kind, tally in proof.mutants.items():
            if tally.right != tally.made - tally.equivalent:
                many = tally.made - tally.equivalent - tally.right
                raise Unproven(f"{many} mutants ({kind}) are rewarded in full, {_told(self._unnoticed[kind])}")
        for kind, tally in proof.benign.items():
            if tally.right != tally.made:
                raise Unproven(f"{tally.made - tally.right} harmless variants ({kind}) are not rewarded in full")
        if proof.orders.right != proof.orders.made:
            raise Unproven("another order of its threads ends otherwise")

    # What is known of the environment

    @abstractmethod
    def _judge(self) -> LocalGrader:
        """Who grades the endings."""

    def _frame(self, diff: StateDiff) -> Frame:
        """The least frame that allows the difference."""
        return frame_of(diff)

    def _form(self, diff: StateDiff) -> str:
        """The same for ends that a check cannot tell apart."""
        return content_form(diff)

    @abstractmethod
    def _look(self) -> dict[str, Any]:
        """The state, to be read only."""

    @abstractmethod
    def _today(self) -> str:
        """The day or the minute at the start."""

    @abstractmethod
    def _own(self, container: str) -> str:
        """The field in which a record repeats its id."""

    @abstractmethod
    def _containers(self, state: dict[str, Any]) -> list[str]:
        """Where there are records."""

    @abstractmethod
    def _references(self, call: Call) -> Iterator[tuple[str, str]]:
        """Arguments that name a record, and its container."""

    @abstractmethod
    def _plain_arguments(self, call: Call) -> Iterator[tuple[str, Type, Nearby]]:
        """Arguments that name no single record, their types, and what other values there are."""

    @abstractmethod
    def _field(self, container: str, field: str) -> tuple[Type, Nearby]:
        """The type of a field, and what other records hold there."""

    @abstractmethod
    def _drawn(self, state: dict[str, Any]) -> Iterator[Call | None]:
        """Changes that may be permitted, drawn by chance without end."""

    @abstractmethod
    def _elsewhere(self) -> World:
        """Another world at the same start, in which new records get other ids."""

    @abstractmethod
    def _flow(self, recording: CallRecording) -> Iterator[str]:
        """Where each argument of a change is known from: an earlier answer, or the words."""

    # Solvable

    def _solvable(self, recording: CallRecording, final_hash: str) -> None:
        outcomes = recording.play(self.world, range(len(recording.calls)))
        again, earned = self.world.state_hash(), self._earned()
        self._back()
        for call, outcome in zip(recording.calls, outcomes, strict=True):
            if outcome.kind != "done":
                raise Unproven(f"the oracle's {call.tool} is refused: {outcome.text}")
        if again != final_hash:
            raise Unproven("the oracle ends in another state the second time")
        if earned != 1.0:
            raise Unproven(f"the oracle earns {earned}")

    def _earned(self) -> float:
        """The reward as things are in the world."""
        return self.judge.grade(self._look(), self.world.diff_since(self.mark))[0]

    def _orders(self, recording: CallRecording) -> VariantCounts:
        """Threads in other orders and woven into each other."""
        threads = self.scenario.threads
        if len(threads) < 2:
            return VariantCounts()
        right = 0
        for _ in range(_ORDERS):
            outcomes = recording.play(self.world, self._woven(threads))
            done = all(outcome.kind == "done" for outcome in outcomes)
            right += done and self._earned() == 1.0
            self._back()
        return VariantCounts(made=_ORDERS, right=right)

    def _woven(self, threads: Sequence[Sequence[int]]) -> list[int]:
        ahead = [list(thread) for thread in threads]
        order: list[int] = []
        while any(ahead):
            order.append(self.chance.pick([thread for thread in ahead if thread]).pop(0))
        return order

    # Not given away

    def _mutants(self, recording: CallRecording, final: dict[str, Any], wanted: str) -> dict[str, VariantCounts]:
        tallies: dict[str, list[int]] = {}
        for kind, what, calls in self._changed_plans(recording):
            self._count(tallies, kind, what, self._ends(calls, wanted))
        for kind, where, state in self._changed_ends(final):
            self._count(tallies, kind, where, self._graded(state, diff_of_states(self.initial, state), wanted))
        return {
            kind: VariantCounts(made=made, equivalent=equal, right=right, right_without_frame=plain)
            for kind, (made, equal, right, plain) in sorted(tallies.items())
        }

    def _count(self, tallies: dict[str, list[int]], kind: str, what: Call | str, outcome: tuple[int, int, int]) -> None:
        tally = tallies.setdefault(kind, [0, 0, 0, 0])
        tally[0] += 1
        for place, number in enumerate(outcome, start=1):
            tally[place] += number
        if outcome[:2] == (0, 0):
            self._unnoticed.setdefault(kind, what)

    def _ends(self, calls: Sequence[Call], wanted: str) -> tuple[int, int, int]:
        mark, made = self._ahead
        self._write(calls[made:])
        outcome = self._graded(self._look(), self.world.diff_since(self.mark), wanted)
        self.world.restore(mark)
        return outcome

    def _write(self, calls: Sequence[Call]) -> None:
        """Make the changes among the calls: reading decides nothing about where a plan ends."""
        for call in calls:
            if self.effects[call.tool] == "writes":
                self.world.call(call.tool, call.arguments)

    def _go_ahead(self, calls: Sequence[Call], place: int) -> None:
        """Make the calls up to this place, from where every plan is played that differs only behind it."""
        self._write(calls[self._ahead[1] : place])
        self._ahead = self.world.snapshot(), place

    def _go_back(self) -> None:
        self._back()
        self._ahead = self.mark, 0

    def _graded(self, state: dict[str, Any], diff: StateDiff, wanted: str) -> tuple[int, int, int]:
        if self._form(diff) == wanted:
            return (1, 0, 0)
        framed, plain = self.judge.grade(state, diff)
        return (0, int(framed < 1.0), int(plain < 1.0))

    def _changed_plans(self, recording: CallRecording) -> Iterator[tuple[str, Call, list[Call]]]:
        calls = list(recording.calls)
        writes = [place for place, call in enumerate(calls) if self.effects[call.tool] == "writes"]
        for place in writes:
            self._go_ahead(calls, place)
            call = calls[place]
            yield "drop", call, calls[:place] + calls[place + 1 :]
            yield "duplicate", call, [*calls[: place + 1], call, *calls[place + 1 :]]
            for arguments in self._near_misses(call):
                other = self._with(calls, place, arguments)
                yield "wrong record", other[place], other
            for arguments in self._wrong_values(call):
                other = self._with(calls, place, arguments)
                yield "wrong value", other[place], other
        self._go_back()
        for pair, first, second in self._swaps(calls, writes):
            swapped = self._with(calls, first, pair[0])
            yield "swap", swapped[first], self._with(swapped, second, pair[1])
        extras = self._extras(calls)
        self._go_ahead(calls, len(calls))
        for extra in extras:
            yield "extra write", extra, [*calls, extra]
        self._go_back()

    def _with(self, calls: Sequence[Call], place: int, arguments: dict[str, Any]) -> list[Call]:
        return [*calls[:place], Call(tool=calls[place].tool, arguments=arguments), *calls[place + 1 :]]

    def _near_misses(self, call: Call) -> Iterator[dict[str, Any]]:
        """Another record of the kind, those first that have most in common."""
        for name, container in self._references(call):
            value = call.arguments[name]
            records = self.initial[container]
            mine = records.get(value)
            if mine is None:
                continue
            others = [key for key in records if key != value]
            alike = sorted(others, key=lambda key: (-_common(records[key], mine), key))
            for key in alike[:_NEAR]:
                yield {**call.arguments, name: key}

    def _wrong_values(self, call: Call) -> Iterator[dict[str, Any]]:
        for name, type_, nearby in self._plain_arguments(call):
            for other in islice(other_values(call.arguments.get(name), type_, nearby), _WRONG):
                rest = {key: value for key, value in call.arguments.items() if key != name}
                yield rest if other is None else {**rest, name: other}

    def _swaps(
        self, calls: Sequence[Call], writes: Sequence[int]
    ) -> Iterator[tuple[tuple[dict[str, Any], dict[str, Any]], int, int]]:
        for number, first in enumerate(writes):
            for second in writes[number + 1 :]:
                a, b = calls[first], calls[second]
                if a.tool != b.tool:
                    continue
                for name in sorted(set(a.arguments) & set(b.arguments)):
                    if a.arguments[name] != b.arguments[name]:
                        left = {**a.arguments, name: b.arguments[name]}
                        yield (left, {**b.arguments, name: a.arguments[name]}), first, second

    def _extras(self, calls: Sequence[Call]) -> list[Call]:
        """Changes that are permitted after the task and that the task does not ask for."""
        for call in calls:
            self.world.call(call.tool, call.arguments)
        after = self.world.snapshot()
        extras: list[Call] = []
        drawn = self._drawn(in_key_order(self.world.state()))
        for _ in range(_EXTRA * 4):
            extra = next(drawn)
            if extra is None or len(extras) == _EXTRA:
                continue
            if self.world.call(extra.tool, extra.arguments).kind == "done":
                extras.append(extra)
            self.world.restore(after)
        self._back()
        return extras

    def _changed_ends(self, final: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
        """The wanted end with one fact of it undone or altered, and with one that the task does not ask about, where these differ."""
        for container, records in sorted(self.frame.changed.items()):
            for key, fields in sorted(records.items()):
                for field in sorted(fields):
                    before, after = self.initial[container][key][field], final[container][key][field]
                    where = f"{container}.{key}.{field}"
                    yield "fact undone", where, _with_field(final, container, key, field, before)
                    for other in self._altered(container, field, after):
                        yield "fact altered", where, _with_field(final, container, key, field, other)
        for container in sorted(self.frame.created):
            for key in sorted(key for key in final[container] if key not in self.initial[container]):
                yield from self._new_record_changed(final, container, key)
        yield from self._unasked(final)

    def _new_record_changed(
        self, final: dict[str, Any], container: str, key: str
    ) -> Iterator[tuple[str, str, dict[str, Any]]]:
        where, record, own = f"{container}.{key}", final[container][key], self._own(container)
        gone = {other: other_record for other, other_record in final[container].items() if other != key}
        yield "new record gone", where, {**final, container: gone}
        twin = {**record, own: f"{key}-X"} if own else record
        yield "new record doubled", where, {**final, container: {**final[container], f"{key}-X": twin}}
        for field, value in sorted(record.items()):
            for other in self._altered(container, field, value) if field != own else ():
                yield "new record altered", f"{where}.{field}", _with_field(final, container, key, field, other)

    def _altered(self, container: str, field: str, value: Any) -> list[Any]:
        """Another value of the field's type, where there is one."""
        return list(islice(other_values(value, *self._field(container, field)), 1))

    def _unasked(self, final: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
        containers = sorted(self._containers(final))
        for _ in range(_UNASKED):
            for _ in range(_DRAWS):
                container = self.chance.pick(containers)
                key = self.chance.pick(sorted(final[container]))
                field = self.chance.pick(sorted(set(final[container][key]) - {self._own(container)}))
                others = self._altered(container, field, final[container][key][field])
                if others:
                    altered = _with_field(final, container, key, field, others[0])
                    yield "unasked fact altered", f"{container}.{key}.{field}", altered
                    break

    # Not over-strict

    def _benign(self, recording: CallRecording, wanted: str) -> dict[str, VariantCounts]:
        order = range(len(recording.calls))
        tallies = {
            "refused calls between": self._with_refusals(recording),
            "reads between": self._with_reads(recording),
        }
        tallies["other new ids"] = self._other_ids(recording, order)
        turned = self._turned(recording)
        if turned:
            right = sum(self._full(calls) for calls in turned)
            tallies["items in another order"] = VariantCounts(made=len(turned), right=right)
        corrected = list(self._corrected(recording, wanted))
        if corrected:
            tallies["wrong, then corrected"] = VariantCounts(made=len(corrected), right=sum(corrected))
        return tallies

    def _full(self, calls: Sequence[Call]) -> bool:
        for call in calls:
            self.world.call(call.tool, call.arguments)
        full = self._earned() == 1.0
        self._back()
        return full

    def _with_refusals(self, recording: CallRecording) -> VariantCounts:
        calls: list[Call] = []
        for call in recording.calls:
            calls += [Call(tool=call.tool, arguments={**call.arguments, "no_such_argument": 1}), call]
        return VariantCounts(made=1, right=int(self._full(calls)))

    def _with_reads(self, recording: CallRecording) -> VariantCounts:
        reads = [call for call in recording.calls if self.effects[call.tool] == "reads"][:3]
        calls = [played for call in recording.calls for played in (*reads, call)]
        return VariantCounts(made=1, right=int(self._full(calls)))

    def _other_ids(self, recording: CallRecording, order: Sequence[int]) -> VariantCounts:
        """The same task where others have created and removed records before."""
        world = self._elsewhere()
        before = world.snapshot()
        recording.play(world, order)
        full = self.judge.grade(world.state(), world.diff_since(before))[0] == 1.0
        world.close()
        return VariantCounts(made=1, right=int(full))

    def _turned(self, recording: CallRecording) -> list[list[Call]]:
        """Plans in which a list is given the other way round, where that is as good."""
        plans: list[list[Call]] = []
        calls = list(recording.calls)
        for place, call in enumerate(calls):
            for name, value in sorted(call.arguments.items()):
                if isinstance(value, list) and len(value) > 1 and isinstance(value[0], str):
                    plans.append(self._with(calls, place, {**call.arguments, name: value[::-1]}))
        return plans

    def _corrected(self, recording: CallRecording, wanted: str) -> Iterator[bool]:
        """A wrong value first and the right one after it, where that comes to the same end."""
        calls = list(recording.calls)
        for place, call in enumerate(calls):
            if self.effects[call.tool] != "writes":
                continue
            for arguments in list(self._wrong_values(call))[:2]:
                plan = [*calls[:place], Call(tool=call.tool, arguments=arguments), *calls[place:]]
                for step in plan:
                    self.world.call(step.tool, step.arguments)
                same, full = self._form(self.world.diff_since(self.mark)) == wanted, self._earned() == 1.0
                self._back()
                if same:
                    yield full


def _allowed(frame: Frame) -> set[tuple[object, ...]]:
    """Everything that a frame lets change, one by one."""
    return {
        *((container, number) for container, most in frame.created.items() for number in range(most)),
        *((container, key) for container, keys in frame.deleted.items() for key in keys),
        *(
            (container, key, field)
            for container, records in frame.changed.items()
            for key, fields in records.items()
            for field in fields
        ),
        *((path,) for path in frame.scalars),
    }


def _told(what: Call | str) -> str:
    """A mutant, for the author of the checks that did not notice it."""
    if isinstance(what, str):
        return f"for example with {what} otherwise"
    return f"for example one with {what.tool}({canonical_json(what.arguments)})"


def _with_field(state: dict[str, Any], container: str, key: str, field: str, value: Any) -> dict[str, Any]:
    """The state with one field of one record otherwise; nothing else is copied."""
    return {**state, container: {**state[container], key: {**state[container][key], field: value}}}


def _common(a: dict[str, Any], b: dict[str, Any]) -> int:
    return sum(1 for field, value in a.items() if b.get(field) == value)
