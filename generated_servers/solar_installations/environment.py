"""Solar installations. Compiled from blueprint.yaml; run `envscaler build solar_installations` after changing it there.

Takes rooftop solar projects from the enquiry through survey, string design, approvals, material and crews to
the day they feed in.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from fractions import Fraction
from math import ceil
from math import floor
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Date = Annotated[str, {"format": "date"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "The panels of a roof face never need more room than it has.",
    "Every string stays within the voltage window of its inverter, in frost too.",
    "An inverter has no more strings than inputs.",
    "The panels of a project have at most 120 percent of what the inverter can take.",
    "A design that was submitted has at least one string.",
    "A project is cleared only with the approval of the grid operator, and on a monument with that of the heritage office.",
    "A cleared project never has more power than the grid operator allows.",
    "A project has one approval of a kind that is asked for or granted.",
    "Never more panels or inverters are set aside than lie in the store.",
    "A scheduled project has its material set aside and one planned visit, and no other project has a visit ahead.",
    "A crew works on one roof at a time.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "record_survey",
    "choose_kit",
    "lay_string",
    "submit_design",
    "decide_approval",
    "receive_goods",
    "allocate_material",
    "book_crew",
    "complete_work",
    "commission_plant",
    "drop_project",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "projects": ("customer",),
    "faces": (),
    "panel_strings": (),
    "panels": ("name",),
    "inverters": ("name",),
    "approvals": (),
    "crews": ("name",),
    "visits": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("approvals", "kind"),
    ("approvals", "project_id"),
    ("approvals", "status"),
    ("faces", "project_id"),
    ("panel_strings", "face_id"),
    ("projects", "inverter_id"),
    ("projects", "panel_id"),
    ("projects", "status"),
    ("visits", "crew_id"),
    ("visits", "project_id"),
    ("visits", "status"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Project(TypedDict):
    id: str
    customer: str
    heritage: bool
    asked_on: str
    panel_id: str | None
    inverter_id: str | None
    feed_limit: int | None
    price: int | None
    allocated: bool
    status: Literal["enquiry", "surveyed", "dropped", "submitted", "cleared", "scheduled", "built", "running"]


class Face(TypedDict):
    id: str
    project_id: str
    facing: Literal["south", "east", "west", "flat"]
    area: int


class PanelString(TypedDict):
    id: str
    face_id: str
    panels: int


class Panel(TypedDict):
    id: str
    name: str
    watts: int
    volts: int
    area: int
    stock: int


class Inverter(TypedDict):
    id: str
    name: str
    watts: int
    inputs: int
    least_volts: int
    most_volts: int
    stock: int


class Approval(TypedDict):
    id: str
    project_id: str
    kind: Literal["grid", "monument"]
    asked_on: str
    status: Literal["asked", "granted", "refused", "void"]


class Crew(TypedDict):
    id: str
    name: str
    panels_a_day: int
    electrician: bool


class Visit(TypedDict):
    id: str
    project_id: str
    crew_id: str
    starts: str
    days: int
    status: Literal["planned", "done", "cancelled"]


class RecordSurveyFace(TypedDict):
    facing: Literal["south", "east", "west", "flat"]
    area: Annotated[int, {"minimum": 100, "maximum": 20000}]


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


def _distinct(records: Iterable[Any]) -> list[Any]:
    """Each record once."""
    return list({record["id"]: record for record in records if record is not None}.values())


def _money(cents: int) -> str:
    """An amount as people write it: 120.50."""
    whole, rest = divmod(abs(cents), 100)
    return f"{'-' if cents < 0 else ''}{whole:,}.{rest:02d}"


def _different(keys: list[Any]) -> bool:
    """Whether no two are the same."""
    return len(set(keys)) == len(keys)


def _plus_days(day: str, days: int) -> str:
    """The date so many days later; the calendar ends where Python's does."""
    ordinal = date.fromisoformat(day).toordinal() + days
    return date.fromordinal(min(max(ordinal, 1), date.max.toordinal())).isoformat()


def _overlap(start: Any, end: Any, other_start: Any, other_end: Any) -> bool:
    """Whether two stretches share a moment; one may begin when the other ends."""
    return bool(start < other_end and other_start < end)


def _those(records: dict[str, Any], keys: Iterable[Any]) -> list[Any]:
    """The records of these ids, each once, oldest first."""
    return sorted((records[key] for key in set(keys) if key in records), key=_age)


