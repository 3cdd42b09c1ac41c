"""Community garden. Compiled from blueprint.yaml; run `envscaler build community_garden` after changing it there.

Gives the plots of a garden to whoever is next on the waiting list, counts the hours that gardeners owe on work
days, lends shared tools, and inspects plots up to expulsion.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Date = Annotated[str, {"format": "date"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "Nobody holds more than 120 square metres.",
    "Nobody is on the waiting list twice.",
    "A work day never has more people than places.",
    "Nobody is on a work day twice.",
    "Whoever did their work is credited the hours of the day, and nobody else is.",
    "When a work day is closed it is known of everybody whether they came.",
    "A tool is lent to one gardener at a time.",
    "Broken tools are not lent.",
    "A gardener has two tools at a time at most.",
    "Motor tools go only to those who have done the motor course.",
    "A warning that is open concerns the one who holds the plot.",
    "A plot has three open warnings at most.",
    "A tool is lent for a week at most.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "join_waiting_list",
    "hand_over_plot",
    "withdraw_application",
    "release_plot",
    "announce_work_day",
    "sign_up",
    "close_work_day",
    "buy_out_hours",
    "lend_tool",
    "return_tool",
    "inspect_plot",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "gardeners": ("name",),
    "plots": ("number",),
    "applications": (),
    "work_days": ("name",),
    "spots": (),
    "tools": ("name",),
    "lendings": (),
    "inspections": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("applications", "gardener_id"),
    ("applications", "status"),
    ("gardeners", "name"),
    ("inspections", "plot_id"),
    ("lendings", "gardener_id"),
    ("lendings", "tool_id"),
    ("plots", "holder_id"),
    ("spots", "gardener_id"),
    ("spots", "status"),
    ("spots", "work_day_id"),
    ("work_days", "name"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Gardener(TypedDict):
    id: str
    name: str
    motor_course: bool
    bought_out: int


class Plot(TypedDict):
    id: str
    number: str
    section: Literal["brook", "orchard", "wall"]
    area: int
    raised: bool
    holder_id: str | None


class Application(TypedDict):
    id: str
    gardener_id: str
    applied_on: str
    least_area: int
    raised_only: bool
    status: Literal["waiting", "served", "withdrawn"]


class WorkDay(TypedDict):
    id: str
    name: str
    on: str
    lasts: int
    places: int
    closed: bool


class Spot(TypedDict):
    id: str
    work_day_id: str
    gardener_id: str
    credited: int
    status: Literal["signed", "done", "missed"]


class Tool(TypedDict):
    id: str
    name: str
    motor: bool
    broken: bool


class Lending(TypedDict):
    id: str
    tool_id: str
    gardener_id: str
    lent_on: str
    due_on: str
    back_on: str | None


class Inspection(TypedDict):
    id: str
    plot_id: str
    holder_id: str
    seen_on: str
    finding: Literal["tidy", "weeds", "rubbish", "unused"]
    settled_on: str | None


def _refused(error: str) -> Result:
    """What a call that may not be made answers."""
    return {"success": False, "error": error}


def _found(data: object, names: dict[str, str] | None = None) -> Result:
    """What a question answers, and what people call the records to which that points."""
    return {"success": True, "data": data, "names": names} if names else {"success": True, "data": data}


def _names(*pointed: tuple[dict[str, Any], str, list[Any]]) -> dict[str, str]:
    """What people call the records with these ids: each time all records, the attribute that names them, and ids."""
    return {key: records[key][label] for records, label, keys in pointed for key in keys if key in records}


def _clock(now: str) -> dict[str, str]:
    """The day and the hour, and the day of the week."""
    days = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
    return {"now": now, "weekday": days[date.fromisoformat(now[:10]).weekday()]}


def _page(records: list[Any], offset: int) -> list[Any]:
    """At most fifty of them, from the one at `offset`."""
    return records[offset : offset + 50]


def _age(record: Any) -> tuple[int, str]:
    """The order of records: ids are counted up, so older ones come first."""
    return len(record["id"]), record["id"]


def _copied(records: dict[str, Any]) -> dict[str, Any]:
    """Records of one's own, oldest first."""
    ordered = sorted(records.items(), key=lambda pair: (len(pair[0]), pair[0]))
    return {
        key: {field: [*value] if isinstance(value, list) else value for field, value in record.items()}
        for key, record in ordered
    }


def _id_of(record: Any) -> str | None:
    """The id of a record that may not be there."""
    return record["id"] if record is not None else None


def _distinct(records: Iterable[Any]) -> list[Any]:
    """Each record once."""
    return list({record["id"]: record for record in records if record is not None}.values())


def _different(keys: list[Any]) -> bool:
    """Whether no two are the same."""
    return len(set(keys)) == len(keys)


def _plus_days(day: str, days: int) -> str:
    """The date so many days later; the calendar ends where Python's does."""
    ordinal = date.fromisoformat(day).toordinal() + days
    return date.fromordinal(min(max(ordinal, 1), date.max.toordinal())).isoformat()


