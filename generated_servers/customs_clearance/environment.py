"""Customs clearance. Compiled from blueprint.yaml; run `envscaler build customs_clearance` after changing it there.

Clears imports through customs, with declarations of several lines, duty by tariff code, quotas that are drawn
down, green, yellow and red channels, inspections, and guarantees that cover the duty until it is paid.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from fractions import Fraction
from hashlib import sha256
from math import floor
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Date = Annotated[str, {"format": "date"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "The duty of declarations that are not paid never exceeds their guarantee.",
    "A declaration is covered by a guarantee of its own importer.",
    "A guarantee is valid on the day on which a declaration is lodged with it.",
    "A lodged declaration has a channel, a guarantee and a day, and a draft has none of them.",
    "A quota is never drawn down below nothing.",
    "A line draws on a quota only for goods and an origin of that quota.",
    "Quotas are drawn on only with a certificate of origin.",
    "Restricted goods are declared with a licence.",
    "A declaration has one document of a kind.",
    "A declaration has one inspection pending at a time, and only in the red channel.",
    "An officer does three inspections a day at most.",
    "What was declared in the red channel is released after a conform inspection only.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "open_declaration",
    "add_line",
    "amend_line",
    "attach_document",
    "lodge_declaration",
    "check_documents",
    "plan_inspection",
    "report_inspection",
    "pay_duty",
    "raise_guarantee",
    "cancel_declaration",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "tariff_codes": ("code",),
    "importers": ("name",),
    "guarantees": ("reference",),
    "quotas": ("name",),
    "declarations": ("number",),
    "lines": (),
    "documents": (),
    "inspections": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("declarations", "guarantee_id"),
    ("declarations", "number"),
    ("documents", "declaration_id"),
    ("documents", "kind"),
    ("inspections", "declaration_id"),
    ("inspections", "officer"),
    ("inspections", "on"),
    ("lines", "declaration_id"),
    ("lines", "quota_id"),
    ("quotas", "code_id"),
    ("tariff_codes", "within_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class TariffCode(TypedDict):
    id: str
    code: str
    goods: str
    within_id: str | None
    percent: int | None
    risky: bool
    licence: bool


class Importer(TypedDict):
    id: str
    name: str
    trusted: bool


class Guarantee(TypedDict):
    id: str
    reference: str
    importer_id: str
    amount: int
    valid_until: str


class Quota(TypedDict):
    id: str
    name: str
    code_id: str
    origin: str
    kilos: int
    percent: int


class Declaration(TypedDict):
    id: str
    number: str
    importer_id: str
    office: Literal["seaport", "airport", "rail_yard"]
    guarantee_id: str | None
    channel: Literal["green", "yellow", "red"] | None
    lodged_on: str | None
    status: Literal["draft", "lodged", "cancelled", "released", "stopped", "paid"]


class Line(TypedDict):
    id: str
    declaration_id: str
    code_id: str
    origin: str
    kilos: int
    value: int
    quota_id: str | None


class Document(TypedDict):
    id: str
    declaration_id: str
    kind: Literal["invoice", "certificate_of_origin", "licence"]
    reference: str


class Inspection(TypedDict):
    id: str
    declaration_id: str
    officer: str
    on: str
    result: Literal["conform", "wrong_value", "wrong_quantity"] | None


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


def _rounded(value: Fraction | int) -> int:
    """The nearest whole number, halves away from zero."""
    return floor(value + Fraction(1, 2)) if value >= 0 else -floor(-value + Fraction(1, 2))


def _plus_days(day: str, days: int) -> str:
    """The date so many days later; the calendar ends where Python's does."""
    ordinal = date.fromisoformat(day).toordinal() + days
    return date.fromordinal(min(max(ordinal, 1), date.max.toordinal())).isoformat()


def _bucket(*values: Any) -> int:
    """A number from 0 to 99 that is always the same for the same values."""
    return int.from_bytes(sha256("|".join(map(str, values)).encode()).digest()[:8], "big") % 100


def _above(records: dict[str, Any], start: Any, field: str) -> list[Any]:
    """The records one comes to by following a reference again and again, nearest first."""
    found: dict[str, Any] = {}
    ahead = [start]
    while ahead:
        record = ahead.pop(0)
        goal = record[field]
        for key in goal if isinstance(goal, list) else [goal]:
            if key is not None and key not in found:
                found[key] = records[key]
                ahead.append(records[key])
    return list(found.values())


def _below(users: dict[Any, dict[str, Any]], start: Any) -> list[Any]:
    """The records from which one comes to this one by following a reference, nearest first.

    `users` has the records that refer to an id.
    """
    found: dict[str, Any] = {}
    ahead = [start["id"]]
    while ahead:
        key = ahead.pop(0)
        for record in sorted(users.get(key, {}).values(), key=_age):
            if record["id"] not in found:
                found[record["id"]] = record
                ahead.append(record["id"])
    return list(found.values())