class SolarInstallations:
    """Takes rooftop solar projects from the enquiry through survey, string design, approvals, material and
    crews to the day they feed in.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.projects: dict[str, Project] = _copied(config.get("projects", {}))
        self.faces: dict[str, Face] = _copied(config.get("faces", {}))
        self.panel_strings: dict[str, PanelString] = _copied(config.get("panel_strings", {}))
        self.panels: dict[str, Panel] = _copied(config.get("panels", {}))
        self.inverters: dict[str, Inverter] = _copied(config.get("inverters", {}))
        self.approvals: dict[str, Approval] = _copied(config.get("approvals", {}))
        self.crews: dict[str, Crew] = _copied(config.get("crews", {}))
        self.visits: dict[str, Visit] = _copied(config.get("visits", {}))
        self.now: str = config.get("now", "2026-04-14T08:00")
        self.counters: dict[str, int] = {
            "project": len(self.projects),
            "face": len(self.faces),
            "panel_string": len(self.panel_strings),
            "panel": len(self.panels),
            "inverter": len(self.inverters),
            "approval": len(self.approvals),
            "crew": len(self.crews),
            "visit": len(self.visits),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._projects_by_inverter: dict[Any, dict[str, Project]] = {}
        self._projects_by_panel: dict[Any, dict[str, Project]] = {}
        self._projects_by_status: dict[Any, dict[str, Project]] = {}
        self._faces_by_project: dict[Any, dict[str, Face]] = {}
        self._panel_strings_by_face: dict[Any, dict[str, PanelString]] = {}
        self._approvals_by_project: dict[Any, dict[str, Approval]] = {}
        self._approvals_by_project_kind: dict[Any, dict[str, Approval]] = {}
        self._approvals_by_project_kind_status: dict[Any, dict[str, Approval]] = {}
        self._approvals_by_project_status: dict[Any, dict[str, Approval]] = {}
        self._visits_by_crew_status: dict[Any, dict[str, Visit]] = {}
        self._visits_by_project_status: dict[Any, dict[str, Visit]] = {}
        for project in self.projects.values():
            self._link("projects", project)
        for face in self.faces.values():
            self._link("faces", face)
        for panel_string in self.panel_strings.values():
            self._link("panel_strings", panel_string)
        for approval in self.approvals.values():
            self._link("approvals", approval)
        for visit in self.visits.values():
            self._link("visits", visit)

    def string_window(self, panel_id: str, inverter_id: str) -> Result:
        """How few panels a string may have with an inverter and how many, with twelve percent more volts in frost,
        and how many panels it takes in all.

        Args:
            panel_id (str): Id of the panel, such as PANEL-00001.
            inverter_id (str): Id of the inverter, such as INVERTER-00001.

        Returns:
            dict: {"success": True, "data": {fewest, most, strings, panels_in_all}} or {"success": False, "error":
                why not}
        """
        panel = self.panels.get(panel_id)
        if panel is None:
            return _refused(f"There is no panel {panel_id!r}.")
        inverter = self.inverters.get(inverter_id)
        if inverter is None:
            return _refused(f"There is no inverter {inverter_id!r}.")
        if panel["volts"] <= 0 or panel["watts"] <= 0:
            return _refused(f"{panel['name']} has no data sheet.")
        return _found(
            {
                "fewest": ceil(Fraction(inverter["least_volts"], panel["volts"])),
                "most": self._longest(panel, inverter),
                "strings": inverter["inputs"],
                "panels_in_all": floor(Fraction(Fraction(inverter["watts"] * 6, 5), panel["watts"])),
            }
        )

    def roofs_to_design(
        self,
        heritage: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Surveyed projects without an approval asked for, the oldest enquiry first, with what the grid operator
        allows.

        Args:
            heritage (bool, optional): Whether the building is a monument. If left out, monuments and other
                buildings are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "projects": records}} or {"success": False, "error": why
                not}
        """
        found = [
            p
            for p in self._projects_by_status.get("surveyed", {}).values()
            if (heritage is None or p["heritage"] == heritage)
        ]
        found.sort(key=lambda p: (p["asked_on"], p["customer"], _age(p)))
        shown = [
            {
                "id": p["id"],
                "customer": p["customer"],
                "asked_on": p["asked_on"],
                "faces": len(self._faces_of(p)),
                "panel": p["panel_id"],
                "inverter": p["inverter_id"],
                "watts": self._project_watts(p),
                "feed_limit": p["feed_limit"],
            }
            for p in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "projects": shown},
            _names(
                (self.panels, "name", [row["panel"] for row in shown]),
                (self.inverters, "name", [row["inverter"] for row in shown]),
            ),
        )

    def ready_for_material(
        self,
        complete: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Cleared projects without material, with what is needed and what is free.

        Args:
            complete (bool, optional): Whether all panels and the inverter are free in the store. If left out,
                projects with and without enough material are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "projects": records}} or {"success": False, "error": why
                not}
        """
        found = [
            p
            for p in self.projects.values()
            if (p["status"] == "cleared" and not p["allocated"])
            and (complete is None or self._in_store(p) == complete)
        ]
        found.sort(key=lambda p: (-self._project_watts(p), p["customer"], _age(p)))
        shown = [
            {
                "id": p["id"],
                "customer": p["customer"],
                "watts": self._project_watts(p),
                "panel": p["panel_id"],
                "panels": self._project_panels(p),
                "panels_free": self._panel_free(self.panels[p["panel_id"]]) if p["panel_id"] is not None else 0,
                "inverter": p["inverter_id"],
                "inverters_free": self._inverter_free(
                    self.inverters[p["inverter_id"]]
                ) if p["inverter_id"] is not None else 0,
            }
            for p in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "projects": shown},
            _names(
                (self.panels, "name", [row["panel"] for row in shown]),
                (self.inverters, "name", [row["inverter"] for row in shown]),
            ),
        )

    def list_projects(
        self,
        customer: Text | None = None,
        heritage: bool | None = None,
        panel_id: str | None = None,
        inverter_id: str | None = None,
        allocated: bool | None = None,
        status: Literal[
            "enquiry",
            "surveyed",
            "dropped",
            "submitted",
            "cleared",
            "scheduled",
            "built",
            "running",
        ] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the projects, oldest first, all of them or only some.

        Args:
            customer (str, optional): Only projects whose customer contains this text.
            heritage (bool, optional): Only projects with this value of `heritage`.
            panel_id (str, optional): Only projects of this panel.
            inverter_id (str, optional): Only projects of this inverter.
            allocated (bool, optional): Only projects that are allocated (true) or not (false).
            status (str, optional): Only projects with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "projects": records}}
        """
        if panel_id is not None and panel_id not in self.panels:
            return _refused(f"There is no panel {panel_id!r}.")
        if inverter_id is not None and inverter_id not in self.inverters:
            return _refused(f"There is no inverter {inverter_id!r}.")
        found = [
            project
            for project in self.projects.values()
            if (customer is None or customer.casefold() in project["customer"].casefold())
            and (heritage is None or project["heritage"] == heritage)
            and (panel_id is None or project["panel_id"] == panel_id)
            and (inverter_id is None or project["inverter_id"] == inverter_id)
            and (allocated is None or project["allocated"] == allocated)
            and (status is None or project["status"] == status)
        ]
        shown = [self._show_project(project) for project in _page(found, offset)]
        return _found({"total": len(found), "projects": shown}, self._names_of_projects(shown))

    def list_faces(
        self,
        project_id: str | None = None,
        facing: Literal["south", "east", "west", "flat"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the faces, oldest first, all of them or only some.

        Args:
            project_id (str, optional): Only faces of this project.
            facing (str, optional): Only faces with this facing.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "faces": records}}
        """
        if project_id is not None and project_id not in self.projects:
            return _refused(f"There is no project {project_id!r}.")
        found = [
            face
            for face in self.faces.values()
            if (project_id is None or face["project_id"] == project_id)
            and (facing is None or face["facing"] == facing)
        ]
        shown = [{**face} for face in _page(found, offset)]
        return _found({"total": len(found), "faces": shown}, self._names_of_faces(shown))

    def list_panel_strings(
        self,
        face_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the panel strings, oldest first, all of them or only some.

        Args:
            face_id (str, optional): Only panel strings of this face.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "panel_strings": records}}
        """
        if face_id is not None and face_id not in self.faces:
            return _refused(f"There is no face {face_id!r}.")
        found = [
            panel_string
            for panel_string in self.panel_strings.values()
            if (face_id is None or panel_string["face_id"] == face_id)
        ]
        return _found(
            {"total": len(found), "panel_strings": [{**panel_string} for panel_string in _page(found, offset)]}
        )

    def list_panels(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the panels, oldest first, all of them or only some.

        Args:
            name (str, optional): Only panels whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "panels": records}}
        """
        found = [
            panel
            for panel in self.panels.values()
            if (name is None or name.casefold() in panel["name"].casefold())
        ]
        return _found({"total": len(found), "panels": [self._show_panel(panel) for panel in _page(found, offset)]})

    def list_inverters(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the inverters, oldest first, all of them or only some.

        Args:
            name (str, optional): Only inverters whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "inverters": records}}
        """
        found = [
            inverter
            for inverter in self.inverters.values()
            if (name is None or name.casefold() in inverter["name"].casefold())
        ]
        return _found(
            {"total": len(found), "inverters": [self._show_inverter(inverter) for inverter in _page(found, offset)]}
        )

    def list_approvals(
        self,
        project_id: str | None = None,
        kind: Literal["grid", "monument"] | None = None,
        status: Literal["asked", "granted", "refused", "void"] | None = None,
        asked_on_from: Date | None = None,
        asked_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the approvals, oldest first, all of them or only some.

        Args:
            project_id (str, optional): Only approvals of this project.
            kind (str, optional): Only approvals with this kind.
            status (str, optional): Only approvals with this status.
            asked_on_from (str, optional): Only approvals whose `asked_on` is on this day or later.
            asked_on_to (str, optional): Only approvals whose `asked_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "approvals": records}}
        """
        if project_id is not None and project_id not in self.projects:
            return _refused(f"There is no project {project_id!r}.")
        found = [
            approval
            for approval in self.approvals.values()
            if (project_id is None or approval["project_id"] == project_id)
            and (kind is None or approval["kind"] == kind)
            and (status is None or approval["status"] == status)
            and (asked_on_from is None or approval["asked_on"] >= asked_on_from)
            and (asked_on_to is None or approval["asked_on"] <= asked_on_to)
        ]
        shown = [{**approval} for approval in _page(found, offset)]
        return _found({"total": len(found), "approvals": shown}, self._names_of_approvals(shown))

    def list_crews(
        self,
        name: Text | None = None,
        electrician: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the crews, oldest first, all of them or only some.

        Args:
            name (str, optional): Only crews whose name contains this text.
            electrician (bool, optional): Only crews with this value of `electrician`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "crews": records}}
        """
        found = [
            crew
            for crew in self.crews.values()
            if (name is None or name.casefold() in crew["name"].casefold())
            and (electrician is None or crew["electrician"] == electrician)
        ]
        return _found({"total": len(found), "crews": [{**crew} for crew in _page(found, offset)]})

    def list_visits(
        self,
        project_id: str | None = None,
        crew_id: str | None = None,
        status: Literal["planned", "done", "cancelled"] | None = None,
        starts_from: Date | None = None,
        starts_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the visits, oldest first, all of them or only some.

        Args:
            project_id (str, optional): Only visits of this project.
            crew_id (str, optional): Only visits of this crew.
            status (str, optional): Only visits with this status.
            starts_from (str, optional): Only visits whose `starts` is on this day or later.
            starts_to (str, optional): Only visits whose `starts` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "visits": records}}
        """
        if project_id is not None and project_id not in self.projects:
            return _refused(f"There is no project {project_id!r}.")
        if crew_id is not None and crew_id not in self.crews:
            return _refused(f"There is no crew {crew_id!r}.")
        found = [
            visit
            for visit in self.visits.values()
            if (project_id is None or visit["project_id"] == project_id)
            and (crew_id is None or visit["crew_id"] == crew_id)
            and (status is None or visit["status"] == status)
            and (starts_from is None or visit["starts"] >= starts_from)
            and (starts_to is None or visit["starts"] <= starts_to)
        ]
        shown = [{**visit} for visit in _page(found, offset)]
        return _found({"total": len(found), "visits": shown}, self._names_of_visits(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def record_survey(self, project_id: str, faces: Annotated[list[RecordSurveyFace], {"maxItems": 20}]) -> Result:
        """Record the roof faces found in a survey, with their usable area in square decimetres.

        Args:
            project_id (str): Id of the project, such as PROJECT-00001.
            faces (list): One entry for each usable roof face, each direction once: facing: direction of the face,
                or flat for a flat roof: south, east, west or flat; area: usable area in square decimetres, from
                100 to 20000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        project = self.projects.get(project_id)
        if project is None:
            return _refused(f"There is no project {project_id!r}.")
        if project["status"] != "enquiry":
            return _refused(f"The project of {project['customer']} is {project['status']}, so the survey is done.")
        if not (len(faces) > 0 and _different([f["facing"] for f in faces])):
            return _refused("Name at least one face, and each direction once.")
        self._journal = []
        added_faces: list[Any] = []
        for f in list(faces):
            face = {
                "id": self._new_id("face", "FACE", self.faces),
                "project_id": project_id,
                "facing": f["facing"],
                "area": f["area"],
            }
            self._add("faces", face)
            added_faces.append(face)
        self._put("projects", project, "status", "surveyed")
        for one_face in _distinct(added_faces):
            if self._breaks_rule_1(one_face):
                return self._take_back(RULES[0])
        if self._breaks_rule_5(project):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(project):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(project):
            return self._take_back(RULES[6])
        if self._breaks_rule_10_p(project):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: record the survey for {project['customer']}.",
            "data": self._changes(),
        }

    def choose_kit(self, project_id: str, panel_id: str, inverter_id: str) -> Result:
        """Choose the panel and the inverter of a surveyed project; strings laid so far are wiped out.

        Args:
            project_id (str): Id of the project, such as PROJECT-00001.
            panel_id (str): Id of the panel, such as PANEL-00001.
            inverter_id (str): Id of the inverter, such as INVERTER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        project = self.projects.get(project_id)
        if project is None:
            return _refused(f"There is no project {project_id!r}.")
        panel = self.panels.get(panel_id)
        if panel is None:
            return _refused(f"There is no panel {panel_id!r}.")
        inverter = self.inverters.get(inverter_id)
        if inverter is None:
            return _refused(f"There is no inverter {inverter_id!r}.")
        if project["status"] != "surveyed":
            return _refused(
                f"The project of {project['customer']} is {project['status']}, so its kit is not changed."
            )
        if panel_id == project["panel_id"] and inverter_id == project["inverter_id"]:
            return _refused(f"{project['customer']} has that kit already.")
        self._journal = []
        deleted_panel_strings: list[Any] = []
        for s in list(self._strings_of(project)):
            if s["id"] in self.panel_strings:
                self._remove("panel_strings", s)
            deleted_panel_strings.append(s)
        former_panel_id = project["panel_id"]
        self._put("projects", project, "panel_id", panel_id)
        former_inverter_id = project["inverter_id"]
        self._put("projects", project, "inverter_id", inverter_id)
        for one_face in _distinct(
            [
                *[self.faces[one["face_id"]] for one in deleted_panel_strings],
                *self._faces_by_project.get(project["id"], {}).values(),
            ]
        ):
            if self._breaks_rule_1(one_face):
                return self._take_back(RULES[0])
        for one_panel_string in _distinct(
            [
                user
                for one in self._faces_by_project.get(project["id"], {}).values()
                for user in self._panel_strings_by_face.get(one["id"], {}).values()
            ]
        ):
            if one_panel_string["id"] in self.panel_strings and self._breaks_rule_2(one_panel_string):
                return self._take_back(RULES[1])
        for one_project in _distinct(
            [
                project,
                *[
                    self.projects[one["project_id"]]
                    for one in [self.faces[one["face_id"]] for one in deleted_panel_strings]
                ],
            ]
        ):
            if self._breaks_rule_3(one_project):
                return self._take_back(RULES[2])
        for one_project in _distinct(
            [
                project,
                *[
                    self.projects[one["project_id"]]
                    for one in [self.faces[one["face_id"]] for one in deleted_panel_strings]
                ],
            ]
        ):
            if self._breaks_rule_4(one_project):
                return self._take_back(RULES[3])
        for one_project in _distinct(
            [
                self.projects[one["project_id"]]
                for one in [self.faces[one["face_id"]] for one in deleted_panel_strings]
            ]
        ):
            if self._breaks_rule_5(one_project):
                return self._take_back(RULES[4])
        for one_project in _distinct(
            [
                project,
                *[
                    self.projects[one["project_id"]]
                    for one in [self.faces[one["face_id"]] for one in deleted_panel_strings]
                ],
            ]
        ):
            if self._breaks_rule_7(one_project):
                return self._take_back(RULES[6])
        for one_panel in _distinct(
            [
                self.panels.get(project["panel_id"]),
                self.panels.get(former_panel_id),
                *[
                    self.panels.get(one["panel_id"])
                    for one in [
                        self.projects[one["project_id"]]
                        for one in [self.faces[one["face_id"]] for one in deleted_panel_strings]
                    ]
                ],
            ]
        ):
            if self._breaks_rule_9_p(one_panel):
                return self._take_back(RULES[8])
        for one_inverter in _distinct(
            [self.inverters.get(project["inverter_id"]), self.inverters.get(former_inverter_id)]
        ):
            if self._breaks_rule_9_i(one_inverter):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: choose {panel['name']} with {inverter['name']} for {project['customer']}.",
            "data": self._changes(),
        }

    def lay_string(
        self,
        face_id: str,
        panels: Annotated[int, {"minimum": 2, "maximum": 40}],
        instead_of_id: str | None = None,
    ) -> Result:
        """Lay a string of panels on a roof face, in the place of another string where one is named.

        Args:
            face_id (str): Id of the face, such as FACE-00001.
            panels (int): Panels in the string, from 2 to 40.
            instead_of_id (str, optional): String on the same customer's roof that is removed for it; an id such as
                PS-00001. If left out, the string is added to those there.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        face = self.faces.get(face_id)
        if face is None:
            return _refused(f"There is no face {face_id!r}.")
        instead_of = self.panel_strings.get(instead_of_id) if instead_of_id is not None else None
        if instead_of_id is not None and instead_of is None:
            return _refused(f"There is no panel string {instead_of_id!r}.")
        project = self.projects[face["project_id"]]
        if project["status"] != "surveyed":
            return _refused(
                f"The project of {project['customer']} is {project['status']}, so its strings are not changed."
            )
        panel = self.panels.get(project["panel_id"])
        inverter = self.inverters.get(project["inverter_id"])
        if panel is None or inverter is None:
            return _refused(f"Choose the kit for {project['customer']} first.")
        if instead_of_id is not None and self.faces[instead_of["face_id"]]["project_id"] != project["id"]:
            return _refused("The string to be replaced is on another roof.")
        if not self._fits_volts(panels, panel, inverter):
            return _refused(
                f"{panels} panels give {panels * panel['volts']} volts, in frost "
                f"{panels * panel['volts'] * 112 // 100}, and {inverter['name']} wants {inverter['least_volts']} "
                f"to {inverter['most_volts']}."
            )
        gone = sum(s["panels"] for s in _those(self.panel_strings, [instead_of_id]))
        gone_here = sum(s["panels"] for s in _those(self.panel_strings, [instead_of_id]) if s["face_id"] == face_id)
        if (panels - gone_here) * panel["area"] > self._left_on(face, panel):
            return _refused(f"The {face['facing']} face has no room for that.")
        if len(self._strings_of(project)) - (0 if instead_of_id is None else 1) >= inverter["inputs"]:
            return _refused(f"{inverter['name']} has {inverter['inputs']} inputs, and all of them are used.")
        if (self._project_panels(project) - gone + panels) * panel["watts"] * 100 > inverter["watts"] * 120:
            return _refused(f"That would be more than 120 percent of {inverter['watts']} watts.")
        self._journal = []
        deleted_panel_strings: list[Any] = []
        for s in _those(self.panel_strings, [instead_of_id]):
            if s["id"] in self.panel_strings:
                self._remove("panel_strings", s)
            deleted_panel_strings.append(s)
        panel_string: PanelString = {
            "id": self._new_id("panel_string", "PS", self.panel_strings),
            "face_id": face_id,
            "panels": panels,
        }
        self._add("panel_strings", panel_string)
        for one_face in _distinct(
            [self.faces[panel_string["face_id"]], *[self.faces[one["face_id"]] for one in deleted_panel_strings]]
        ):
            if self._breaks_rule_1(one_face):
                return self._take_back(RULES[0])
        for one_panel_string in _distinct([panel_string]):
            if one_panel_string["id"] in self.panel_strings and self._breaks_rule_2(one_panel_string):
                return self._take_back(RULES[1])
        for one_project in _distinct(
            [
                self.projects[self.faces[panel_string["face_id"]]["project_id"]],
                *[
                    self.projects[one["project_id"]]
                    for one in [self.faces[one["face_id"]] for one in deleted_panel_strings]
                ],
            ]
        ):
            if self._breaks_rule_3(one_project):
                return self._take_back(RULES[2])
        for one_project in _distinct(
            [
                self.projects[self.faces[panel_string["face_id"]]["project_id"]],
                *[
                    self.projects[one["project_id"]]
                    for one in [self.faces[one["face_id"]] for one in deleted_panel_strings]
                ],
            ]
        ):
            if self._breaks_rule_4(one_project):
                return self._take_back(RULES[3])
        for one_project in _distinct(
            [
                self.projects[self.faces[panel_string["face_id"]]["project_id"]],
                *[
                    self.projects[one["project_id"]]
                    for one in [self.faces[one["face_id"]] for one in deleted_panel_strings]
                ],
            ]
        ):
            if self._breaks_rule_5(one_project):
                return self._take_back(RULES[4])
        for one_project in _distinct(
            [
                self.projects[self.faces[panel_string["face_id"]]["project_id"]],
                *[
                    self.projects[one["project_id"]]
                    for one in [self.faces[one["face_id"]] for one in deleted_panel_strings]
                ],
            ]
        ):
            if self._breaks_rule_7(one_project):
                return self._take_back(RULES[6])
        for one_panel in _distinct(
            [
                self.panels.get(self.projects[self.faces[panel_string["face_id"]]["project_id"]]["panel_id"]),
                *[
                    self.panels.get(one["panel_id"])
                    for one in [
                        self.projects[one["project_id"]]
                        for one in [self.faces[one["face_id"]] for one in deleted_panel_strings]
                    ]
                ],
            ]
        ):
            if self._breaks_rule_9_p(one_panel):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: lay {panels} panels on the {face['facing']} face of "
                f"{self.projects[face['project_id']]['customer']} (new: panel string {panel_string['id']})."
            ),
            "data": {"panel_string_id": panel_string["id"], **self._changes()},
        }

    def submit_design(
        self,
        project_id: str,
        price: Annotated[int, {"minimum": 100000, "maximum": 20000000}] | None = None,
    ) -> Result:
        """Submit a finished design, for which the customer has signed the offer at a price, to the grid operator, and
        for a monument to the heritage office as well; a design that is submitted again keeps its price unless
        another is named.

        Args:
            project_id (str): Id of the project, such as PROJECT-00001.
            price (int, optional): Price the customer has signed for, required the first time, in cents, from
                100000 to 20000000. If left out, the price of the earlier offer stands.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        project = self.projects.get(project_id)
        if project is None:
            return _refused(f"There is no project {project_id!r}.")
        if project["status"] != "surveyed":
            return _refused(f"The project of {project['customer']} is {project['status']}.")
        if self._project_panels(project) <= 0:
            return _refused(f"The roof of {project['customer']} has no string yet.")
        if price is None and project["price"] is None:
            return _refused(f"{project['customer']} has signed no offer yet, so name the price that was signed for.")
        if project["feed_limit"] is not None and self._project_watts(project) > project["feed_limit"]:
            return _refused(
                f"{self._project_watts(project)} watts are more than the {project['feed_limit']} that the grid "
                "operator allows."
            )
        self._journal = []
        added_approvals: list[Any] = []
        approval: Approval = {
            "id": self._new_id("approval", "APPROVAL", self.approvals),
            "project_id": project_id,
            "kind": "grid",
            "asked_on": self.now[:10],
            "status": "asked",
        }
        self._add("approvals", approval)
        if project["heritage"]:
            new_approval = {
                "id": self._new_id("approval", "APPROVAL", self.approvals),
                "project_id": project_id,
                "kind": "monument",
                "asked_on": self.now[:10],
                "status": "asked",
            }
            self._add("approvals", new_approval)
            added_approvals.append(new_approval)
        new_price = price if price is not None else project["price"]
        if new_price is not None and not 100000 <= new_price <= 20000000:
            return self._take_back(f"The price of {project['customer']} must be between 1,000.00 and 200,000.00.")
        self._put("projects", project, "price", new_price)
        self._put("projects", project, "status", "submitted")
        if self._breaks_rule_5(project):
            return self._take_back(RULES[4])
        for one_project in _distinct(
            [
                self.projects[approval["project_id"]],
                project,
                *[self.projects[one["project_id"]] for one in added_approvals],
            ]
        ):
            if self._breaks_rule_6(one_project):
                return self._take_back(RULES[5])
        if self._breaks_rule_7(project):
            return self._take_back(RULES[6])
        for one_approval in _distinct([approval, *added_approvals]):
            if self._breaks_rule_8(one_approval):
                return self._take_back(RULES[7])
        if self._breaks_rule_10_p(project):
            return self._take_back(RULES[9])
        done = f"submit the design for {project['customer']}"
        if price is not None:
            done += f" at {_money(price)}"
        return {
            "success": True,
            "message": f"Done: {done} (new: approval {approval['id']}).",
            "data": {"approval_id": approval["id"], **self._changes()},
        }

    def decide_approval(
        self,
        approval_id: str,
        granted: bool,
        limit_watts: Annotated[int, {"minimum": 500, "maximum": 60000}] | None = None,
    ) -> Result:
        """Enter the decision about an approval, for the grid with the watts that may be fed in; a design that may not
        be built goes back to the designer.

        Args:
            approval_id (str): Id of the approval, such as APPROVAL-00001.
            granted (bool): Whether the grid operator or the heritage office approves.
            limit_watts (int, optional): Watts that may be fed in, named exactly where a grid approval is granted,
                from 500 to 60000. If left out, no limit is entered.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        approval = self.approvals.get(approval_id)
        if approval is None:
            return _refused(f"There is no approval {approval_id!r}.")
        project = self.projects[approval["project_id"]]
        if approval["status"] != "asked":
            return _refused(f"The {approval['kind']} approval for {project['customer']} is {approval['status']}.")
        if granted and approval["kind"] != "monument" and limit_watts is None:
            return _refused("The grid operator always names the watts that may be fed in.")
        if not (limit_watts is None or granted and approval["kind"] == "grid"):
            return _refused("Only a granted grid approval comes with a limit.")
        self._journal = []
        changed_approvals: list[Any] = []
        changed_projects: list[Any] = []
        changed_projects_2: list[Any] = []
        if granted:
            changed_approvals.append(approval)
            self._put("approvals", approval, "status", "granted")
        else:
            if approval["status"] not in ("asked", "refused"):
                return self._take_back(f"Approval {approval['id']} cannot go from {approval['status']} to refused.")
            changed_approvals.append(approval)
            self._put("approvals", approval, "status", "refused")
        if limit_watts is not None:
            changed_projects.append(project)
            self._put("projects", project, "feed_limit", limit_watts)
        if not granted or limit_watts is not None and limit_watts < self._project_watts(project):
            for a in [
                a
                for a in sorted(self._approvals_by_project.get(project["id"], {}).values(), key=_age)
                if a["status"] in ("asked", "granted")
            ]:
                if a["status"] not in ("asked", "granted", "void"):
                    return self._take_back(f"Approval {a['id']} cannot go from {a['status']} to void.")
                changed_approvals.append(a)
                self._put("approvals", a, "status", "void")
            if project["status"] not in ("enquiry", "surveyed", "submitted"):
                return self._take_back(
                    f"Project {project['customer']} cannot go from {project['status']} to surveyed."
                )
            changed_projects_2.append(project)
            self._put("projects", project, "status", "surveyed")
        else:
            if len(self._asked_for(project)) == 0:
                if project["status"] not in ("submitted", "cleared"):
                    return self._take_back(
                        f"Project {project['customer']} cannot go from {project['status']} to cleared."
                    )
                changed_projects_2.append(project)
                self._put("projects", project, "status", "cleared")
        for one_project in _distinct(changed_projects_2):
            if self._breaks_rule_5(one_project):
                return self._take_back(RULES[4])
        for one_project in _distinct(
            [*[self.projects[one["project_id"]] for one in changed_approvals], *changed_projects_2]
        ):
            if self._breaks_rule_6(one_project):
                return self._take_back(RULES[5])
        for one_project in _distinct([*changed_projects, *changed_projects_2]):
            if self._breaks_rule_7(one_project):
                return self._take_back(RULES[6])
        for one_approval in _distinct(changed_approvals):
            if self._breaks_rule_8(one_approval):
                return self._take_back(RULES[7])
        for one_project in _distinct(changed_projects_2):
            if self._breaks_rule_10_p(one_project):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: enter the {approval['kind']} decision for "
                f"{self.projects[approval['project_id']]['customer']}."
            ),
            "data": self._changes(),
        }

    def receive_goods(
        self,
        number: Annotated[int, {"minimum": 1, "maximum": 500}],
        panel_id: str | None = None,
        inverter_id: str | None = None,
    ) -> Result:
        """Receive panels or inverters into the store.

        Args:
            number (int): Pieces that have arrived, from 1 to 500.
            panel_id (str, optional): Type of panel that has arrived, where no inverter is named; an id such as
                PANEL-00001. If left out, an inverter must be named.
            inverter_id (str, optional): Type of inverter that has arrived, where no panel is named; an id such as
                INVERTER-00001. If left out, a panel must be named.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        panel = self.panels.get(panel_id) if panel_id is not None else None
        if panel_id is not None and panel is None:
            return _refused(f"There is no panel {panel_id!r}.")
        inverter = self.inverters.get(inverter_id) if inverter_id is not None else None
        if inverter_id is not None and inverter is None:
            return _refused(f"There is no inverter {inverter_id!r}.")
        if (panel_id is None) == (inverter_id is None):
            return _refused("Name either a panel or an inverter.")
        if panel_id is not None and panel["stock"] + number > 2000:
            return _refused("The store has no room for so many panels.")
        if inverter_id is not None and inverter["stock"] + number > 200:
            return _refused("The store has no room for so many inverters.")
        self._journal = []
        changed_panels: list[Any] = []
        changed_inverters: list[Any] = []
        for p in _those(self.panels, [panel_id]):
            stock = p["stock"] + number
            if not 0 <= stock <= 2000:
                return self._take_back(f"The stock of {p['name']} must be between 0 and 2000.")
            changed_panels.append(p)
            self._put("panels", p, "stock", stock)
        for i in _those(self.inverters, [inverter_id]):
            new_stock = i["stock"] + number
            if not 0 <= new_stock <= 200:
                return self._take_back(f"The stock of {i['name']} must be between 0 and 200.")
            changed_inverters.append(i)
            self._put("inverters", i, "stock", new_stock)
        for one_panel in _distinct(changed_panels):
            if self._breaks_rule_9_p(one_panel):
                return self._take_back(RULES[8])
        for one_inverter in _distinct(changed_inverters):
            if self._breaks_rule_9_i(one_inverter):
                return self._take_back(RULES[8])
        done = f"receive {number}"
        if panel is not None:
            done += f" of {panel['name']}"
        if inverter is not None:
            done += f" of {inverter['name']}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def allocate_material(self, project_id: str) -> Result:
        """Set the panels and the inverter of a cleared project aside.

        Args:
            project_id (str): Id of the project, such as PROJECT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        project = self.projects.get(project_id)
        if project is None:
            return _refused(f"There is no project {project_id!r}.")
        if project["status"] != "cleared":
            return _refused(f"The project of {project['customer']} is {project['status']}.")
        if project["allocated"]:
            return _refused(f"The material for {project['customer']} is set aside already.")
        panel = self.panels.get(project["panel_id"])
        inverter = self.inverters.get(project["inverter_id"])
        if panel is None or inverter is None:
            return _refused(f"{project['customer']} has no kit.")
        if self._project_panels(project) > self._panel_free(panel):
            return _refused(
                f"{self._project_panels(project)} of {panel['name']} are needed and {self._panel_free(panel)} are "
                "free."
            )
        if self._inverter_free(inverter) <= 0:
            return _refused(f"No {inverter['name']} is free.")
        self._journal = []
        self._put("projects", project, "allocated", True)
        for one_panel in _distinct([self.panels.get(project["panel_id"])]):
            if self._breaks_rule_9_p(one_panel):
                return self._take_back(RULES[8])
        for one_inverter in _distinct([self.inverters.get(project["inverter_id"])]):
            if self._breaks_rule_9_i(one_inverter):
                return self._take_back(RULES[8])
        if self._breaks_rule_10_p(project):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: set the material for {project['customer']} aside.",
            "data": self._changes(),
        }

    def book_crew(self, project_id: str, crew_id: str, starts: Date) -> Result:
        """Book a crew for a project whose material is set aside, or move its visit to another crew or day.

        Args:
            project_id (str): Id of the project, such as PROJECT-00001.
            crew_id (str): Id of the crew, such as CREW-00001.
            starts (str): First day on the roof, after today and within 120 days, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        project = self.projects.get(project_id)
        if project is None:
            return _refused(f"There is no project {project_id!r}.")
        crew = self.crews.get(crew_id)
        if crew is None:
            return _refused(f"There is no crew {crew_id!r}.")
        if project["status"] not in ("cleared", "scheduled"):
            return _refused(f"The project of {project['customer']} is {project['status']}.")
        if not project["allocated"]:
            return _refused(f"The material for {project['customer']} is not set aside yet.")
        if self.now[:10] >= starts or starts > _plus_days(self.now[:10], 120):
            return _refused(
                f"Visits begin between {_plus_days(self.now[:10], 1)} and {_plus_days(self.now[:10], 120)}."
            )
        if self._days_for(project, crew) > 10:
            return _refused(f"{crew['name']} would need {self._days_for(project, crew)} days, so take a larger crew.")
        other = next(
            (
                v
                for v in self._busy_with(crew, starts, _plus_days(starts, self._days_for(project, crew)))
                if v["project_id"] != project_id
            ),
            None,
        )
        if other is not None:
            return _refused(
                f"{crew['name']} is on the roof of {self.projects[other['project_id']]['customer']} from "
                f"{other['starts']} to {self._last_day(other)}."
            )
        self._journal = []
        changed_visits: list[Any] = []
        changed_visits_2: list[Any] = []
        changed_visits_3: list[Any] = []
        added_visits: list[Any] = []
        changed_projects: list[Any] = []
        needed = self._days_for(project, crew)
        if project["status"] == "scheduled":
            for v in sorted(self._visits_by_project_status.get((project_id, "planned"), {}).values(), key=_age):
                changed_visits.append(v)
                self._put("visits", v, "crew_id", crew_id)
                changed_visits_2.append(v)
                self._put("visits", v, "starts", starts)
                if not 1 <= needed <= 10:
                    return self._take_back(f"The days of {v['id']} must be between 1 and 10.")
                changed_visits_3.append(v)
                self._put("visits", v, "days", needed)
        else:
            if not 1 <= needed <= 10:
                return self._take_back("The days of a visit must be between 1 and 10.")
            visit = {
                "id": self._new_id("visit", "VISIT", self.visits),
                "project_id": project_id,
                "crew_id": crew_id,
                "starts": starts,
                "days": needed,
                "status": "planned",
            }
            self._add("visits", visit)
            added_visits.append(visit)
            changed_projects.append(project)
            self._put("projects", project, "status", "scheduled")
        for one_project in _distinct(changed_projects):
            if self._breaks_rule_5(one_project):
                return self._take_back(RULES[4])
        for one_project in _distinct(changed_projects):
            if self._breaks_rule_6(one_project):
                return self._take_back(RULES[5])
        for one_project in _distinct(changed_projects):
            if self._breaks_rule_7(one_project):
                return self._take_back(RULES[6])
        for one_project in _distinct(
            [*[self.projects[one["project_id"]] for one in added_visits], *changed_projects]
        ):
            if self._breaks_rule_10_p(one_project):
                return self._take_back(RULES[9])
        for one_visit in _distinct(added_visits):
            if self._breaks_rule_10_v(one_visit):
                return self._take_back(RULES[9])
        for one_visit in _distinct([*changed_visits, *changed_visits_2, *changed_visits_3, *added_visits]):
            if self._breaks_rule_11(one_visit):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: book {crew['name']} for {project['customer']} from {starts}.",
            "data": self._changes(),
        }

    def complete_work(self, project_id: str) -> Result:
        """Report the work on a roof as done; what was set aside leaves the store.

        Args:
            project_id (str): Id of the project, such as PROJECT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        project = self.projects.get(project_id)
        if project is None:
            return _refused(f"There is no project {project_id!r}.")
        visit = self._visit_of(project)
        if project["status"] != "scheduled" or visit is None:
            return _refused(f"The project of {project['customer']} is {project['status']}.")
        if self._last_day(visit) > self.now[:10]:
            return _refused(f"{self.crews[visit['crew_id']]['name']} is there until {self._last_day(visit)}.")
        panel = self.panels.get(project["panel_id"])
        inverter = self.inverters.get(project["inverter_id"])
        if panel is None or inverter is None:
            return _refused(f"{project['customer']} has no kit.")
        self._journal = []
        self._put("projects", project, "allocated", False)
        stock = panel["stock"] - self._project_panels(project)
        if not 0 <= stock <= 2000:
            return self._take_back(f"The stock of {panel['name']} must be between 0 and 2000.")
        self._put("panels", panel, "stock", stock)
        new_stock = inverter["stock"] - 1
        if not 0 <= new_stock <= 200:
            return self._take_back(f"The stock of {inverter['name']} must be between 0 and 200.")
        self._put("inverters", inverter, "stock", new_stock)
        if visit["status"] not in ("planned", "done"):
            return self._take_back(f"Visit {visit['id']} cannot go from {visit['status']} to done.")
        self._put("visits", visit, "status", "done")
        self._put("projects", project, "status", "built")
        if self._breaks_rule_5(project):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(project):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(project):
            return self._take_back(RULES[6])
        for one_panel in _distinct([self.panels.get(project["panel_id"]), panel]):
            if self._breaks_rule_9_p(one_panel):
                return self._take_back(RULES[8])
        for one_inverter in _distinct([self.inverters.get(project["inverter_id"]), inverter]):
            if self._breaks_rule_9_i(one_inverter):
                return self._take_back(RULES[8])
        if self._breaks_rule_10_p(project):
            return self._take_back(RULES[9])
        if self._breaks_rule_10_p(self.projects[visit["project_id"]]):
            return self._take_back(RULES[9])
        if self._breaks_rule_10_v(visit):
            return self._take_back(RULES[9])
        if self._breaks_rule_11(visit):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: report the roof of {project['customer']} as done.",
            "data": self._changes(),
        }

    def commission_plant(self, project_id: str, crew_id: str) -> Result:
        """Commission a built plant with a crew that has an electrician.

        Args:
            project_id (str): Id of the project, such as PROJECT-00001.
            crew_id (str): Id of the crew, such as CREW-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        project = self.projects.get(project_id)
        if project is None:
            return _refused(f"There is no project {project_id!r}.")
        crew = self.crews.get(crew_id)
        if crew is None:
            return _refused(f"There is no crew {crew_id!r}.")
        if project["status"] != "built":
            return _refused(f"The project of {project['customer']} is {project['status']}.")
        if not crew["electrician"]:
            return _refused(f"{crew['name']} has no electrician.")
        self._journal = []
        self._put("projects", project, "status", "running")
        if self._breaks_rule_5(project):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(project):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(project):
            return self._take_back(RULES[6])
        if self._breaks_rule_10_p(project):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: commission the plant of {project['customer']} with {crew['name']}.",
            "data": self._changes(),
        }

    def drop_project(self, project_id: str) -> Result:
        """Drop a project that is not built yet; its material and its crew become free.

        Args:
            project_id (str): Id of the project, such as PROJECT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        project = self.projects.get(project_id)
        if project is None:
            return _refused(f"There is no project {project_id!r}.")
        if project["status"] in ("built", "running", "dropped"):
            return _refused(f"The project of {project['customer']} is {project['status']}.")
        self._journal = []
        changed_approvals: list[Any] = []
        changed_visits: list[Any] = []
        for a in list(self._asked_for(project)):
            if a["status"] not in ("asked", "granted", "void"):
                return self._take_back(f"Approval {a['id']} cannot go from {a['status']} to void.")
            changed_approvals.append(a)
            self._put("approvals", a, "status", "void")
        for v in sorted(self._visits_by_project_status.get((project_id, "planned"), {}).values(), key=_age):
            if v["status"] not in ("planned", "cancelled"):
                return self._take_back(f"Visit {v['id']} cannot go from {v['status']} to cancelled.")
            changed_visits.append(v)
            self._put("visits", v, "status", "cancelled")
        self._put("projects", project, "allocated", False)
        if project["status"] not in ("enquiry", "surveyed", "dropped", "submitted", "cleared", "scheduled"):
            return self._take_back(f"Project {project['customer']} cannot go from {project['status']} to dropped.")
        self._put("projects", project, "status", "dropped")
        if self._breaks_rule_5(project):
            return self._take_back(RULES[4])
        for one_project in _distinct([project, *[self.projects[one["project_id"]] for one in changed_approvals]]):
            if self._breaks_rule_6(one_project):
                return self._take_back(RULES[5])
        if self._breaks_rule_7(project):
            return self._take_back(RULES[6])
        for one_approval in _distinct(changed_approvals):
            if self._breaks_rule_8(one_approval):
                return self._take_back(RULES[7])
        for one_panel in _distinct([self.panels.get(project["panel_id"])]):
            if self._breaks_rule_9_p(one_panel):
                return self._take_back(RULES[8])
        for one_inverter in _distinct([self.inverters.get(project["inverter_id"])]):
            if self._breaks_rule_9_i(one_inverter):
                return self._take_back(RULES[8])
        for one_project in _distinct([project, *[self.projects[one["project_id"]] for one in changed_visits]]):
            if self._breaks_rule_10_p(one_project):
                return self._take_back(RULES[9])
        for one_visit in _distinct(changed_visits):
            if self._breaks_rule_10_v(one_visit):
                return self._take_back(RULES[9])
        for one_visit in _distinct(changed_visits):
            if self._breaks_rule_11(one_visit):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: drop the project of {project['customer']}.",
            "data": self._changes(),
        }

    def _show_project(self, project: Project) -> dict[str, Any]:
        """The project as an answer shows it."""
        return {**project, "panels": self._project_panels(project), "watts": self._project_watts(project)}

    def _show_panel(self, panel: Panel) -> dict[str, Any]:
        """The panel as an answer shows it."""
        return {**panel, "free": self._panel_free(panel)}

    def _show_inverter(self, inverter: Inverter) -> dict[str, Any]:
        """The inverter as an answer shows it."""
        return {**inverter, "free": self._inverter_free(inverter)}

    def _names_of_projects(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that projects point to."""
        return _names(
            (self.panels, "name", [row["panel_id"] for row in shown]),
            (self.inverters, "name", [row["inverter_id"] for row in shown]),
        )

    def _names_of_faces(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that faces point to."""
        return _names((self.projects, "customer", [row["project_id"] for row in shown]))

    def _names_of_approvals(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that approvals point to."""
        return _names((self.projects, "customer", [row["project_id"] for row in shown]))

    def _names_of_visits(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that visits point to."""
        return _names(
            (self.projects, "customer", [row["project_id"] for row in shown]),
            (self.crews, "name", [row["crew_id"] for row in shown]),
        )

    def _project_panels(self, project: Project) -> int:
        """The panels of a project."""
        return sum(
            s["panels"]
            for _face in self._faces_by_project.get(project["id"], {}).values()
            for s in self._panel_strings_by_face.get(_face["id"], {}).values()
        )

    def _project_watts(self, project: Project) -> int:
        """The watts of a project."""
        return (
            self._project_panels(project) * self.panels[project["panel_id"]]["watts"]
            if project["panel_id"] is not None
            else 0
        )

    def _panel_free(self, panel: Panel) -> int:
        """The free of a panel."""
        return (
            panel["stock"]
            - sum(
                self._project_panels(p)
                for p in self._projects_by_panel.get(panel["id"], {}).values()
                if p["allocated"]
            )
        )

    def _inverter_free(self, inverter: Inverter) -> int:
        """The free of an inverter."""
        return (
            inverter["stock"]
            - sum(1 for p in self._projects_by_inverter.get(inverter["id"], {}).values() if p["allocated"])
        )

    def _faces_of(self, p: Project) -> list[Face]:
        return sorted(self._faces_by_project.get(p["id"], {}).values(), key=_age)

    def _strings_of(self, p: Project) -> list[PanelString]:
        return sorted(
            [
                s
                for _face in self._faces_by_project.get(p["id"], {}).values()
                for s in self._panel_strings_by_face.get(_face["id"], {}).values()
            ],
            key=_age,
        )

    def _left_on(self, f: Face, p: Panel) -> int:
        return f["area"] - p["area"] * sum(s["panels"] for s in self._panel_strings_by_face.get(f["id"], {}).values())

    def _fits_volts(self, n: int, p: Panel, i: Inverter) -> bool:
        return i["least_volts"] <= n * p["volts"] and n * p["volts"] * 112 <= i["most_volts"] * 100

    def _longest(self, p: Panel, i: Inverter) -> int:
        return i["most_volts"] * 100 // p["volts"] // 112 if p["volts"] > 0 else 0

    def _visit_of(self, p: Project) -> Visit | None:
        return next(
            (v for v in sorted(self._visits_by_project_status.get((p["id"], "planned"), {}).values(), key=_age)),
            None,
        )

    def _asked_for(self, p: Project) -> list[Approval]:
        return sorted(self._approvals_by_project_status.get((p["id"], "asked"), {}).values(), key=_age)

    def _days_for(self, p: Project, c: Crew) -> int:
        return ceil(Fraction(self._project_panels(p), max(1, c["panels_a_day"])))

    def _last_day(self, v: Visit) -> str:
        return _plus_days(_plus_days(v["starts"], v["days"]), -1)

    def _busy_with(self, c: Crew, a: str, b: str) -> list[Visit]:
        return [
            v
            for v in sorted(self._visits_by_crew_status.get((c["id"], "planned"), {}).values(), key=_age)
            if _overlap(v["starts"], _plus_days(self._last_day(v), 1), a, b)
        ]

    def _in_store(self, p: Project) -> bool:
        return (
            p["status"] == "cleared"
            and not p["allocated"]
            and p["panel_id"] is not None
            and p["inverter_id"] is not None
            and self._project_panels(p) <= self._panel_free(self.panels[p["panel_id"]])
            and self._inverter_free(self.inverters[p["inverter_id"]]) > 0
        )

    def _past_design(self, p: Project) -> bool:
        return p["status"] in ("submitted", "cleared", "scheduled", "built", "running")

    def _breaks_rule_1(self, f: Face) -> bool:
        """Whether this is broken: the panels of a roof face never need more room than it has."""
        return (
            self.projects[f["project_id"]]["panel_id"] is not None
            and self._left_on(f, self.panels[self.projects[f["project_id"]]["panel_id"]]) < 0
        )

    def _breaks_rule_2(self, s: PanelString) -> bool:
        """Whether this is broken: every string stays within the voltage window of its inverter, in frost too."""
        return not (
            self.projects[self.faces[s["face_id"]]["project_id"]]["panel_id"] is not None
            and self.projects[self.faces[s["face_id"]]["project_id"]]["inverter_id"] is not None
            and self._fits_volts(
                s["panels"],
                self.panels[self.projects[self.faces[s["face_id"]]["project_id"]]["panel_id"]],
                self.inverters[self.projects[self.faces[s["face_id"]]["project_id"]]["inverter_id"]],
            )
        )

    def _breaks_rule_3(self, p: Project) -> bool:
        """Whether this is broken: an inverter has no more strings than inputs."""
        return p["inverter_id"] is not None and len(self._strings_of(p)) > self.inverters[p["inverter_id"]]["inputs"]

    def _breaks_rule_4(self, p: Project) -> bool:
        """Whether this is broken: the panels of a project have at most 120 percent of what the inverter can take."""
        return (
            p["inverter_id"] is not None
            and self._project_watts(p) * 100 > self.inverters[p["inverter_id"]]["watts"] * 120
        )

    def _breaks_rule_5(self, p: Project) -> bool:
        """Whether this is broken: a design that was submitted has at least one string."""
        return self._past_design(p) and self._project_panels(p) <= 0

    def _breaks_rule_6(self, p: Project) -> bool:
        """Whether this is broken: a project is cleared only with the approval of the grid operator, and on a monument
        with that of the heritage office.
        """
        return (
            p["status"] in ("cleared", "scheduled", "built", "running")
            and not (
                bool(self._approvals_by_project_kind_status.get((p["id"], "grid", "granted"), {}))
                and (
                    not p["heritage"]
                    or bool(self._approvals_by_project_kind_status.get((p["id"], "monument", "granted"), {}))
                )
            )
        )

    def _breaks_rule_7(self, p: Project) -> bool:
        """Whether this is broken: a cleared project never has more power than the grid operator allows."""
        return (
            p["status"] in ("cleared", "scheduled", "built", "running")
            and (p["feed_limit"] is None or self._project_watts(p) > p["feed_limit"])
        )

    def _breaks_rule_8(self, a: Approval) -> bool:
        """Whether this is broken: a project has one approval of a kind that is asked for or granted."""
        return (
            a["status"] in ("asked", "granted")
            and any(
                other_a is not a
                for other_a in self._approvals_by_project_kind.get((a["project_id"], a["kind"]), {}).values()
                if other_a["status"] in ("asked", "granted")
            )
        )

    def _breaks_rule_9_p(self, p: Panel) -> bool:
        """Whether this is broken: never more panels or inverters are set aside than lie in the store."""
        return self._panel_free(p) < 0

    def _breaks_rule_9_i(self, i: Inverter) -> bool:
        """Whether this is broken: never more panels or inverters are set aside than lie in the store."""
        return self._inverter_free(i) < 0

    def _breaks_rule_10_p(self, p: Project) -> bool:
        """Whether this is broken: a scheduled project has its material set aside and one planned visit, and no other
        project has a visit ahead.
        """
        return not (
            (p["status"] == "scheduled") == (self._visit_of(p) is not None)
            and (p["status"] != "scheduled" or p["allocated"])
        )

    def _breaks_rule_10_v(self, v: Visit) -> bool:
        """Whether this is broken: a scheduled project has its material set aside and one planned visit, and no other
        project has a visit ahead.
        """
        return (
            v["status"] == "planned"
            and any(
                other_v is not v
                for other_v in self._visits_by_project_status.get((v["project_id"], "planned"), {}).values()
            )
        )

    def _breaks_rule_11(self, a: Visit) -> bool:
        """Whether this is broken: a crew works on one roof at a time."""
        return (
            a["status"] == "planned"
            and any(
                _overlap(a["starts"], _plus_days(self._last_day(a), 1), b["starts"], _plus_days(self._last_day(b), 1))
                for b in self._visits_by_crew_status.get((a["crew_id"], "planned"), {}).values()
                if a is not b
            )
        )

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

    def _remove(self, container: str, record: Any) -> None:
        """Let a record go."""
        self._journal.append(("delete", container, record["id"], record))
        del getattr(self, container)[record["id"]]
        self._unlink(container, record)

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
            case "projects":
                self._projects_by_inverter.setdefault(record["inverter_id"], {})[record["id"]] = record
                self._projects_by_panel.setdefault(record["panel_id"], {})[record["id"]] = record
                self._projects_by_status.setdefault(record["status"], {})[record["id"]] = record
            case "faces":
                self._faces_by_project.setdefault(record["project_id"], {})[record["id"]] = record
            case "panel_strings":
                self._panel_strings_by_face.setdefault(record["face_id"], {})[record["id"]] = record
            case "approvals":
                self._approvals_by_project.setdefault(record["project_id"], {})[record["id"]] = record
                self._approvals_by_project_kind.setdefault(
                    (record["project_id"], record["kind"]),
                    {},
                )[record["id"]] = record
                self._approvals_by_project_kind_status.setdefault(
                    (record["project_id"], record["kind"], record["status"]),
                    {},
                )[record["id"]] = record
                self._approvals_by_project_status.setdefault(
                    (record["project_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "visits":
                self._visits_by_crew_status.setdefault((record["crew_id"], record["status"]), {})[record["id"]] = record
                self._visits_by_project_status.setdefault(
                    (record["project_id"], record["status"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "projects":
                del self._projects_by_inverter[record["inverter_id"]][record["id"]]
                del self._projects_by_panel[record["panel_id"]][record["id"]]
                del self._projects_by_status[record["status"]][record["id"]]
            case "faces":
                del self._faces_by_project[record["project_id"]][record["id"]]
            case "panel_strings":
                del self._panel_strings_by_face[record["face_id"]][record["id"]]
            case "approvals":
                del self._approvals_by_project[record["project_id"]][record["id"]]
                del self._approvals_by_project_kind[record["project_id"], record["kind"]][record["id"]]
                del self._approvals_by_project_kind_status[
                    record["project_id"],
                    record["kind"],
                    record["status"],
                ][record["id"]]
                del self._approvals_by_project_status[record["project_id"], record["status"]][record["id"]]
            case "visits":
                del self._visits_by_crew_status[record["crew_id"], record["status"]][record["id"]]
                del self._visits_by_project_status[record["project_id"], record["status"]][record["id"]]
