"""Translation desk. Compiled from blueprint.yaml; run `envscaler build translation_desk` after changing it there.

Gets the texts of a software product translated, with strings in sections and locales that fall back on others,
translation and then review by different people, a glossary, freezes for releases, and translators with
languages and limited load.
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
    "A line has one job in a locale that is not obsolete.",
    "Dropped lines have obsolete jobs only.",
    "A job that is assigned, translated, returned or approved has a translator for its locale, and an open one has none.",
    "Nobody has more words to translate than they take on.",
    "Nobody reviews their own translation, and approved jobs have a reviewer.",
    "What is translated or approved has a wording for the present edition of its line.",
    "A wording is no longer than its line allows.",
    "The glossary has one rendering of a word in a locale, decided by somebody who reviews there.",
    "A frozen section, with all inside it, has nothing left to translate.",
    "Nobody is listed for a locale twice.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "add_line",
    "change_source",
    "drop_line",
    "assign_job",
    "take_back_job",
    "hand_in",
    "review_job",
    "set_term",
    "reopen_job",
    "set_freeze",
    "enlist_person",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "locales": ("name",),
    "people": ("name",),
    "sections": ("name",),
    "lines": ("code",),
    "terms": (),
    "jobs": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("jobs", "line_id"),
    ("jobs", "locale_id"),
    ("jobs", "status"),
    ("jobs", "translator_id"),
    ("lines", "code"),
    ("lines", "section_id"),
    ("people", "translate_ids"),
    ("sections", "within_id"),
    ("terms", "decided_by_id"),
    ("terms", "locale_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Locale(TypedDict):
    id: str
    name: str
    falls_back_on_id: str | None


class Person(TypedDict):
    id: str
    name: str
    translate_ids: list[str]
    review_ids: list[str]
    most_words: int


class Section(TypedDict):
    id: str
    name: str
    within_id: str | None
    frozen: bool


class Line(TypedDict):
    id: str
    code: str
    section_id: str
    source: str
    words: int
    edition: int
    longest: int | None
    dropped: bool


class Term(TypedDict):
    id: str
    word: str
    locale_id: str
    rendering: str
    decided_by_id: str


class Job(TypedDict):
    id: str
    line_id: str
    locale_id: str
    edition: int
    translator_id: str | None
    wording: str | None
    previous: str | None
    reviewer_id: str | None
    remark: str | None
    changed_on: str | None
    status: Literal["open", "assigned", "obsolete", "translated", "approved", "returned"]


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


def _those(records: dict[str, Any], keys: Iterable[Any]) -> list[Any]:
    """The records of these ids, each once, oldest first."""
    return sorted((records[key] for key in set(keys) if key in records), key=_age)


class TranslationDesk:
    """Gets the texts of a software product translated, with strings in sections and locales that fall back
    on others, translation and then review by different people, a glossary, freezes for releases, and
    translators with languages and limited load.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.locales: dict[str, Locale] = _copied(config.get("locales", {}))
        self.people: dict[str, Person] = _copied(config.get("people", {}))
        self.sections: dict[str, Section] = _copied(config.get("sections", {}))
        self.lines: dict[str, Line] = _copied(config.get("lines", {}))
        self.terms: dict[str, Term] = _copied(config.get("terms", {}))
        self.jobs: dict[str, Job] = _copied(config.get("jobs", {}))
        self.now: str = config.get("now", "2026-02-25T15:50")
        self.counters: dict[str, int] = {
            "locale": len(self.locales),
            "person": len(self.people),
            "section": len(self.sections),
            "line": len(self.lines),
            "term": len(self.terms),
            "job": len(self.jobs),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._people_by_translates: dict[Any, dict[str, Person]] = {}
        self._sections_by_within: dict[Any, dict[str, Section]] = {}
        self._lines_by_code: dict[Any, dict[str, Line]] = {}
        self._lines_by_lower_code: dict[Any, dict[str, Line]] = {}
        self._lines_by_section: dict[Any, dict[str, Line]] = {}
        self._terms_by_decided_by: dict[Any, dict[str, Term]] = {}
        self._terms_by_locale: dict[Any, dict[str, Term]] = {}
        self._terms_by_locale_decided_by: dict[Any, dict[str, Term]] = {}
        self._jobs_by_line: dict[Any, dict[str, Job]] = {}
        self._jobs_by_line_locale: dict[Any, dict[str, Job]] = {}
        self._jobs_by_line_locale_status: dict[Any, dict[str, Job]] = {}
        self._jobs_by_locale: dict[Any, dict[str, Job]] = {}
        self._jobs_by_locale_translator: dict[Any, dict[str, Job]] = {}
        self._jobs_by_translator: dict[Any, dict[str, Job]] = {}
        for person in self.people.values():
            self._link("people", person)
        for section in self.sections.values():
            self._link("sections", section)
        for line in self.lines.values():
            self._link("lines", line)
        for term in self.terms.values():
            self._link("terms", term)
        for job in self.jobs.values():
            self._link("jobs", job)

    def still_missing(
        self,
        section_id: str,
        locale_id: str,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """What is not approved yet in a section, with all inside it, and a locale.

        Args:
            section_id (str): Id of the section, such as SECTION-00001.
            locale_id (str): Id of the locale, such as LOCALE-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "jobs": records}} or {"success": False, "error": why
                not}
        """
        section = self.sections.get(section_id)
        if section is None:
            return _refused(f"There is no section {section_id!r}.")
        locale = self.locales.get(locale_id)
        if locale is None:
            return _refused(f"There is no locale {locale_id!r}.")
        found = [j for j in self._missing_in(section, locale)]
        found.sort(key=lambda j: (self.lines[j["line_id"]]["code"], _age(j)))
        shown = [
            {
                "id": j["id"],
                "line": self.lines[j["line_id"]]["code"],
                "section": self.sections[self.lines[j["line_id"]]["section_id"]]["name"],
                "status": j["status"],
                "translator": j["translator_id"],
                "words": self.lines[j["line_id"]]["words"],
            }
            for j in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "jobs": shown},
            _names((self.people, "name", [row["translator"] for row in shown])),
        )

    def translators_for(self, job_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Who could take a job, those with most room left first.

        Args:
            job_id (str): Id of the job, such as JOB-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "people": records}} or {"success": False, "error": why
                not}
        """
        job = self.jobs.get(job_id)
        if job is None:
            return _refused(f"There is no job {job_id!r}.")
        found = [
            p
            for p in _distinct(self._people_by_translates.get(job["locale_id"], {}).values())
            if self._can_translate(p, job)
        ]
        found.sort(key=lambda p: (-(p["most_words"] - self._person_load(p)), p["name"], _age(p)))
        return _found(
            {
                "total": len(found),
                "people": [
                    {
                        "id": p["id"],
                        "name": p["name"],
                        "room_left": p["most_words"] - self._person_load(p),
                        "load": self._person_load(p),
                    }
                    for p in _page(found, offset)
                ],
            }
        )

    def text_shown(self, line_id: str, locale_id: str) -> Result:
        """What users of a locale see for a line today, with fallbacks.

        Args:
            line_id (str): Id of the line, such as LINE-00001.
            locale_id (str): Id of the locale, such as LOCALE-00001.

        Returns:
            dict: {"success": True, "data": {shown, own_status, frozen, terms}} or {"success": False, "error": why
                not}
        """
        line = self.lines.get(line_id)
        if line is None:
            return _refused(f"There is no line {line_id!r}.")
        locale = self.locales.get(locale_id)
        if locale is None:
            return _refused(f"There is no locale {locale_id!r}.")
        return _found(
            {
                "shown": self._shown(line, locale) if self._shown(line, locale) is not None else line["source"],
                "own_status": next(
                    (
                        j["status"]
                        for j in sorted(self._jobs_by_line_locale.get((line_id, locale_id), {}).values(), key=_age)
                        if j["status"] != "obsolete"
                    ),
                    None,
                ),
                "frozen": self._shut(self.sections[line["section_id"]]),
                "terms": [
                    *[t["rendering"] for t in sorted(self._terms_by_locale.get(locale_id, {}).values(), key=_age)]
                ],
            }
        )

    def to_review(
        self,
        reviewer_id: str,
        locale_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Translations that somebody may review, the longest waiting first.

        Args:
            reviewer_id (str): Person whose possible reviews are listed; an id such as PERSON-00001.
            locale_id (str, optional): Locale whose translations are listed; an id such as LOCALE-00001. If left
                out, translations of all locales are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "jobs": records}} or {"success": False, "error": why
                not}
        """
        reviewer = self.people.get(reviewer_id)
        if reviewer is None:
            return _refused(f"There is no person {reviewer_id!r}.")
        locale = self.locales.get(locale_id) if locale_id is not None else None
        if locale_id is not None and locale is None:
            return _refused(f"There is no locale {locale_id!r}.")
        found = [
            j
            for j in _distinct(
                [j for key in reviewer["review_ids"] for j in self._jobs_by_locale.get(key, {}).values()]
            )
            if (j["status"] == "translated" and self._can_review(reviewer, j))
            and (locale_id is None or j["locale_id"] == locale_id)
        ]
        found.sort(
            key=lambda j: (
                j["changed_on"] if j["changed_on"] is not None else self.now[:10],
                self.lines[j["line_id"]]["code"],
                _age(j),
            )
        )
        shown = [
            {
                "id": j["id"],
                "line": self.lines[j["line_id"]]["code"],
                "locale": self.locales[j["locale_id"]]["name"],
                "wording": j["wording"],
                "translator": j["translator_id"],
                "changed_on": j["changed_on"],
            }
            for j in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "jobs": shown},
            _names((self.people, "name", [row["translator"] for row in shown])),
        )

    def list_locales(
        self,
        name: Text | None = None,
        falls_back_on_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the locales, oldest first, all of them or only some.

        Args:
            name (str, optional): Only locales whose name contains this text.
            falls_back_on_id (str, optional): Only locales falls back on this locale.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "locales": records}}
        """
        if falls_back_on_id is not None and falls_back_on_id not in self.locales:
            return _refused(f"There is no locale {falls_back_on_id!r}.")
        found = [
            locale
            for locale in self.locales.values()
            if (name is None or name.casefold() in locale["name"].casefold())
            and (falls_back_on_id is None or locale["falls_back_on_id"] == falls_back_on_id)
        ]
        shown = [{**locale} for locale in _page(found, offset)]
        return _found({"total": len(found), "locales": shown}, self._names_of_locales(shown))

    def list_people(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the people, oldest first, all of them or only some.

        Args:
            name (str, optional): Only people whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "people": records}}
        """
        found = [
            person
            for person in self.people.values()
            if (name is None or name.casefold() in person["name"].casefold())
        ]
        shown = [self._show_person(person) for person in _page(found, offset)]
        return _found({"total": len(found), "people": shown}, self._names_of_people(shown))

    def list_sections(
        self,
        name: Text | None = None,
        within_id: str | None = None,
        frozen: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the sections, oldest first, all of them or only some.

        Args:
            name (str, optional): Only sections whose name contains this text.
            within_id (str, optional): Only sections within this section.
            frozen (bool, optional): Only sections that are frozen (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "sections": records}}
        """
        if within_id is not None and within_id not in self.sections:
            return _refused(f"There is no section {within_id!r}.")
        found = [
            section
            for section in self.sections.values()
            if (name is None or name.casefold() in section["name"].casefold())
            and (within_id is None or section["within_id"] == within_id)
            and (frozen is None or section["frozen"] == frozen)
        ]
        shown = [{**section} for section in _page(found, offset)]
        return _found({"total": len(found), "sections": shown}, self._names_of_sections(shown))

    def list_lines(
        self,
        code: Text | None = None,
        section_id: str | None = None,
        dropped: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the lines, oldest first, all of them or only some.

        Args:
            code (str, optional): Only lines whose code contains this text.
            section_id (str, optional): Only lines of this section.
            dropped (bool, optional): Only lines that are dropped (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "lines": records}}
        """
        if section_id is not None and section_id not in self.sections:
            return _refused(f"There is no section {section_id!r}.")
        found = [
            line
            for line in self.lines.values()
            if (code is None or code.casefold() in line["code"].casefold())
            and (section_id is None or line["section_id"] == section_id)
            and (dropped is None or line["dropped"] == dropped)
        ]
        shown = [{**line} for line in _page(found, offset)]
        return _found({"total": len(found), "lines": shown}, self._names_of_lines(shown))

    def list_terms(
        self,
        locale_id: str | None = None,
        decided_by_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the terms, oldest first, all of them or only some.

        Args:
            locale_id (str, optional): Only terms of this locale.
            decided_by_id (str, optional): Only terms decided by this person.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "terms": records}}
        """
        if locale_id is not None and locale_id not in self.locales:
            return _refused(f"There is no locale {locale_id!r}.")
        if decided_by_id is not None and decided_by_id not in self.people:
            return _refused(f"There is no person {decided_by_id!r}.")
        found = [
            term
            for term in self.terms.values()
            if (locale_id is None or term["locale_id"] == locale_id)
            and (decided_by_id is None or term["decided_by_id"] == decided_by_id)
        ]
        shown = [{**term} for term in _page(found, offset)]
        return _found({"total": len(found), "terms": shown}, self._names_of_terms(shown))

    def list_jobs(
        self,
        line_id: str | None = None,
        locale_id: str | None = None,
        translator_id: str | None = None,
        reviewer_id: str | None = None,
        status: Literal["open", "assigned", "obsolete", "translated", "approved", "returned"] | None = None,
        changed_on_from: Date | None = None,
        changed_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the jobs, oldest first, all of them or only some.

        Args:
            line_id (str, optional): Only jobs of this line.
            locale_id (str, optional): Only jobs of this locale.
            translator_id (str, optional): Only jobs whose translator is this person.
            reviewer_id (str, optional): Only jobs whose reviewer is this person.
            status (str, optional): Only jobs with this status.
            changed_on_from (str, optional): Only jobs whose `changed_on` is on this day or later.
            changed_on_to (str, optional): Only jobs whose `changed_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "jobs": records}}
        """
        if line_id is not None and line_id not in self.lines:
            return _refused(f"There is no line {line_id!r}.")
        if locale_id is not None and locale_id not in self.locales:
            return _refused(f"There is no locale {locale_id!r}.")
        if translator_id is not None and translator_id not in self.people:
            return _refused(f"There is no person {translator_id!r}.")
        if reviewer_id is not None and reviewer_id not in self.people:
            return _refused(f"There is no person {reviewer_id!r}.")
        found = [
            job
            for job in self.jobs.values()
            if (line_id is None or job["line_id"] == line_id)
            and (locale_id is None or job["locale_id"] == locale_id)
            and (translator_id is None or job["translator_id"] == translator_id)
            and (reviewer_id is None or job["reviewer_id"] == reviewer_id)
            and (status is None or job["status"] == status)
            and (changed_on_from is None or (job["changed_on"] is not None and job["changed_on"] >= changed_on_from))
            and (changed_on_to is None or (job["changed_on"] is not None and job["changed_on"] <= changed_on_to))
        ]
        shown = [{**job} for job in _page(found, offset)]
        return _found({"total": len(found), "jobs": shown}, self._names_of_jobs(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def add_line(
        self,
        section_id: str,
        code: Text,
        source: Text,
        words: Annotated[int, {"minimum": 1, "maximum": 60}],
        longest: Annotated[int, {"minimum": 3, "maximum": 400}] | None = None,
    ) -> Result:
        """Add a text to a section; a job is opened in every locale.

        Args:
            section_id (str): Id of the section, such as SECTION-00001.
            code (str): Unique code under which the product looks the line up.
            source (str): Source text that is to be translated.
            words (int): Number of words in the source text, from 1 to 60.
            longest (int, optional): Most characters that a translation may have, from 3 to 400. If left out,
                translations may have any length.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        section = self.sections.get(section_id)
        if section is None:
            return _refused(f"There is no section {section_id!r}.")
        if self._lines_by_lower_code.get(code.lower(), {}):
            return _refused(f"There is a line {code} already.")
        if self._shut(section):
            return _refused(f"{section['name']} is frozen, so thaw it first.")
        self._journal = []
        added_jobs: list[Any] = []
        line: Line = {
            "id": self._new_id("line", "LINE", self.lines),
            "code": code,
            "section_id": section_id,
            "source": source,
            "words": words,
            "edition": 1,
            "longest": longest,
            "dropped": False,
        }
        self._add("lines", line)
        for x in list(self.locales.values()):
            job = {
                "id": self._new_id("job", "JOB", self.jobs),
                "line_id": line["id"],
                "locale_id": x["id"],
                "edition": 1,
                "translator_id": None,
                "wording": None,
                "previous": None,
                "reviewer_id": None,
                "remark": None,
                "changed_on": None,
                "status": "open",
            }
            self._add("jobs", job)
            added_jobs.append(job)
        if len(self._lines_by_code.get(line["code"], {})) > 1:
            return self._take_back(f"There is already a line with the code {line['code']!r}.")
        for one_job in _distinct(added_jobs):
            if self._breaks_rule_1(one_job):
                return self._take_back(RULES[0])
        for one_job in _distinct(added_jobs):
            if self._breaks_rule_2(one_job):
                return self._take_back(RULES[1])
        for one_job in _distinct(added_jobs):
            if self._breaks_rule_3_j(one_job):
                return self._take_back(RULES[2])
        for one_job in _distinct(added_jobs):
            if self._breaks_rule_3_j_again(one_job):
                return self._take_back(RULES[2])
        for one_person in _distinct([self.people.get(one["translator_id"]) for one in added_jobs]):
            if self._breaks_rule_4(one_person):
                return self._take_back(RULES[3])
        for one_job in _distinct(added_jobs):
            if self._breaks_rule_5_j(one_job):
                return self._take_back(RULES[4])
        for one_job in _distinct(added_jobs):
            if self._breaks_rule_5_j_again(one_job):
                return self._take_back(RULES[4])
        for one_job in _distinct(added_jobs):
            if self._breaks_rule_6(one_job):
                return self._take_back(RULES[5])
        for one_job in _distinct(added_jobs):
            if self._breaks_rule_7(one_job):
                return self._take_back(RULES[6])
        for one_job in _distinct(added_jobs):
            if self._breaks_rule_9(one_job):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: add {code} to {section['name']} (new: line {line['id']}).",
            "data": {"line_id": line["id"], **self._changes()},
        }

    def change_source(
        self,
        line_id: str,
        source: Text,
        words: Annotated[int, {"minimum": 1, "maximum": 60}],
        minor: bool = False,
    ) -> Result:
        """Change the source text of a line, which opens all its jobs again, with the old wordings kept beside them; a
        minor change leaves the translations as they are.

        Args:
            line_id (str): Id of the line, such as LINE-00001.
            source (str): New source text of the line, different from the present one.
            words (int): Number of words in the new source text, unchanged for a minor change, from 1 to 60.
            minor (bool): Whether the change leaves the translations as they are. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        line = self.lines.get(line_id)
        if line is None:
            return _refused(f"There is no line {line_id!r}.")
        if line["dropped"]:
            return _refused(f"{line['code']} has been dropped.")
        if self._shut(self.sections[line["section_id"]]):
            return _refused(f"{self.sections[line['section_id']]['name']} is frozen, so thaw it first.")
        if source == line["source"]:
            return _refused(f"{line['code']} reads like that already.")
        if line["edition"] >= 500:
            return _refused(f"{line['code']} has had 500 editions.")
        if minor and words != line["words"]:
            return _refused(f"A minor change leaves the {line['words']} words as they are.")
        self._journal = []
        changed_jobs: list[Any] = []
        changed_jobs_2: list[Any] = []
        former_translator_ids: list[Any] = []
        changed_jobs_3: list[Any] = []
        changed_jobs_4: list[Any] = []
        changed_jobs_5: list[Any] = []
        self._put("lines", line, "source", source)
        self._put("lines", line, "words", words)
        edition = line["edition"] + 1
        if not 1 <= edition <= 500:
            return self._take_back(f"The edition of {line['code']} must be between 1 and 500.")
        self._put("lines", line, "edition", edition)
        for j in [
            j
            for j in sorted(self._jobs_by_line.get(line_id, {}).values(), key=_age)
            if j["status"] != "obsolete"
        ]:
            changed_jobs.append(j)
            self._put("jobs", j, "edition", line["edition"])
            if not minor:
                self._put("jobs", j, "previous", j["wording"] if j["wording"] is not None else j["previous"])
                changed_jobs_2.append(j)
                former_translator_ids.append(j["translator_id"])
                self._put("jobs", j, "translator_id", None)
                changed_jobs_3.append(j)
                self._put("jobs", j, "reviewer_id", None)
                changed_jobs_4.append(j)
                self._put("jobs", j, "wording", None)
                self._put("jobs", j, "remark", None)
                if j["status"] not in ("open", "assigned", "translated", "approved", "returned"):
                    return self._take_back(f"Job {j['id']} cannot go from {j['status']} to open.")
                changed_jobs_5.append(j)
                self._put("jobs", j, "status", "open")
        for one_job in _distinct(changed_jobs_5):
            if self._breaks_rule_1(one_job):
                return self._take_back(RULES[0])
        for one_job in _distinct(changed_jobs_5):
            if self._breaks_rule_2(one_job):
                return self._take_back(RULES[1])
        for one_job in _distinct([*changed_jobs_2, *changed_jobs_5]):
            if self._breaks_rule_3_j(one_job):
                return self._take_back(RULES[2])
        for one_job in _distinct([*changed_jobs_2, *changed_jobs_5]):
            if self._breaks_rule_3_j_again(one_job):
                return self._take_back(RULES[2])
        for one_person in _distinct(
            [
                *[self.people.get(one["translator_id"]) for one in self._jobs_by_line.get(line["id"], {}).values()],
                *[self.people.get(one["translator_id"]) for one in changed_jobs_2],
                *[self.people.get(key) for key in former_translator_ids],
                *[self.people.get(one["translator_id"]) for one in changed_jobs_5],
            ]
        ):
            if self._breaks_rule_4(one_person):
                return self._take_back(RULES[3])
        for one_job in _distinct([*changed_jobs_2, *changed_jobs_3, *changed_jobs_5]):
            if self._breaks_rule_5_j(one_job):
                return self._take_back(RULES[4])
        for one_job in _distinct([*changed_jobs_3, *changed_jobs_5]):
            if self._breaks_rule_5_j_again(one_job):
                return self._take_back(RULES[4])
        for one_job in _distinct(
            [*self._jobs_by_line.get(line["id"], {}).values(), *changed_jobs, *changed_jobs_4, *changed_jobs_5]
        ):
            if self._breaks_rule_6(one_job):
                return self._take_back(RULES[5])
        for one_job in _distinct([*changed_jobs_4, *changed_jobs_5]):
            if self._breaks_rule_7(one_job):
                return self._take_back(RULES[6])
        for one_job in _distinct(changed_jobs_5):
            if self._breaks_rule_9(one_job):
                return self._take_back(RULES[8])
        return {"success": True, "message": f"Done: change the source of {line['code']}.", "data": self._changes()}

    def drop_line(self, line_id: str) -> Result:
        """Drop a line; its jobs are obsolete.

        Args:
            line_id (str): Id of the line, such as LINE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        line = self.lines.get(line_id)
        if line is None:
            return _refused(f"There is no line {line_id!r}.")
        if line["dropped"]:
            return _refused(f"{line['code']} has been dropped already.")
        if self._shut(self.sections[line["section_id"]]):
            return _refused(f"{self.sections[line['section_id']]['name']} is frozen, so thaw it first.")
        self._journal = []
        changed_jobs: list[Any] = []
        for j in [
            j
            for j in sorted(self._jobs_by_line.get(line_id, {}).values(), key=_age)
            if j["status"] != "obsolete"
        ]:
            changed_jobs.append(j)
            self._put("jobs", j, "status", "obsolete")
        self._put("lines", line, "dropped", True)
        for one_job in _distinct(changed_jobs):
            if self._breaks_rule_1(one_job):
                return self._take_back(RULES[0])
        for one_job in _distinct([*changed_jobs, *self._jobs_by_line.get(line["id"], {}).values()]):
            if self._breaks_rule_2(one_job):
                return self._take_back(RULES[1])
        for one_job in _distinct(changed_jobs):
            if self._breaks_rule_3_j(one_job):
                return self._take_back(RULES[2])
        for one_job in _distinct(changed_jobs):
            if self._breaks_rule_3_j_again(one_job):
                return self._take_back(RULES[2])
        for one_person in _distinct([self.people.get(one["translator_id"]) for one in changed_jobs]):
            if self._breaks_rule_4(one_person):
                return self._take_back(RULES[3])
        for one_job in _distinct(changed_jobs):
            if self._breaks_rule_5_j(one_job):
                return self._take_back(RULES[4])
        for one_job in _distinct(changed_jobs):
            if self._breaks_rule_5_j_again(one_job):
                return self._take_back(RULES[4])
        for one_job in _distinct(changed_jobs):
            if self._breaks_rule_6(one_job):
                return self._take_back(RULES[5])
        for one_job in _distinct(changed_jobs):
            if self._breaks_rule_7(one_job):
                return self._take_back(RULES[6])
        for one_job in _distinct(changed_jobs):
            if self._breaks_rule_9(one_job):
                return self._take_back(RULES[8])
        return {"success": True, "message": f"Done: drop {line['code']}.", "data": self._changes()}

    def assign_job(self, job_id: str, translator_id: str) -> Result:
        """Give a job that is open, or in the hands of somebody else, to a translator of its locale who has room.

        Args:
            job_id (str): Id of the job, such as JOB-00001.
            translator_id (str): Person with room for it who translates into the locale of the job; an id such as
                PERSON-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        job = self.jobs.get(job_id)
        if job is None:
            return _refused(f"There is no job {job_id!r}.")
        translator = self.people.get(translator_id)
        if translator is None:
            return _refused(f"There is no person {translator_id!r}.")
        if job["status"] not in ("open", "assigned", "returned"):
            return _refused(f"The job is {job['status']}.")
        if job["locale_id"] not in translator["translate_ids"]:
            return _refused(f"{translator['name']} does not translate into {self.locales[job['locale_id']]['name']}.")
        if translator_id == job["translator_id"]:
            return _refused(f"{translator['name']} has that job already.")
        if self._person_load(translator) + self.lines[job["line_id"]]["words"] > translator["most_words"]:
            return _refused(
                f"{translator['name']} has {self._person_load(translator)} of {translator['most_words']} words, "
                f"and {self.lines[job['line_id']]['words']} more do not fit."
            )
        self._journal = []
        changed_jobs: list[Any] = []
        former_translator_ids: list[Any] = []
        changed_jobs_2: list[Any] = []
        changed_jobs_3: list[Any] = []
        if job["status"] == "returned":
            changed_jobs.append(job)
            former_translator_ids.append(job["translator_id"])
            self._put("jobs", job, "translator_id", None)
            changed_jobs_2.append(job)
            self._put("jobs", job, "reviewer_id", None)
            changed_jobs_3.append(job)
            self._put("jobs", job, "status", "open")
        former_translator_id = job["translator_id"]
        self._put("jobs", job, "translator_id", translator_id)
        if job["status"] == "open":
            if job["status"] not in ("open", "assigned"):
                return self._take_back(f"Job {job['id']} cannot go from {job['status']} to assigned.")
            changed_jobs_3.append(job)
            self._put("jobs", job, "status", "assigned")
        for one_job in _distinct(changed_jobs_3):
            if self._breaks_rule_1(one_job):
                return self._take_back(RULES[0])
        for one_job in _distinct(changed_jobs_3):
            if self._breaks_rule_2(one_job):
                return self._take_back(RULES[1])
        for one_job in _distinct([job, *changed_jobs, *changed_jobs_3]):
            if self._breaks_rule_3_j(one_job):
                return self._take_back(RULES[2])
        for one_job in _distinct([job, *changed_jobs, *changed_jobs_3]):
            if self._breaks_rule_3_j_again(one_job):
                return self._take_back(RULES[2])
        for one_person in _distinct(
            [
                self.people.get(job["translator_id"]),
                self.people.get(former_translator_id),
                *[self.people.get(one["translator_id"]) for one in changed_jobs],
                *[self.people.get(key) for key in former_translator_ids],
                *[self.people.get(one["translator_id"]) for one in changed_jobs_3],
            ]
        ):
            if self._breaks_rule_4(one_person):
                return self._take_back(RULES[3])
        for one_job in _distinct([job, *changed_jobs, *changed_jobs_2, *changed_jobs_3]):
            if self._breaks_rule_5_j(one_job):
                return self._take_back(RULES[4])
        for one_job in _distinct([*changed_jobs_2, *changed_jobs_3]):
            if self._breaks_rule_5_j_again(one_job):
                return self._take_back(RULES[4])
        for one_job in _distinct(changed_jobs_3):
            if self._breaks_rule_6(one_job):
                return self._take_back(RULES[5])
        for one_job in _distinct(changed_jobs_3):
            if self._breaks_rule_7(one_job):
                return self._take_back(RULES[6])
        for one_job in _distinct(changed_jobs_3):
            if self._breaks_rule_9(one_job):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: give {self.lines[job['line_id']]['code']} in {self.locales[job['locale_id']]['name']} to "
                f"{translator['name']}."
            ),
            "data": self._changes(),
        }

    def take_back_job(self, job_id: str) -> Result:
        """Take a job that has not been translated away from its translator; it is open again.

        Args:
            job_id (str): Id of the job, such as JOB-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        job = self.jobs.get(job_id)
        if job is None:
            return _refused(f"There is no job {job_id!r}.")
        if job["status"] not in ("assigned", "returned"):
            return _refused(f"The job is {job['status']}.")
        self._journal = []
        former_translator_id = job["translator_id"]
        self._put("jobs", job, "translator_id", None)
        self._put("jobs", job, "reviewer_id", None)
        self._put("jobs", job, "status", "open")
        if self._breaks_rule_1(job):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(job):
            return self._take_back(RULES[1])
        if self._breaks_rule_3_j(job):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_j_again(job):
            return self._take_back(RULES[2])
        for one_person in _distinct([self.people.get(job["translator_id"]), self.people.get(former_translator_id)]):
            if self._breaks_rule_4(one_person):
                return self._take_back(RULES[3])
        if self._breaks_rule_5_j(job):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_j_again(job):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(job):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(job):
            return self._take_back(RULES[6])
        if self._breaks_rule_9(job):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: take {self.lines[job['line_id']]['code']} in {self.locales[job['locale_id']]['name']} back."
            ),
            "data": self._changes(),
        }

    def hand_in(self, job_id: str, wording: Text) -> Result:
        """Hand in the wording of a job that is assigned or was returned.

        Args:
            job_id (str): Id of the job, such as JOB-00001.
            wording (str): Translation of the line, within the length that the line allows.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        job = self.jobs.get(job_id)
        if job is None:
            return _refused(f"There is no job {job_id!r}.")
        if job["status"] not in ("assigned", "returned"):
            return _refused(f"The job is {job['status']}.")
        most = self.lines[job["line_id"]]["longest"]
        if most is not None and len(wording) > most:
            return _refused(
                f"The wording has {len(wording)} characters and {self.lines[job['line_id']]['code']} allows {most}."
            )
        self._journal = []
        self._put("jobs", job, "wording", wording)
        self._put("jobs", job, "reviewer_id", None)
        self._put("jobs", job, "changed_on", self.now[:10])
        self._put("jobs", job, "status", "translated")
        if self._breaks_rule_1(job):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(job):
            return self._take_back(RULES[1])
        if self._breaks_rule_3_j(job):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_j_again(job):
            return self._take_back(RULES[2])
        for one_person in _distinct([self.people.get(job["translator_id"])]):
            if self._breaks_rule_4(one_person):
                return self._take_back(RULES[3])
        if self._breaks_rule_5_j(job):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_j_again(job):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(job):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(job):
            return self._take_back(RULES[6])
        if self._breaks_rule_9(job):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: hand in {wording} for {self.lines[job['line_id']]['code']} in "
                f"{self.locales[job['locale_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def review_job(self, job_id: str, reviewer_id: str, approved: bool, remark: Text | None = None) -> Result:
        """Approve a translation, or return it with a remark.

        Args:
            job_id (str): Id of the job, such as JOB-00001.
            reviewer_id (str): Person who reviews in that locale and did not translate the line; an id such as
                PERSON-00001.
            approved (bool): Whether the translation is approved rather than returned to its translator.
            remark (str, optional): Note on the translation, needed to return it. If left out, the job has no
                remark and an earlier one is removed.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        job = self.jobs.get(job_id)
        if job is None:
            return _refused(f"There is no job {job_id!r}.")
        reviewer = self.people.get(reviewer_id)
        if reviewer is None:
            return _refused(f"There is no person {reviewer_id!r}.")
        if job["status"] != "translated":
            return _refused(f"The job is {job['status']}.")
        if job["locale_id"] not in reviewer["review_ids"]:
            return _refused(f"{reviewer['name']} does not review {self.locales[job['locale_id']]['name']}.")
        if reviewer_id == job["translator_id"]:
            return _refused(f"{reviewer['name']} has translated it.")
        if not (approved or remark is not None):
            return _refused("Say in a remark what should change.")
        if not (approved or not self._shut(self.sections[self.lines[job["line_id"]]["section_id"]])):
            return _refused(
                f"{self.sections[self.lines[job['line_id']]['section_id']]['name']} is frozen, so nothing is "
                "returned."
            )
        author = self.people.get(job["translator_id"])
        if not (
            approved
            or author is None
            or self._person_load(author) + self.lines[job["line_id"]]["words"] <= author["most_words"]
        ):
            return _refused(f"{author['name']} has no room for it, so move other work first.")
        if not (approved or author is None or job["locale_id"] in author["translate_ids"]):
            return _refused(
                f"{author['name']} does not translate into {self.locales[job['locale_id']]['name']} any more."
            )
        self._journal = []
        self._put("jobs", job, "reviewer_id", reviewer_id)
        self._put("jobs", job, "remark", remark)
        self._put("jobs", job, "changed_on", self.now[:10])
        status = "approved" if approved else "returned"
        self._put("jobs", job, "status", status)
        if self._breaks_rule_1(job):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(job):
            return self._take_back(RULES[1])
        if self._breaks_rule_3_j(job):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_j_again(job):
            return self._take_back(RULES[2])
        for one_person in _distinct([self.people.get(job["translator_id"])]):
            if self._breaks_rule_4(one_person):
                return self._take_back(RULES[3])
        if self._breaks_rule_5_j(job):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_j_again(job):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(job):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(job):
            return self._take_back(RULES[6])
        if self._breaks_rule_9(job):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: review {self.lines[job['line_id']]['code']} in {self.locales[job['locale_id']]['name']} "
                f"as {reviewer['name']}."
            ),
            "data": self._changes(),
        }

    def set_term(self, word: Text, locale_id: str, rendering: Text, by_id: str) -> Result:
        """Decide how a word is rendered in a locale; approved wordings stay until they are reopened.

        Args:
            word (str): Word of the source texts to which the glossary entry belongs.
            locale_id (str): Id of the locale, such as LOCALE-00001.
            rendering (str): How the word is to be translated in the locale.
            by_id (str): Reviewer of the locale who decides the rendering; an id such as PERSON-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        locale = self.locales.get(locale_id)
        if locale is None:
            return _refused(f"There is no locale {locale_id!r}.")
        by = self.people.get(by_id)
        if by is None:
            return _refused(f"There is no person {by_id!r}.")
        if locale_id not in by["review_ids"]:
            return _refused(f"{by['name']} does not review {locale['name']}.")
        old = next(
            (
                t
                for t in sorted(self._terms_by_locale.get(locale_id, {}).values(), key=_age)
                if t["word"].lower() == word.lower()
            ),
            None,
        )
        if old is not None and old["rendering"] == rendering:
            return _refused(f"{word} is {rendering} in {locale['name']} already.")
        self._journal = []
        added_terms: list[Any] = []
        changed_terms: list[Any] = []
        if old is None:
            term = {
                "id": self._new_id("term", "TERM", self.terms),
                "word": word,
                "locale_id": locale_id,
                "rendering": rendering,
                "decided_by_id": by_id,
            }
            self._add("terms", term)
            added_terms.append(term)
        else:
            self._put("terms", old, "rendering", rendering)
            changed_terms.append(old)
            self._put("terms", old, "decided_by_id", by_id)
        for one_term in _distinct(added_terms):
            if self._breaks_rule_8_t(one_term):
                return self._take_back(RULES[7])
        for one_term in _distinct([*added_terms, *changed_terms]):
            if self._breaks_rule_8_t_again(one_term):
                return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: set {word} to {rendering} in {locale['name']}.",
            "data": self._changes(),
        }

    def reopen_job(self, job_id: str) -> Result:
        """Open a translated or approved job again; the old wording is kept beside it.

        Args:
            job_id (str): Id of the job, such as JOB-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        job = self.jobs.get(job_id)
        if job is None:
            return _refused(f"There is no job {job_id!r}.")
        if job["status"] not in ("translated", "approved"):
            return _refused(f"The job is {job['status']}.")
        if self._shut(self.sections[self.lines[job["line_id"]]["section_id"]]):
            return _refused(
                f"{self.sections[self.lines[job['line_id']]['section_id']]['name']} is frozen, so thaw it first."
            )
        self._journal = []
        self._put("jobs", job, "previous", job["wording"] if job["wording"] is not None else job["previous"])
        former_translator_id = job["translator_id"]
        self._put("jobs", job, "translator_id", None)
        self._put("jobs", job, "reviewer_id", None)
        self._put("jobs", job, "wording", None)
        self._put("jobs", job, "status", "open")
        if self._breaks_rule_1(job):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(job):
            return self._take_back(RULES[1])
        if self._breaks_rule_3_j(job):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_j_again(job):
            return self._take_back(RULES[2])
        for one_person in _distinct([self.people.get(job["translator_id"]), self.people.get(former_translator_id)]):
            if self._breaks_rule_4(one_person):
                return self._take_back(RULES[3])
        if self._breaks_rule_5_j(job):
            return self._take_back(RULES[4])
        if self._breaks_rule_5_j_again(job):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(job):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(job):
            return self._take_back(RULES[6])
        if self._breaks_rule_9(job):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: reopen {self.lines[job['line_id']]['code']} in {self.locales[job['locale_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def set_freeze(self, section_id: str, frozen: bool) -> Result:
        """Freeze a section with all inside it for a release, or thaw it; nothing may be left to translate there.

        Args:
            section_id (str): Id of the section, such as SECTION-00001.
            frozen (bool): Whether the section is frozen from now on rather than thawed.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        section = self.sections.get(section_id)
        if section is None:
            return _refused(f"There is no section {section_id!r}.")
        if frozen == section["frozen"]:
            return _refused(f"For {section['name']} that is so already.")
        left = next(
            (
                j
                for j in sorted(
                    _distinct(
                        [
                            j
                            for key in [
                                section_id,
                                *[record["id"] for record in _below(self._sections_by_within, section)],
                            ]
                            for _line in self._lines_by_section.get(key, {}).values()
                            for j in self._jobs_by_line.get(_line["id"], {}).values()
                        ]
                    ),
                    key=_age,
                )
                if frozen
                and self._waiting(j)
            ),
            None,
        )
        if left is not None:
            return _refused(
                f"{self.lines[left['line_id']]['code']} is not translated into "
                f"{self.locales[left['locale_id']]['name']}."
            )
        self._journal = []
        self._put("sections", section, "frozen", frozen)
        for one_job in _distinct(
            [
                *[
                    user
                    for one in self._lines_by_section.get(section["id"], {}).values()
                    for user in self._jobs_by_line.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [
                        user
                        for one in _below(self._sections_by_within, section)
                        for user in self._lines_by_section.get(one["id"], {}).values()
                    ]
                    for user in self._jobs_by_line.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_9(one_job):
                return self._take_back(RULES[8])
        return {"success": True, "message": f"Done: change the freeze of {section['name']}.", "data": self._changes()}

    def enlist_person(
        self,
        person_id: str,
        locale_id: str,
        task: Literal["translate", "review"],
        enlisted: bool = True,
    ) -> Result:
        """Let somebody translate into a locale or review there, or no longer.

        Args:
            person_id (str): Id of the person, such as PERSON-00001.
            locale_id (str): Id of the locale, such as LOCALE-00001.
            task (str): Work that the person is to do in the locale, or to do no longer: translate or review.
            enlisted (bool): Whether the person is allowed that work rather than barred from it. Default: true.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        person = self.people.get(person_id)
        if person is None:
            return _refused(f"There is no person {person_id!r}.")
        locale = self.locales.get(locale_id)
        if locale is None:
            return _refused(f"There is no locale {locale_id!r}.")
        if enlisted != (
            locale not in (
                [self.locales[key] for key in person["translate_ids"]]
                if task == "translate"
                else [self.locales[key] for key in person["review_ids"]]
            )
        ):
            return _refused(f"For {person['name']} that is so already.")
        if not (
            enlisted
            or task == "review"
            or not any(
                j["status"] in ("assigned", "returned")
                for j in self._jobs_by_locale_translator.get((locale_id, person_id), {}).values()
            )
        ):
            return _refused(
                f"{person['name']} has work in {locale['name']}, so take it back or give it to somebody else."
            )
        if not (
            enlisted
            or task == "translate"
            or not self._terms_by_locale_decided_by.get((locale_id, person_id), {})
        ):
            return _refused(
                f"{person['name']} stands behind terms in {locale['name']}, so let another reviewer decide these."
            )
        self._journal = []
        changed_people: list[Any] = []
        changed_people_2: list[Any] = []
        if task == "translate":
            changed_people.append(person)
            self._put(
                "people",
                person,
                "translate_ids",
                [
                    record["id"]
                    for record in [
                        x
                        for x in _those(self.locales, [*person["translate_ids"], locale_id])
                        if (x["id"] in person["translate_ids"] and x is not locale or x is locale and enlisted)
                    ]
                ],
            )
        else:
            changed_people_2.append(person)
            self._put(
                "people",
                person,
                "review_ids",
                [
                    record["id"]
                    for record in [
                        x
                        for x in _those(self.locales, [*person["review_ids"], locale_id])
                        if (x["id"] in person["review_ids"] and x is not locale or x is locale and enlisted)
                    ]
                ],
            )
        for one_job in _distinct(
            [user for one in changed_people for user in self._jobs_by_translator.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_3_j_again(one_job):
                return self._take_back(RULES[2])
        for one_term in _distinct(
            [user for one in changed_people_2 for user in self._terms_by_decided_by.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_8_t_again(one_term):
                return self._take_back(RULES[7])
        for one_person in _distinct([*changed_people, *changed_people_2]):
            if self._breaks_rule_10(one_person):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: change whether {person['name']} may {task} in {locale['name']}.",
            "data": self._changes(),
        }

    def _show_person(self, person: Person) -> dict[str, Any]:
        """The person as an answer shows it."""
        return {
            **person,
            "translate_ids": [*person["translate_ids"]],
            "review_ids": [*person["review_ids"]],
            "load": self._person_load(person),
        }

    def _names_of_locales(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that locales point to."""
        return _names((self.locales, "name", [row["falls_back_on_id"] for row in shown]))

    def _names_of_people(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that people point to."""
        return _names(
            (self.locales, "name", [each for row in shown for each in row["translate_ids"]]),
            (self.locales, "name", [each for row in shown for each in row["review_ids"]]),
        )

    def _names_of_sections(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that sections point to."""
        return _names((self.sections, "name", [row["within_id"] for row in shown]))

    def _names_of_lines(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that lines point to."""
        return _names((self.sections, "name", [row["section_id"] for row in shown]))

    def _names_of_terms(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that terms point to."""
        return _names(
            (self.locales, "name", [row["locale_id"] for row in shown]),
            (self.people, "name", [row["decided_by_id"] for row in shown]),
        )

    def _names_of_jobs(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that jobs point to."""
        return _names(
            (self.lines, "code", [row["line_id"] for row in shown]),
            (self.locales, "name", [row["locale_id"] for row in shown]),
            (self.people, "name", [row["translator_id"] for row in shown]),
            (self.people, "name", [row["reviewer_id"] for row in shown]),
        )

    def _person_load(self, person: Person) -> int:
        """The load of a person."""
        return sum(
            self.lines[j["line_id"]]["words"]
            for j in self._jobs_by_translator.get(person["id"], {}).values()
            if j["status"] in ("assigned", "returned")
        )

    def _shut(self, s: Section) -> bool:
        return s["frozen"] or any(o["frozen"] for o in _above(self.sections, s, "within_id"))

    def _inside(self, o: Section, s: Section) -> bool:
        return s is o or o in _above(self.sections, s, "within_id")

    def _can_translate(self, p: Person, j: Job) -> bool:
        return (
            j["locale_id"] in p["translate_ids"]
            and p["id"] != j["translator_id"]
            and self._person_load(p) + self.lines[j["line_id"]]["words"] <= p["most_words"]
        )

    def _can_review(self, p: Person, j: Job) -> bool:
        return j["locale_id"] in p["review_ids"] and p["id"] != j["translator_id"]

    def _waiting(self, j: Job) -> bool:
        return j["status"] in ("open", "assigned", "returned")

    def _missing_in(self, s: Section, x: Locale) -> list[Job]:
        return [
            j
            for j in sorted(self._jobs_by_locale.get(x["id"], {}).values(), key=_age)
            if self._inside(s, self.sections[self.lines[j["line_id"]]["section_id"]])
            and j["status"] not in ("approved", "obsolete")
        ]

    def _shown(self, l: Line, x: Locale) -> str | None:
        return next(
            (
                j["wording"]
                for o in [x] + _above(self.locales, x, "falls_back_on_id")
                for j in sorted(
                    self._jobs_by_line_locale_status.get((l["id"], o["id"], "approved"), {}).values(),
                    key=_age,
                )
            ),
            None,
        )

    def _breaks_rule_1(self, j: Job) -> bool:
        """Whether this is broken: a line has one job in a locale that is not obsolete."""
        return (
            j["status"] != "obsolete"
            and any(
                other_j is not j
                for other_j in self._jobs_by_line_locale.get((j["line_id"], j["locale_id"]), {}).values()
                if other_j["status"] != "obsolete"
            )
        )

    def _breaks_rule_2(self, j: Job) -> bool:
        """Whether this is broken: dropped lines have obsolete jobs only."""
        return self.lines[j["line_id"]]["dropped"] and j["status"] != "obsolete"

    def _breaks_rule_3_j(self, j: Job) -> bool:
        """Whether this is broken: a job that is assigned, translated, returned or approved has a translator for its
        locale, and an open one has none.
        """
        return (j["translator_id"] is not None) != (j["status"] != "open") and j["status"] != "obsolete"

    def _breaks_rule_3_j_again(self, j: Job) -> bool:
        """Whether this is broken: a job that is assigned, translated, returned or approved has a translator for its
        locale, and an open one has none.
        """
        return (
            j["status"] in ("assigned", "returned")
            and (
                j["translator_id"] is not None
                and j["locale_id"] not in self.people[j["translator_id"]]["translate_ids"]
            )
        )

    def _breaks_rule_4(self, p: Person) -> bool:
        """Whether this is broken: nobody has more words to translate than they take on."""
        return self._person_load(p) > p["most_words"]

    def _breaks_rule_5_j(self, j: Job) -> bool:
        """Whether this is broken: nobody reviews their own translation, and approved jobs have a reviewer."""
        return j["status"] != "obsolete" and (j["reviewer_id"] is not None and j["reviewer_id"] == j["translator_id"])

    def _breaks_rule_5_j_again(self, j: Job) -> bool:
        """Whether this is broken: nobody reviews their own translation, and approved jobs have a reviewer."""
        return j["status"] in ("approved", "returned") and j["reviewer_id"] is None

    def _breaks_rule_6(self, j: Job) -> bool:
        """Whether this is broken: what is translated or approved has a wording for the present edition of its line.
        """
        return (
            j["status"] in ("translated", "approved")
            and (j["wording"] is None or j["edition"] != self.lines[j["line_id"]]["edition"])
        )

    def _breaks_rule_7(self, j: Job) -> bool:
        """Whether this is broken: a wording is no longer than its line allows."""
        return (
            j["status"] in ("translated", "approved")
            and (
                j["wording"] is not None
                and self.lines[j["line_id"]]["longest"] is not None
                and len(j["wording"]) > self.lines[j["line_id"]]["longest"]
            )
        )

    def _breaks_rule_8_t(self, t: Term) -> bool:
        """Whether this is broken: the glossary has one rendering of a word in a locale, decided by somebody who
        reviews there.
        """
        return any(
            other_t is not t
            for other_t in self._terms_by_locale.get(t["locale_id"], {}).values()
            if other_t["word"] == t["word"]
        )

    def _breaks_rule_8_t_again(self, t: Term) -> bool:
        """Whether this is broken: the glossary has one rendering of a word in a locale, decided by somebody who
        reviews there.
        """
        return t["locale_id"] not in self.people[t["decided_by_id"]]["review_ids"]

    def _breaks_rule_9(self, j: Job) -> bool:
        """Whether this is broken: a frozen section, with all inside it, has nothing left to translate."""
        return (
            j["status"] in ("open", "assigned", "returned")
            and self._shut(self.sections[self.lines[j["line_id"]]["section_id"]])
        )

    def _breaks_rule_10(self, p: Person) -> bool:
        """Whether this is broken: nobody is listed for a locale twice."""
        return not (
            _different([x["id"] for x in [self.locales[key] for key in p["translate_ids"]]])
            and _different([x["id"] for x in [self.locales[key] for key in p["review_ids"]]])
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
            case "people":
                for key in record["translate_ids"]:
                    self._people_by_translates.setdefault(key, {})[record["id"]] = record
            case "sections":
                self._sections_by_within.setdefault(record["within_id"], {})[record["id"]] = record
            case "lines":
                self._lines_by_code.setdefault(record["code"], {})[record["id"]] = record
                self._lines_by_lower_code.setdefault(record["code"].lower(), {})[record["id"]] = record
                self._lines_by_section.setdefault(record["section_id"], {})[record["id"]] = record
            case "terms":
                self._terms_by_decided_by.setdefault(record["decided_by_id"], {})[record["id"]] = record
                self._terms_by_locale.setdefault(record["locale_id"], {})[record["id"]] = record
                self._terms_by_locale_decided_by.setdefault(
                    (record["locale_id"], record["decided_by_id"]),
                    {},
                )[record["id"]] = record
            case "jobs":
                self._jobs_by_line.setdefault(record["line_id"], {})[record["id"]] = record
                self._jobs_by_line_locale.setdefault((record["line_id"], record["locale_id"]), {})[record["id"]] = record
                self._jobs_by_line_locale_status.setdefault(
                    (record["line_id"], record["locale_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._jobs_by_locale.setdefault(record["locale_id"], {})[record["id"]] = record
                self._jobs_by_locale_translator.setdefault(
                    (record["locale_id"], record["translator_id"]),
                    {},
                )[record["id"]] = record
                self._jobs_by_translator.setdefault(record["translator_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "people":
                for key in record["translate_ids"]:
                    self._people_by_translates[key].pop(record["id"], None)
            case "sections":
                del self._sections_by_within[record["within_id"]][record["id"]]
            case "lines":
                del self._lines_by_code[record["code"]][record["id"]]
                del self._lines_by_lower_code[record["code"].lower()][record["id"]]
                del self._lines_by_section[record["section_id"]][record["id"]]
            case "terms":
                del self._terms_by_decided_by[record["decided_by_id"]][record["id"]]
                del self._terms_by_locale[record["locale_id"]][record["id"]]
                del self._terms_by_locale_decided_by[record["locale_id"], record["decided_by_id"]][record["id"]]
            case "jobs":
                del self._jobs_by_line[record["line_id"]][record["id"]]
                del self._jobs_by_line_locale[record["line_id"], record["locale_id"]][record["id"]]
                del self._jobs_by_line_locale_status[
                    record["line_id"],
                    record["locale_id"],
                    record["status"],
                ][record["id"]]
                del self._jobs_by_locale[record["locale_id"]][record["id"]]
                del self._jobs_by_locale_translator[record["locale_id"], record["translator_id"]][record["id"]]
                del self._jobs_by_translator[record["translator_id"]][record["id"]]