class CustomsClearance:
    """Clears imports through customs, with declarations of several lines, duty by tariff code, quotas that
    are drawn down, green, yellow and red channels, inspections, and guarantees that cover the duty
    until it is paid.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.tariff_codes: dict[str, TariffCode] = _copied(config.get("tariff_codes", {}))
        self.importers: dict[str, Importer] = _copied(config.get("importers", {}))
        self.guarantees: dict[str, Guarantee] = _copied(config.get("guarantees", {}))
        self.quotas: dict[str, Quota] = _copied(config.get("quotas", {}))
        self.declarations: dict[str, Declaration] = _copied(config.get("declarations", {}))
        self.lines: dict[str, Line] = _copied(config.get("lines", {}))
        self.documents: dict[str, Document] = _copied(config.get("documents", {}))
        self.inspections: dict[str, Inspection] = _copied(config.get("inspections", {}))
        self.now: str = config.get("now", "2026-04-14T08:45")
        self.counters: dict[str, int] = {
            "tariff_code": len(self.tariff_codes),
            "importer": len(self.importers),
            "guarantee": len(self.guarantees),
            "quota": len(self.quotas),
            "declaration": len(self.declarations),
            "line": len(self.lines),
            "document": len(self.documents),
            "inspection": len(self.inspections),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._tariff_codes_by_within: dict[Any, dict[str, TariffCode]] = {}
        self._quotas_by_code: dict[Any, dict[str, Quota]] = {}
        self._declarations_by_guarantee: dict[Any, dict[str, Declaration]] = {}
        self._declarations_by_number: dict[Any, dict[str, Declaration]] = {}
        self._lines_by_declaration: dict[Any, dict[str, Line]] = {}
        self._lines_by_declaration_quota: dict[Any, dict[str, Line]] = {}
        self._lines_by_quota: dict[Any, dict[str, Line]] = {}
        self._documents_by_declaration: dict[Any, dict[str, Document]] = {}
        self._documents_by_declaration_kind: dict[Any, dict[str, Document]] = {}
        self._inspections_by_declaration: dict[Any, dict[str, Inspection]] = {}
        self._inspections_by_officer_on: dict[Any, dict[str, Inspection]] = {}
        for tariff_code in self.tariff_codes.values():
            self._link("tariff_codes", tariff_code)
        for quota in self.quotas.values():
            self._link("quotas", quota)
        for declaration in self.declarations.values():
            self._link("declarations", declaration)
        for line in self.lines.values():
            self._link("lines", line)
        for document in self.documents.values():
            self._link("documents", document)
        for inspection in self.inspections.values():
            self._link("inspections", inspection)

    def tariff_below(self, code_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """All codes below one in the tariff, with the percent that applies to each.

        Args:
            code_id (str): Tariff code at the top of the branch; an id such as TC-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "tariff_codes": records}} or {"success": False, "error":
                why not}
        """
        code = self.tariff_codes.get(code_id)
        if code is None:
            return _refused(f"There is no tariff code {code_id!r}.")
        found = [c for c in _below(self._tariff_codes_by_within, code)]
        found.sort(key=lambda c: (c["code"], _age(c)))
        return _found(
            {
                "total": len(found),
                "tariff_codes": [
                    {
                        "id": c["id"],
                        "code": c["code"],
                        "goods": c["goods"],
                        "percent": self._percent_of(c),
                        "risky": self._is_risky(c),
                    }
                    for c in _page(found, offset)
                ],
            }
        )

    def quotas_for(
        self,
        code_id: str,
        origin: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Quotas for goods of a code from an origin, with what is left.

        Args:
            code_id (str): Tariff code of the goods; an id such as TC-00001.
            origin (str, optional): Country that the goods come from. If left out, quotas for all origins are
                listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "quotas": records}} or {"success": False, "error": why
                not}
        """
        code = self.tariff_codes.get(code_id)
        if code is None:
            return _refused(f"There is no tariff code {code_id!r}.")
        found = [
            q
            for q in _distinct(
                [
                    q
                    for key in [code_id, *[record["id"] for record in _above(self.tariff_codes, code, "within_id")]]
                    for q in self._quotas_by_code.get(key, {}).values()
                ]
            )
            if (origin is None or q["origin"] == origin)
        ]
        found.sort(key=lambda q: (q["percent"], q["name"], _age(q)))
        return _found(
            {
                "total": len(found),
                "quotas": [
                    {
                        "id": q["id"],
                        "name": q["name"],
                        "origin": q["origin"],
                        "percent": q["percent"],
                        "left": self._quota_left(q),
                    }
                    for q in _page(found, offset)
                ],
            }
        )

    def to_handle(
        self,
        office: Literal["seaport", "airport", "rail_yard"] | None = None,
        channel: Literal["yellow", "red"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Lodged and stopped declarations that customs still have to handle, the oldest first.

        Args:
            office (str, optional): Customs office that handles them: seaport, airport or rail_yard. If left out,
                declarations at all offices are listed.
            channel (str, optional): Channel of the declarations: yellow or red. If left out, declarations of all
                channels are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "declarations": records}} or {"success": False, "error":
                why not}
        """
        found = [
            d
            for d in self.declarations.values()
            if d["status"] in ("lodged", "stopped")
            and (office is None or d["office"] == office)
            and (channel is None or d["channel"] is not None and d["channel"] == channel)
        ]
        found.sort(
            key=lambda d: (d["lodged_on"] if d["lodged_on"] is not None else self.now[:10], d["number"], _age(d))
        )
        return _found(
            {
                "total": len(found),
                "declarations": [
                    {
                        "id": d["id"],
                        "number": d["number"],
                        "importer": self.importers[d["importer_id"]]["name"],
                        "channel": d["channel"],
                        "status": d["status"],
                        "duty": self._declaration_duty(d),
                        "inspection_planned": self._pending(d) is not None,
                    }
                    for d in _page(found, offset)
                ],
            }
        )

    def list_tariff_codes(
        self,
        code: Text | None = None,
        within_id: str | None = None,
        risky: bool | None = None,
        licence: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the tariff codes, oldest first, all of them or only some.

        Args:
            code (str, optional): Only tariff codes whose code contains this text.
            within_id (str, optional): Only tariff codes within this tariff code.
            risky (bool, optional): Only tariff codes with this value of `risky`.
            licence (bool, optional): Only tariff codes with this value of `licence`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "tariff_codes": records}}
        """
        if within_id is not None and within_id not in self.tariff_codes:
            return _refused(f"There is no tariff code {within_id!r}.")
        found = [
            tariff_code
            for tariff_code in self.tariff_codes.values()
            if (code is None or code.casefold() in tariff_code["code"].casefold())
            and (within_id is None or tariff_code["within_id"] == within_id)
            and (risky is None or tariff_code["risky"] == risky)
            and (licence is None or tariff_code["licence"] == licence)
        ]
        shown = [{**tariff_code} for tariff_code in _page(found, offset)]
        return _found({"total": len(found), "tariff_codes": shown}, self._names_of_tariff_codes(shown))

    def list_importers(
        self,
        name: Text | None = None,
        trusted: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the importers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only importers whose name contains this text.
            trusted (bool, optional): Only importers that are trusted (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "importers": records}}
        """
        found = [
            importer
            for importer in self.importers.values()
            if (name is None or name.casefold() in importer["name"].casefold())
            and (trusted is None or importer["trusted"] == trusted)
        ]
        return _found({"total": len(found), "importers": [{**importer} for importer in _page(found, offset)]})

    def list_guarantees(
        self,
        reference: Text | None = None,
        importer_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the guarantees, oldest first, all of them or only some.

        Args:
            reference (str, optional): Only guarantees whose reference contains this text.
            importer_id (str, optional): Only guarantees of this importer.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "guarantees": records}}
        """
        if importer_id is not None and importer_id not in self.importers:
            return _refused(f"There is no importer {importer_id!r}.")
        found = [
            guarantee
            for guarantee in self.guarantees.values()
            if (reference is None or reference.casefold() in guarantee["reference"].casefold())
            and (importer_id is None or guarantee["importer_id"] == importer_id)
        ]
        shown = [self._show_guarantee(guarantee) for guarantee in _page(found, offset)]
        return _found({"total": len(found), "guarantees": shown}, self._names_of_guarantees(shown))

    def list_quotas(
        self,
        name: Text | None = None,
        code_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the quotas, oldest first, all of them or only some.

        Args:
            name (str, optional): Only quotas whose name contains this text.
            code_id (str, optional): Only quotas whose code is this tariff code.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "quotas": records}}
        """
        if code_id is not None and code_id not in self.tariff_codes:
            return _refused(f"There is no tariff code {code_id!r}.")
        found = [
            quota
            for quota in self.quotas.values()
            if (name is None or name.casefold() in quota["name"].casefold())
            and (code_id is None or quota["code_id"] == code_id)
        ]
        shown = [self._show_quota(quota) for quota in _page(found, offset)]
        return _found({"total": len(found), "quotas": shown}, self._names_of_quotas(shown))

    def list_declarations(
        self,
        number: Text | None = None,
        importer_id: str | None = None,
        office: Literal["seaport", "airport", "rail_yard"] | None = None,
        guarantee_id: str | None = None,
        channel: Literal["green", "yellow", "red"] | None = None,
        status: Literal["draft", "lodged", "cancelled", "released", "stopped", "paid"] | None = None,
        lodged_on_from: Date | None = None,
        lodged_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the declarations, oldest first, all of them or only some.

        Args:
            number (str, optional): Only declarations whose number contains this text.
            importer_id (str, optional): Only declarations of this importer.
            office (str, optional): Only declarations with this office.
            guarantee_id (str, optional): Only declarations of this guarantee.
            channel (str, optional): Only declarations with this channel.
            status (str, optional): Only declarations with this status.
            lodged_on_from (str, optional): Only declarations whose `lodged_on` is on this day or later.
            lodged_on_to (str, optional): Only declarations whose `lodged_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "declarations": records}}
        """
        if importer_id is not None and importer_id not in self.importers:
            return _refused(f"There is no importer {importer_id!r}.")
        if guarantee_id is not None and guarantee_id not in self.guarantees:
            return _refused(f"There is no guarantee {guarantee_id!r}.")
        found = [
            declaration
            for declaration in self.declarations.values()
            if (number is None or number.casefold() in declaration["number"].casefold())
            and (importer_id is None or declaration["importer_id"] == importer_id)
            and (office is None or declaration["office"] == office)
            and (guarantee_id is None or declaration["guarantee_id"] == guarantee_id)
            and (channel is None or declaration["channel"] == channel)
            and (status is None or declaration["status"] == status)
            and (
                lodged_on_from is None
                or (declaration["lodged_on"] is not None and declaration["lodged_on"] >= lodged_on_from)
            )
            and (
                lodged_on_to is None
                or (declaration["lodged_on"] is not None and declaration["lodged_on"] <= lodged_on_to)
            )
        ]
        shown = [self._show_declaration(declaration) for declaration in _page(found, offset)]
        return _found({"total": len(found), "declarations": shown}, self._names_of_declarations(shown))

    def list_lines(
        self,
        declaration_id: str | None = None,
        code_id: str | None = None,
        quota_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the lines, oldest first, all of them or only some.

        Args:
            declaration_id (str, optional): Only lines of this declaration.
            code_id (str, optional): Only lines whose code is this tariff code.
            quota_id (str, optional): Only lines of this quota.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "lines": records}}
        """
        if declaration_id is not None and declaration_id not in self.declarations:
            return _refused(f"There is no declaration {declaration_id!r}.")
        if code_id is not None and code_id not in self.tariff_codes:
            return _refused(f"There is no tariff code {code_id!r}.")
        if quota_id is not None and quota_id not in self.quotas:
            return _refused(f"There is no quota {quota_id!r}.")
        found = [
            line
            for line in self.lines.values()
            if (declaration_id is None or line["declaration_id"] == declaration_id)
            and (code_id is None or line["code_id"] == code_id)
            and (quota_id is None or line["quota_id"] == quota_id)
        ]
        shown = [self._show_line(line) for line in _page(found, offset)]
        return _found({"total": len(found), "lines": shown}, self._names_of_lines(shown))

    def list_documents(
        self,
        declaration_id: str | None = None,
        kind: Literal["invoice", "certificate_of_origin", "licence"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the documents, oldest first, all of them or only some.

        Args:
            declaration_id (str, optional): Only documents of this declaration.
            kind (str, optional): Only documents with this kind.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "documents": records}}
        """
        if declaration_id is not None and declaration_id not in self.declarations:
            return _refused(f"There is no declaration {declaration_id!r}.")
        found = [
            document
            for document in self.documents.values()
            if (declaration_id is None or document["declaration_id"] == declaration_id)
            and (kind is None or document["kind"] == kind)
        ]
        shown = [{**document} for document in _page(found, offset)]
        return _found({"total": len(found), "documents": shown}, self._names_of_documents(shown))

    def list_inspections(
        self,
        declaration_id: str | None = None,
        result: Literal["conform", "wrong_value", "wrong_quantity"] | None = None,
        on_from: Date | None = None,
        on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the inspections, oldest first, all of them or only some.

        Args:
            declaration_id (str, optional): Only inspections of this declaration.
            result (str, optional): Only inspections with this result.
            on_from (str, optional): Only inspections whose `on` is on this day or later.
            on_to (str, optional): Only inspections whose `on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "inspections": records}}
        """
        if declaration_id is not None and declaration_id not in self.declarations:
            return _refused(f"There is no declaration {declaration_id!r}.")
        found = [
            inspection
            for inspection in self.inspections.values()
            if (declaration_id is None or inspection["declaration_id"] == declaration_id)
            and (result is None or inspection["result"] == result)
            and (on_from is None or inspection["on"] >= on_from)
            and (on_to is None or inspection["on"] <= on_to)
        ]
        shown = [{**inspection} for inspection in _page(found, offset)]
        return _found({"total": len(found), "inspections": shown}, self._names_of_inspections(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def open_declaration(
        self,
        number: Text,
        importer_id: str,
        office: Literal["seaport", "airport", "rail_yard"],
    ) -> Result:
        """Open the draft of a declaration for an importer.

        Args:
            number (str): New number of the declaration, not used before.
            importer_id (str): Id of the importer, such as IMPORTER-00001.
            office (str): Customs office where the goods arrive: seaport, airport or rail_yard.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        importer = self.importers.get(importer_id)
        if importer is None:
            return _refused(f"There is no importer {importer_id!r}.")
        if self._declarations_by_number.get(number, {}):
            return _refused(f"There is a declaration {number} already.")
        self._journal = []
        declaration: Declaration = {
            "id": self._new_id("declaration", "DECLARATION", self.declarations),
            "number": number,
            "importer_id": importer_id,
            "office": office,
            "guarantee_id": None,
            "channel": None,
            "lodged_on": None,
            "status": "draft",
        }
        self._add("declarations", declaration)
        if len(self._declarations_by_number.get(declaration["number"], {})) > 1:
            return self._take_back(f"There is already a declaration with the number {declaration['number']!r}.")
        for one_guarantee in _distinct([self.guarantees.get(declaration["guarantee_id"])]):
            if self._breaks_rule_1(one_guarantee):
                return self._take_back(RULES[0])
        if self._breaks_rule_2(declaration):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(declaration):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(declaration):
            return self._take_back(RULES[3])
        if self._breaks_rule_12(declaration):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: open declaration {number} for {importer['name']} (new: declaration {declaration['id']})."
            ),
            "data": {"declaration_id": declaration["id"], **self._changes()},
        }

    def add_line(
        self,
        declaration_id: str,
        code_id: str,
        origin: Text,
        kilos: Annotated[int, {"minimum": 1, "maximum": 900000}],
        value: Annotated[int, {"minimum": 100, "maximum": 90000000}],
        quota_id: str | None = None,
    ) -> Result:
        """Add goods to a draft, within a quota where one is claimed.

        Args:
            declaration_id (str): Id of the declaration, such as DECLARATION-00001.
            code_id (str): Tariff code of the goods; an id such as TC-00001.
            origin (str): Country that the goods come from.
            kilos (int): Weight of the goods in kilograms, from 1 to 900000.
            value (int): Customs value of all goods on the line, in cents, from 100 to 90000000.
            quota_id (str, optional): Quota claimed, for this origin and this code or one above; an id such as
                QUOTA-00001. If left out, the normal rate of duty applies.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        declaration = self.declarations.get(declaration_id)
        if declaration is None:
            return _refused(f"There is no declaration {declaration_id!r}.")
        code = self.tariff_codes.get(code_id)
        if code is None:
            return _refused(f"There is no tariff code {code_id!r}.")
        quota = self.quotas.get(quota_id) if quota_id is not None else None
        if quota_id is not None and quota is None:
            return _refused(f"There is no quota {quota_id!r}.")
        if declaration["status"] != "draft":
            return _refused(f"Declaration {declaration['number']} is {declaration['status']}.")
        if quota_id is not None and quota["origin"] != origin:
            return _refused(f"The quota is for another origin than {origin}.")
        if quota_id is not None and self.tariff_codes[quota["code_id"]] not in self._chain(code):
            return _refused(f"The quota is not for the code {code['code']}.")
        if len(self._lines_of(declaration)) >= 20:
            return _refused("A declaration has 20 lines at most.")
        self._journal = []
        line: Line = {
            "id": self._new_id("line", "LINE", self.lines),
            "declaration_id": declaration_id,
            "code_id": code_id,
            "origin": origin,
            "kilos": kilos,
            "value": value,
            "quota_id": quota_id,
        }
        self._add("lines", line)
        for one_guarantee in _distinct(
            [self.guarantees.get(self.declarations[line["declaration_id"]]["guarantee_id"])]
        ):
            if self._breaks_rule_1(one_guarantee):
                return self._take_back(RULES[0])
        for one_quota in _distinct([self.quotas.get(line["quota_id"])]):
            if self._breaks_rule_5(one_quota):
                return self._take_back(RULES[4])
        if self._breaks_rule_6(line):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(line):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(line):
            return self._take_back(RULES[7])
        done = f"add {kilos} kg of {code['code']} from {origin} to declaration {declaration['number']}"
        if quota is not None:
            done += f" in the quota {quota['name']}"
        return {
            "success": True,
            "message": f"Done: {done} (new: line {line['id']}).",
            "data": {"line_id": line["id"], **self._changes()},
        }

    def amend_line(
        self,
        line_id: str,
        kilos: Annotated[int, {"minimum": 1, "maximum": 900000}] | None = None,
        value: Annotated[int, {"minimum": 100, "maximum": 90000000}] | None = None,
        without_quota: bool = False,
    ) -> Result:
        """Amend weight or value of a line before release, or take it out of its quota.

        Args:
            line_id (str): Id of the line, such as LINE-00001.
            kilos (int, optional): Right weight of the goods in kilograms, from 1 to 900000. If left out, the
                weight stays as it is.
            value (int, optional): Right customs value of all goods on the line, in cents, from 100 to 90000000. If
                left out, the value stays as it is.
            without_quota (bool): Whether the line gives up its quota and pays normal duty. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        line = self.lines.get(line_id)
        if line is None:
            return _refused(f"There is no line {line_id!r}.")
        declaration = self.declarations[line["declaration_id"]]
        if declaration["status"] not in ("draft", "lodged", "stopped"):
            return _refused(f"Declaration {declaration['number']} is {declaration['status']}.")
        visit = self._pending(declaration)
        if visit is not None:
            return _refused(
                f"{visit['officer']} inspects declaration {declaration['number']} on {visit['on']}; nothing is "
                "amended until that is reported."
            )
        if not (kilos is not None or value is not None or without_quota):
            return _refused("Say what is to be amended.")
        if without_quota and line["quota_id"] is None:
            return _refused("The line claims no quota.")
        weight = kilos if kilos is not None else line["kilos"]
        quota = self.quotas.get(line["quota_id"])
        if not (
            without_quota
            or quota is None
            or declaration["status"] == "draft"
            or weight - line["kilos"] <= self._quota_left(quota)
        ):
            return _refused(f"The quota {quota['name']} has {self._quota_left(quota)} kg left.")
        worth = value if value is not None else line["value"]
        rate = (
            quota["percent"]
            if quota is not None and not without_quota
            else self._percent_of(self.tariff_codes[line["code_id"]])
        )
        more = _rounded(Fraction(worth * rate, 100)) - self._line_duty(line)
        cover = self.guarantees.get(declaration["guarantee_id"])
        if cover is not None and declaration["status"] != "draft" and more > self._guarantee_free(cover):
            return _refused(
                f"The guarantee {cover['reference']} has {_money(self._guarantee_free(cover))} free and the duty "
                f"rises by {_money(more)}."
            )
        self._journal = []
        changed_lines: list[Any] = []
        former_quota_ids: list[Any] = []
        if not 1 <= weight <= 900000:
            return self._take_back(f"The kilos of {line['id']} must be between 1 and 900000.")
        self._put("lines", line, "kilos", weight)
        if not 100 <= worth <= 90000000:
            return self._take_back(f"The value of {line['id']} must be between 1.00 and 900,000.00.")
        self._put("lines", line, "value", worth)
        if without_quota:
            changed_lines.append(line)
            former_quota_ids.append(line["quota_id"])
            self._put("lines", line, "quota_id", None)
        for one_guarantee in _distinct(
            [
                self.guarantees.get(self.declarations[line["declaration_id"]]["guarantee_id"]),
                *[
                    self.guarantees.get(one["guarantee_id"])
                    for one in [self.declarations[one["declaration_id"]] for one in changed_lines]
                ],
            ]
        ):
            if self._breaks_rule_1(one_guarantee):
                return self._take_back(RULES[0])
        for one_quota in _distinct(
            [
                self.quotas.get(line["quota_id"]),
                *[self.quotas.get(one["quota_id"]) for one in changed_lines],
                *[self.quotas.get(key) for key in former_quota_ids],
            ]
        ):
            if self._breaks_rule_5(one_quota):
                return self._take_back(RULES[4])
        for one_line in _distinct(changed_lines):
            if self._breaks_rule_6(one_line):
                return self._take_back(RULES[5])
        for one_line in _distinct(changed_lines):
            if self._breaks_rule_7(one_line):
                return self._take_back(RULES[6])
        done = f"amend a line of declaration {self.declarations[line['declaration_id']]['number']}"
        if kilos is not None:
            done += f" to {kilos} kg"
        if value is not None:
            done += f" to a value of {_money(value)}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def attach_document(
        self,
        declaration_id: str,
        kind: Literal["invoice", "certificate_of_origin", "licence"],
        reference: Text,
    ) -> Result:
        """Attach a document to a declaration that is not released yet.

        Args:
            declaration_id (str): Id of the declaration, such as DECLARATION-00001.
            kind (str): Kind of document, one that the declaration does not have: invoice, certificate_of_origin or
                licence.
            reference (str): Number printed on the document.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        declaration = self.declarations.get(declaration_id)
        if declaration is None:
            return _refused(f"There is no declaration {declaration_id!r}.")
        if declaration["status"] not in ("draft", "lodged", "stopped"):
            return _refused(f"Declaration {declaration['number']} is {declaration['status']}.")
        if self._has(declaration, kind):
            return _refused(f"Declaration {declaration['number']} has its {kind} already.")
        self._journal = []
        document: Document = {
            "id": self._new_id("document", "DOCUMENT", self.documents),
            "declaration_id": declaration_id,
            "kind": kind,
            "reference": reference,
        }
        self._add("documents", document)
        for one_line in _distinct(self._lines_by_declaration.get(document["declaration_id"], {}).values()):
            if self._breaks_rule_7(one_line):
                return self._take_back(RULES[6])
        for one_line in _distinct(self._lines_by_declaration.get(document["declaration_id"], {}).values()):
            if self._breaks_rule_8(one_line):
                return self._take_back(RULES[7])
        if self._breaks_rule_9(document):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: attach the {kind} {reference} to declaration {declaration['number']} (new: document "
                f"{document['id']})."
            ),
            "data": {"document_id": document["id"], **self._changes()},
        }

    def lodge_declaration(self, declaration_id: str, guarantee_id: str) -> Result:
        """Lodge a draft under a guarantee; risky goods go to the red channel, some others to the yellow one, and
        green is released at once.

        Args:
            declaration_id (str): Id of the declaration, such as DECLARATION-00001.
            guarantee_id (str): Id of the guarantee, such as GUARANTEE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        declaration = self.declarations.get(declaration_id)
        if declaration is None:
            return _refused(f"There is no declaration {declaration_id!r}.")
        guarantee = self.guarantees.get(guarantee_id)
        if guarantee is None:
            return _refused(f"There is no guarantee {guarantee_id!r}.")
        if declaration["status"] != "draft":
            return _refused(f"Declaration {declaration['number']} is {declaration['status']}.")
        if len(self._lines_of(declaration)) <= 0:
            return _refused(f"Declaration {declaration['number']} has no lines.")
        if not self._has(declaration, "invoice"):
            return _refused(f"The invoice of declaration {declaration['number']} is missing.")
        barred = self._restricted(declaration)
        if not (barred is None or self._has(declaration, "licence")):
            return _refused(f"{barred['goods']} need a licence, so attach that first.")
        if not (
            not any(l["quota_id"] is not None for l in self._lines_of(declaration))
            or self._has(declaration, "certificate_of_origin")
        ):
            return _refused("A line claims a quota, so attach the certificate of origin or take it out of the quota.")
        empty = next(
            (
                self.quotas[l["quota_id"]]
                for l in self._lines_of(declaration)
                if l["quota_id"] is not None
                and self._quota_left(self.quotas[l["quota_id"]]) < self._drawn(
                    declaration,
                    self.quotas[l["quota_id"]],
                )
            ),
            None,
        )
        if empty is not None:
            return _refused(f"The quota {empty['name']} has {self._quota_left(empty)} kg left; amend the line.")
        if guarantee["importer_id"] != declaration["importer_id"]:
            return _refused(
                f"The guarantee {guarantee['reference']} is one of "
                f"{self.importers[guarantee['importer_id']]['name']}."
            )
        if self.now[:10] > guarantee["valid_until"]:
            return _refused(f"The guarantee {guarantee['reference']} ended on {guarantee['valid_until']}.")
        if self._declaration_duty(declaration) > self._guarantee_free(guarantee):
            return _refused(
                f"The guarantee {guarantee['reference']} has {_money(self._guarantee_free(guarantee))} free and "
                f"the duty is {_money(self._declaration_duty(declaration))}; raise it first."
            )
        self._journal = []
        changed_declarations: list[Any] = []
        changed_declarations_2: list[Any] = []
        former_guarantee_id = declaration["guarantee_id"]
        self._put("declarations", declaration, "guarantee_id", guarantee_id)
        self._put("declarations", declaration, "lodged_on", self.now[:10])
        self._put("declarations", declaration, "status", "lodged")
        if any(self._is_risky(self.tariff_codes[l["code_id"]]) for l in self._lines_of(declaration)):
            changed_declarations.append(declaration)
            self._put("declarations", declaration, "channel", "red")
        else:
            if not self.importers[declaration["importer_id"]]["trusted"] and _bucket(declaration["number"]) < 60:
                changed_declarations.append(declaration)
                self._put("declarations", declaration, "channel", "yellow")
            else:
                changed_declarations.append(declaration)
                self._put("declarations", declaration, "channel", "green")
                if declaration["status"] not in ("lodged", "released"):
                    return self._take_back(
                        f"Declaration {declaration['number']} cannot go from {declaration['status']} to released."
                    )
                changed_declarations_2.append(declaration)
                self._put("declarations", declaration, "status", "released")
        for one_guarantee in _distinct(
            [
                self.guarantees.get(declaration["guarantee_id"]),
                self.guarantees.get(former_guarantee_id),
                *[self.guarantees.get(one["guarantee_id"]) for one in changed_declarations_2],
            ]
        ):
            if self._breaks_rule_1(one_guarantee):
                return self._take_back(RULES[0])
        if self._breaks_rule_2(declaration):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(declaration):
            return self._take_back(RULES[2])
        for one_declaration in _distinct([declaration, *changed_declarations, *changed_declarations_2]):
            if self._breaks_rule_4(one_declaration):
                return self._take_back(RULES[3])
        for one_quota in _distinct(
            [
                *[
                    self.quotas.get(one["quota_id"])
                    for one in self._lines_by_declaration.get(declaration["id"], {}).values()
                ],
                *[
                    self.quotas.get(one["quota_id"])
                    for one in [
                        user
                        for one in changed_declarations_2
                        for user in self._lines_by_declaration.get(one["id"], {}).values()
                    ]
                ],
            ]
        ):
            if self._breaks_rule_5(one_quota):
                return self._take_back(RULES[4])
        for one_line in _distinct(
            [
                *self._lines_by_declaration.get(declaration["id"], {}).values(),
                *[
                    user
                    for one in changed_declarations_2
                    for user in self._lines_by_declaration.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_7(one_line):
                return self._take_back(RULES[6])
        for one_line in _distinct(
            [
                *self._lines_by_declaration.get(declaration["id"], {}).values(),
                *[
                    user
                    for one in changed_declarations_2
                    for user in self._lines_by_declaration.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_8(one_line):
                return self._take_back(RULES[7])
        for one_inspection in _distinct(
            [
                user
                for one in changed_declarations
                for user in self._inspections_by_declaration.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_10_i_again(one_inspection):
                return self._take_back(RULES[9])
        for one_declaration in _distinct([declaration, *changed_declarations, *changed_declarations_2]):
            if self._breaks_rule_12(one_declaration):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: lodge declaration {declaration['number']} under guarantee {guarantee['reference']}.",
            "data": self._changes(),
        }

    def check_documents(self, declaration_id: str, licence_seen: bool = False) -> Result:
        """Release a declaration of the yellow channel after its documents were checked.

        Args:
            declaration_id (str): Id of the declaration, such as DECLARATION-00001.
            licence_seen (bool): Whether an attached licence was checked too. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        declaration = self.declarations.get(declaration_id)
        if declaration is None:
            return _refused(f"There is no declaration {declaration_id!r}.")
        if declaration["status"] != "lodged" or declaration["channel"] is None:
            return _refused(f"Declaration {declaration['number']} is {declaration['status']}.")
        if declaration["channel"] != "yellow":
            return _refused(
                f"Declaration {declaration['number']} is in the {declaration['channel']} channel, not in the "
                "yellow one."
            )
        if not self._has(declaration, "invoice"):
            return _refused(f"The invoice of declaration {declaration['number']} is missing.")
        if not (not licence_seen or self._has(declaration, "licence")):
            return _refused(f"No licence is attached to declaration {declaration['number']}.")
        self._journal = []
        self._put("declarations", declaration, "status", "released")
        for one_guarantee in _distinct([self.guarantees.get(declaration["guarantee_id"])]):
            if self._breaks_rule_1(one_guarantee):
                return self._take_back(RULES[0])
        if self._breaks_rule_4(declaration):
            return self._take_back(RULES[3])
        for one_quota in _distinct(
            [
                self.quotas.get(one["quota_id"])
                for one in self._lines_by_declaration.get(declaration["id"], {}).values()
            ]
        ):
            if self._breaks_rule_5(one_quota):
                return self._take_back(RULES[4])
        for one_line in _distinct(self._lines_by_declaration.get(declaration["id"], {}).values()):
            if self._breaks_rule_7(one_line):
                return self._take_back(RULES[6])
        for one_line in _distinct(self._lines_by_declaration.get(declaration["id"], {}).values()):
            if self._breaks_rule_8(one_line):
                return self._take_back(RULES[7])
        if self._breaks_rule_12(declaration):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: release declaration {declaration['number']} after the check of its documents.",
            "data": self._changes(),
        }

    def plan_inspection(self, declaration_id: str, officer: Text, on: Date) -> Result:
        """Plan the inspection of goods in the red channel, or another one after they were stopped.

        Args:
            declaration_id (str): Id of the declaration, such as DECLARATION-00001.
            officer (str): Name of the officer who inspects, with at most three a day.
            on (str): Day of the inspection, from today to 14 days ahead, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        declaration = self.declarations.get(declaration_id)
        if declaration is None:
            return _refused(f"There is no declaration {declaration_id!r}.")
        if declaration["status"] not in ("lodged", "stopped") or declaration["channel"] is None:
            return _refused(f"Declaration {declaration['number']} is {declaration['status']}.")
        if declaration["channel"] != "red":
            return _refused(
                f"Declaration {declaration['number']} is in the {declaration['channel']} channel, not in the red one."
            )
        other = self._pending(declaration)
        if other is not None:
            return _refused(f"{other['officer']} inspects declaration {declaration['number']} on {other['on']}.")
        if self.now[:10] > on or on > _plus_days(self.now[:10], 14):
            return _refused(f"Inspections are planned from {self.now[:10]} to {_plus_days(self.now[:10], 14)}.")
        if len(self._inspections_by_officer_on.get((officer, on), {})) >= 3:
            return _refused(f"{officer} has three inspections on {on}.")
        self._journal = []
        changed_declarations: list[Any] = []
        inspection: Inspection = {
            "id": self._new_id("inspection", "INSPECTION", self.inspections),
            "declaration_id": declaration_id,
            "officer": officer,
            "on": on,
            "result": None,
        }
        self._add("inspections", inspection)
        if declaration["status"] == "stopped":
            changed_declarations.append(declaration)
            self._put("declarations", declaration, "status", "lodged")
        for one_guarantee in _distinct([self.guarantees.get(one["guarantee_id"]) for one in changed_declarations]):
            if self._breaks_rule_1(one_guarantee):
                return self._take_back(RULES[0])
        for one_declaration in _distinct(changed_declarations):
            if self._breaks_rule_4(one_declaration):
                return self._take_back(RULES[3])
        for one_quota in _distinct(
            [
                self.quotas.get(one["quota_id"])
                for one in [
                    user
                    for one in changed_declarations
                    for user in self._lines_by_declaration.get(one["id"], {}).values()
                ]
            ]
        ):
            if self._breaks_rule_5(one_quota):
                return self._take_back(RULES[4])
        for one_line in _distinct(
            [user for one in changed_declarations for user in self._lines_by_declaration.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_7(one_line):
                return self._take_back(RULES[6])
        for one_line in _distinct(
            [user for one in changed_declarations for user in self._lines_by_declaration.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_8(one_line):
                return self._take_back(RULES[7])
        if self._breaks_rule_10_i(inspection):
            return self._take_back(RULES[9])
        if self._breaks_rule_10_i_again(inspection):
            return self._take_back(RULES[9])
        if any(self._breaks_rule_11(one_inspection) for one_inspection in self.inspections.values()):
            return self._take_back(RULES[10])
        for one_declaration in _distinct([self.declarations[inspection["declaration_id"]], *changed_declarations]):
            if self._breaks_rule_12(one_declaration):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: plan the inspection of declaration {declaration['number']} by {officer} on {on} (new: "
                f"inspection {inspection['id']})."
            ),
            "data": {"inspection_id": inspection["id"], **self._changes()},
        }

    def report_inspection(
        self,
        inspection_id: str,
        result: Literal["conform", "wrong_value", "wrong_quantity"],
    ) -> Result:
        """Report what an inspection found; conform goods are released, others are stopped.

        Args:
            inspection_id (str): Id of the inspection, such as INSPECTION-00001.
            result (str): What the inspection found: conform, wrong_value or wrong_quantity.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        inspection = self.inspections.get(inspection_id)
        if inspection is None:
            return _refused(f"There is no inspection {inspection_id!r}.")
        if inspection["result"] is not None:
            return _refused(
                f"The inspection of {self.declarations[inspection['declaration_id']]['number']} was reported already."
            )
        if inspection["on"] > self.now[:10]:
            return _refused(
                f"The inspection of {self.declarations[inspection['declaration_id']]['number']} is on "
                f"{inspection['on']}."
            )
        if self.declarations[inspection["declaration_id"]]["status"] != "lodged":
            return _refused(
                f"Declaration {self.declarations[inspection['declaration_id']]['number']} is "
                f"{self.declarations[inspection['declaration_id']]['status']}."
            )
        self._journal = []
        changed_declarations: list[Any] = []
        self._put("inspections", inspection, "result", result)
        if result == "conform":
            declaration = self.declarations[inspection["declaration_id"]]
            if declaration["status"] not in ("lodged", "released"):
                return self._take_back(
                    f"Declaration {declaration['number']} cannot go from {declaration['status']} to released."
                )
            changed_declarations.append(declaration)
            self._put("declarations", declaration, "status", "released")
        else:
            its_declaration = self.declarations[inspection["declaration_id"]]
            if its_declaration["status"] not in ("lodged", "stopped"):
                return self._take_back(
                    f"Declaration {its_declaration['number']} cannot go from {its_declaration['status']} to stopped."
                )
            changed_declarations.append(its_declaration)
            self._put("declarations", its_declaration, "status", "stopped")
        for one_guarantee in _distinct([self.guarantees.get(one["guarantee_id"]) for one in changed_declarations]):
            if self._breaks_rule_1(one_guarantee):
                return self._take_back(RULES[0])
        for one_declaration in _distinct(changed_declarations):
            if self._breaks_rule_4(one_declaration):
                return self._take_back(RULES[3])
        for one_quota in _distinct(
            [
                self.quotas.get(one["quota_id"])
                for one in [
                    user
                    for one in changed_declarations
                    for user in self._lines_by_declaration.get(one["id"], {}).values()
                ]
            ]
        ):
            if self._breaks_rule_5(one_quota):
                return self._take_back(RULES[4])
        for one_line in _distinct(
            [user for one in changed_declarations for user in self._lines_by_declaration.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_7(one_line):
                return self._take_back(RULES[6])
        for one_line in _distinct(
            [user for one in changed_declarations for user in self._lines_by_declaration.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_8(one_line):
                return self._take_back(RULES[7])
        if self._breaks_rule_10_i(inspection):
            return self._take_back(RULES[9])
        for one_declaration in _distinct([self.declarations[inspection["declaration_id"]], *changed_declarations]):
            if self._breaks_rule_12(one_declaration):
                return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                "Done: report the inspection of declaration "
                f"{self.declarations[inspection['declaration_id']]['number']} as {result}."
            ),
            "data": self._changes(),
        }

    def pay_duty(self, declaration_id: str) -> Result:
        """Note that the duty of a released declaration was paid, which frees its guarantee.

        Args:
            declaration_id (str): Id of the declaration, such as DECLARATION-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        declaration = self.declarations.get(declaration_id)
        if declaration is None:
            return _refused(f"There is no declaration {declaration_id!r}.")
        if declaration["status"] != "released":
            return _refused(f"Declaration {declaration['number']} is {declaration['status']}.")
        self._journal = []
        self._put("declarations", declaration, "status", "paid")
        for one_guarantee in _distinct([self.guarantees.get(declaration["guarantee_id"])]):
            if self._breaks_rule_1(one_guarantee):
                return self._take_back(RULES[0])
        if self._breaks_rule_4(declaration):
            return self._take_back(RULES[3])
        for one_quota in _distinct(
            [
                self.quotas.get(one["quota_id"])
                for one in self._lines_by_declaration.get(declaration["id"], {}).values()
            ]
        ):
            if self._breaks_rule_5(one_quota):
                return self._take_back(RULES[4])
        for one_line in _distinct(self._lines_by_declaration.get(declaration["id"], {}).values()):
            if self._breaks_rule_7(one_line):
                return self._take_back(RULES[6])
        for one_line in _distinct(self._lines_by_declaration.get(declaration["id"], {}).values()):
            if self._breaks_rule_8(one_line):
                return self._take_back(RULES[7])
        if self._breaks_rule_12(declaration):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: note the payment of duty for declaration {declaration['number']}.",
            "data": self._changes(),
        }

    def raise_guarantee(self, guarantee_id: str, by: Annotated[int, {"minimum": 1, "maximum": 90000000}]) -> Result:
        """Raise a guarantee by an amount that the bank has confirmed.

        Args:
            guarantee_id (str): Id of the guarantee, such as GUARANTEE-00001.
            by (int): Amount that is added to the guarantee, in cents, from 1 to 90000000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        guarantee = self.guarantees.get(guarantee_id)
        if guarantee is None:
            return _refused(f"There is no guarantee {guarantee_id!r}.")
        if self.now[:10] > guarantee["valid_until"]:
            return _refused(f"The guarantee {guarantee['reference']} ended on {guarantee['valid_until']}.")
        if guarantee["amount"] + by > 90000000:
            return _refused("A guarantee is for 900,000.00 at most.")
        self._journal = []
        amount = guarantee["amount"] + by
        if not 0 <= amount <= 90000000:
            return self._take_back(f"The amount of {guarantee['reference']} must be between 0.00 and 900,000.00.")
        self._put("guarantees", guarantee, "amount", amount)
        if self._breaks_rule_1(guarantee):
            return self._take_back(RULES[0])
        return {
            "success": True,
            "message": f"Done: raise guarantee {guarantee['reference']} by {_money(by)}.",
            "data": self._changes(),
        }

    def cancel_declaration(self, declaration_id: str) -> Result:
        """Cancel a declaration before release, which gives its quotas back.

        Args:
            declaration_id (str): Id of the declaration, such as DECLARATION-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        declaration = self.declarations.get(declaration_id)
        if declaration is None:
            return _refused(f"There is no declaration {declaration_id!r}.")
        if declaration["status"] not in ("draft", "lodged", "stopped"):
            return _refused(f"Declaration {declaration['number']} is {declaration['status']}.")
        visit = self._pending(declaration)
        if visit is not None:
            return _refused(
                f"{visit['officer']} inspects declaration {declaration['number']} on {visit['on']}; report that "
                "first."
            )
        self._journal = []
        self._put("declarations", declaration, "status", "cancelled")
        for one_guarantee in _distinct([self.guarantees.get(declaration["guarantee_id"])]):
            if self._breaks_rule_1(one_guarantee):
                return self._take_back(RULES[0])
        if self._breaks_rule_4(declaration):
            return self._take_back(RULES[3])
        for one_quota in _distinct(
            [
                self.quotas.get(one["quota_id"])
                for one in self._lines_by_declaration.get(declaration["id"], {}).values()
            ]
        ):
            if self._breaks_rule_5(one_quota):
                return self._take_back(RULES[4])
        for one_line in _distinct(self._lines_by_declaration.get(declaration["id"], {}).values()):
            if self._breaks_rule_7(one_line):
                return self._take_back(RULES[6])
        for one_line in _distinct(self._lines_by_declaration.get(declaration["id"], {}).values()):
            if self._breaks_rule_8(one_line):
                return self._take_back(RULES[7])
        if self._breaks_rule_12(declaration):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: cancel declaration {declaration['number']}.",
            "data": self._changes(),
        }

    def _show_guarantee(self, guarantee: Guarantee) -> dict[str, Any]:
        """The guarantee as an answer shows it."""
        return {**guarantee, "free": self._guarantee_free(guarantee)}

    def _show_quota(self, quota: Quota) -> dict[str, Any]:
        """The quota as an answer shows it."""
        return {**quota, "left": self._quota_left(quota)}

    def _show_declaration(self, declaration: Declaration) -> dict[str, Any]:
        """The declaration as an answer shows it."""
        return {**declaration, "duty": self._declaration_duty(declaration)}

    def _show_line(self, line: Line) -> dict[str, Any]:
        """The line as an answer shows it."""
        return {**line, "duty": self._line_duty(line)}

    def _names_of_tariff_codes(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that tariff codes point to."""
        return _names((self.tariff_codes, "code", [row["within_id"] for row in shown]))

    def _names_of_guarantees(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that guarantees point to."""
        return _names((self.importers, "name", [row["importer_id"] for row in shown]))

    def _names_of_quotas(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that quotas point to."""
        return _names((self.tariff_codes, "code", [row["code_id"] for row in shown]))

    def _names_of_declarations(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that declarations point to."""
        return _names(
            (self.importers, "name", [row["importer_id"] for row in shown]),
            (self.guarantees, "reference", [row["guarantee_id"] for row in shown]),
        )

    def _names_of_lines(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that lines point to."""
        return _names(
            (self.declarations, "number", [row["declaration_id"] for row in shown]),
            (self.tariff_codes, "code", [row["code_id"] for row in shown]),
            (self.quotas, "name", [row["quota_id"] for row in shown]),
        )

    def _names_of_documents(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that documents point to."""
        return _names((self.declarations, "number", [row["declaration_id"] for row in shown]))

    def _names_of_inspections(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that inspections point to."""
        return _names((self.declarations, "number", [row["declaration_id"] for row in shown]))

    def _guarantee_free(self, guarantee: Guarantee) -> int:
        """The free of a guarantee."""
        return guarantee["amount"] - self._tied_up(guarantee)

    def _quota_left(self, quota: Quota) -> int:
        """The left of a quota."""
        return (
            quota["kilos"]
            - sum(
                l["kilos"]
                for l in self._lines_by_quota.get(quota["id"], {}).values()
                if self.declarations[l["declaration_id"]]["status"] not in ("draft", "cancelled")
            )
        )

    def _declaration_duty(self, declaration: Declaration) -> int:
        """The duty of a declaration."""
        return sum(self._line_duty(l) for l in self._lines_by_declaration.get(declaration["id"], {}).values())

    def _line_duty(self, line: Line) -> int:
        """The duty of a line."""
        return _rounded(
            Fraction(
                line["value"] * (
                    self.quotas[line["quota_id"]]["percent"]
                    if line["quota_id"] is not None
                    else self._percent_of(self.tariff_codes[line["code_id"]])
                ),
                100,
            )
        )

    def _chain(self, c: TariffCode) -> list[TariffCode]:
        return [c] + _above(self.tariff_codes, c, "within_id")

    def _percent_of(self, c: TariffCode) -> int:
        return (
            next((a["percent"] for a in self._chain(c) if a["percent"] is not None), None)
            if next((a["percent"] for a in self._chain(c) if a["percent"] is not None), None) is not None
            else 0
        )

    def _tied_up(self, g: Guarantee) -> int:
        return sum(
            self._declaration_duty(d)
            for d in self._declarations_by_guarantee.get(g["id"], {}).values()
            if d["status"] in ("lodged", "stopped", "released")
        )

    def _is_risky(self, c: TariffCode) -> bool:
        return any(a["risky"] for a in self._chain(c))

    def _needs_licence(self, c: TariffCode) -> bool:
        return any(a["licence"] for a in self._chain(c))

    def _restricted(self, d: Declaration) -> TariffCode | None:
        return next(
            (
                self.tariff_codes[l["code_id"]]
                for l in sorted(self._lines_by_declaration.get(d["id"], {}).values(), key=_age)
                if self._needs_licence(self.tariff_codes[l["code_id"]])
            ),
            None,
        )

    def _has(self, d: Declaration, k: str) -> bool:
        return any(x["kind"] == k for x in self._documents_by_declaration.get(d["id"], {}).values())

    def _ready(self, d: Declaration) -> bool:
        return self._has(d, "invoice") and (self._restricted(d) is None or self._has(d, "licence"))

    def _lines_of(self, d: Declaration) -> list[Line]:
        return sorted(self._lines_by_declaration.get(d["id"], {}).values(), key=_age)

    def _pending(self, d: Declaration) -> Inspection | None:
        return next(
            (
                i
                for i in sorted(self._inspections_by_declaration.get(d["id"], {}).values(), key=_age)
                if i["result"] is None
            ),
            None,
        )

    def _drawn(self, d: Declaration, q: Quota) -> int:
        return sum(l["kilos"] for l in self._lines_by_declaration_quota.get((d["id"], q["id"]), {}).values())

    def _breaks_rule_1(self, g: Guarantee) -> bool:
        """Whether this is broken: the duty of declarations that are not paid never exceeds their guarantee."""
        return self._tied_up(g) > g["amount"]

    def _breaks_rule_2(self, d: Declaration) -> bool:
        """Whether this is broken: a declaration is covered by a guarantee of its own importer."""
        return d["guarantee_id"] is not None and self.guarantees[d["guarantee_id"]]["importer_id"] != d["importer_id"]

    def _breaks_rule_3(self, d: Declaration) -> bool:
        """Whether this is broken: a guarantee is valid on the day on which a declaration is lodged with it."""
        return (
            d["guarantee_id"] is not None
            and d["lodged_on"] is not None
            and d["lodged_on"] > self.guarantees[d["guarantee_id"]]["valid_until"]
        )

    def _breaks_rule_4(self, d: Declaration) -> bool:
        """Whether this is broken: a lodged declaration has a channel, a guarantee and a day, and a draft has none of
        them.
        """
        return not (
            (d["channel"] is None) == (d["lodged_on"] is None)
            and (d["guarantee_id"] is None) == (d["lodged_on"] is None)
            and (d["status"] != "draft" or d["lodged_on"] is None)
            and (d["status"] in ("draft", "cancelled") or d["lodged_on"] is not None)
        )

    def _breaks_rule_5(self, q: Quota) -> bool:
        """Whether this is broken: a quota is never drawn down below nothing."""
        return self._quota_left(q) < 0

    def _breaks_rule_6(self, l: Line) -> bool:
        """Whether this is broken: a line draws on a quota only for goods and an origin of that quota."""
        return not (
            l["quota_id"] is None
            or l["origin"] == self.quotas[l["quota_id"]]["origin"]
            and self.tariff_codes[
                self.quotas[l["quota_id"]]["code_id"]
            ] in self._chain(self.tariff_codes[l["code_id"]])
        )

    def _breaks_rule_7(self, l: Line) -> bool:
        """Whether this is broken: quotas are drawn on only with a certificate of origin."""
        return not (
            l["quota_id"] is None
            or self.declarations[l["declaration_id"]]["status"] in ("draft", "cancelled")
            or self._has(self.declarations[l["declaration_id"]], "certificate_of_origin")
        )

    def _breaks_rule_8(self, l: Line) -> bool:
        """Whether this is broken: restricted goods are declared with a licence."""
        return not (
            not self._needs_licence(self.tariff_codes[l["code_id"]])
            or self.declarations[l["declaration_id"]]["status"] in ("draft", "cancelled")
            or self._has(self.declarations[l["declaration_id"]], "licence")
        )

    def _breaks_rule_9(self, x: Document) -> bool:
        """Whether this is broken: a declaration has one document of a kind."""
        return any(
            other_x is not x
            for other_x in self._documents_by_declaration_kind.get((x["declaration_id"], x["kind"]), {}).values()
        )

    def _breaks_rule_10_i(self, i: Inspection) -> bool:
        """Whether this is broken: a declaration has one inspection pending at a time, and only in the red channel.
        """
        return (
            i["result"] is None
            and any(
                other_i is not i
                for other_i in self._inspections_by_declaration.get(i["declaration_id"], {}).values()
                if other_i["result"] is None
            )
        )

    def _breaks_rule_10_i_again(self, i: Inspection) -> bool:
        """Whether this is broken: a declaration has one inspection pending at a time, and only in the red channel.
        """
        return self.declarations[i["declaration_id"]]["channel"] != "red"

    def _breaks_rule_11(self, i: Inspection) -> bool:
        """Whether this is broken: an officer does three inspections a day at most."""
        return len(self._inspections_by_officer_on.get((i["officer"], i["on"]), {})) > 3

    def _breaks_rule_12(self, d: Declaration) -> bool:
        """Whether this is broken: what was declared in the red channel is released after a conform inspection only.
        """
        return (
            d["channel"] == "red"
            and d["status"] in ("released", "paid")
            and not any(i["result"] == "conform" for i in self._inspections_by_declaration.get(d["id"], {}).values())
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
            case "tariff_codes":
                self._tariff_codes_by_within.setdefault(record["within_id"], {})[record["id"]] = record
            case "quotas":
                self._quotas_by_code.setdefault(record["code_id"], {})[record["id"]] = record
            case "declarations":
                self._declarations_by_guarantee.setdefault(record["guarantee_id"], {})[record["id"]] = record
                self._declarations_by_number.setdefault(record["number"], {})[record["id"]] = record
            case "lines":
                self._lines_by_declaration.setdefault(record["declaration_id"], {})[record["id"]] = record
                self._lines_by_declaration_quota.setdefault(
                    (record["declaration_id"], record["quota_id"]),
                    {},
                )[record["id"]] = record
                self._lines_by_quota.setdefault(record["quota_id"], {})[record["id"]] = record
            case "documents":
                self._documents_by_declaration.setdefault(record["declaration_id"], {})[record["id"]] = record
                self._documents_by_declaration_kind.setdefault(
                    (record["declaration_id"], record["kind"]),
                    {},
                )[record["id"]] = record
            case "inspections":
                self._inspections_by_declaration.setdefault(record["declaration_id"], {})[record["id"]] = record
                self._inspections_by_officer_on.setdefault((record["officer"], record["on"]), {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "tariff_codes":
                del self._tariff_codes_by_within[record["within_id"]][record["id"]]
            case "quotas":
                del self._quotas_by_code[record["code_id"]][record["id"]]
            case "declarations":
                del self._declarations_by_guarantee[record["guarantee_id"]][record["id"]]
                del self._declarations_by_number[record["number"]][record["id"]]
            case "lines":
                del self._lines_by_declaration[record["declaration_id"]][record["id"]]
                del self._lines_by_declaration_quota[record["declaration_id"], record["quota_id"]][record["id"]]
                del self._lines_by_quota[record["quota_id"]][record["id"]]
            case "documents":
                del self._documents_by_declaration[record["declaration_id"]][record["id"]]
                del self._documents_by_declaration_kind[record["declaration_id"], record["kind"]][record["id"]]
            case "inspections":
                del self._inspections_by_declaration[record["declaration_id"]][record["id"]]
                del self._inspections_by_officer_on[record["officer"], record["on"]][record["id"]]
