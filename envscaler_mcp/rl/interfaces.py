"""What policies are offered: a world's own interface, a dialect of it, either of them disturbed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from envscaler_mcp.artifacts import Call, Environment, Scenario
from envscaler_mcp.config.choices import NATIVE
from envscaler_mcp.rl.options import EpisodeOptions
from envscaler_mcp.rl.places import Place
from envscaler_mcp.serving.code import CallableTool, callable_tools

if TYPE_CHECKING:
    from envscaler_mcp.dialects import Dialect
    from envscaler_mcp.disturbances import Disturbable, Disturbances

_MOST_DIALECTS = 256
"""Dialects of environments that are ready."""


@dataclass(frozen=True, slots=True)
class Offered:
    """What the policy of an episode is offered."""

    scenario: Scenario
    """With its request as the policy reads it."""
    card: Environment
    tools: Mapping[str, CallableTool]
    interface: Disturbable | None
    """What the policy speaks to the world in, where that is not its own interface as it is."""

    @property
    def speak(self) -> Callable[[Call], Call] | None:
        """A call of the world's own interface as the policy says it, where that is another."""
        return None if self.interface is None else self.interface.encode


class Interfaces:
    """The interfaces of a gym's environments."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._dialects: dict[tuple[str, str], Dialect] = {}

    def offered(self, scenario: Scenario, options: EpisodeOptions) -> Offered:
        """What is offered for an episode; WorldError where the environment has no such dialect."""
        environment = scenario.environment
        interface = self._interface(scenario, options)
        if interface is None:
            return Offered(scenario, self._place.card(environment), self._place.tools(environment), None)
        asked = _as_asked(scenario, options) if options.disturb else scenario
        return Offered(asked, interface.card, callable_tools(interface.card), interface)

    def _interface(self, scenario: Scenario, options: EpisodeOptions) -> Disturbable | None:
        dialect = self._dialect(scenario.environment, str(options.dialect))
        if not options.disturb:
            return dialect
        from envscaler_mcp.disturbances import Disturbed, NativeInterface

        return Disturbed(dialect or NativeInterface(self._place.card(scenario.environment)), _drawn(scenario, options))

    def _dialect(self, environment: str, wanted: str) -> Dialect | None:
        if wanted == NATIVE:
            return None
        key = environment, wanted
        known = self._dialects.get(key)
        if known is None:
            if len(self._dialects) >= _MOST_DIALECTS:
                self._dialects.clear()
            # Most gyms speak none.
            from envscaler_mcp.dialects import Dialect, DialectName

            known = self._dialects[key] = Dialect(self._place.card(environment), DialectName.read(wanted))
        return known


def _drawn(scenario: Scenario, options: EpisodeOptions) -> Disturbances:
    from envscaler_mcp.disturbances import Disturbances

    return Disturbances(options.disturbances, scenario.id, options.seed)


def _as_asked(scenario: Scenario, options: EpisodeOptions) -> Scenario:
    from envscaler_mcp.disturbances import asked_otherwise

    return asked_otherwise(scenario, _drawn(scenario, options))
