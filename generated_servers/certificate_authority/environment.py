"""Certificate authority. Compiled from blueprint.yaml; run `envscaler build certificate_authority` after changing it there.

Runs the certificates of a company, with issuers in a chain, requests approved by other people, domains that
must be validated, renewals, holds and revocation of everything that hangs below.
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
    "An issuer is valid only while the one above it is.",
    "Below an issuer there are no more levels than it may nest.",
    "No active issuer hangs below a revoked one.",
    "A certificate that can be used comes from an active issuer.",
    "A certificate is valid within the time of its issuer and no longer than its profile allows.",
    "A certificate is renewed once, for the same domain and profile.",
    "A domain never has more than two usable certificates of one profile on a day.",
    "Requests are approved by registrars other than the applicant, and by nobody twice.",
    "A request counts as approved when it has the approvals that its profile demands.",
    "People ask only for domains of their own team, with keys that are long enough.",
    "A revoked certificate says why, and only revoked ones are listed.",
    "The lists of an issuer are numbered without repetition.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "file_request",
    "approve_request",
    "refuse_request",
    "issue_certificate",
    "renew_certificate",
    "hold_certificate",
    "revoke_certificate",
    "revoke_issuer",
    "create_issuer",
    "validate_domain",
    "publish_list",
)
"""The methods that may change something; all others only read."""

CERTIFICATE_STATUS_MOVES = {("valid", "held"), ("valid", "revoked"), ("held", "valid"), ("held", "revoked")}

LABELS: dict[str, tuple[str, ...]] = {
    "officers": ("name",),
    "issuers": ("name",),
    "profiles": ("name",),
    "domains": ("name",),
    "requests": (),
    "approvals": (),
    "certificates": (),
    "crl_issues": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("approvals", "by_id"),
    ("approvals", "request_id"),
    ("certificates", "domain_id"),
    ("certificates", "issuer_id"),
    ("certificates", "profile_id"),
    ("certificates", "renews_id"),
    ("certificates", "status"),
    ("crl_issues", "issuer_id"),
    ("domains", "parent_id"),
    ("issuers", "name"),
    ("issuers", "parent_id"),
    ("issuers", "status"),
    ("requests", "domain_id"),
    ("requests", "issuer_id"),
    ("requests", "profile_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Officer(TypedDict):
    id: str
    name: str
    team: Literal["web", "payments", "mobile", "plant"]
    registrar: bool


class Issuer(TypedDict):
    id: str
    name: str
    parent_id: str | None
    valid_from: str
    valid_until: str
    may_nest: int
    revoked_on: str | None
    listed: bool
    status: Literal["active", "revoked"]


class Profile(TypedDict):
    id: str
    name: str
    max_days: int
    least_bits: int
    approvals: int


class Domain(TypedDict):
    id: str
    name: str
    parent_id: str | None
    team: Literal["web", "payments", "mobile", "plant"]
    validated_until: str | None


class Request(TypedDict):
    id: str
    domain_id: str
    profile_id: str
    issuer_id: str
    asked_by_id: str
    filed_on: str
    bits: int
    lasts: int
    reason: str | None
    status: Literal["filed", "approved", "refused", "issued"]


class Approval(TypedDict):
    id: str
    request_id: str
    by_id: str
    given_on: str


class Certificate(TypedDict):
    id: str
    domain_id: str
    profile_id: str
    issuer_id: str
    valid_from: str
    valid_until: str
    renews_id: str | None
    why: Literal["key_leaked", "superseded", "team_closed", "issuer_revoked"] | None
    listed: bool
    status: Literal["valid", "held", "revoked"]


class CrlIssue(TypedDict):
    id: str
    issuer_id: str
    number: int
    published_on: str
    entries: int


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


def _plus_days(day: str, days: int) -> str:
    """The date so many days later; the calendar ends where Python's does."""
    ordinal = date.fromisoformat(day).toordinal() + days
    return date.fromordinal(min(max(ordinal, 1), date.max.toordinal())).isoformat()


def _days_between(start: str, end: str) -> int:
    """How many days lie from start to end."""
    return date.fromisoformat(end).toordinal() - date.fromisoformat(start).toordinal()


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


