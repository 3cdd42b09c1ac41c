"""The episodes of a run that are still to be played: which comes next, which attempt it is, and whether there is another."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from envscaler_mcp.artifacts.run import PlannedEpisode
from envscaler_mcp.episode.agent import RunAbortedError
from envscaler_mcp.scoring.trajectory import WrittenAttempt

ATTEMPTS = 3
"""How often an episode is tried in one go where the machine fails."""


@dataclass(frozen=True, slots=True)
class Assignment:
    """An episode that a player shall play, and which attempt it is."""

    episode: PlannedEpisode
    attempt: int

    @property
    def group(self) -> str:
        """Episodes of one group can be played at one host after the other."""
        # Those over several servers share no host with those in one world of the same environment.
        return f"{self.episode.environment}{'+' * bool(self.episode.servers)}"


@dataclass(frozen=True, slots=True)
class PlayedEpisode:
    """What came of an assignment."""

    assignment: Assignment
    written: WrittenAttempt
    again: bool
    """Whether it may go otherwise in a moment, where the machine failed."""
    stopped: str | None = None
    """Why no other episode can be played either."""


class EpisodeQueue:
    """Hands out each missing episode once, and again where the machine failed."""

    def __init__(self, missing: Sequence[PlannedEpisode], attempts: Mapping[str, int]) -> None:
        self._attempts = Counter({episode.id: attempts.get(episode.id, 0) for episode in missing})
        self._attempts_now: Counter[str] = Counter()
        self._groups: dict[str, deque[PlannedEpisode]] = {}
        self._players: dict[Hashable, str] = {}
        """The group of each player."""
        for episode in missing:
            self._queue_of(episode).append(episode)
        self.aborted: RunAbortedError | None = None
        """Why no further episode is begun."""

    def __len__(self) -> int:
        return sum(map(len, self._groups.values()))

    def next(self, player: Hashable, group: str, most: int = 1) -> list[Assignment]:
        """The player's next episodes, all of one group, and of this group while it has any; none where nothing is left.

        Of many there are several at once, up to `most`; never so many that another player is left without.
        """
        queue = self._groups.get(group)
        if not queue:
            self._players.pop(player, None)
            waiting = [name for name, episodes in self._groups.items() if episodes]
            if not waiting:
                return []
            playing = Counter(self._players.values())
            # The group with the most episodes for each player that would be there.
            group = max(waiting, key=lambda name: len(self._groups[name]) / (playing[name] + 1))
            queue = self._groups[group]
        self._players[player] = group
        number = max(1, min(most, len(queue) // (4 * len(self._players))))
        episodes = [queue.popleft() for _ in range(number)]
        return [Assignment(episode, self._attempts[episode.id] + 1) for episode in episodes]

    def finished(self, played: PlayedEpisode) -> None:
        """Count the attempt; where the machine failed, the episode is queued again."""
        if played.stopped is not None:
            self.aborted = self.aborted or RunAbortedError(played.stopped)
            for queue in self._groups.values():
                queue.clear()
        episode = played.assignment.episode
        self._attempts[episode.id] += 1
        if not played.written.attempt.counts:
            self._try_again(episode, allowed=played.again)

    def lost(self, assignments: Sequence[Assignment]) -> list[Assignment]:
        """Queue again what a process was given that has ended; returned are those that were lost too often for that."""
        return [lost for lost in assignments if not self._try_again(lost.episode, allowed=True)]

    def _try_again(self, episode: PlannedEpisode, *, allowed: bool) -> bool:
        self._attempts_now[episode.id] += 1
        if not allowed or self._attempts_now[episode.id] >= ATTEMPTS or self.aborted is not None:
            return False
        self._queue_of(episode).append(episode)
        return True

    def _queue_of(self, episode: PlannedEpisode) -> deque[PlannedEpisode]:
        return self._groups.setdefault(Assignment(episode, 0).group, deque())
