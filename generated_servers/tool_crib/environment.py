"""Tool crib. Compiled from blueprint.yaml; run `envscaler build tool_crib` after changing it there.

Issues cutting tools and gauges to certified operators, singly or in kits, counts their uses, sends worn ones
for regrinding as often as they bear it, and keeps gauges calibrated.
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
    "A tool is lent to one operator at a time, and whatever is out is lent.",
    "Whoever has a tool has been certified for it up to the day it is due.",
    "A gauge is lent no longer than its calibration is valid.",
    "A tool that is out bears the uses it was taken for.",
    "Nobody holds more tools than they may.",
    "A tool is reground no more often than its type bears.",
    "A kit holds one tool of each type, and only of types it needs.",
    "Whatever of a kit is out is with one operator.",
    "Worn and scrapped tools and those at the grinder are in no kit.",
    "An operator has one certificate for a skill.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "issue_tool",
    "return_tool",
    "issue_kit",
    "return_kit",
    "extend_loan",
    "send_to_grinder",
    "back_from_grinder",
    "receive_tool",
    "scrap_tool",
    "calibrate_tool",
    "move_to_kit",
    "certify_operator",
)
"""The methods that may change something; all others only read."""

TOOL_PLACE_MOVES = {
    ("crib", "out"),
    ("crib", "scrapped"),
    ("out", "crib"),
    ("out", "worn"),
    ("worn", "grinding"),
    ("worn", "scrapped"),
    ("grinding", "crib"),
}

LABELS: dict[str, tuple[str, ...]] = {
    "operators": ("name",),
    "tool_types": ("name",),
    "certificates": (),
    "tools": ("number",),
    "kits": ("name",),
    "loans": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("certificates", "operator_id"),
    ("certificates", "skill"),
    ("loans", "kit_id"),
    ("loans", "operator_id"),
    ("loans", "tool_id"),
    ("tools", "kit_id"),
    ("tools", "number"),
    ("tools", "type_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Operator(TypedDict):
    id: str
    name: str
    trainee: bool


class ToolType(TypedDict):
    id: str
    name: str
    life: int
    regrinds: int
    calibration_days: int | None
    skill: Literal["measuring", "torque", "reaming", "honing"] | None


class Certificate(TypedDict):
    id: str
    operator_id: str
    skill: Literal["measuring", "torque", "reaming", "honing"]
    until: str


class Tool(TypedDict):
    id: str
    number: str
    type_id: str
    uses: int
    regrinds: int
    calibrated_until: str | None
    kit_id: str | None
    place: Literal["crib", "out", "scrapped", "worn", "grinding"]


class Kit(TypedDict):
    id: str
    name: str
    need_ids: list[str]


class Loan(TypedDict):
    id: str
    tool_id: str
    operator_id: str
    kit_id: str | None
    machine: str
    planned: int
    day: str
    due: str
    back_on: str | None


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


def _different(keys: list[Any]) -> bool:
    """Whether no two are the same."""
    return len(set(keys)) == len(keys)


def _plus_days(day: str, days: int) -> str:
    """The date so many days later; the calendar ends where Python's does."""
    ordinal = date.fromisoformat(day).toordinal() + days
    return date.fromordinal(min(max(ordinal, 1), date.max.toordinal())).isoformat()