class CertificateAuthority:
    """Runs the certificates of a company, with issuers in a chain, requests approved by other people,
    domains that must be validated, renewals, holds and revocation of everything that hangs below.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.officers: dict[str, Officer] = _copied(config.get("officers", {}))
        self.issuers: dict[str, Issuer] = _copied(config.get("issuers", {}))
        self.profiles: dict[str, Profile] = _copied(config.get("profiles", {}))
        self.domains: dict[str, Domain] = _copied(config.get("domains", {}))
        self.requests: dict[str, Request] = _copied(config.get("requests", {}))
        self.approvals: dict[str, Approval] = _copied(config.get("approvals", {}))
        self.certificates: dict[str, Certificate] = _copied(config.get("certificates", {}))
        self.crl_issues: dict[str, CrlIssue] = _copied(config.get("crl_issues", {}))
        self.now: str = config.get("now", "2026-07-08T09:45")
        self.counters: dict[str, int] = {
            "officer": len(self.officers),
            "issuer": len(self.issuers),
            "profile": len(self.profiles),
            "domain": len(self.domains),
            "request": len(self.requests),
            "approval": len(self.approvals),
            "certificate": len(self.certificates),
            "crl_issue": len(self.crl_issues),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._issuers_by_lower_name: dict[Any, dict[str, Issuer]] = {}
        self._issuers_by_name: dict[Any, dict[str, Issuer]] = {}
        self._issuers_by_parent: dict[Any, dict[str, Issuer]] = {}
        self._issuers_by_parent_status: dict[Any, dict[str, Issuer]] = {}
        self._domains_by_parent: dict[Any, dict[str, Domain]] = {}
        self._requests_by_domain_profile: dict[Any, dict[str, Request]] = {}
        self._requests_by_issuer: dict[Any, dict[str, Request]] = {}
        self._approvals_by_request: dict[Any, dict[str, Approval]] = {}
        self._approvals_by_request_by: dict[Any, dict[str, Approval]] = {}
        self._certificates_by_domain: dict[Any, dict[str, Certificate]] = {}
        self._certificates_by_domain_profile: dict[Any, dict[str, Certificate]] = {}
        self._certificates_by_issuer: dict[Any, dict[str, Certificate]] = {}
        self._certificates_by_issuer_status: dict[Any, dict[str, Certificate]] = {}
        self._certificates_by_renews: dict[Any, dict[str, Certificate]] = {}
        self._crl_issues_by_issuer: dict[Any, dict[str, CrlIssue]] = {}
        for issuer in self.issuers.values():
            self._link("issuers", issuer)
        for domain in self.domains.values():
            self._link("domains", domain)
        for request in self.requests.values():
            self._link("requests", request)
        for approval in self.approvals.values():
            self._link("approvals", approval)
        for certificate in self.certificates.values():
            self._link("certificates", certificate)
        for crl_issue in self.crl_issues.values():
            self._link("crl_issues", crl_issue)

    def ending_soon(
        self,
        until: Date,
        team: Literal["web", "payments", "mobile", "plant"] | None = None,
        issuer_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Valid certificates that end until a day and have not been renewed, soonest first.

        Args:
            until (str): Last day on which the listed certificates may end, as YYYY-MM-DD.
            team (str, optional): Team that has the domain: web, payments, mobile or plant. If left out, the
                certificates of all teams are listed.
            issuer_id (str, optional): Issuer that signed the certificates; an id such as ISSUER-00001. If left
                out, the certificates of all issuers are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "certificates": records}} or {"success": False, "error":
                why not}
        """
        issuer = self.issuers.get(issuer_id) if issuer_id is not None else None
        if issuer_id is not None and issuer is None:
            return _refused(f"There is no issuer {issuer_id!r}.")
        found = [
            c
            for c in self.certificates.values()
            if (self._current(c) and c["valid_until"] <= until)
            and (team is None or self.domains[c["domain_id"]]["team"] == team)
            and (issuer_id is None or c["issuer_id"] == issuer_id)
        ]
        found.sort(key=lambda c: (c["valid_until"], c["id"], _age(c)))
        return _found(
            {
                "total": len(found),
                "certificates": [
                    {
                        "id": c["id"],
                        "domain": self.domains[c["domain_id"]]["name"],
                        "profile": self.profiles[c["profile_id"]]["name"],
                        "issuer": self.issuers[c["issuer_id"]]["name"],
                        "valid_until": c["valid_until"],
                        "validated": self._proven(self.domains[c["domain_id"]], self.now[:10]),
                    }
                    for c in _page(found, offset)
                ],
            }
        )

    def lists_due(self, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Active issuers with revocations that stand in no published list.

        Args:
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "issuers": records}} or {"success": False, "error": why
                not}
        """
        found = [i for i in self.issuers.values() if (i["status"] == "active" and self._unlisted(i) > 0)]
        found.sort(key=lambda i: (i["name"], _age(i)))
        return _found(
            {
                "total": len(found),
                "issuers": [
                    {
                        "id": i["id"],
                        "name": i["name"],
                        "unlisted": self._unlisted(i),
                        "lists": len(self._crl_issues_by_issuer.get(i["id"], {})),
                    }
                    for i in _page(found, offset)
                ],
            }
        )

    def domains_below(self, domain_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """A domain and all domains below it, with their validation.

        Args:
            domain_id (str): Id of the domain, such as DOMAIN-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "domains": records}} or {"success": False, "error": why
                not}
        """
        domain = self.domains.get(domain_id)
        if domain is None:
            return _refused(f"There is no domain {domain_id!r}.")
        found = [d for d in self._family(domain)]
        return _found(
            {
                "total": len(found),
                "domains": [
                    {
                        "id": d["id"],
                        "name": d["name"],
                        "team": d["team"],
                        "validated_until": d["validated_until"],
                        "validated": self._proven(d, self.now[:10]),
                    }
                    for d in _page(found, offset)
                ],
            }
        )

    def list_officers(
        self,
        name: Text | None = None,
        team: Literal["web", "payments", "mobile", "plant"] | None = None,
        registrar: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the officers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only officers whose name contains this text.
            team (str, optional): Only officers with this team.
            registrar (bool, optional): Only officers with this value of `registrar`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "officers": records}}
        """
        found = [
            officer
            for officer in self.officers.values()
            if (name is None or name.casefold() in officer["name"].casefold())
            and (team is None or officer["team"] == team)
            and (registrar is None or officer["registrar"] == registrar)
        ]
        return _found({"total": len(found), "officers": [{**officer} for officer in _page(found, offset)]})

    def list_issuers(
        self,
        name: Text | None = None,
        parent_id: str | None = None,
        listed: bool | None = None,
        status: Literal["active", "revoked"] | None = None,
        valid_from_from: Date | None = None,
        valid_from_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the issuers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only issuers whose name contains this text.
            parent_id (str, optional): Only issuers whose parent is this issuer.
            listed (bool, optional): Only issuers that are listed (true) or not (false).
            status (str, optional): Only issuers with this status.
            valid_from_from (str, optional): Only issuers whose `valid_from` is on this day or later.
            valid_from_to (str, optional): Only issuers whose `valid_from` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "issuers": records}}
        """
        if parent_id is not None and parent_id not in self.issuers:
            return _refused(f"There is no issuer {parent_id!r}.")
        found = [
            issuer
            for issuer in self.issuers.values()
            if (name is None or name.casefold() in issuer["name"].casefold())
            and (parent_id is None or issuer["parent_id"] == parent_id)
            and (listed is None or issuer["listed"] == listed)
            and (status is None or issuer["status"] == status)
            and (valid_from_from is None or issuer["valid_from"] >= valid_from_from)
            and (valid_from_to is None or issuer["valid_from"] <= valid_from_to)
        ]
        shown = [self._show_issuer(issuer) for issuer in _page(found, offset)]
        return _found({"total": len(found), "issuers": shown}, self._names_of_issuers(shown))

    def list_profiles(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the profiles, oldest first, all of them or only some.

        Args:
            name (str, optional): Only profiles whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "profiles": records}}
        """
        found = [
            profile
            for profile in self.profiles.values()
            if (name is None or name.casefold() in profile["name"].casefold())
        ]
        return _found({"total": len(found), "profiles": [{**profile} for profile in _page(found, offset)]})

    def list_domains(
        self,
        name: Text | None = None,
        parent_id: str | None = None,
        team: Literal["web", "payments", "mobile", "plant"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the domains, oldest first, all of them or only some.

        Args:
            name (str, optional): Only domains whose name contains this text.
            parent_id (str, optional): Only domains whose parent is this domain.
            team (str, optional): Only domains with this team.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "domains": records}}
        """
        if parent_id is not None and parent_id not in self.domains:
            return _refused(f"There is no domain {parent_id!r}.")
        found = [
            domain
            for domain in self.domains.values()
            if (name is None or name.casefold() in domain["name"].casefold())
            and (parent_id is None or domain["parent_id"] == parent_id)
            and (team is None or domain["team"] == team)
        ]
        shown = [{**domain} for domain in _page(found, offset)]
        return _found({"total": len(found), "domains": shown}, self._names_of_domains(shown))

    def list_requests(
        self,
        domain_id: str | None = None,
        profile_id: str | None = None,
        issuer_id: str | None = None,
        asked_by_id: str | None = None,
        status: Literal["filed", "approved", "refused", "issued"] | None = None,
        filed_on_from: Date | None = None,
        filed_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the requests, oldest first, all of them or only some.

        Args:
            domain_id (str, optional): Only requests of this domain.
            profile_id (str, optional): Only requests of this profile.
            issuer_id (str, optional): Only requests of this issuer.
            asked_by_id (str, optional): Only requests asked by this officer.
            status (str, optional): Only requests with this status.
            filed_on_from (str, optional): Only requests whose `filed_on` is on this day or later.
            filed_on_to (str, optional): Only requests whose `filed_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "requests": records}}
        """
        if domain_id is not None and domain_id not in self.domains:
            return _refused(f"There is no domain {domain_id!r}.")
        if profile_id is not None and profile_id not in self.profiles:
            return _refused(f"There is no profile {profile_id!r}.")
        if issuer_id is not None and issuer_id not in self.issuers:
            return _refused(f"There is no issuer {issuer_id!r}.")
        if asked_by_id is not None and asked_by_id not in self.officers:
            return _refused(f"There is no officer {asked_by_id!r}.")
        found = [
            request
            for request in self.requests.values()
            if (domain_id is None or request["domain_id"] == domain_id)
            and (profile_id is None or request["profile_id"] == profile_id)
            and (issuer_id is None or request["issuer_id"] == issuer_id)
            and (asked_by_id is None or request["asked_by_id"] == asked_by_id)
            and (status is None or request["status"] == status)
            and (filed_on_from is None or request["filed_on"] >= filed_on_from)
            and (filed_on_to is None or request["filed_on"] <= filed_on_to)
        ]
        shown = [self._show_request(request) for request in _page(found, offset)]
        return _found({"total": len(found), "requests": shown}, self._names_of_requests(shown))

    def list_approvals(
        self,
        request_id: str | None = None,
        by_id: str | None = None,
        given_on_from: Date | None = None,
        given_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the approvals, oldest first, all of them or only some.

        Args:
            request_id (str, optional): Only approvals of this request.
            by_id (str, optional): Only approvals by this officer.
            given_on_from (str, optional): Only approvals whose `given_on` is on this day or later.
            given_on_to (str, optional): Only approvals whose `given_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "approvals": records}}
        """
        if request_id is not None and request_id not in self.requests:
            return _refused(f"There is no request {request_id!r}.")
        if by_id is not None and by_id not in self.officers:
            return _refused(f"There is no officer {by_id!r}.")
        found = [
            approval
            for approval in self.approvals.values()
            if (request_id is None or approval["request_id"] == request_id)
            and (by_id is None or approval["by_id"] == by_id)
            and (given_on_from is None or approval["given_on"] >= given_on_from)
            and (given_on_to is None or approval["given_on"] <= given_on_to)
        ]
        shown = [{**approval} for approval in _page(found, offset)]
        return _found({"total": len(found), "approvals": shown}, self._names_of_approvals(shown))

    def list_certificates(
        self,
        domain_id: str | None = None,
        profile_id: str | None = None,
        issuer_id: str | None = None,
        renews_id: str | None = None,
        why: Literal["key_leaked", "superseded", "team_closed", "issuer_revoked"] | None = None,
        listed: bool | None = None,
        status: Literal["valid", "held", "revoked"] | None = None,
        valid_from_from: Date | None = None,
        valid_from_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the certificates, oldest first, all of them or only some.

        Args:
            domain_id (str, optional): Only certificates of this domain.
            profile_id (str, optional): Only certificates of this profile.
            issuer_id (str, optional): Only certificates of this issuer.
            renews_id (str, optional): Only certificates whose renews is this certificate.
            why (str, optional): Only certificates whose `why` is this.
            listed (bool, optional): Only certificates that are listed (true) or not (false).
            status (str, optional): Only certificates with this status.
            valid_from_from (str, optional): Only certificates whose `valid_from` is on this day or later.
            valid_from_to (str, optional): Only certificates whose `valid_from` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "certificates": records}}
        """
        if domain_id is not None and domain_id not in self.domains:
            return _refused(f"There is no domain {domain_id!r}.")
        if profile_id is not None and profile_id not in self.profiles:
            return _refused(f"There is no profile {profile_id!r}.")
        if issuer_id is not None and issuer_id not in self.issuers:
            return _refused(f"There is no issuer {issuer_id!r}.")
        if renews_id is not None and renews_id not in self.certificates:
            return _refused(f"There is no certificate {renews_id!r}.")
        found = [
            certificate
            for certificate in self.certificates.values()
            if (domain_id is None or certificate["domain_id"] == domain_id)
            and (profile_id is None or certificate["profile_id"] == profile_id)
            and (issuer_id is None or certificate["issuer_id"] == issuer_id)
            and (renews_id is None or certificate["renews_id"] == renews_id)
            and (why is None or certificate["why"] == why)
            and (listed is None or certificate["listed"] == listed)
            and (status is None or certificate["status"] == status)
            and (valid_from_from is None or certificate["valid_from"] >= valid_from_from)
            and (valid_from_to is None or certificate["valid_from"] <= valid_from_to)
        ]
        shown = [{**certificate} for certificate in _page(found, offset)]
        return _found({"total": len(found), "certificates": shown}, self._names_of_certificates(shown))

    def list_crl_issues(
        self,
        issuer_id: str | None = None,
        published_on_from: Date | None = None,
        published_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the crl issues, oldest first, all of them or only some.

        Args:
            issuer_id (str, optional): Only crl issues of this issuer.
            published_on_from (str, optional): Only crl issues whose `published_on` is on this day or later.
            published_on_to (str, optional): Only crl issues whose `published_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "crl_issues": records}}
        """
        if issuer_id is not None and issuer_id not in self.issuers:
            return _refused(f"There is no issuer {issuer_id!r}.")
        found = [
            crl_issue
            for crl_issue in self.crl_issues.values()
            if (issuer_id is None or crl_issue["issuer_id"] == issuer_id)
            and (published_on_from is None or crl_issue["published_on"] >= published_on_from)
            and (published_on_to is None or crl_issue["published_on"] <= published_on_to)
        ]
        shown = [{**crl_issue} for crl_issue in _page(found, offset)]
        return _found({"total": len(found), "crl_issues": shown}, self._names_of_crl_issues(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def file_request(
        self,
        domain_id: str,
        profile_id: str,
        issuer_id: str,
        asked_by_id: str,
        bits: Annotated[int, {"minimum": 1024, "maximum": 8192}],
        lasts: Annotated[int, {"minimum": 1, "maximum": 1200}],
    ) -> Result:
        """File a request for a certificate.

        Args:
            domain_id (str): Id of the domain, such as DOMAIN-00001.
            profile_id (str): Id of the profile, such as PROFILE-00001.
            issuer_id (str): Id of the issuer, such as ISSUER-00001.
            asked_by_id (str): Officer who files the request, of the team that has the domain; an id such as
                OFFICER-00001.
            bits (int): Length of the key, in bits, from 1024 to 8192.
            lasts (int): Lifetime of the certificate, in days, from 1 to 1200.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        domain = self.domains.get(domain_id)
        if domain is None:
            return _refused(f"There is no domain {domain_id!r}.")
        profile = self.profiles.get(profile_id)
        if profile is None:
            return _refused(f"There is no profile {profile_id!r}.")
        issuer = self.issuers.get(issuer_id)
        if issuer is None:
            return _refused(f"There is no issuer {issuer_id!r}.")
        asked_by = self.officers.get(asked_by_id)
        if asked_by is None:
            return _refused(f"There is no officer {asked_by_id!r}.")
        if asked_by["team"] != domain["team"]:
            return _refused(
                f"{domain['name']} belongs to {domain['team']}, and {asked_by['name']} to {asked_by['team']}."
            )
        if issuer["status"] != "active":
            return _refused(f"{issuer['name']} was revoked.")
        if issuer["may_nest"] != 0:
            return _refused(f"{issuer['name']} signs other issuers only.")
        if bits < profile["least_bits"]:
            return _refused(f"A {profile['name']} certificate needs a key of {profile['least_bits']} bits.")
        if lasts > profile["max_days"]:
            return _refused(f"A {profile['name']} certificate lasts {profile['max_days']} days at most.")
        if _plus_days(self.now[:10], lasts) > issuer["valid_until"]:
            return _refused(f"{issuer['name']} itself is valid until {issuer['valid_until']} only.")
        if any(
            r["status"] in ("filed", "approved")
            for r in self._requests_by_domain_profile.get((domain_id, profile_id), {}).values()
        ):
            return _refused(f"{domain['name']} has a request for a {profile['name']} certificate under way.")
        self._journal = []
        request: Request = {
            "id": self._new_id("request", "REQUEST", self.requests),
            "domain_id": domain_id,
            "profile_id": profile_id,
            "issuer_id": issuer_id,
            "asked_by_id": asked_by_id,
            "filed_on": self.now[:10],
            "bits": bits,
            "lasts": lasts,
            "reason": None,
            "status": "filed",
        }
        self._add("requests", request)
        if self._breaks_rule_9_r(request):
            return self._take_back(RULES[8])
        if self._breaks_rule_9_r_again(request):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(request):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: file a {profile['name']} request for {domain['name']} at {issuer['name']} by "
                f"{asked_by['name']} (new: request {request['id']})."
            ),
            "data": {"request_id": request["id"], **self._changes()},
        }

    def approve_request(self, request_id: str, by_id: str) -> Result:
        """Record the approval of a registrar; with the last one that is needed the request is approved.

        Args:
            request_id (str): Id of the request, such as REQUEST-00001.
            by_id (str): Registrar who approves it, other than whoever filed it; an id such as OFFICER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        request = self.requests.get(request_id)
        if request is None:
            return _refused(f"There is no request {request_id!r}.")
        by = self.officers.get(by_id)
        if by is None:
            return _refused(f"There is no officer {by_id!r}.")
        if request["status"] != "filed":
            return _refused(f"The request for {self.domains[request['domain_id']]['name']} is {request['status']}.")
        if not by["registrar"]:
            return _refused(f"{by['name']} is no registrar.")
        if by_id == request["asked_by_id"]:
            return _refused(f"{by['name']} has filed this request.")
        if self._approvals_by_request_by.get((request_id, by_id), {}):
            return _refused(f"{by['name']} has approved this request already.")
        self._journal = []
        changed_requests: list[Any] = []
        approval: Approval = {
            "id": self._new_id("approval", "APPROVAL", self.approvals),
            "request_id": request_id,
            "by_id": by_id,
            "given_on": self.now[:10],
        }
        self._add("approvals", approval)
        if self._request_approvals(request) >= self.profiles[request["profile_id"]]["approvals"]:
            changed_requests.append(request)
            self._put("requests", request, "status", "approved")
        if self._breaks_rule_8_a(approval):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_a_again(approval):
            return self._take_back(RULES[7])
        for one_request in _distinct([self.requests[approval["request_id"]], *changed_requests]):
            if self._breaks_rule_9_r(one_request):
                return self._take_back(RULES[8])
        for one_request in _distinct([self.requests[approval["request_id"]], *changed_requests]):
            if self._breaks_rule_9_r_again(one_request):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: approve the request for {self.domains[request['domain_id']]['name']} as {by['name']} "
                f"(new: approval {approval['id']})."
            ),
            "data": {"approval_id": approval["id"], **self._changes()},
        }

    def refuse_request(self, request_id: str, reason: Text) -> Result:
        """Refuse a request that has not led to a certificate.

        Args:
            request_id (str): Id of the request, such as REQUEST-00001.
            reason (str): Why the request is refused.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        request = self.requests.get(request_id)
        if request is None:
            return _refused(f"There is no request {request_id!r}.")
        if request["status"] not in ("filed", "approved"):
            return _refused(f"The request for {self.domains[request['domain_id']]['name']} is {request['status']}.")
        self._journal = []
        self._put("requests", request, "reason", reason)
        self._put("requests", request, "status", "refused")
        if self._breaks_rule_9_r(request):
            return self._take_back(RULES[8])
        if self._breaks_rule_9_r_again(request):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: refuse the request for {self.domains[request['domain_id']]['name']} because {reason}.",
            "data": self._changes(),
        }

    def issue_certificate(self, request_id: str) -> Result:
        """Issue the certificate of an approved request for a domain that is validated, itself or by a domain above
        it.

        Args:
            request_id (str): Id of the request, such as REQUEST-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        request = self.requests.get(request_id)
        if request is None:
            return _refused(f"There is no request {request_id!r}.")
        if request["status"] != "approved":
            return _refused(f"The request for {self.domains[request['domain_id']]['name']} is {request['status']}.")
        if self.issuers[request["issuer_id"]]["status"] != "active":
            return _refused(f"{self.issuers[request['issuer_id']]['name']} was revoked.")
        if _plus_days(self.now[:10], request["lasts"]) > self.issuers[request["issuer_id"]]["valid_until"]:
            return _refused(
                f"{self.issuers[request['issuer_id']]['name']} is valid until "
                f"{self.issuers[request['issuer_id']]['valid_until']} only."
            )
        if not self._proven(self.domains[request["domain_id"]], self.now[:10]):
            return _refused(
                f"{self.domains[request['domain_id']]['name']} is not validated for {self.now[:10]}, so validate "
                "it or a domain above it."
            )
        if sum(
            1
            for c in self._certificates_by_domain_profile.get(
                (request["domain_id"], request["profile_id"]),
                {},
            ).values()
            if c["status"] != "revoked"
            and c["valid_until"] >= self.now[:10]
        ) >= 2:
            return _refused(
                f"{self.domains[request['domain_id']]['name']} has two "
                f"{self.profiles[request['profile_id']]['name']} certificates, so revoke one first."
            )
        self._journal = []
        certificate: Certificate = {
            "id": self._new_id("certificate", "CERTIFICATE", self.certificates),
            "domain_id": request["domain_id"],
            "profile_id": request["profile_id"],
            "issuer_id": request["issuer_id"],
            "valid_from": self.now[:10],
            "valid_until": _plus_days(self.now[:10], request["lasts"]),
            "renews_id": None,
            "why": None,
            "listed": False,
            "status": "valid",
        }
        self._add("certificates", certificate)
        self._put("requests", request, "status", "issued")
        if self._breaks_rule_4(certificate):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(certificate):
            return self._take_back(RULES[4])
        if self._breaks_rule_6_c(certificate):
            return self._take_back(RULES[5])
        if self._breaks_rule_6_c_again(certificate):
            return self._take_back(RULES[5])
        for one_certificate in _distinct(
            [certificate, *self._certificates_by_domain.get(certificate["domain_id"], {}).values()]
        ):
            if self._breaks_rule_7(one_certificate):
                return self._take_back(RULES[6])
        if self._breaks_rule_9_r(request):
            return self._take_back(RULES[8])
        if self._breaks_rule_9_r_again(request):
            return self._take_back(RULES[8])
        if self._breaks_rule_11_c(certificate):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: issue the {self.profiles[request['profile_id']]['name']} certificate for "
                f"{self.domains[request['domain_id']]['name']} (new: certificate {certificate['id']})."
            ),
            "data": {"certificate_id": certificate["id"], **self._changes()},
        }

    def renew_certificate(self, certificate_id: str) -> Result:
        """Renew a valid certificate that ends within 45 days, for as long as it lasted but never longer than its
        issuer.

        Args:
            certificate_id (str): Id of the certificate, such as CERTIFICATE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        certificate = self.certificates.get(certificate_id)
        if certificate is None:
            return _refused(f"There is no certificate {certificate_id!r}.")
        if certificate["status"] != "valid":
            return _refused(
                f"This certificate of {self.domains[certificate['domain_id']]['name']} is {certificate['status']}."
            )
        if self._certificates_by_renews.get(certificate_id, {}):
            return _refused(
                f"This certificate of {self.domains[certificate['domain_id']]['name']} was renewed already."
            )
        if certificate["valid_until"] > _plus_days(self.now[:10], 45):
            return _refused(f"It ends on {certificate['valid_until']}, which is more than 45 days ahead.")
        if certificate["valid_until"] < self.now[:10]:
            return _refused(f"It ended on {certificate['valid_until']}, so file a new request.")
        if self.issuers[certificate["issuer_id"]]["valid_until"] <= self.now[:10]:
            return _refused(f"{self.issuers[certificate['issuer_id']]['name']} has ended.")
        if not self._proven(self.domains[certificate["domain_id"]], self.now[:10]):
            return _refused(
                f"{self.domains[certificate['domain_id']]['name']} is not validated for {self.now[:10]}, so "
                "validate it or a domain above it."
            )
        if sum(
            1
            for c in self._certificates_by_domain_profile.get(
                (certificate["domain_id"], certificate["profile_id"]),
                {},
            ).values()
            if c["status"] != "revoked"
            and c["valid_until"] >= self.now[:10]
        ) >= 2:
            return _refused(
                f"{self.domains[certificate['domain_id']]['name']} has two "
                f"{self.profiles[certificate['profile_id']]['name']} certificates, so revoke one first."
            )
        done = f"renew the {self.profiles[certificate['profile_id']]['name']} certificate of {self.domains[certificate['domain_id']]['name']}"
        self._journal = []
        new_certificate: Certificate = {
            "id": self._new_id("certificate", "CERTIFICATE", self.certificates),
            "domain_id": certificate["domain_id"],
            "profile_id": certificate["profile_id"],
            "issuer_id": certificate["issuer_id"],
            "valid_from": self.now[:10],
            "valid_until": min(
                _plus_days(self.now[:10], _days_between(certificate["valid_from"], certificate["valid_until"])),
                self.issuers[certificate["issuer_id"]]["valid_until"],
            ),
            "renews_id": certificate_id,
            "why": None,
            "listed": False,
            "status": "valid",
        }
        self._add("certificates", new_certificate)
        if self._breaks_rule_4(new_certificate):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(new_certificate):
            return self._take_back(RULES[4])
        if self._breaks_rule_6_c(new_certificate):
            return self._take_back(RULES[5])
        if self._breaks_rule_6_c_again(new_certificate):
            return self._take_back(RULES[5])
        for one_certificate in _distinct(
            [new_certificate, *self._certificates_by_domain.get(new_certificate["domain_id"], {}).values()]
        ):
            if self._breaks_rule_7(one_certificate):
                return self._take_back(RULES[6])
        if self._breaks_rule_11_c(new_certificate):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: {done} (new: certificate {new_certificate['id']}).",
            "data": {"certificate_id": new_certificate["id"], **self._changes()},
        }

    def hold_certificate(self, certificate_id: str, held: bool) -> Result:
        """Put a valid certificate on hold, or lift the hold.

        Args:
            certificate_id (str): Id of the certificate, such as CERTIFICATE-00001.
            held (bool): Whether it goes on hold, as opposed to lifting the hold.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        certificate = self.certificates.get(certificate_id)
        if certificate is None:
            return _refused(f"There is no certificate {certificate_id!r}.")
        if certificate["status"] == "revoked":
            return _refused(f"This certificate of {self.domains[certificate['domain_id']]['name']} was revoked.")
        if held != (certificate["status"] == "valid"):
            return _refused(
                f"This certificate of {self.domains[certificate['domain_id']]['name']} is {certificate['status']}."
            )
        self._journal = []
        status = "held" if held else "valid"
        if certificate["status"] != status and (certificate["status"], status) not in CERTIFICATE_STATUS_MOVES:
            return self._take_back(
                f"Certificate {certificate['id']} cannot go from {certificate['status']} to {status}."
            )
        self._put("certificates", certificate, "status", status)
        if self._breaks_rule_4(certificate):
            return self._take_back(RULES[3])
        for one_certificate in _distinct(
            [certificate, *self._certificates_by_domain.get(certificate["domain_id"], {}).values()]
        ):
            if self._breaks_rule_7(one_certificate):
                return self._take_back(RULES[6])
        if self._breaks_rule_11_c(certificate):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: set the hold of the {self.profiles[certificate['profile_id']]['name']} certificate of "
                f"{self.domains[certificate['domain_id']]['name']} to {'yes' if held else 'no'}."
            ),
            "data": self._changes(),
        }

    def revoke_certificate(
        self,
        certificate_id: str,
        why: Literal["key_leaked", "superseded", "team_closed"],
    ) -> Result:
        """Revoke a certificate for good.

        Args:
            certificate_id (str): Id of the certificate, such as CERTIFICATE-00001.
            why (str): Why it is revoked: key_leaked, superseded or team_closed.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        certificate = self.certificates.get(certificate_id)
        if certificate is None:
            return _refused(f"There is no certificate {certificate_id!r}.")
        if certificate["status"] == "revoked":
            return _refused(
                f"This certificate of {self.domains[certificate['domain_id']]['name']} was revoked already."
            )
        self._journal = []
        self._put("certificates", certificate, "why", why)
        self._put("certificates", certificate, "status", "revoked")
        if self._breaks_rule_4(certificate):
            return self._take_back(RULES[3])
        for one_certificate in _distinct(
            [certificate, *self._certificates_by_domain.get(certificate["domain_id"], {}).values()]
        ):
            if self._breaks_rule_7(one_certificate):
                return self._take_back(RULES[6])
        if self._breaks_rule_11_c(certificate):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: revoke the {self.profiles[certificate['profile_id']]['name']} certificate of "
                f"{self.domains[certificate['domain_id']]['name']} for {why}."
            ),
            "data": self._changes(),
        }

    def revoke_issuer(self, issuer_id: str) -> Result:
        """Revoke an issuer with every issuer and certificate below it; open requests there are refused.

        Args:
            issuer_id (str): Id of the issuer, such as ISSUER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        issuer = self.issuers.get(issuer_id)
        if issuer is None:
            return _refused(f"There is no issuer {issuer_id!r}.")
        if issuer["status"] != "active":
            return _refused(f"{issuer['name']} was revoked already.")
        if issuer["parent_id"] is None:
            return _refused(f"{issuer['name']} is a root and can only be taken out of trust by hand.")
        self._journal = []
        changed_issuers: list[Any] = []
        changed_certificates: list[Any] = []
        changed_certificates_2: list[Any] = []
        changed_requests: list[Any] = []
        for i in [i for i in self._under(issuer) if i["status"] == "active"]:
            self._put("issuers", i, "revoked_on", self.now[:10])
            changed_issuers.append(i)
            self._put("issuers", i, "status", "revoked")
            for c in [
                c
                for c in sorted(self._certificates_by_issuer.get(i["id"], {}).values(), key=_age)
                if c["status"] != "revoked"
            ]:
                changed_certificates.append(c)
                self._put("certificates", c, "why", "issuer_revoked")
                changed_certificates_2.append(c)
                self._put("certificates", c, "status", "revoked")
            for r in [
                r
                for r in sorted(self._requests_by_issuer.get(i["id"], {}).values(), key=_age)
                if r["status"] in ("filed", "approved")
            ]:
                self._put("requests", r, "reason", "the issuer was revoked")
                if r["status"] not in ("filed", "approved", "refused"):
                    return self._take_back(f"Request {r['id']} cannot go from {r['status']} to refused.")
                changed_requests.append(r)
                self._put("requests", r, "status", "refused")
        for one_issuer in _distinct(
            [*changed_issuers, *[user for one in changed_issuers for user in _below(self._issuers_by_parent, one)]]
        ):
            if self._breaks_rule_3(one_issuer):
                return self._take_back(RULES[2])
        for one_certificate in _distinct(
            [
                *[
                    user
                    for one in changed_issuers
                    for user in self._certificates_by_issuer.get(one["id"], {}).values()
                ],
                *changed_certificates_2,
            ]
        ):
            if self._breaks_rule_4(one_certificate):
                return self._take_back(RULES[3])
        for one_certificate in _distinct(
            [
                *changed_certificates_2,
                *[
                    user
                    for one in [self.domains[one["domain_id"]] for one in changed_certificates_2]
                    for user in self._certificates_by_domain.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_7(one_certificate):
                return self._take_back(RULES[6])
        for one_request in _distinct(changed_requests):
            if self._breaks_rule_9_r(one_request):
                return self._take_back(RULES[8])
        for one_request in _distinct(changed_requests):
            if self._breaks_rule_9_r_again(one_request):
                return self._take_back(RULES[8])
        for one_certificate in _distinct([*changed_certificates, *changed_certificates_2]):
            if self._breaks_rule_11_c(one_certificate):
                return self._take_back(RULES[10])
        for one_issuer in _distinct(changed_issuers):
            if self._breaks_rule_11_i(one_issuer):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: revoke {issuer['name']} and all that hangs below.",
            "data": self._changes(),
        }

    def create_issuer(
        self,
        parent_id: str,
        name: Text,
        valid_until: Date,
        may_nest: Annotated[int, {"minimum": 0, "maximum": 2}],
    ) -> Result:
        """Create an issuer below another one, valid from today.

        Args:
            parent_id (str): Active issuer that stands above the new one; an id such as ISSUER-00001.
            name (str): Name of the new issuer, not in use yet.
            valid_until (str): Last day of the new issuer, within that of its parent, as YYYY-MM-DD.
            may_nest (int): Levels of issuers allowed below the new one, fewer than its parent's, from 0 to 2.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        parent = self.issuers.get(parent_id)
        if parent is None:
            return _refused(f"There is no issuer {parent_id!r}.")
        if self._issuers_by_lower_name.get(name.lower(), {}):
            return _refused(f"There is an issuer called {name}.")
        if parent["status"] != "active":
            return _refused(f"{parent['name']} was revoked.")
        if self.now[:10] >= valid_until or valid_until > parent["valid_until"]:
            return _refused(f"{parent['name']} is valid until {parent['valid_until']}.")
        if may_nest >= parent["may_nest"]:
            return _refused(f"{parent['name']} may nest {parent['may_nest']} levels, so one below it nests fewer.")
        done = f"create issuer {name} below {parent['name']} until {valid_until}"
        self._journal = []
        issuer: Issuer = {
            "id": self._new_id("issuer", "ISSUER", self.issuers),
            "name": name,
            "parent_id": parent_id,
            "valid_from": self.now[:10],
            "valid_until": valid_until,
            "may_nest": may_nest,
            "revoked_on": None,
            "listed": False,
            "status": "active",
        }
        self._add("issuers", issuer)
        if len(self._issuers_by_name.get(issuer["name"], {})) > 1:
            return self._take_back(f"There is already an issuer with the name {issuer['name']!r}.")
        if self._breaks_rule_1(issuer):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(issuer):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(issuer):
            return self._take_back(RULES[2])
        if self._breaks_rule_11_i(issuer):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: {done} (new: issuer {issuer['id']}).",
            "data": {"issuer_id": issuer["id"], **self._changes()},
        }

    def validate_domain(self, domain_id: str, until: Date) -> Result:
        """Note that control over a domain was proven, which holds for it and all domains below it.

        Args:
            domain_id (str): Id of the domain, such as DOMAIN-00001.
            until (str): Last day on which the proof counts, at most 398 days ahead, as YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        domain = self.domains.get(domain_id)
        if domain is None:
            return _refused(f"There is no domain {domain_id!r}.")
        if self.now[:10] >= until or until > _plus_days(self.now[:10], 398):
            return _refused("A validation lasts at most 398 days.")
        if domain["validated_until"] is not None and until <= domain["validated_until"]:
            return _refused(f"{domain['name']} is validated until {domain['validated_until']}.")
        self._journal = []
        self._put("domains", domain, "validated_until", until)
        return {
            "success": True,
            "message": f"Done: validate {domain['name']} until {until}.",
            "data": self._changes(),
        }

    def publish_list(self, issuer_id: str) -> Result:
        """Publish the next revocation list of an issuer, with everything revoked directly below it; lists come out
        again before they run out even when nothing was revoked.

        Args:
            issuer_id (str): Id of the issuer, such as ISSUER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        issuer = self.issuers.get(issuer_id)
        if issuer is None:
            return _refused(f"There is no issuer {issuer_id!r}.")
        if issuer["status"] != "active":
            return _refused(f"{issuer['name']} was revoked and signs no list.")
        if not (
            self._unlisted(issuer) > 0
            or not any(
                each["published_on"] == self.now[:10]
                for each in self._crl_issues_by_issuer.get(issuer_id, {}).values()
            )
        ):
            return _refused(f"{issuer['name']} has published today and has revoked nothing since.")
        self._journal = []
        changed_certificates: list[Any] = []
        changed_issuers: list[Any] = []
        number = len(self._crl_issues_by_issuer.get(issuer_id, {})) + 1
        if not 1 <= number <= 9999:
            return self._take_back("The number of a crl issue must be between 1 and 9999.")
        entries = (
            len(self._certificates_by_issuer_status.get((issuer_id, "revoked"), {}))
            + len(self._issuers_by_parent_status.get((issuer_id, "revoked"), {}))
        )
        if not 0 <= entries <= 9999:
            return self._take_back("The entries of a crl issue must be between 0 and 9999.")
        crl_issue: CrlIssue = {
            "id": self._new_id("crl_issue", "CI", self.crl_issues),
            "issuer_id": issuer_id,
            "number": number,
            "published_on": self.now[:10],
            "entries": entries,
        }
        self._add("crl_issues", crl_issue)
        for c in sorted(self._certificates_by_issuer_status.get((issuer_id, "revoked"), {}).values(), key=_age):
            changed_certificates.append(c)
            self._put("certificates", c, "listed", True)
        for i in sorted(self._issuers_by_parent_status.get((issuer_id, "revoked"), {}).values(), key=_age):
            changed_issuers.append(i)
            self._put("issuers", i, "listed", True)
        for one_certificate in _distinct(changed_certificates):
            if self._breaks_rule_11_c(one_certificate):
                return self._take_back(RULES[10])
        for one_issuer in _distinct(changed_issuers):
            if self._breaks_rule_11_i(one_issuer):
                return self._take_back(RULES[10])
        if self._breaks_rule_12(crl_issue):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: publish the revocation list of {issuer['name']} (new: crl issue {crl_issue['id']}).",
            "data": {"crl_issue_id": crl_issue["id"], **self._changes()},
        }

    def _show_issuer(self, issuer: Issuer) -> dict[str, Any]:
        """The issuer as an answer shows it."""
        return {**issuer, "depth": self._issuer_depth(issuer), "live": self._issuer_live(issuer)}

    def _show_request(self, request: Request) -> dict[str, Any]:
        """The request as an answer shows it."""
        return {**request, "approvals": self._request_approvals(request)}

    def _names_of_issuers(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that issuers point to."""
        return _names((self.issuers, "name", [row["parent_id"] for row in shown]))

    def _names_of_domains(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that domains point to."""
        return _names((self.domains, "name", [row["parent_id"] for row in shown]))

    def _names_of_requests(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that requests point to."""
        return _names(
            (self.domains, "name", [row["domain_id"] for row in shown]),
            (self.profiles, "name", [row["profile_id"] for row in shown]),
            (self.issuers, "name", [row["issuer_id"] for row in shown]),
            (self.officers, "name", [row["asked_by_id"] for row in shown]),
        )

    def _names_of_approvals(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that approvals point to."""
        return _names((self.officers, "name", [row["by_id"] for row in shown]))

    def _names_of_certificates(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that certificates point to."""
        return _names(
            (self.domains, "name", [row["domain_id"] for row in shown]),
            (self.profiles, "name", [row["profile_id"] for row in shown]),
            (self.issuers, "name", [row["issuer_id"] for row in shown]),
        )

    def _names_of_crl_issues(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that crl issues point to."""
        return _names((self.issuers, "name", [row["issuer_id"] for row in shown]))

    def _issuer_depth(self, issuer: Issuer) -> int:
        """The depth of an issuer."""
        return len(_above(self.issuers, issuer, "parent_id"))

    def _issuer_live(self, issuer: Issuer) -> int:
        """The live of an issuer."""
        return len(self._certificates_by_issuer_status.get((issuer["id"], "valid"), {}))

    def _request_approvals(self, request: Request) -> int:
        """The approvals of a request."""
        return len(self._approvals_by_request.get(request["id"], {}))

    def _under(self, i: Issuer) -> list[Issuer]:
        return [i] + _below(self._issuers_by_parent, i)

    def _family(self, d: Domain) -> list[Domain]:
        return [d] + _below(self._domains_by_parent, d)

    def _proven(self, d: Domain, on: str) -> bool:
        return any(
            x["validated_until"] is not None
            and x["validated_until"] >= on
            for x in [d] + _above(self.domains, d, "parent_id")
        )

    def _unlisted(self, i: Issuer) -> int:
        return (
            sum(
                1
                for c in self._certificates_by_issuer_status.get((i["id"], "revoked"), {}).values()
                if not c["listed"]
            )
            + sum(1 for j in self._issuers_by_parent_status.get((i["id"], "revoked"), {}).values() if not j["listed"])
        )

    def _current(self, c: Certificate) -> bool:
        return (
            c["status"] == "valid"
            and c["valid_until"] >= self.now[:10]
            and not self._certificates_by_renews.get(c["id"], {})
        )

    def _breaks_rule_1(self, i: Issuer) -> bool:
        """Whether this is broken: an issuer is valid only while the one above it is."""
        return not (
            i["parent_id"] is None
            or self.issuers[i["parent_id"]]["valid_from"] <= i["valid_from"]
            and i["valid_until"] <= self.issuers[i["parent_id"]]["valid_until"]
        )

    def _breaks_rule_2(self, i: Issuer) -> bool:
        """Whether this is broken: below an issuer there are no more levels than it may nest."""
        return any(
            a["may_nest"] < self._issuer_depth(i) - self._issuer_depth(a)
            for a in _above(self.issuers, i, "parent_id")
        )

    def _breaks_rule_3(self, i: Issuer) -> bool:
        """Whether this is broken: no active issuer hangs below a revoked one."""
        return i["status"] == "active" and any(a["status"] == "revoked" for a in _above(self.issuers, i, "parent_id"))

    def _breaks_rule_4(self, c: Certificate) -> bool:
        """Whether this is broken: a certificate that can be used comes from an active issuer."""
        return c["status"] != "revoked" and self.issuers[c["issuer_id"]]["status"] != "active"

    def _breaks_rule_5(self, c: Certificate) -> bool:
        """Whether this is broken: a certificate is valid within the time of its issuer and no longer than its profile
        allows.
        """
        return not (
            (
                self.issuers[c["issuer_id"]]["valid_from"] <= c["valid_from"]
                and c["valid_from"] <= c["valid_until"]
                and c["valid_until"] <= self.issuers[c["issuer_id"]]["valid_until"]
            )
            and _days_between(c["valid_from"], c["valid_until"]) <= self.profiles[c["profile_id"]]["max_days"]
        )

    def _breaks_rule_6_c(self, c: Certificate) -> bool:
        """Whether this is broken: a certificate is renewed once, for the same domain and profile."""
        return (
            c["renews_id"] is not None
            and any(
                other_c is not c
                for other_c in self._certificates_by_renews.get(c["renews_id"], {}).values()
                if other_c["renews_id"] is not None
            )
        )

    def _breaks_rule_6_c_again(self, c: Certificate) -> bool:
        """Whether this is broken: a certificate is renewed once, for the same domain and profile."""
        return (
            c["renews_id"] is not None
            and (
                self.certificates[c["renews_id"]]["domain_id"] != c["domain_id"]
                or self.certificates[c["renews_id"]]["profile_id"] != c["profile_id"]
            )
        )

    def _breaks_rule_7(self, c: Certificate) -> bool:
        """Whether this is broken: a domain never has more than two usable certificates of one profile on a day."""
        return (
            c["status"] != "revoked"
            and sum(
                1
                for d in self._certificates_by_domain_profile.get((c["domain_id"], c["profile_id"]), {}).values()
                if d["status"] != "revoked"
                and (d["valid_from"] <= c["valid_from"] and c["valid_from"] <= d["valid_until"])
            ) > 2
        )

    def _breaks_rule_8_a(self, a: Approval) -> bool:
        """Whether this is broken: requests are approved by registrars other than the applicant, and by nobody twice.
        """
        return (
            not self.officers[a["by_id"]]["registrar"]
            or a["by_id"] == self.requests[a["request_id"]]["asked_by_id"]
        )

    def _breaks_rule_8_a_again(self, a: Approval) -> bool:
        """Whether this is broken: requests are approved by registrars other than the applicant, and by nobody twice.
        """
        return any(
            other_a is not a
            for other_a in self._approvals_by_request_by.get((a["request_id"], a["by_id"]), {}).values()
        )

    def _breaks_rule_9_r(self, r: Request) -> bool:
        """Whether this is broken: a request counts as approved when it has the approvals that its profile demands.
        """
        return (
            r["status"] in ("approved", "issued")
            and self._request_approvals(r) < self.profiles[r["profile_id"]]["approvals"]
        )

    def _breaks_rule_9_r_again(self, r: Request) -> bool:
        """Whether this is broken: a request counts as approved when it has the approvals that its profile demands.
        """
        return r["status"] == "filed" and self._request_approvals(r) >= self.profiles[r["profile_id"]]["approvals"]

    def _breaks_rule_10(self, r: Request) -> bool:
        """Whether this is broken: people ask only for domains of their own team, with keys that are long enough."""
        return (
            self.officers[r["asked_by_id"]]["team"] != self.domains[r["domain_id"]]["team"]
            or r["bits"] < self.profiles[r["profile_id"]]["least_bits"]
        )

    def _breaks_rule_11_c(self, c: Certificate) -> bool:
        """Whether this is broken: a revoked certificate says why, and only revoked ones are listed."""
        return not (
            (c["status"] == "revoked") == (c["why"] is not None)
            and (not c["listed"] or c["status"] == "revoked")
        )

    def _breaks_rule_11_i(self, i: Issuer) -> bool:
        """Whether this is broken: a revoked certificate says why, and only revoked ones are listed."""
        return i["status"] != "revoked" and i["listed"]

    def _breaks_rule_12(self, l: CrlIssue) -> bool:
        """Whether this is broken: the lists of an issuer are numbered without repetition."""
        return any(
            other_l is not l
            for other_l in self._crl_issues_by_issuer.get(l["issuer_id"], {}).values()
            if other_l["number"] == l["number"]
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
            case "issuers":
                self._issuers_by_lower_name.setdefault(record["name"].lower(), {})[record["id"]] = record
                self._issuers_by_name.setdefault(record["name"], {})[record["id"]] = record
                self._issuers_by_parent.setdefault(record["parent_id"], {})[record["id"]] = record
                self._issuers_by_parent_status.setdefault(
                    (record["parent_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "domains":
                self._domains_by_parent.setdefault(record["parent_id"], {})[record["id"]] = record
            case "requests":
                self._requests_by_domain_profile.setdefault(
                    (record["domain_id"], record["profile_id"]),
                    {},
                )[record["id"]] = record
                self._requests_by_issuer.setdefault(record["issuer_id"], {})[record["id"]] = record
            case "approvals":
                self._approvals_by_request.setdefault(record["request_id"], {})[record["id"]] = record
                self._approvals_by_request_by.setdefault(
                    (record["request_id"], record["by_id"]),
                    {},
                )[record["id"]] = record
            case "certificates":
                self._certificates_by_domain.setdefault(record["domain_id"], {})[record["id"]] = record
                self._certificates_by_domain_profile.setdefault(
                    (record["domain_id"], record["profile_id"]),
                    {},
                )[record["id"]] = record
                self._certificates_by_issuer.setdefault(record["issuer_id"], {})[record["id"]] = record
                self._certificates_by_issuer_status.setdefault(
                    (record["issuer_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._certificates_by_renews.setdefault(record["renews_id"], {})[record["id"]] = record
            case "crl_issues":
                self._crl_issues_by_issuer.setdefault(record["issuer_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "issuers":
                del self._issuers_by_lower_name[record["name"].lower()][record["id"]]
                del self._issuers_by_name[record["name"]][record["id"]]
                del self._issuers_by_parent[record["parent_id"]][record["id"]]
                del self._issuers_by_parent_status[record["parent_id"], record["status"]][record["id"]]
            case "domains":
                del self._domains_by_parent[record["parent_id"]][record["id"]]
            case "requests":
                del self._requests_by_domain_profile[record["domain_id"], record["profile_id"]][record["id"]]
                del self._requests_by_issuer[record["issuer_id"]][record["id"]]
            case "approvals":
                del self._approvals_by_request[record["request_id"]][record["id"]]
                del self._approvals_by_request_by[record["request_id"], record["by_id"]][record["id"]]
            case "certificates":
                del self._certificates_by_domain[record["domain_id"]][record["id"]]
                del self._certificates_by_domain_profile[record["domain_id"], record["profile_id"]][record["id"]]
                del self._certificates_by_issuer[record["issuer_id"]][record["id"]]
                del self._certificates_by_issuer_status[record["issuer_id"], record["status"]][record["id"]]
                del self._certificates_by_renews[record["renews_id"]][record["id"]]
            case "crl_issues":
                del self._crl_issues_by_issuer[record["issuer_id"]][record["id"]]