class CommunityGarden:
    """Gives the plots of a garden to whoever is next on the waiting list, counts the hours that gardeners
    owe on work days, lends shared tools, and inspects plots up to expulsion.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.gardeners: dict[str, Gardener] = _copied(config.get("gardeners", {}))
        self.plots: dict[str, Plot] = _copied(config.get("plots", {}))
        self.applications: dict[str, Application] = _copied(config.get("applications", {}))
        self.work_days: dict[str, WorkDay] = _copied(config.get("work_days", {}))
        self.spots: dict[str, Spot] = _copied(config.get("spots", {}))
        self.tools: dict[str, Tool] = _copied(config.get("tools", {}))
        self.lendings: dict[str, Lending] = _copied(config.get("lendings", {}))
        self.inspections: dict[str, Inspection] = _copied(config.get("inspections", {}))
        self.now: str = config.get("now", "2026-06-20T08:45")
        self.counters: dict[str, int] = {
            "gardener": len(self.gardeners),
            "plot": len(self.plots),
            "application": len(self.applications),
            "work_day": len(self.work_days),
            "spot": len(self.spots),
            "tool": len(self.tools),
            "lending": len(self.lendings),
            "inspection": len(self.inspections),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._gardeners_by_name: dict[Any, dict[str, Gardener]] = {}
        self._plots_by_holder: dict[Any, dict[str, Plot]] = {}
        self._applications_by_gardener_status: dict[Any, dict[str, Application]] = {}
        self._applications_by_status: dict[Any, dict[str, Application]] = {}
        self._work_days_by_name: dict[Any, dict[str, WorkDay]] = {}
        self._spots_by_gardener: dict[Any, dict[str, Spot]] = {}
        self._spots_by_gardener_status: dict[Any, dict[str, Spot]] = {}
        self._spots_by_work_day: dict[Any, dict[str, Spot]] = {}
        self._spots_by_work_day_gardener: dict[Any, dict[str, Spot]] = {}
        self._lendings_by_gardener: dict[Any, dict[str, Lending]] = {}
        self._lendings_by_tool: dict[Any, dict[str, Lending]] = {}
        self._inspections_by_plot: dict[Any, dict[str, Inspection]] = {}
        for gardener in self.gardeners.values():
            self._link("gardeners", gardener)
        for plot in self.plots.values():
            self._link("plots", plot)
        for application in self.applications.values():
            self._link("applications", application)
        for work_day in self.work_days.values():
            self._link("work_days", work_day)
        for spot in self.spots.values():
            self._link("spots", spot)
        for lending in self.lendings.values():
            self._link("lendings", lending)
        for inspection in self.inspections.values():
            self._link("inspections", inspection)

    def turn_for_plot(self, plot_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Who waits for a plot such as this, whoever is next on top.

        Args:
            plot_id (str): Id of the plot, such as PLOT-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "applications": records}} or {"success": False, "error":
                why not}
        """
        plot = self.plots.get(plot_id)
        if plot is None:
            return _refused(f"There is no plot {plot_id!r}.")
        found = [a for a in self.applications.values() if self._suits(a, plot)]
        found.sort(key=lambda a: (a["applied_on"], self.gardeners[a["gardener_id"]]["name"], _age(a)))
        return _found(
            {
                "total": len(found),
                "applications": [
                    {
                        "id": a["id"],
                        "gardener": self.gardeners[a["gardener_id"]]["name"],
                        "applied_on": a["applied_on"],
                        "least_area": a["least_area"],
                        "raised_only": a["raised_only"],
                    }
                    for a in _page(found, offset)
                ],
            }
        )

    def hours_owed(self, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Gardeners who owe hours, most first.

        Args:
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "gardeners": records}} or {"success": False, "error":
                why not}
        """
        found = [g for g in self.gardeners.values() if self._gardener_owes(g) > 0]
        found.sort(key=lambda g: (-self._gardener_owes(g), g["name"], _age(g)))
        return _found(
            {
                "total": len(found),
                "gardeners": [
                    {
                        "id": g["id"],
                        "name": g["name"],
                        "owes": self._gardener_owes(g),
                        "may_borrow": not self._bad_debt(g),
                    }
                    for g in _page(found, offset)
                ],
            }
        )

    def overdue_tools(self, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Tools that should be back by now.

        Args:
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "lendings": records}} or {"success": False, "error": why
                not}
        """
        found = [g for g in self.lendings.values() if (g["back_on"] is None and g["due_on"] < self.now[:10])]
        found.sort(key=lambda g: (g["due_on"], self.tools[g["tool_id"]]["name"], _age(g)))
        return _found(
            {
                "total": len(found),
                "lendings": [
                    {
                        "tool_id": g["tool_id"],
                        "tool": self.tools[g["tool_id"]]["name"],
                        "gardener": self.gardeners[g["gardener_id"]]["name"],
                        "due_on": g["due_on"],
                    }
                    for g in _page(found, offset)
                ],
            }
        )

    def list_gardeners(
        self,
        name: Text | None = None,
        motor_course: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the gardeners, oldest first, all of them or only some.

        Args:
            name (str, optional): Only gardeners whose name contains this text.
            motor_course (bool, optional): Only gardeners with this value of `motor_course`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "gardeners": records}}
        """
        found = [
            gardener
            for gardener in self.gardeners.values()
            if (name is None or name.casefold() in gardener["name"].casefold())
            and (motor_course is None or gardener["motor_course"] == motor_course)
        ]
        return _found(
            {"total": len(found), "gardeners": [self._show_gardener(gardener) for gardener in _page(found, offset)]}
        )

    def list_plots(
        self,
        number: Text | None = None,
        section: Literal["brook", "orchard", "wall"] | None = None,
        raised: bool | None = None,
        holder_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the plots, oldest first, all of them or only some.

        Args:
            number (str, optional): Only plots whose number contains this text.
            section (str, optional): Only plots with this section.
            raised (bool, optional): Only plots that are raised (true) or not (false).
            holder_id (str, optional): Only plots whose holder is this gardener.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "plots": records}}
        """
        if holder_id is not None and holder_id not in self.gardeners:
            return _refused(f"There is no gardener {holder_id!r}.")
        found = [
            plot
            for plot in self.plots.values()
            if (number is None or number.casefold() in plot["number"].casefold())
            and (section is None or plot["section"] == section)
            and (raised is None or plot["raised"] == raised)
            and (holder_id is None or plot["holder_id"] == holder_id)
        ]
        shown = [self._show_plot(plot) for plot in _page(found, offset)]
        return _found({"total": len(found), "plots": shown}, self._names_of_plots(shown))

    def list_applications(
        self,
        gardener_id: str | None = None,
        raised_only: bool | None = None,
        status: Literal["waiting", "served", "withdrawn"] | None = None,
        applied_on_from: Date | None = None,
        applied_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the applications, oldest first, all of them or only some.

        Args:
            gardener_id (str, optional): Only applications of this gardener.
            raised_only (bool, optional): Only applications with this value of `raised_only`.
            status (str, optional): Only applications with this status.
            applied_on_from (str, optional): Only applications whose `applied_on` is on this day or later.
            applied_on_to (str, optional): Only applications whose `applied_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "applications": records}}
        """
        if gardener_id is not None and gardener_id not in self.gardeners:
            return _refused(f"There is no gardener {gardener_id!r}.")
        found = [
            application
            for application in self.applications.values()
            if (gardener_id is None or application["gardener_id"] == gardener_id)
            and (raised_only is None or application["raised_only"] == raised_only)
            and (status is None or application["status"] == status)
            and (applied_on_from is None or application["applied_on"] >= applied_on_from)
            and (applied_on_to is None or application["applied_on"] <= applied_on_to)
        ]
        shown = [{**application} for application in _page(found, offset)]
        return _found({"total": len(found), "applications": shown}, self._names_of_applications(shown))

    def list_work_days(
        self,
        name: Text | None = None,
        closed: bool | None = None,
        on_from: Date | None = None,
        on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the work days, oldest first, all of them or only some.

        Args:
            name (str, optional): Only work days whose name contains this text.
            closed (bool, optional): Only work days that are closed (true) or not (false).
            on_from (str, optional): Only work days whose `on` is on this day or later.
            on_to (str, optional): Only work days whose `on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "work_days": records}}
        """
        found = [
            work_day
            for work_day in self.work_days.values()
            if (name is None or name.casefold() in work_day["name"].casefold())
            and (closed is None or work_day["closed"] == closed)
            and (on_from is None or work_day["on"] >= on_from)
            and (on_to is None or work_day["on"] <= on_to)
        ]
        return _found(
            {"total": len(found), "work_days": [self._show_work_day(work_day) for work_day in _page(found, offset)]}
        )

    def list_spots(
        self,
        work_day_id: str | None = None,
        gardener_id: str | None = None,
        status: Literal["signed", "done", "missed"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the spots, oldest first, all of them or only some.

        Args:
            work_day_id (str, optional): Only spots of this work day.
            gardener_id (str, optional): Only spots of this gardener.
            status (str, optional): Only spots with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "spots": records}}
        """
        if work_day_id is not None and work_day_id not in self.work_days:
            return _refused(f"There is no work day {work_day_id!r}.")
        if gardener_id is not None and gardener_id not in self.gardeners:
            return _refused(f"There is no gardener {gardener_id!r}.")
        found = [
            spot
            for spot in self.spots.values()
            if (work_day_id is None or spot["work_day_id"] == work_day_id)
            and (gardener_id is None or spot["gardener_id"] == gardener_id)
            and (status is None or spot["status"] == status)
        ]
        shown = [{**spot} for spot in _page(found, offset)]
        return _found({"total": len(found), "spots": shown}, self._names_of_spots(shown))

    def list_tools(
        self,
        name: Text | None = None,
        motor: bool | None = None,
        broken: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the tools, oldest first, all of them or only some.

        Args:
            name (str, optional): Only tools whose name contains this text.
            motor (bool, optional): Only tools with this value of `motor`.
            broken (bool, optional): Only tools that are broken (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "tools": records}}
        """
        found = [
            tool
            for tool in self.tools.values()
            if (name is None or name.casefold() in tool["name"].casefold())
            and (motor is None or tool["motor"] == motor)
            and (broken is None or tool["broken"] == broken)
        ]
        shown = [self._show_tool(tool) for tool in _page(found, offset)]
        return _found({"total": len(found), "tools": shown}, self._names_of_tools(shown))

    def list_lendings(
        self,
        tool_id: str | None = None,
        gardener_id: str | None = None,
        lent_on_from: Date | None = None,
        lent_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the lendings, oldest first, all of them or only some.

        Args:
            tool_id (str, optional): Only lendings of this tool.
            gardener_id (str, optional): Only lendings of this gardener.
            lent_on_from (str, optional): Only lendings whose `lent_on` is on this day or later.
            lent_on_to (str, optional): Only lendings whose `lent_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "lendings": records}}
        """
        if tool_id is not None and tool_id not in self.tools:
            return _refused(f"There is no tool {tool_id!r}.")
        if gardener_id is not None and gardener_id not in self.gardeners:
            return _refused(f"There is no gardener {gardener_id!r}.")
        found = [
            lending
            for lending in self.lendings.values()
            if (tool_id is None or lending["tool_id"] == tool_id)
            and (gardener_id is None or lending["gardener_id"] == gardener_id)
            and (lent_on_from is None or lending["lent_on"] >= lent_on_from)
            and (lent_on_to is None or lending["lent_on"] <= lent_on_to)
        ]
        shown = [{**lending} for lending in _page(found, offset)]
        return _found({"total": len(found), "lendings": shown}, self._names_of_lendings(shown))

    def list_inspections(
        self,
        plot_id: str | None = None,
        holder_id: str | None = None,
        finding: Literal["tidy", "weeds", "rubbish", "unused"] | None = None,
        seen_on_from: Date | None = None,
        seen_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the inspections, oldest first, all of them or only some.

        Args:
            plot_id (str, optional): Only inspections of this plot.
            holder_id (str, optional): Only inspections whose holder is this gardener.
            finding (str, optional): Only inspections with this finding.
            seen_on_from (str, optional): Only inspections whose `seen_on` is on this day or later.
            seen_on_to (str, optional): Only inspections whose `seen_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "inspections": records}}
        """
        if plot_id is not None and plot_id not in self.plots:
            return _refused(f"There is no plot {plot_id!r}.")
        if holder_id is not None and holder_id not in self.gardeners:
            return _refused(f"There is no gardener {holder_id!r}.")
        found = [
            inspection
            for inspection in self.inspections.values()
            if (plot_id is None or inspection["plot_id"] == plot_id)
            and (holder_id is None or inspection["holder_id"] == holder_id)
            and (finding is None or inspection["finding"] == finding)
            and (seen_on_from is None or inspection["seen_on"] >= seen_on_from)
            and (seen_on_to is None or inspection["seen_on"] <= seen_on_to)
        ]
        shown = [{**inspection} for inspection in _page(found, offset)]
        return _found({"total": len(found), "inspections": shown}, self._names_of_inspections(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def join_waiting_list(
        self,
        name: Text,
        least_area: Annotated[int, {"minimum": 10, "maximum": 120}],
        raised_only: bool = False,
    ) -> Result:
        """Put somebody on the waiting list, new or known; gardeners may wait for a second plot.

        Args:
            name (str): Name of the gardener, new or known.
            least_area (int): Smallest plot that is wanted, in square metres, from 10 to 120.
            raised_only (bool): Whether only a raised bed will do. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        if any(
            self.gardeners[a["gardener_id"]]["name"] == name
            for a in self._applications_by_status.get("waiting", {}).values()
        ):
            return _refused(f"{name} is on the waiting list already.")
        if any(self._gardener_area(g) + least_area > 120 for g in self._gardeners_by_name.get(name, {}).values()):
            return _refused(f"With {least_area} square metres more {name} would hold more than 120.")
        self._journal = []
        added_applications: list[Any] = []
        added_gardeners: list[Any] = []
        known = next((g for g in sorted(self._gardeners_by_name.get(name, {}).values(), key=_age)), None)
        if known is not None:
            application = {
                "id": self._new_id("application", "APPLICATION", self.applications),
                "gardener_id": known["id"],
                "applied_on": self.now[:10],
                "least_area": least_area,
                "raised_only": raised_only,
                "status": "waiting",
            }
            self._add("applications", application)
            added_applications.append(application)
        else:
            gardener = {
                "id": self._new_id("gardener", "GARDENER", self.gardeners),
                "name": name,
                "motor_course": False,
                "bought_out": 0,
            }
            self._add("gardeners", gardener)
            added_gardeners.append(gardener)
            new_application = {
                "id": self._new_id("application", "APPLICATION", self.applications),
                "gardener_id": gardener["id"],
                "applied_on": self.now[:10],
                "least_area": least_area,
                "raised_only": raised_only,
                "status": "waiting",
            }
            self._add("applications", new_application)
            added_applications.append(new_application)
        for one_gardener in added_gardeners:
            if len(self._gardeners_by_name.get(one_gardener["name"], {})) > 1:
                return self._take_back(f"There is already a gardener with the name {one_gardener['name']!r}.")
        for one_gardener_2 in _distinct(added_gardeners):
            if self._breaks_rule_1(one_gardener_2):
                return self._take_back(RULES[0])
        for one_application in _distinct(added_applications):
            if self._breaks_rule_2(one_application):
                return self._take_back(RULES[1])
        return {
            "success": True,
            "message": f"Done: put {name} on the waiting list for {least_area} square metres or more.",
            "data": self._changes(),
        }

    def hand_over_plot(self, plot_id: str, application_id: str) -> Result:
        """Give a free plot to an applicant whose turn it is.

        Args:
            plot_id (str): Id of the plot, such as PLOT-00001.
            application_id (str): Id of the application, such as APPLICATION-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        plot = self.plots.get(plot_id)
        if plot is None:
            return _refused(f"There is no plot {plot_id!r}.")
        application = self.applications.get(application_id)
        if application is None:
            return _refused(f"There is no application {application_id!r}.")
        if plot["holder_id"] is not None:
            return _refused(f"Plot {plot['number']} is held by {self.gardeners[plot['holder_id']]['name']}.")
        if application["status"] != "waiting":
            return _refused(
                f"The application of {self.gardeners[application['gardener_id']]['name']} is {application['status']}."
            )
        if not self._suits(application, plot):
            return _refused(
                f"Plot {plot['number']} is not what {self.gardeners[application['gardener_id']]['name']} may have "
                "or asked for."
            )
        turn = self._next_for(plot)
        if turn is not None and turn is not application:
            return _refused(
                f"{self.gardeners[turn['gardener_id']]['name']} has waited longer for a plot like {plot['number']}."
            )
        self._journal = []
        former_holder_id = plot["holder_id"]
        self._put("plots", plot, "holder_id", application["gardener_id"])
        self._put("applications", application, "status", "served")
        for one_gardener in _distinct([self.gardeners.get(plot["holder_id"]), self.gardeners.get(former_holder_id)]):
            if self._breaks_rule_1(one_gardener):
                return self._take_back(RULES[0])
        if self._breaks_rule_2(application):
            return self._take_back(RULES[1])
        for one_inspection in _distinct(self._inspections_by_plot.get(plot["id"], {}).values()):
            if self._breaks_rule_11(one_inspection):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: hand plot {plot['number']} over to {self.gardeners[application['gardener_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def withdraw_application(self, application_id: str) -> Result:
        """Take an applicant off the waiting list.

        Args:
            application_id (str): Id of the application, such as APPLICATION-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        application = self.applications.get(application_id)
        if application is None:
            return _refused(f"There is no application {application_id!r}.")
        if application["status"] != "waiting":
            return _refused(
                f"The application of {self.gardeners[application['gardener_id']]['name']} is {application['status']}."
            )
        self._journal = []
        self._put("applications", application, "status", "withdrawn")
        if self._breaks_rule_2(application):
            return self._take_back(RULES[1])
        return {
            "success": True,
            "message": f"Done: take {self.gardeners[application['gardener_id']]['name']} off the waiting list.",
            "data": self._changes(),
        }

    def release_plot(self, plot_id: str, expelled: bool = False) -> Result:
        """Take a plot back, when it is given up or after three warnings.

        Args:
            plot_id (str): Id of the plot, such as PLOT-00001.
            expelled (bool): Whether the gardener is expelled, which takes three warnings. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        plot = self.plots.get(plot_id)
        if plot is None:
            return _refused(f"There is no plot {plot_id!r}.")
        before = self.gardeners.get(plot["holder_id"])
        if before is None:
            return _refused(f"Nobody holds plot {plot['number']}.")
        if expelled and self._plot_warnings(plot) < 3:
            return _refused(
                f"Plot {plot['number']} has {self._plot_warnings(plot)} open warnings and it takes three."
            )
        self._journal = []
        changed_inspections: list[Any] = []
        for n in [
            n
            for n in sorted(self._inspections_by_plot.get(plot_id, {}).values(), key=_age)
            if n["settled_on"] is None
        ]:
            changed_inspections.append(n)
            self._put("inspections", n, "settled_on", self.now[:10])
        former_holder_id = plot["holder_id"]
        self._put("plots", plot, "holder_id", None)
        for one_gardener in _distinct([self.gardeners.get(plot["holder_id"]), self.gardeners.get(former_holder_id)]):
            if self._breaks_rule_1(one_gardener):
                return self._take_back(RULES[0])
        for one_inspection in _distinct(
            [*changed_inspections, *self._inspections_by_plot.get(plot["id"], {}).values()]
        ):
            if self._breaks_rule_11(one_inspection):
                return self._take_back(RULES[10])
        for one_plot in _distinct([self.plots[one["plot_id"]] for one in changed_inspections]):
            if self._breaks_rule_12(one_plot):
                return self._take_back(RULES[11])
        return {"success": True, "message": f"Done: take back plot {plot['number']}.", "data": self._changes()}

    def announce_work_day(
        self,
        name: Text,
        on: Date,
        lasts: Annotated[int, {"minimum": 1, "maximum": 8}],
        places: Annotated[int, {"minimum": 1, "maximum": 20}],
    ) -> Result:
        """Announce a work day with some places.

        Args:
            name (str): Name of the work day, not in use yet.
            on (str): Day on which the work is done, after today, as YYYY-MM-DD.
            lasts (int): Length of the work in hours, from 1 to 8.
            places (int): Gardeners who can take part, from 1 to 20.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        if self._work_days_by_name.get(name, {}):
            return _refused(f"There is a work day {name} already.")
        if on <= self.now[:10]:
            return _refused(f"A work day is announced ahead of time, not for {on}.")
        self._journal = []
        work_day: WorkDay = {
            "id": self._new_id("work_day", "WD", self.work_days),
            "name": name,
            "on": on,
            "lasts": lasts,
            "places": places,
            "closed": False,
        }
        self._add("work_days", work_day)
        if len(self._work_days_by_name.get(work_day["name"], {})) > 1:
            return self._take_back(f"There is already a work day with the name {work_day['name']!r}.")
        if self._breaks_rule_3(work_day):
            return self._take_back(RULES[2])
        return {
            "success": True,
            "message": f"Done: announce {name} on {on} (new: work day {work_day['id']}).",
            "data": {"work_day_id": work_day["id"], **self._changes()},
        }

    def sign_up(self, work_day_id: str, gardener_id: str) -> Result:
        """Sign a gardener up for a work day.

        Args:
            work_day_id (str): Id of the work day, such as WD-00001.
            gardener_id (str): Id of the gardener, such as GARDENER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        work_day = self.work_days.get(work_day_id)
        if work_day is None:
            return _refused(f"There is no work day {work_day_id!r}.")
        gardener = self.gardeners.get(gardener_id)
        if gardener is None:
            return _refused(f"There is no gardener {gardener_id!r}.")
        if work_day["closed"] or work_day["on"] < self.now[:10]:
            return _refused(f"{work_day['name']} was on {work_day['on']}.")
        if self._spots_by_work_day_gardener.get((work_day_id, gardener_id), {}):
            return _refused(f"{gardener['name']} is on {work_day['name']} already.")
        if self._work_day_taken(work_day) >= work_day["places"]:
            return _refused(f"{work_day['name']} is full.")
        same = next(
            (
                k
                for k in sorted(self._spots_by_gardener.get(gardener_id, {}).values(), key=_age)
                if self.work_days[k["work_day_id"]]["on"] == work_day["on"]
            ),
            None,
        )
        if same is not None:
            return _refused(f"{gardener['name']} is on {self.work_days[same['work_day_id']]['name']} on that day.")
        self._journal = []
        spot: Spot = {
            "id": self._new_id("spot", "SPOT", self.spots),
            "work_day_id": work_day_id,
            "gardener_id": gardener_id,
            "credited": 0,
            "status": "signed",
        }
        self._add("spots", spot)
        if self._breaks_rule_3(self.work_days[spot["work_day_id"]]):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(spot):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(spot):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(spot):
            return self._take_back(RULES[5])
        return {
            "success": True,
            "message": f"Done: sign {gardener['name']} up for {work_day['name']} (new: spot {spot['id']}).",
            "data": {"spot_id": spot["id"], **self._changes()},
        }

    def close_work_day(
        self,
        work_day_id: str,
        absent_ids: Annotated[list[str], {"maxItems": 20}] | None = None,
    ) -> Result:
        """Close a work day; everybody is credited its hours except those who stayed away.

        Args:
            work_day_id (str): Id of the work day, such as WD-00001.
            absent_ids (list): Gardeners signed up for it who stayed away: ids of gardeners, such as
                GARDENER-00001. May be left out.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        work_day = self.work_days.get(work_day_id)
        if work_day is None:
            return _refused(f"There is no work day {work_day_id!r}.")
        absent = []
        for key in absent_ids or []:
            if key not in self.gardeners:
                return _refused(f"There is no gardener {key!r}.")
            absent.append(self.gardeners[key])
        if work_day["closed"]:
            return _refused(f"{work_day['name']} is closed.")
        if work_day["on"] > self.now[:10]:
            return _refused(f"{work_day['name']} is only on {work_day['on']}.")
        if not _different([g["id"] for g in absent]):
            return _refused("Somebody is named twice.")
        odd = next((g for g in absent if not self._spots_by_work_day_gardener.get((work_day_id, g["id"]), {})), None)
        if odd is not None:
            return _refused(f"{odd['name']} was not signed up for {work_day['name']}.")
        self._journal = []
        changed_spots: list[Any] = []
        changed_spots_2: list[Any] = []
        self._put("work_days", work_day, "closed", True)
        for k in sorted(self._spots_by_work_day.get(work_day_id, {}).values(), key=_age):
            if self.gardeners[k["gardener_id"]] in absent:
                if k["status"] not in ("signed", "missed"):
                    return self._take_back(f"Spot {k['id']} cannot go from {k['status']} to missed.")
                changed_spots.append(k)
                self._put("spots", k, "status", "missed")
            else:
                changed_spots_2.append(k)
                self._put("spots", k, "credited", work_day["lasts"])
                if k["status"] not in ("signed", "done"):
                    return self._take_back(f"Spot {k['id']} cannot go from {k['status']} to done.")
                changed_spots.append(k)
                self._put("spots", k, "status", "done")
        for one_spot in _distinct([*changed_spots, *changed_spots_2]):
            if self._breaks_rule_5(one_spot):
                return self._take_back(RULES[4])
        for one_spot in _distinct([*self._spots_by_work_day.get(work_day["id"], {}).values(), *changed_spots]):
            if self._breaks_rule_6(one_spot):
                return self._take_back(RULES[5])
        return {"success": True, "message": f"Done: close {work_day['name']}.", "data": self._changes()}

    def buy_out_hours(self, gardener_id: str, number: Annotated[int, {"minimum": 1, "maximum": 40}]) -> Result:
        """Let a gardener pay for hours that are owed.

        Args:
            gardener_id (str): Id of the gardener, such as GARDENER-00001.
            number (int): Hours that are paid for, at most those owed, from 1 to 40.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        gardener = self.gardeners.get(gardener_id)
        if gardener is None:
            return _refused(f"There is no gardener {gardener_id!r}.")
        if number > self._gardener_owes(gardener):
            return _refused(f"{gardener['name']} owes {self._gardener_owes(gardener)} hours, not {number}.")
        self._journal = []
        bought_out = gardener["bought_out"] + number
        if not 0 <= bought_out <= 200:
            return self._take_back(f"The bought out of {gardener['name']} must be between 0 and 200.")
        self._put("gardeners", gardener, "bought_out", bought_out)
        return {
            "success": True,
            "message": f"Done: buy {number} hours of {gardener['name']} out.",
            "data": self._changes(),
        }

    def lend_tool(self, tool_id: str, gardener_id: str, due_on: Date) -> Result:
        """Lend a tool to a gardener for a week at most.

        Args:
            tool_id (str): Id of the tool, such as TOOL-00001.
            gardener_id (str): Id of the gardener, such as GARDENER-00001.
            due_on (str): Day on which it comes back, within a week from today, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        tool = self.tools.get(tool_id)
        if tool is None:
            return _refused(f"There is no tool {tool_id!r}.")
        gardener = self.gardeners.get(gardener_id)
        if gardener is None:
            return _refused(f"There is no gardener {gardener_id!r}.")
        if tool["broken"]:
            return _refused(f"The {tool['name']} is broken.")
        if self._tool_lent_to(tool) is not None:
            return _refused(f"{self._tool_lent_to(tool)['name']} has the {tool['name']}.")
        if self.now[:10] > due_on or due_on > _plus_days(self.now[:10], 7):
            return _refused(f"Tools come back between {self.now[:10]} and {_plus_days(self.now[:10], 7)}.")
        if tool["motor"] and not gardener["motor_course"]:
            return _refused(f"{gardener['name']} has not done the motor course.")
        if self._bad_debt(gardener):
            return _refused(
                f"{gardener['name']} owes {self._gardener_owes(gardener)} hours; with more than six nobody "
                "borrows tools."
            )
        if self._has_out(gardener) >= 2:
            return _refused(f"{gardener['name']} has two tools already.")
        self._journal = []
        lending: Lending = {
            "id": self._new_id("lending", "LENDING", self.lendings),
            "tool_id": tool_id,
            "gardener_id": gardener_id,
            "lent_on": self.now[:10],
            "due_on": due_on,
            "back_on": None,
        }
        self._add("lendings", lending)
        if self._breaks_rule_7(lending):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(lending):
            return self._take_back(RULES[7])
        for one_lending in _distinct([lending, *self._lendings_by_gardener.get(lending["gardener_id"], {}).values()]):
            if self._breaks_rule_9(one_lending):
                return self._take_back(RULES[8])
        if self._breaks_rule_10(lending):
            return self._take_back(RULES[9])
        if self._breaks_rule_13(lending):
            return self._take_back(RULES[12])
        return {
            "success": True,
            "message": (
                f"Done: lend the {tool['name']} to {gardener['name']} until {due_on} (new: lending {lending['id']})."
            ),
            "data": {"lending_id": lending["id"], **self._changes()},
        }

    def return_tool(self, tool_id: str, broken: bool = False) -> Result:
        """Take a tool back, or note that a broken one works again.

        Args:
            tool_id (str): Id of the tool, such as TOOL-00001.
            broken (bool): Whether the tool is broken. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        tool = self.tools.get(tool_id)
        if tool is None:
            return _refused(f"There is no tool {tool_id!r}.")
        out = self._still_out(tool)
        if out is None and tool["broken"] == broken:
            return _refused(f"The {tool['name']} is in the shed as it was.")
        self._journal = []
        changed_lendings: list[Any] = []
        if out is not None:
            changed_lendings.append(out)
            self._put("lendings", out, "back_on", self.now[:10])
        self._put("tools", tool, "broken", broken)
        for one_lending in _distinct(changed_lendings):
            if self._breaks_rule_7(one_lending):
                return self._take_back(RULES[6])
        for one_lending in _distinct([*changed_lendings, *self._lendings_by_tool.get(tool["id"], {}).values()]):
            if self._breaks_rule_8(one_lending):
                return self._take_back(RULES[7])
        for one_lending in _distinct(
            [
                *changed_lendings,
                *[
                    user
                    for one in [self.gardeners[one["gardener_id"]] for one in changed_lendings]
                    for user in self._lendings_by_gardener.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_9(one_lending):
                return self._take_back(RULES[8])
        return {"success": True, "message": f"Done: book the {tool['name']} into the shed.", "data": self._changes()}

    def inspect_plot(self, plot_id: str, finding: Literal["tidy", "weeds", "rubbish", "unused"]) -> Result:
        """Note how a plot looked; tidy settles its warnings, anything else is a new one.

        Args:
            plot_id (str): Id of the plot, such as PLOT-00001.
            finding (str): How the plot looked, where tidy settles its warnings: tidy, weeds, rubbish or unused.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        plot = self.plots.get(plot_id)
        if plot is None:
            return _refused(f"There is no plot {plot_id!r}.")
        holder = self.gardeners.get(plot["holder_id"])
        if holder is None:
            return _refused(f"Nobody holds plot {plot['number']}.")
        if any(each["seen_on"] == self.now[:10] for each in self._inspections_by_plot.get(plot_id, {}).values()):
            return _refused(f"Plot {plot['number']} was inspected today.")
        if not (
            finding == "tidy"
            or not any(_plus_days(n["seen_on"], 14) > self.now[:10] for n in self._open_warnings(plot))
        ):
            return _refused(
                f"{holder['name']} was warned less than two weeks ago and has until then to put plot "
                f"{plot['number']} right."
            )
        if finding != "tidy" and self._plot_warnings(plot) >= 3:
            return _refused(f"Plot {plot['number']} has three open warnings, so take it back.")
        self._journal = []
        changed_inspections: list[Any] = []
        inspection: Inspection = {
            "id": self._new_id("inspection", "INSPECTION", self.inspections),
            "plot_id": plot_id,
            "holder_id": holder["id"],
            "seen_on": self.now[:10],
            "finding": finding,
            "settled_on": None,
        }
        self._add("inspections", inspection)
        if finding == "tidy":
            for n in list(self._open_warnings(plot)):
                changed_inspections.append(n)
                self._put("inspections", n, "settled_on", self.now[:10])
        for one_inspection in _distinct([inspection, *changed_inspections]):
            if self._breaks_rule_11(one_inspection):
                return self._take_back(RULES[10])
        for one_plot in _distinct(
            [self.plots[inspection["plot_id"]], *[self.plots[one["plot_id"]] for one in changed_inspections]]
        ):
            if self._breaks_rule_12(one_plot):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: note {finding} for plot {plot['number']} (new: inspection {inspection['id']}).",
            "data": {"inspection_id": inspection["id"], **self._changes()},
        }

    def _show_gardener(self, gardener: Gardener) -> dict[str, Any]:
        """The gardener as an answer shows it."""
        return {**gardener, "area": self._gardener_area(gardener), "owes": self._gardener_owes(gardener)}

    def _show_plot(self, plot: Plot) -> dict[str, Any]:
        """The plot as an answer shows it."""
        return {**plot, "warnings": self._plot_warnings(plot)}

    def _show_work_day(self, work_day: WorkDay) -> dict[str, Any]:
        """The work day as an answer shows it."""
        return {**work_day, "taken": self._work_day_taken(work_day)}

    def _show_tool(self, tool: Tool) -> dict[str, Any]:
        """The tool as an answer shows it."""
        return {**tool, "lent_to_id": _id_of(self._tool_lent_to(tool))}

    def _names_of_plots(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that plots point to."""
        return _names((self.gardeners, "name", [row["holder_id"] for row in shown]))

    def _names_of_applications(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that applications point to."""
        return _names((self.gardeners, "name", [row["gardener_id"] for row in shown]))

    def _names_of_spots(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that spots point to."""
        return _names(
            (self.work_days, "name", [row["work_day_id"] for row in shown]),
            (self.gardeners, "name", [row["gardener_id"] for row in shown]),
        )

    def _names_of_tools(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that tools point to."""
        return _names((self.gardeners, "name", [row["lent_to_id"] for row in shown]))

    def _names_of_lendings(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that lendings point to."""
        return _names(
            (self.tools, "name", [row["tool_id"] for row in shown]),
            (self.gardeners, "name", [row["gardener_id"] for row in shown]),
        )

    def _names_of_inspections(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that inspections point to."""
        return _names(
            (self.plots, "number", [row["plot_id"] for row in shown]),
            (self.gardeners, "name", [row["holder_id"] for row in shown]),
        )

    def _gardener_area(self, gardener: Gardener) -> int:
        """The area of a gardener."""
        return sum(p["area"] for p in self._plots_by_holder.get(gardener["id"], {}).values())

    def _gardener_owes(self, gardener: Gardener) -> int:
        """The owes of a gardener."""
        return max(
            0,
            self._gardener_area(gardener) // 7 + 2 * len(self._spots_by_gardener_status.get((gardener["id"], "missed"), {})) - sum(
                k["credited"]
                for k in self._spots_by_gardener.get(gardener["id"], {}).values()
            ) - gardener["bought_out"],
        )

    def _plot_warnings(self, plot: Plot) -> int:
        """The warnings of a plot."""
        return sum(
            1
            for n in self._inspections_by_plot.get(plot["id"], {}).values()
            if n["finding"] != "tidy"
            and n["settled_on"] is None
        )

    def _work_day_taken(self, work_day: WorkDay) -> int:
        """The taken of a work day."""
        return len(self._spots_by_work_day.get(work_day["id"], {}))

    def _tool_lent_to(self, tool: Tool) -> Gardener | None:
        """The lent to of a tool."""
        return next(
            (
                self.gardeners[g["gardener_id"]]
                for g in sorted(self._lendings_by_tool.get(tool["id"], {}).values(), key=_age)
                if g["back_on"] is None
            ),
            None,
        )

    def _suits(self, a: Application, p: Plot) -> bool:
        return (
            a["status"] == "waiting"
            and p["area"] >= a["least_area"]
            and (p["raised"] or not a["raised_only"])
            and self._gardener_area(self.gardeners[a["gardener_id"]]) + p["area"] <= 120
        )

    def _next_for(self, p: Plot) -> Application | None:
        return min(
            (a for a in self.applications.values() if self._suits(a, p)),
            key=lambda a: (a["applied_on"], self.gardeners[a["gardener_id"]]["name"], _age(a)),
            default=None,
        )

    def _still_out(self, t: Tool) -> Lending | None:
        return next(
            (g for g in sorted(self._lendings_by_tool.get(t["id"], {}).values(), key=_age) if g["back_on"] is None),
            None,
        )

    def _has_out(self, g: Gardener) -> int:
        return sum(1 for n in self._lendings_by_gardener.get(g["id"], {}).values() if n["back_on"] is None)

    def _open_warnings(self, p: Plot) -> list[Inspection]:
        return [
            n
            for n in sorted(self._inspections_by_plot.get(p["id"], {}).values(), key=_age)
            if n["finding"] != "tidy"
            and n["settled_on"] is None
        ]

    def _bad_debt(self, g: Gardener) -> bool:
        return self._gardener_owes(g) > 6

    def _breaks_rule_1(self, g: Gardener) -> bool:
        """Whether this is broken: nobody holds more than 120 square metres."""
        return self._gardener_area(g) > 120

    def _breaks_rule_2(self, a: Application) -> bool:
        """Whether this is broken: nobody is on the waiting list twice."""
        return (
            a["status"] == "waiting"
            and any(
                other_a is not a
                for other_a in self._applications_by_gardener_status.get((a["gardener_id"], "waiting"), {}).values()
            )
        )

    def _breaks_rule_3(self, w: WorkDay) -> bool:
        """Whether this is broken: a work day never has more people than places."""
        return self._work_day_taken(w) > w["places"]

    def _breaks_rule_4(self, k: Spot) -> bool:
        """Whether this is broken: nobody is on a work day twice."""
        return any(
            other_k is not k
            for other_k in self._spots_by_work_day_gardener.get((k["work_day_id"], k["gardener_id"]), {}).values()
        )

    def _breaks_rule_5(self, k: Spot) -> bool:
        """Whether this is broken: whoever did their work is credited the hours of the day, and nobody else is."""
        return k["credited"] != (self.work_days[k["work_day_id"]]["lasts"] if k["status"] == "done" else 0)

    def _breaks_rule_6(self, k: Spot) -> bool:
        """Whether this is broken: when a work day is closed it is known of everybody whether they came."""
        return (k["status"] == "signed") == self.work_days[k["work_day_id"]]["closed"]

    def _breaks_rule_7(self, g: Lending) -> bool:
        """Whether this is broken: a tool is lent to one gardener at a time."""
        return (
            g["back_on"] is None
            and any(
                other_g is not g
                for other_g in self._lendings_by_tool.get(g["tool_id"], {}).values()
                if other_g["back_on"] is None
            )
        )

    def _breaks_rule_8(self, g: Lending) -> bool:
        """Whether this is broken: broken tools are not lent."""
        return g["back_on"] is None and self.tools[g["tool_id"]]["broken"]

    def _breaks_rule_9(self, g: Lending) -> bool:
        """Whether this is broken: a gardener has two tools at a time at most."""
        return g["back_on"] is None and self._has_out(self.gardeners[g["gardener_id"]]) > 2

    def _breaks_rule_10(self, g: Lending) -> bool:
        """Whether this is broken: motor tools go only to those who have done the motor course."""
        return self.tools[g["tool_id"]]["motor"] and not self.gardeners[g["gardener_id"]]["motor_course"]

    def _breaks_rule_11(self, n: Inspection) -> bool:
        """Whether this is broken: a warning that is open concerns the one who holds the plot."""
        return (
            n["settled_on"] is None
            and n["finding"] != "tidy"
            and self.plots[n["plot_id"]]["holder_id"] != n["holder_id"]
        )

    def _breaks_rule_12(self, p: Plot) -> bool:
        """Whether this is broken: a plot has three open warnings at most."""
        return self._plot_warnings(p) > 3

    def _breaks_rule_13(self, g: Lending) -> bool:
        """Whether this is broken: a tool is lent for a week at most."""
        return g["lent_on"] > g["due_on"] or g["due_on"] > _plus_days(g["lent_on"], 7)

    def _new_id(self, noun: str, prefix: str, records: dict[str, Any]) -> str:
        """The next id; numbers are never used twice."""
        self._journal.append(("scalar", "counters", noun, self.counters.get(noun)))
        number = self.counters.get(noun, 0) + 1
        while f"{prefix}-{number:05d}" in records:
            number += 1
        self.counters[noun] = number
        return f"{prefix}-{number:05d}"

    def _add(self, container: str, record: Any) -> None:
        """Keep a new record."""
        self._journal.append(("new", container, record["id"]))
        getattr(self, container)[record["id"]] = record
        self._link(container, record)

    def _put(self, container: str, record: Any, field: str, value: Any) -> None:
        """Change one attribute of a record."""
        self._journal.append(("put", container, record["id"], field, record[field]))
        if (container, field) in INDEXED:
            self._unlink(container, record)
            record[field] = value
            self._link(container, record)
        else:
            record[field] = value

    def _changes(self) -> dict[str, Any]:
        """What this call has done: new records, what is new of others, and which are gone; at most twenty records."""
        before: dict[tuple[str, str], dict[str, Any] | None] = {}
        for kind, container, key, *rest in self._journal:
            if kind == "new":
                before[container, key] = None
            elif kind != "scalar":
                known = before.setdefault((container, key), {})
                if kind == "put" and known is not None:
                    known.setdefault(rest[0], rest[1])
        changed: dict[str, list[Any]] = {}
        deleted: dict[str, list[str]] = {}
        told = 0
        for (container, key), fields in before.items():
            record = getattr(self, container).get(key)
            if record is None:
                shown = None
            elif fields is None:
                shown = {name: value for name, value in record.items() if value is not None}
            else:
                shown = {name: record[name] for name, value in fields.items() if record[name] != value}
                if not shown:
                    continue
                shown = {"id": key, **{name: record[name] for name in LABELS[container]}, **shown}
            if record is None and fields is None:
                continue
            told += 1
            if told > 20:
                continue
            if shown is None:
                deleted.setdefault(container, []).append(key)
            else:
                changed.setdefault(container, []).append(shown)
        answer: dict[str, Any] = {"changed": changed} if changed else {}
        if deleted:
            answer["deleted"] = deleted
        if told > 20:
            answer["more"] = told - 20
        return answer

    def _take_back(self, error: str) -> Result:
        """Undo what this call has written so far, and refuse it."""
        journal, self._journal = self._journal, []
        self._undo(journal)
        return _refused(error)

    def _undo(self, journal: list[tuple[Any, ...]]) -> None:
        """Take writes back, the latest first."""
        for kind, container, key, *rest in reversed(journal):
            records = getattr(self, container)
            if kind == "new":
                self._unlink(container, records.pop(key))
            elif kind == "put":
                field, value = rest
                self._unlink(container, records[key])
                records[key][field] = value
                self._link(container, records[key])
            elif kind == "delete":
                self._link(container, rest[0])
                setattr(self, container, dict(sorted({**records, key: rest[0]}.items(), key=lambda pair: _age(pair[1]))))
            elif key is None:
                setattr(self, container, rest[0])
            elif rest[0] is None:
                del records[key]
            else:
                records[key] = rest[0]

    def _link(self, container: str, record: Any) -> None:
        """Enter a record where it can be found by its attributes."""
        match container:
            case "gardeners":
                self._gardeners_by_name.setdefault(record["name"], {})[record["id"]] = record
            case "plots":
                self._plots_by_holder.setdefault(record["holder_id"], {})[record["id"]] = record
            case "applications":
                self._applications_by_gardener_status.setdefault(
                    (record["gardener_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._applications_by_status.setdefault(record["status"], {})[record["id"]] = record
            case "work_days":
                self._work_days_by_name.setdefault(record["name"], {})[record["id"]] = record
            case "spots":
                self._spots_by_gardener.setdefault(record["gardener_id"], {})[record["id"]] = record
                self._spots_by_gardener_status.setdefault(
                    (record["gardener_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._spots_by_work_day.setdefault(record["work_day_id"], {})[record["id"]] = record
                self._spots_by_work_day_gardener.setdefault(
                    (record["work_day_id"], record["gardener_id"]),
                    {},
                )[record["id"]] = record
            case "lendings":
                self._lendings_by_gardener.setdefault(record["gardener_id"], {})[record["id"]] = record
                self._lendings_by_tool.setdefault(record["tool_id"], {})[record["id"]] = record
            case "inspections":
                self._inspections_by_plot.setdefault(record["plot_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "gardeners":
                del self._gardeners_by_name[record["name"]][record["id"]]
            case "plots":
                del self._plots_by_holder[record["holder_id"]][record["id"]]
            case "applications":
                del self._applications_by_gardener_status[record["gardener_id"], record["status"]][record["id"]]
                del self._applications_by_status[record["status"]][record["id"]]
            case "work_days":
                del self._work_days_by_name[record["name"]][record["id"]]
            case "spots":
                del self._spots_by_gardener[record["gardener_id"]][record["id"]]
                del self._spots_by_gardener_status[record["gardener_id"], record["status"]][record["id"]]
                del self._spots_by_work_day[record["work_day_id"]][record["id"]]
                del self._spots_by_work_day_gardener[record["work_day_id"], record["gardener_id"]][record["id"]]
            case "lendings":
                del self._lendings_by_gardener[record["gardener_id"]][record["id"]]
                del self._lendings_by_tool[record["tool_id"]][record["id"]]
            case "inspections":
                del self._inspections_by_plot[record["plot_id"]][record["id"]]