class ToolCrib:
    """Issues cutting tools and gauges to certified operators, singly or in kits, counts their uses, sends
    worn ones for regrinding as often as they bear it, and keeps gauges calibrated.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.operators: dict[str, Operator] = _copied(config.get("operators", {}))
        self.tool_types: dict[str, ToolType] = _copied(config.get("tool_types", {}))
        self.certificates: dict[str, Certificate] = _copied(config.get("certificates", {}))
        self.tools: dict[str, Tool] = _copied(config.get("tools", {}))
        self.kits: dict[str, Kit] = _copied(config.get("kits", {}))
        self.loans: dict[str, Loan] = _copied(config.get("loans", {}))
        self.now: str = config.get("now", "2026-06-02T06:30")
        self.counters: dict[str, int] = {
            "operator": len(self.operators),
            "tool_type": len(self.tool_types),
            "certificate": len(self.certificates),
            "tool": len(self.tools),
            "kit": len(self.kits),
            "loan": len(self.loans),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._certificates_by_operator_skill: dict[Any, dict[str, Certificate]] = {}
        self._tools_by_kit: dict[Any, dict[str, Tool]] = {}
        self._tools_by_number: dict[Any, dict[str, Tool]] = {}
        self._tools_by_type_kit: dict[Any, dict[str, Tool]] = {}
        self._loans_by_kit: dict[Any, dict[str, Loan]] = {}
        self._loans_by_operator: dict[Any, dict[str, Loan]] = {}
        self._loans_by_tool: dict[Any, dict[str, Loan]] = {}
        for certificate in self.certificates.values():
            self._link("certificates", certificate)
        for tool in self.tools.values():
            self._link("tools", tool)
        for loan in self.loans.values():
            self._link("loans", loan)

    def usable_tools(
        self,
        planned: Annotated[int, {"minimum": 1, "maximum": 2000}],
        due: Date,
        type_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Tools in the crib, outside of kits, that bear some uses and are calibrated until a day, the most worn
        first.

        Args:
            planned (int): Uses that a tool must still bear, from 1 to 2000.
            due (str): Day until which a tool must be calibrated, as YYYY-MM-DD.
            type_id (str, optional): Only tools of this type; an id such as TT-00001. If left out, tools of all
                types are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "tools": records}} or {"success": False, "error": why
                not}
        """
        type = self.tool_types.get(type_id) if type_id is not None else None
        if type_id is not None and type is None:
            return _refused(f"There is no tool type {type_id!r}.")
        found = [
            t
            for t in self.tools.values()
            if (type_id is None or t["type_id"] == type_id)
            and (t["kit_id"] is None and self._usable(t, planned, due))
        ]
        found.sort(key=lambda t: (self._tool_left(t), t["number"], _age(t)))
        return _found(
            {
                "total": len(found),
                "tools": [
                    {
                        "id": t["id"],
                        "number": t["number"],
                        "type": self.tool_types[t["type_id"]]["name"],
                        "left": self._tool_left(t),
                    }
                    for t in _page(found, offset)
                ],
            }
        )

    def open_loans(
        self,
        operator_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """What is out, the earliest due first.

        Args:
            operator_id (str, optional): Only loans of this operator; an id such as OPERATOR-00001. If left out,
                the loans of all operators are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "loans": records}} or {"success": False, "error": why
                not}
        """
        operator = self.operators.get(operator_id) if operator_id is not None else None
        if operator_id is not None and operator is None:
            return _refused(f"There is no operator {operator_id!r}.")
        found = [
            l
            for l in self.loans.values()
            if l["back_on"] is None
            and (operator_id is None or l["operator_id"] == operator_id)
        ]
        found.sort(key=lambda l: (l["due"], self.tools[l["tool_id"]]["number"], _age(l)))
        shown = [
            {
                "id": l["id"],
                "tool": l["tool_id"],
                "number": self.tools[l["tool_id"]]["number"],
                "operator": self.operators[l["operator_id"]]["name"],
                "kit": l["kit_id"],
                "machine": l["machine"],
                "planned": l["planned"],
                "due": l["due"],
            }
            for l in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "loans": shown},
            _names((self.kits, "name", [row["kit"] for row in shown])),
        )

    def kit_contents(self, kit_id: str) -> Result:
        """The tools of a kit and the types it still lacks.

        Args:
            kit_id (str): Id of the kit, such as KIT-00001.

        Returns:
            dict: {"success": True, "data": {complete, tools, lacks}} or {"success": False, "error": why not}
        """
        kit = self.kits.get(kit_id)
        if kit is None:
            return _refused(f"There is no kit {kit_id!r}.")
        return _found(
            {
                "complete": self._kit_complete(kit),
                "tools": [*[t["number"] for t in sorted(self._tools_by_kit.get(kit_id, {}).values(), key=_age)]],
                "lacks": [
                    *[
                        n["name"]
                        for n in [self.tool_types[key] for key in kit["need_ids"]]
                        if not self._tools_by_type_kit.get((n["id"], kit_id), {})
                    ]
                ],
            }
        )

    def list_operators(
        self,
        name: Text | None = None,
        trainee: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the operators, oldest first, all of them or only some.

        Args:
            name (str, optional): Only operators whose name contains this text.
            trainee (bool, optional): Only operators with this value of `trainee`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "operators": records}}
        """
        found = [
            operator
            for operator in self.operators.values()
            if (name is None or name.casefold() in operator["name"].casefold())
            and (trainee is None or operator["trainee"] == trainee)
        ]
        return _found(
            {"total": len(found), "operators": [self._show_operator(operator) for operator in _page(found, offset)]}
        )

    def list_tool_types(
        self,
        name: Text | None = None,
        skill: Literal["measuring", "torque", "reaming", "honing"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the tool types, oldest first, all of them or only some.

        Args:
            name (str, optional): Only tool types whose name contains this text.
            skill (str, optional): Only tool types with this skill.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "tool_types": records}}
        """
        found = [
            tool_type
            for tool_type in self.tool_types.values()
            if (name is None or name.casefold() in tool_type["name"].casefold())
            and (skill is None or tool_type["skill"] == skill)
        ]
        return _found({"total": len(found), "tool_types": [{**tool_type} for tool_type in _page(found, offset)]})

    def list_certificates(
        self,
        operator_id: str | None = None,
        skill: Literal["measuring", "torque", "reaming", "honing"] | None = None,
        until_from: Date | None = None,
        until_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the certificates, oldest first, all of them or only some.

        Args:
            operator_id (str, optional): Only certificates of this operator.
            skill (str, optional): Only certificates with this skill.
            until_from (str, optional): Only certificates whose `until` is on this day or later.
            until_to (str, optional): Only certificates whose `until` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "certificates": records}}
        """
        if operator_id is not None and operator_id not in self.operators:
            return _refused(f"There is no operator {operator_id!r}.")
        found = [
            certificate
            for certificate in self.certificates.values()
            if (operator_id is None or certificate["operator_id"] == operator_id)
            and (skill is None or certificate["skill"] == skill)
            and (until_from is None or certificate["until"] >= until_from)
            and (until_to is None or certificate["until"] <= until_to)
        ]
        shown = [{**certificate} for certificate in _page(found, offset)]
        return _found({"total": len(found), "certificates": shown}, self._names_of_certificates(shown))

    def get_tool(self, tool_id: str) -> Result:
        """Look up one tool by its id.

        Args:
            tool_id (str): Id of the tool, such as TOOL-00001.

        Returns:
            dict: {"success": True, "data": the record} or {"success": False, "error": why not}
        """
        tool = self.tools.get(tool_id)
        if tool is None:
            return _refused(f"There is no tool {tool_id!r}.")
        shown = self._show_tool(tool)
        return _found(shown, self._names_of_tools([shown]))

    def list_tools(
        self,
        number: Text | None = None,
        type_id: str | None = None,
        kit_id: str | None = None,
        place: Literal["crib", "out", "scrapped", "worn", "grinding"] | None = None,
        calibrated_until_from: Date | None = None,
        calibrated_until_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the tools, oldest first, all of them or only some.

        Args:
            number (str, optional): Only tools whose number contains this text.
            type_id (str, optional): Only tools whose type is this tool type.
            kit_id (str, optional): Only tools of this kit.
            place (str, optional): Only tools with this place.
            calibrated_until_from (str, optional): Only tools whose `calibrated_until` is on this day or later.
            calibrated_until_to (str, optional): Only tools whose `calibrated_until` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "tools": records}}
        """
        if type_id is not None and type_id not in self.tool_types:
            return _refused(f"There is no tool type {type_id!r}.")
        if kit_id is not None and kit_id not in self.kits:
            return _refused(f"There is no kit {kit_id!r}.")
        found = [
            tool
            for tool in self.tools.values()
            if (number is None or number.casefold() in tool["number"].casefold())
            and (type_id is None or tool["type_id"] == type_id)
            and (kit_id is None or tool["kit_id"] == kit_id)
            and (place is None or tool["place"] == place)
            and (
                calibrated_until_from is None
                or (tool["calibrated_until"] is not None and tool["calibrated_until"] >= calibrated_until_from)
            )
            and (
                calibrated_until_to is None
                or (tool["calibrated_until"] is not None and tool["calibrated_until"] <= calibrated_until_to)
            )
        ]
        shown = [self._show_tool(tool) for tool in _page(found, offset)]
        return _found({"total": len(found), "tools": shown}, self._names_of_tools(shown))

    def list_kits(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the kits, oldest first, all of them or only some.

        Args:
            name (str, optional): Only kits whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "kits": records}}
        """
        found = [kit for kit in self.kits.values() if (name is None or name.casefold() in kit["name"].casefold())]
        shown = [self._show_kit(kit) for kit in _page(found, offset)]
        return _found({"total": len(found), "kits": shown}, self._names_of_kits(shown))

    def list_loans(
        self,
        tool_id: str | None = None,
        operator_id: str | None = None,
        kit_id: str | None = None,
        day_from: Date | None = None,
        day_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the loans, oldest first, all of them or only some.

        Args:
            tool_id (str, optional): Only loans of this tool.
            operator_id (str, optional): Only loans of this operator.
            kit_id (str, optional): Only loans of this kit.
            day_from (str, optional): Only loans whose `day` is on this day or later.
            day_to (str, optional): Only loans whose `day` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "loans": records}}
        """
        if tool_id is not None and tool_id not in self.tools:
            return _refused(f"There is no tool {tool_id!r}.")
        if operator_id is not None and operator_id not in self.operators:
            return _refused(f"There is no operator {operator_id!r}.")
        if kit_id is not None and kit_id not in self.kits:
            return _refused(f"There is no kit {kit_id!r}.")
        found = [
            loan
            for loan in self.loans.values()
            if (tool_id is None or loan["tool_id"] == tool_id)
            and (operator_id is None or loan["operator_id"] == operator_id)
            and (kit_id is None or loan["kit_id"] == kit_id)
            and (day_from is None or loan["day"] >= day_from)
            and (day_to is None or loan["day"] <= day_to)
        ]
        shown = [{**loan} for loan in _page(found, offset)]
        return _found({"total": len(found), "loans": shown}, self._names_of_loans(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def issue_tool(
        self,
        tool_id: str,
        operator_id: str,
        machine: Text,
        planned: Annotated[int, {"minimum": 1, "maximum": 2000}],
        due: Date,
    ) -> Result:
        """Lend a single tool to an operator for a number of uses.

        Args:
            tool_id (str): Id of the tool, such as TOOL-00001.
            operator_id (str): Id of the operator, such as OPERATOR-00001.
            machine (str): Machine on which the tool is used.
            planned (int): Uses that are planned, at most those left in the tool, from 1 to 2000.
            due (str): Day on which it comes back, within 30 days from today, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        tool = self.tools.get(tool_id)
        if tool is None:
            return _refused(f"There is no tool {tool_id!r}.")
        operator = self.operators.get(operator_id)
        if operator is None:
            return _refused(f"There is no operator {operator_id!r}.")
        if tool["place"] != "crib":
            return _refused(f"{tool['number']} is {tool['place']}.")
        if tool["kit_id"] is not None:
            return _refused(
                f"{tool['number']} belongs to the {self.kits[tool['kit_id']]['name']}, so take it out of there first."
            )
        if self.now[:10] > due or due > _plus_days(self.now[:10], 30):
            return _refused(f"Tools go out for 30 days at most, not until {due}.")
        if self._operator_holding(operator) >= self._operator_may_hold(operator):
            return _refused(
                f"{operator['name']} holds {self._operator_holding(operator)} tools and may hold "
                f"{self._operator_may_hold(operator)}."
            )
        if not self._skilled(operator, self.tool_types[tool["type_id"]], due):
            return _refused(
                f"{operator['name']} has no certificate for the {self.tool_types[tool['type_id']]['name']} that "
                f"lasts until {due}."
            )
        if not (
            self.tool_types[tool["type_id"]]["calibration_days"] is None
            or tool["calibrated_until"] is not None
            and tool["calibrated_until"] >= due
        ):
            return _refused(f"{tool['number']} is not calibrated until {due}.")
        if planned > self._tool_left(tool):
            return _refused(f"{tool['number']} has {self._tool_left(tool)} uses left, not {planned}.")
        self._journal = []
        loan: Loan = {
            "id": self._new_id("loan", "LOAN", self.loans),
            "tool_id": tool_id,
            "operator_id": operator_id,
            "kit_id": None,
            "machine": machine,
            "planned": planned,
            "day": self.now[:10],
            "due": due,
            "back_on": None,
        }
        self._add("loans", loan)
        self._put("tools", tool, "place", "out")
        if self._breaks_rule_1_l(loan):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_t(self.tools[loan["tool_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_t(tool):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(loan):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(loan):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(loan):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(self.operators[loan["operator_id"]]):
            return self._take_back(RULES[4])
        if self._breaks_rule_8_a(loan):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_b(loan):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(tool):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: issue {tool['number']} to {operator['name']} for {planned} uses on {machine} until {due} "
                f"(new: loan {loan['id']})."
            ),
            "data": {"loan_id": loan["id"], **self._changes()},
        }

    def return_tool(
        self,
        tool_id: str,
        uses: Annotated[int, {"minimum": 0, "maximum": 2000}],
        damaged: bool = False,
    ) -> Result:
        """Take a single tool back with the uses it had; one that is damaged or used up goes to the worn shelf.

        Args:
            tool_id (str): Id of the tool, such as TOOL-00001.
            uses (int): Uses that the tool had, from 0 to 2000.
            damaged (bool): Whether the tool is damaged and goes to the worn shelf. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        tool = self.tools.get(tool_id)
        if tool is None:
            return _refused(f"There is no tool {tool_id!r}.")
        loan = self._loan_of(tool)
        if loan is None:
            return _refused(f"{tool['number']} is not out.")
        if loan["kit_id"] is not None:
            return _refused(
                f"{tool['number']} went out with the {self.kits[loan['kit_id']]['name']} and comes back with it."
            )
        self._journal = []
        self._put("loans", loan, "back_on", self.now[:10])
        new_uses = tool["uses"] + uses
        if not 0 <= new_uses <= 5000:
            return self._take_back(f"The uses of {tool['number']} must be between 0 and 5000.")
        self._put("tools", tool, "uses", new_uses)
        place = "worn" if damaged or tool["uses"] >= self.tool_types[tool["type_id"]]["life"] else "crib"
        if tool["place"] != place and (tool["place"], place) not in TOOL_PLACE_MOVES:
            return self._take_back(f"Tool {tool['number']} cannot go from {tool['place']} to {place}.")
        self._put("tools", tool, "place", place)
        if self._breaks_rule_1_l(loan):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_t(self.tools[loan["tool_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_t(tool):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(loan):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(loan):
            return self._take_back(RULES[2])
        for one_loan in _distinct([loan, *self._loans_by_tool.get(tool["id"], {}).values()]):
            if self._breaks_rule_4(one_loan):
                return self._take_back(RULES[3])
        if self._breaks_rule_5(self.operators[loan["operator_id"]]):
            return self._take_back(RULES[4])
        if self._breaks_rule_8_a(loan):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_b(loan):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(tool):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: return {tool['number']} after {uses} uses.",
            "data": self._changes(),
        }

    def issue_kit(
        self,
        kit_id: str,
        operator_id: str,
        machine: Text,
        planned: Annotated[int, {"minimum": 1, "maximum": 2000}],
        due: Date,
    ) -> Result:
        """Lend a complete kit to an operator, every tool of it for the same number of uses.

        Args:
            kit_id (str): Id of the kit, such as KIT-00001.
            operator_id (str): Id of the operator, such as OPERATOR-00001.
            machine (str): Machine on which the kit is used.
            planned (int): Uses that are planned for each tool of the kit, from 1 to 2000.
            due (str): Day on which it comes back, within 30 days from today, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        kit = self.kits.get(kit_id)
        if kit is None:
            return _refused(f"There is no kit {kit_id!r}.")
        operator = self.operators.get(operator_id)
        if operator is None:
            return _refused(f"There is no operator {operator_id!r}.")
        if not self._kit_complete(kit):
            return _refused(f"The {kit['name']} is not complete.")
        missing = next(
            (
                t
                for t in sorted(self._tools_by_kit.get(kit_id, {}).values(), key=_age)
                if not self._usable(t, planned, due)
            ),
            None,
        )
        if missing is not None:
            return _refused(
                f"{missing['number']} of the {kit['name']} is out, not calibrated until {due} or has only "
                f"{self._tool_left(missing)} uses left."
            )
        if self.now[:10] > due or due > _plus_days(self.now[:10], 30):
            return _refused(f"Kits go out for 30 days at most, not until {due}.")
        if self._operator_holding(operator) + self._kit_filled(kit) > self._operator_may_hold(operator):
            return _refused(
                f"{operator['name']} holds {self._operator_holding(operator)} tools, may hold "
                f"{self._operator_may_hold(operator)}, and the kit has {self._kit_filled(kit)}."
            )
        barred = next(
            (n for n in [self.tool_types[key] for key in kit["need_ids"]] if not self._skilled(operator, n, due)),
            None,
        )
        if barred is not None:
            return _refused(f"{operator['name']} has no certificate for the {barred['name']} that lasts until {due}.")
        self._journal = []
        added_loans: list[Any] = []
        changed_tools: list[Any] = []
        for t in sorted(self._tools_by_kit.get(kit_id, {}).values(), key=_age):
            loan = {
                "id": self._new_id("loan", "LOAN", self.loans),
                "tool_id": t["id"],
                "operator_id": operator_id,
                "kit_id": kit_id,
                "machine": machine,
                "planned": planned,
                "day": self.now[:10],
                "due": due,
                "back_on": None,
            }
            self._add("loans", loan)
            added_loans.append(loan)
            if t["place"] not in ("crib", "out"):
                return self._take_back(f"Tool {t['number']} cannot go from {t['place']} to out.")
            changed_tools.append(t)
            self._put("tools", t, "place", "out")
        for one_loan in _distinct(added_loans):
            if self._breaks_rule_1_l(one_loan):
                return self._take_back(RULES[0])
        for one_tool in _distinct([*[self.tools[one["tool_id"]] for one in added_loans], *changed_tools]):
            if self._breaks_rule_1_t(one_tool):
                return self._take_back(RULES[0])
        for one_loan in _distinct(added_loans):
            if self._breaks_rule_2(one_loan):
                return self._take_back(RULES[1])
        for one_loan in _distinct(added_loans):
            if self._breaks_rule_3(one_loan):
                return self._take_back(RULES[2])
        for one_loan in _distinct(added_loans):
            if self._breaks_rule_4(one_loan):
                return self._take_back(RULES[3])
        for one_operator in _distinct([self.operators[one["operator_id"]] for one in added_loans]):
            if self._breaks_rule_5(one_operator):
                return self._take_back(RULES[4])
        for one_loan in _distinct(added_loans):
            if self._breaks_rule_8_a(one_loan):
                return self._take_back(RULES[7])
        for one_loan in _distinct(added_loans):
            if self._breaks_rule_8_b(one_loan):
                return self._take_back(RULES[7])
        for one_tool in _distinct(changed_tools):
            if self._breaks_rule_9(one_tool):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: issue the {kit['name']} to {operator['name']} for {planned} uses on {machine} until {due}."
            ),
            "data": self._changes(),
        }

    def return_kit(
        self,
        kit_id: str,
        uses: Annotated[int, {"minimum": 0, "maximum": 2000}],
        damaged_id: str | None = None,
    ) -> Result:
        """Take a kit back; every tool had the same number of uses, and those used up, or the one that is damaged,
        leave the kit for the worn shelf.

        Args:
            kit_id (str): Id of the kit, such as KIT-00001.
            uses (int): Uses that each tool of the kit had, from 0 to 2000.
            damaged_id (str, optional): Tool of the kit that is damaged; an id such as TOOL-00001. If left out, no
                tool is noted as damaged.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        kit = self.kits.get(kit_id)
        if kit is None:
            return _refused(f"There is no kit {kit_id!r}.")
        damaged = self.tools.get(damaged_id) if damaged_id is not None else None
        if damaged_id is not None and damaged is None:
            return _refused(f"There is no tool {damaged_id!r}.")
        if not any(l["back_on"] is None for l in self._loans_by_kit.get(kit_id, {}).values()):
            return _refused(f"The {kit['name']} is not out.")
        if damaged_id is not None and damaged["kit_id"] != kit_id:
            return _refused(f"The damaged tool is not one of the {kit['name']}.")
        self._journal = []
        changed_loans: list[Any] = []
        changed_tools: list[Any] = []
        changed_tools_2: list[Any] = []
        changed_tools_3: list[Any] = []
        for l in [l for l in sorted(self._loans_by_kit.get(kit_id, {}).values(), key=_age) if l["back_on"] is None]:
            changed_loans.append(l)
            self._put("loans", l, "back_on", self.now[:10])
            tool = self.tools[l["tool_id"]]
            new_uses = self.tools[l["tool_id"]]["uses"] + uses
            if not 0 <= new_uses <= 5000:
                return self._take_back(f"The uses of {tool['number']} must be between 0 and 5000.")
            changed_tools.append(tool)
            self._put("tools", tool, "uses", new_uses)
            if (
                l["tool_id"] == damaged_id
                or self.tools[l["tool_id"]]["uses"] >= self.tool_types[self.tools[l["tool_id"]]["type_id"]]["life"]
            ):
                its_tool = self.tools[l["tool_id"]]
                changed_tools_2.append(its_tool)
                self._put("tools", its_tool, "kit_id", None)
                its_tool_2 = self.tools[l["tool_id"]]
                if its_tool_2["place"] not in ("out", "worn"):
                    return self._take_back(
                        f"Tool {its_tool_2['number']} cannot go from {its_tool_2['place']} to worn."
                    )
                changed_tools_3.append(its_tool_2)
                self._put("tools", its_tool_2, "place", "worn")
            else:
                its_tool_3 = self.tools[l["tool_id"]]
                if its_tool_3["place"] not in ("crib", "out", "grinding"):
                    return self._take_back(
                        f"Tool {its_tool_3['number']} cannot go from {its_tool_3['place']} to crib."
                    )
                changed_tools_3.append(its_tool_3)
                self._put("tools", its_tool_3, "place", "crib")
        for one_loan in _distinct(changed_loans):
            if self._breaks_rule_1_l(one_loan):
                return self._take_back(RULES[0])
        for one_tool in _distinct([*[self.tools[one["tool_id"]] for one in changed_loans], *changed_tools_3]):
            if self._breaks_rule_1_t(one_tool):
                return self._take_back(RULES[0])
        for one_loan in _distinct(changed_loans):
            if self._breaks_rule_2(one_loan):
                return self._take_back(RULES[1])
        for one_loan in _distinct(changed_loans):
            if self._breaks_rule_3(one_loan):
                return self._take_back(RULES[2])
        for one_loan in _distinct(
            [
                *changed_loans,
                *[user for one in changed_tools for user in self._loans_by_tool.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_4(one_loan):
                return self._take_back(RULES[3])
        for one_operator in _distinct([self.operators[one["operator_id"]] for one in changed_loans]):
            if self._breaks_rule_5(one_operator):
                return self._take_back(RULES[4])
        for one_tool in _distinct(changed_tools_2):
            if self._breaks_rule_7_t(one_tool):
                return self._take_back(RULES[6])
        for one_tool in _distinct(changed_tools_2):
            if self._breaks_rule_7_t_again(one_tool):
                return self._take_back(RULES[6])
        for one_loan in _distinct(changed_loans):
            if self._breaks_rule_8_a(one_loan):
                return self._take_back(RULES[7])
        for one_loan in _distinct(changed_loans):
            if self._breaks_rule_8_b(one_loan):
                return self._take_back(RULES[7])
        for one_tool in _distinct([*changed_tools_2, *changed_tools_3]):
            if self._breaks_rule_9(one_tool):
                return self._take_back(RULES[8])
        done = f"return the {kit['name']} after {uses} uses"
        if damaged is not None:
            done += f", with {damaged['number']} damaged"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def extend_loan(self, tool_id: str, due: Date) -> Result:
        """Let an operator keep a single tool longer.

        Args:
            tool_id (str): Id of the tool, such as TOOL-00001.
            due (str): New day of return, later than before and within 60 days of lending, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        tool = self.tools.get(tool_id)
        if tool is None:
            return _refused(f"There is no tool {tool_id!r}.")
        loan = self._loan_of(tool)
        if loan is None:
            return _refused(f"{tool['number']} is not out.")
        if loan["kit_id"] is not None:
            return _refused(f"{tool['number']} went out with the {self.kits[loan['kit_id']]['name']}.")
        if loan["due"] >= due or due > _plus_days(loan["day"], 60):
            return _refused(
                f"{tool['number']} is due on {loan['due']} and must be back 60 days after {loan['day']} at the "
                "latest."
            )
        if not self._skilled(self.operators[loan["operator_id"]], self.tool_types[tool["type_id"]], due):
            return _refused(
                f"{self.operators[loan['operator_id']]['name']} has no certificate that lasts until {due}."
            )
        if not (
            self.tool_types[tool["type_id"]]["calibration_days"] is None
            or tool["calibrated_until"] is not None
            and tool["calibrated_until"] >= due
        ):
            return _refused(f"{tool['number']} is not calibrated until {due}.")
        self._journal = []
        self._put("loans", loan, "due", due)
        if self._breaks_rule_2(loan):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(loan):
            return self._take_back(RULES[2])
        return {
            "success": True,
            "message": f"Done: extend the loan of {tool['number']} until {due}.",
            "data": self._changes(),
        }

    def send_to_grinder(self, tool_ids: Annotated[list[str], {"maxItems": 20}]) -> Result:
        """Send worn tools to the grinder.

        Args:
            tool_ids (list): Worn tools that may still be reground, each once: ids of tools, such as TOOL-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        tools = []
        for key in tool_ids:
            if key not in self.tools:
                return _refused(f"There is no tool {key!r}.")
            tools.append(self.tools[key])
        if not (len(tools) > 0 and _different([t["id"] for t in tools])):
            return _refused("Name at least one tool, and each once.")
        other = next((t for t in tools if t["place"] != "worn"), None)
        if other is not None:
            return _refused(f"{other['number']} is {other['place']}, not worn.")
        spent = next((t for t in tools if t["regrinds"] >= self.tool_types[t["type_id"]]["regrinds"]), None)
        if spent is not None:
            return _refused(f"{spent['number']} has been reground {spent['regrinds']} times and bears no more.")
        self._journal = []
        changed_tools: list[Any] = []
        for t in list(tools):
            if t["place"] not in ("worn", "grinding"):
                return self._take_back(f"Tool {t['number']} cannot go from {t['place']} to grinding.")
            changed_tools.append(t)
            self._put("tools", t, "place", "grinding")
        for one_tool in _distinct(changed_tools):
            if self._breaks_rule_1_t(one_tool):
                return self._take_back(RULES[0])
        for one_tool in _distinct(changed_tools):
            if self._breaks_rule_9(one_tool):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: send {', '.join(str(one['number']) for one in tools)} to the grinder.",
            "data": self._changes(),
        }

    def back_from_grinder(self, tool_id: str) -> Result:
        """Take a reground tool back into the crib, as good as new.

        Args:
            tool_id (str): Id of the tool, such as TOOL-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        tool = self.tools.get(tool_id)
        if tool is None:
            return _refused(f"There is no tool {tool_id!r}.")
        if tool["place"] != "grinding":
            return _refused(f"{tool['number']} is {tool['place']}, not at the grinder.")
        self._journal = []
        self._put("tools", tool, "uses", 0)
        regrinds = tool["regrinds"] + 1
        if not 0 <= regrinds <= 9:
            return self._take_back(f"The regrinds of {tool['number']} must be between 0 and 9.")
        self._put("tools", tool, "regrinds", regrinds)
        self._put("tools", tool, "place", "crib")
        if self._breaks_rule_1_t(tool):
            return self._take_back(RULES[0])
        for one_loan in _distinct(self._loans_by_tool.get(tool["id"], {}).values()):
            if self._breaks_rule_4(one_loan):
                return self._take_back(RULES[3])
        if self._breaks_rule_6(tool):
            return self._take_back(RULES[5])
        if self._breaks_rule_9(tool):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: take {tool['number']} back from the grinder.",
            "data": self._changes(),
        }

    def receive_tool(self, number: Text, type_id: str) -> Result:
        """Take a new tool into the crib; a gauge has to be calibrated before it is lent.

        Args:
            number (str): Number of the new tool, not in use yet.
            type_id (str): Type of tool that it is; an id such as TT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        type = self.tool_types.get(type_id)
        if type is None:
            return _refused(f"There is no tool type {type_id!r}.")
        if self._tools_by_number.get(number, {}):
            return _refused(f"There is a tool {number} already.")
        self._journal = []
        tool: Tool = {
            "id": self._new_id("tool", "TOOL", self.tools),
            "number": number,
            "type_id": type_id,
            "uses": 0,
            "regrinds": 0,
            "calibrated_until": None,
            "kit_id": None,
            "place": "crib",
        }
        self._add("tools", tool)
        if len(self._tools_by_number.get(tool["number"], {})) > 1:
            return self._take_back(f"There is already a tool with the number {tool['number']!r}.")
        if self._breaks_rule_1_t(tool):
            return self._take_back(RULES[0])
        if self._breaks_rule_6(tool):
            return self._take_back(RULES[5])
        if self._breaks_rule_7_t(tool):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_t_again(tool):
            return self._take_back(RULES[6])
        if self._breaks_rule_9(tool):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: take the new {type['name']} {number} into the crib (new: tool {tool['id']}).",
            "data": {"tool_id": tool["id"], **self._changes()},
        }

    def scrap_tool(self, tool_id: str) -> Result:
        """Scrap a worn tool, or one from the crib that is in no kit.

        Args:
            tool_id (str): Id of the tool, such as TOOL-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        tool = self.tools.get(tool_id)
        if tool is None:
            return _refused(f"There is no tool {tool_id!r}.")
        if tool["place"] not in ("worn", "crib"):
            return _refused(f"{tool['number']} is {tool['place']}.")
        if tool["kit_id"] is not None:
            return _refused(
                f"{tool['number']} belongs to the {self.kits[tool['kit_id']]['name']}, so take it out of there first."
            )
        self._journal = []
        self._put("tools", tool, "place", "scrapped")
        if self._breaks_rule_1_t(tool):
            return self._take_back(RULES[0])
        if self._breaks_rule_9(tool):
            return self._take_back(RULES[8])
        return {"success": True, "message": f"Done: scrap {tool['number']}.", "data": self._changes()}

    def calibrate_tool(self, tool_id: str, passed: bool = True) -> Result:
        """Enter the calibration of a gauge in the crib; it counts from today for as long as its type says, and a
        gauge found out of tolerance is scrapped.

        Args:
            tool_id (str): Id of the tool, such as TOOL-00001.
            passed (bool): Whether the gauge was within tolerance, as otherwise it is scrapped. Default: true.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        tool = self.tools.get(tool_id)
        if tool is None:
            return _refused(f"There is no tool {tool_id!r}.")
        if self.tool_types[tool["type_id"]]["calibration_days"] is None:
            return _refused(f"The {self.tool_types[tool['type_id']]['name']} is not calibrated.")
        if tool["place"] != "crib":
            return _refused(f"{tool['number']} is {tool['place']}, so it cannot be calibrated now.")
        if (
            passed
            and tool["calibrated_until"] == _plus_days(
                self.now[:10],
                self.tool_types[tool["type_id"]]["calibration_days"],
            )
        ):
            return _refused(f"{tool['number']} was calibrated today.")
        self._journal = []
        changed_tools: list[Any] = []
        changed_tools_2: list[Any] = []
        changed_tools_3: list[Any] = []
        if passed:
            changed_tools.append(tool)
            self._put(
                "tools",
                tool,
                "calibrated_until",
                _plus_days(self.now[:10], self.tool_types[tool["type_id"]]["calibration_days"]),
            )
        else:
            changed_tools.append(tool)
            self._put("tools", tool, "calibrated_until", None)
            changed_tools_2.append(tool)
            self._put("tools", tool, "kit_id", None)
            changed_tools_3.append(tool)
            self._put("tools", tool, "place", "scrapped")
        for one_tool in _distinct(changed_tools_3):
            if self._breaks_rule_1_t(one_tool):
                return self._take_back(RULES[0])
        for one_loan in _distinct(
            [user for one in changed_tools for user in self._loans_by_tool.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_3(one_loan):
                return self._take_back(RULES[2])
        for one_tool in _distinct(changed_tools_2):
            if self._breaks_rule_7_t(one_tool):
                return self._take_back(RULES[6])
        for one_tool in _distinct(changed_tools_2):
            if self._breaks_rule_7_t_again(one_tool):
                return self._take_back(RULES[6])
        for one_tool in _distinct([*changed_tools_2, *changed_tools_3]):
            if self._breaks_rule_9(one_tool):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: enter the calibration of {tool['number']}.",
            "data": self._changes(),
        }

    def move_to_kit(self, tool_id: str, kit_id: str | None = None) -> Result:
        """Put a tool of the crib into a kit, or take it out of the one it is in.

        Args:
            tool_id (str): Id of the tool, such as TOOL-00001.
            kit_id (str, optional): Kit into which the tool goes; an id such as KIT-00001. If left out, the tool is
                taken out of its kit.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        tool = self.tools.get(tool_id)
        if tool is None:
            return _refused(f"There is no tool {tool_id!r}.")
        kit = self.kits.get(kit_id) if kit_id is not None else None
        if kit_id is not None and kit is None:
            return _refused(f"There is no kit {kit_id!r}.")
        if tool["place"] != "crib":
            return _refused(f"{tool['number']} is {tool['place']}.")
        if tool["kit_id"] == kit_id:
            return _refused(f"Nothing would change for {tool['number']}.")
        if kit_id is not None and tool["type_id"] not in kit["need_ids"]:
            return _refused(f"The kit needs no {self.tool_types[tool['type_id']]['name']}.")
        if not (kit_id is None or not self._tools_by_type_kit.get((tool["type_id"], kit_id), {})):
            return _refused(f"The kit has a {self.tool_types[tool['type_id']]['name']}.")
        if not (kit_id is None or not any(l["back_on"] is None for l in self._loans_by_kit.get(kit_id, {}).values())):
            return _refused("The kit is out.")
        self._journal = []
        self._put("tools", tool, "kit_id", kit_id)
        if self._breaks_rule_7_t(tool):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_t_again(tool):
            return self._take_back(RULES[6])
        if self._breaks_rule_9(tool):
            return self._take_back(RULES[8])
        done = f"move {tool['number']}"
        if kit is not None:
            done += f" to the {kit['name']}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def certify_operator(
        self,
        operator_id: str,
        skill: Literal["measuring", "torque", "reaming", "honing"],
        until: Date,
    ) -> Result:
        """Certify an operator for a skill up to a day, or renew the certificate.

        Args:
            operator_id (str): Id of the operator, such as OPERATOR-00001.
            skill (str): Skill that the operator is certified for: measuring, torque, reaming or honing.
            until (str): Last day of the certificate, after today, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        operator = self.operators.get(operator_id)
        if operator is None:
            return _refused(f"There is no operator {operator_id!r}.")
        if until <= self.now[:10]:
            return _refused(f"{until} is not after today.")
        if any(
            c["until"] >= until
            for c in self._certificates_by_operator_skill.get((operator_id, skill), {}).values()
        ):
            return _refused(f"{operator['name']} is certified at least that long.")
        self._journal = []
        changed_certificates: list[Any] = []
        added_certificates: list[Any] = []
        old = next(
            (
                c
                for c in sorted(self._certificates_by_operator_skill.get((operator_id, skill), {}).values(), key=_age)
            ),
            None,
        )
        if old is not None:
            changed_certificates.append(old)
            self._put("certificates", old, "until", until)
        else:
            certificate = {
                "id": self._new_id("certificate", "CERTIFICATE", self.certificates),
                "operator_id": operator_id,
                "skill": skill,
                "until": until,
            }
            self._add("certificates", certificate)
            added_certificates.append(certificate)
        for one_loan in _distinct(
            [
                *[
                    user
                    for one in [self.operators[one["operator_id"]] for one in changed_certificates]
                    for user in self._loans_by_operator.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [self.operators[one["operator_id"]] for one in added_certificates]
                    for user in self._loans_by_operator.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_2(one_loan):
                return self._take_back(RULES[1])
        for one_certificate in _distinct(added_certificates):
            if self._breaks_rule_10(one_certificate):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: certify {operator['name']} for {skill} until {until}.",
            "data": self._changes(),
        }

    def _show_operator(self, operator: Operator) -> dict[str, Any]:
        """The operator as an answer shows it."""
        return {
            **operator,
            "holding": self._operator_holding(operator),
            "may_hold": self._operator_may_hold(operator),
        }

    def _show_tool(self, tool: Tool) -> dict[str, Any]:
        """The tool as an answer shows it."""
        return {**tool, "left": self._tool_left(tool)}

    def _show_kit(self, kit: Kit) -> dict[str, Any]:
        """The kit as an answer shows it."""
        return {
            **kit,
            "need_ids": [*kit["need_ids"]],
            "filled": self._kit_filled(kit),
            "complete": self._kit_complete(kit),
        }

    def _names_of_certificates(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that certificates point to."""
        return _names((self.operators, "name", [row["operator_id"] for row in shown]))

    def _names_of_tools(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that tools point to."""
        return _names(
            (self.tool_types, "name", [row["type_id"] for row in shown]),
            (self.kits, "name", [row["kit_id"] for row in shown]),
        )

    def _names_of_kits(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that kits point to."""
        return _names((self.tool_types, "name", [each for row in shown for each in row["need_ids"]]))

    def _names_of_loans(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that loans point to."""
        return _names(
            (self.tools, "number", [row["tool_id"] for row in shown]),
            (self.operators, "name", [row["operator_id"] for row in shown]),
            (self.kits, "name", [row["kit_id"] for row in shown]),
        )

    def _operator_holding(self, operator: Operator) -> int:
        """The holding of an operator."""
        return sum(1 for l in self._loans_by_operator.get(operator["id"], {}).values() if l["back_on"] is None)

    def _operator_may_hold(self, operator: Operator) -> int:
        """The may hold of an operator."""
        return 2 if operator["trainee"] else 6

    def _tool_left(self, tool: Tool) -> int:
        """The left of a tool."""
        return self.tool_types[tool["type_id"]]["life"] - tool["uses"]

    def _kit_filled(self, kit: Kit) -> int:
        """The filled of a kit."""
        return len(self._tools_by_kit.get(kit["id"], {}))

    def _kit_complete(self, kit: Kit) -> bool:
        """The complete of a kit."""
        return all(
            any(t["type_id"] == n["id"] for t in self._tools_by_kit.get(kit["id"], {}).values())
            for n in [self.tool_types[key] for key in kit["need_ids"]]
        )

    def _skilled(self, o: Operator, t: ToolType, d: str) -> bool:
        return (
            t["skill"] is None
            or any(
                c["until"] >= d
                for c in self._certificates_by_operator_skill.get((o["id"], t["skill"]), {}).values()
            )
        )

    def _loan_of(self, t: Tool) -> Loan | None:
        return next(
            (l for l in sorted(self._loans_by_tool.get(t["id"], {}).values(), key=_age) if l["back_on"] is None),
            None,
        )

    def _usable(self, t: Tool, planned: int, d: str) -> bool:
        return (
            t["place"] == "crib"
            and self._tool_left(t) >= planned
            and (
                self.tool_types[t["type_id"]]["calibration_days"] is None
                or t["calibrated_until"] is not None
                and t["calibrated_until"] >= d
            )
        )

    def _breaks_rule_1_l(self, l: Loan) -> bool:
        """Whether this is broken: a tool is lent to one operator at a time, and whatever is out is lent."""
        return (
            l["back_on"] is None
            and any(
                other_l is not l
                for other_l in self._loans_by_tool.get(l["tool_id"], {}).values()
                if other_l["back_on"] is None
            )
        )

    def _breaks_rule_1_t(self, t: Tool) -> bool:
        """Whether this is broken: a tool is lent to one operator at a time, and whatever is out is lent."""
        return (t["place"] == "out") != any(
            l["back_on"] is None
            for l in self._loans_by_tool.get(t["id"], {}).values()
        )

    def _breaks_rule_2(self, l: Loan) -> bool:
        """Whether this is broken: whoever has a tool has been certified for it up to the day it is due."""
        return (
            l["back_on"] is None
            and not self._skilled(
                self.operators[l["operator_id"]],
                self.tool_types[self.tools[l["tool_id"]]["type_id"]],
                l["due"],
            )
        )

    def _breaks_rule_3(self, l: Loan) -> bool:
        """Whether this is broken: a gauge is lent no longer than its calibration is valid."""
        return (
            l["back_on"] is None
            and not (
                self.tool_types[self.tools[l["tool_id"]]["type_id"]]["calibration_days"] is None
                or self.tools[l["tool_id"]]["calibrated_until"] is not None
                and l["due"] <= self.tools[l["tool_id"]]["calibrated_until"]
            )
        )

    def _breaks_rule_4(self, l: Loan) -> bool:
        """Whether this is broken: a tool that is out bears the uses it was taken for."""
        return (
            l["back_on"] is None
            and self.tools[l["tool_id"]]["uses"] + l["planned"] > self.tool_types[
                self.tools[l["tool_id"]]["type_id"]
            ]["life"]
        )

    def _breaks_rule_5(self, o: Operator) -> bool:
        """Whether this is broken: nobody holds more tools than they may."""
        return self._operator_holding(o) > self._operator_may_hold(o)

    def _breaks_rule_6(self, t: Tool) -> bool:
        """Whether this is broken: a tool is reground no more often than its type bears."""
        return t["regrinds"] > self.tool_types[t["type_id"]]["regrinds"]

    def _breaks_rule_7_t(self, t: Tool) -> bool:
        """Whether this is broken: a kit holds one tool of each type, and only of types it needs."""
        return (
            t["kit_id"] is not None
            and any(
                other_t is not t
                for other_t in self._tools_by_type_kit.get((t["type_id"], t["kit_id"]), {}).values()
                if other_t["kit_id"] is not None
            )
        )

    def _breaks_rule_7_t_again(self, t: Tool) -> bool:
        """Whether this is broken: a kit holds one tool of each type, and only of types it needs."""
        return t["kit_id"] is not None and t["type_id"] not in self.kits[t["kit_id"]]["need_ids"]

    def _breaks_rule_8_a(self, a: Loan) -> bool:
        """Whether this is broken: whatever of a kit is out is with one operator."""
        return (
            a["kit_id"] is not None
            and a["back_on"] is None
            and any(
                a["operator_id"] != b["operator_id"]
                for b in self._loans_by_kit.get(a["kit_id"], {}).values()
                if b["back_on"] is None
            )
        )

    def _breaks_rule_8_b(self, b: Loan) -> bool:
        """Whether this is broken: whatever of a kit is out is with one operator."""
        return (
            b["back_on"] is None
            and any(
                a["operator_id"] != b["operator_id"]
                for a in self._loans_by_kit.get(b["kit_id"], {}).values()
                if a["kit_id"] is not None
                and a["back_on"] is None
            )
        )

    def _breaks_rule_9(self, t: Tool) -> bool:
        """Whether this is broken: worn and scrapped tools and those at the grinder are in no kit."""
        return t["kit_id"] is not None and t["place"] in ("worn", "grinding", "scrapped")

    def _breaks_rule_10(self, c: Certificate) -> bool:
        """Whether this is broken: an operator has one certificate for a skill."""
        return any(
            other_c is not c
            for other_c in self._certificates_by_operator_skill.get((c["operator_id"], c["skill"]), {}).values()
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
            case "certificates":
                self._certificates_by_operator_skill.setdefault(
                    (record["operator_id"], record["skill"]),
                    {},
                )[record["id"]] = record
            case "tools":
                self._tools_by_kit.setdefault(record["kit_id"], {})[record["id"]] = record
                self._tools_by_number.setdefault(record["number"], {})[record["id"]] = record
                self._tools_by_type_kit.setdefault((record["type_id"], record["kit_id"]), {})[record["id"]] = record
            case "loans":
                self._loans_by_kit.setdefault(record["kit_id"], {})[record["id"]] = record
                self._loans_by_operator.setdefault(record["operator_id"], {})[record["id"]] = record
                self._loans_by_tool.setdefault(record["tool_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "certificates":
                del self._certificates_by_operator_skill[record["operator_id"], record["skill"]][record["id"]]
            case "tools":
                del self._tools_by_kit[record["kit_id"]][record["id"]]
                del self._tools_by_number[record["number"]][record["id"]]
                del self._tools_by_type_kit[record["type_id"], record["kit_id"]][record["id"]]
            case "loans":
                del self._loans_by_kit[record["kit_id"]][record["id"]]
                del self._loans_by_operator[record["operator_id"]][record["id"]]
                del self._loans_by_tool[record["tool_id"]][record["id"]]
