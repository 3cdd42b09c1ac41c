"""Newsroom of a weekly paper. Compiled from blueprint.yaml; run `envscaler build newsroom` after changing it there.

Takes the articles of a weekly paper through editing and fact check onto the pages of its issues, with
embargoes, secret sources and corrections.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Date = Annotated[str, {"format": "date"}]
Time = Annotated[str, {"format": "time"}]
DateTime = Annotated[str, {"format": "date-time"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "Nobody edits or checks what they wrote, and nobody checks what they edited.",
    "An article is edited on its own desk and checked by research.",
    "The articles and corrections of a page fit on it.",
    "An article stands on the front page or on a page of its desk.",
    "No article appears before its embargo ends.",
    "An issue that is closed holds printed articles only, and all printed articles are in closed issues.",
    "Every claim of a cleared or printed article is confirmed, corrected or cut.",
    "A confirmed claim rests on an open source, or on two secret ones with different handlers.",
    "Whoever confirms a claim knows the secret sources behind it.",
    "A writer uses no secret source whose identity they were not told.",
    "The handler knows a secret source, and no more than four people do.",
    "A claim is corrected once, in an issue after that of the article, on a page of the same section.",
    "A spiked article says why and stands on no page.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "file_article",
    "back_claim",
    "let_in",
    "pass_on",
    "settle_claim",
    "cut_article",
    "set_embargo",
    "place_article",
    "close_issue",
    "spike_article",
    "run_correction",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "journalists": ("name",),
    "sources": ("codename",),
    "issues": ("number",),
    "pages": ("code",),
    "articles": ("title",),
    "claims": (),
    "corrections": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("articles", "checker_id"),
    ("articles", "editor_id"),
    ("articles", "page_id"),
    ("articles", "status"),
    ("articles", "title"),
    ("claims", "article_id"),
    ("claims", "source_ids"),
    ("corrections", "claim_id"),
    ("corrections", "page_id"),
    ("pages", "issue_id"),
    ("pages", "section"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Journalist(TypedDict):
    id: str
    name: str
    desk: Literal["politics", "business", "culture", "research"]
    role: Literal["reporter", "editor", "checker"]


class Source(TypedDict):
    id: str
    codename: str
    handler_id: str
    secret: bool
    known_to_ids: list[str]


class Issue(TypedDict):
    id: str
    number: str
    appears_at: str
    status: Literal["open", "closed"]


class Page(TypedDict):
    id: str
    code: str
    issue_id: str
    section: Literal["front", "politics", "business", "culture"]
    holds: int


class Article(TypedDict):
    id: str
    title: str
    writer_id: str
    filed_at: str
    words: int
    embargo: str | None
    editor_id: str | None
    checker_id: str | None
    page_id: str | None
    spiked_for: str | None
    status: Literal["draft", "editing", "spiked", "checking", "cleared", "printed"]


class Claim(TypedDict):
    id: str
    article_id: str
    statement: str
    source_ids: list[str]
    verdict: Literal["open", "confirmed", "disputed", "cut", "corrected"]


class Correction(TypedDict):
    id: str
    claim_id: str
    page_id: str
    wording: str
    words: int


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


def _plus_minutes(moment: str, minutes: int) -> str:
    """The moment so many minutes later; the calendar ends where Python's does."""
    total = date.fromisoformat(moment[:10]).toordinal() * 1440 + _clock_minutes(moment[11:]) + minutes
    days, rest = divmod(min(max(total, 1440), date.max.toordinal() * 1440 + 1439), 1440)
    return f"{date.fromordinal(days).isoformat()}T{rest // 60:02d}:{rest % 60:02d}"


def _clock_minutes(time: str) -> int:
    """Minutes since midnight."""
    return int(time[:2]) * 60 + int(time[3:5])


class Newsroom:
    """Takes the articles of a weekly paper through editing and fact check onto the pages of its issues,
    with embargoes, secret sources and corrections.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.journalists: dict[str, Journalist] = _copied(config.get("journalists", {}))
        self.sources: dict[str, Source] = _copied(config.get("sources", {}))
        self.issues: dict[str, Issue] = _copied(config.get("issues", {}))
        self.pages: dict[str, Page] = _copied(config.get("pages", {}))
        self.articles: dict[str, Article] = _copied(config.get("articles", {}))
        self.claims: dict[str, Claim] = _copied(config.get("claims", {}))
        self.corrections: dict[str, Correction] = _copied(config.get("corrections", {}))
        self.now: str = config.get("now", "2026-05-12T10:00")
        self.counters: dict[str, int] = {
            "journalist": len(self.journalists),
            "source": len(self.sources),
            "issue": len(self.issues),
            "page": len(self.pages),
            "article": len(self.articles),
            "claim": len(self.claims),
            "correction": len(self.corrections),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._pages_by_issue: dict[Any, dict[str, Page]] = {}
        self._pages_by_issue_section: dict[Any, dict[str, Page]] = {}
        self._articles_by_checker: dict[Any, dict[str, Article]] = {}
        self._articles_by_editor: dict[Any, dict[str, Article]] = {}
        self._articles_by_lower_title: dict[Any, dict[str, Article]] = {}
        self._articles_by_page: dict[Any, dict[str, Article]] = {}
        self._articles_by_page_status: dict[Any, dict[str, Article]] = {}
        self._articles_by_title: dict[Any, dict[str, Article]] = {}
        self._claims_by_article: dict[Any, dict[str, Claim]] = {}
        self._claims_by_sources: dict[Any, dict[str, Claim]] = {}
        self._corrections_by_claim: dict[Any, dict[str, Correction]] = {}
        self._corrections_by_page: dict[Any, dict[str, Correction]] = {}
        for page in self.pages.values():
            self._link("pages", page)
        for article in self.articles.values():
            self._link("articles", article)
        for claim in self.claims.values():
            self._link("claims", claim)
        for correction in self.corrections.values():
            self._link("corrections", correction)

    def pages_with_room(
        self,
        words: Annotated[int, {"minimum": 1, "maximum": 3000}],
        section: Literal["front", "politics", "business", "culture"] | None = None,
        issue_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Pages of open issues with room for so many words, the next issue first.

        Args:
            words (int): Words that must still fit on the page, from 1 to 3000.
            section (str, optional): Only pages of this section: front, politics, business or culture. If left out,
                pages of all sections are listed.
            issue_id (str, optional): Only pages of this issue; an id such as ISSUE-00001. If left out, pages of
                all open issues are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "pages": records}} or {"success": False, "error": why
                not}
        """
        issue = self.issues.get(issue_id) if issue_id is not None else None
        if issue_id is not None and issue is None:
            return _refused(f"There is no issue {issue_id!r}.")
        found = [
            p
            for p in self.pages.values()
            if (self.issues[p["issue_id"]]["status"] == "open" and self._page_left(p) >= words)
            and (section is None or p["section"] == section)
            and (issue_id is None or p["issue_id"] == issue_id)
        ]
        found.sort(key=lambda p: (self.issues[p["issue_id"]]["appears_at"], p["code"], _age(p)))
        return _found(
            {
                "total": len(found),
                "pages": [
                    {
                        "id": p["id"],
                        "code": p["code"],
                        "issue": self.issues[p["issue_id"]]["number"],
                        "section": p["section"],
                        "appears_at": self.issues[p["issue_id"]]["appears_at"],
                        "left": self._page_left(p),
                    }
                    for p in _page(found, offset)
                ],
            }
        )

    def shaky_claims(
        self,
        checker_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Claims of articles under way that could not be confirmed as they stand, for lack of sources or because the
        fact checker was not let in.

        Args:
            checker_id (str, optional): Only articles with this fact checker; an id such as JOURNALIST-00001. If
                left out, claims of all articles are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "claims": records}} or {"success": False, "error": why
                not}
        """
        checker = self.journalists.get(checker_id) if checker_id is not None else None
        if checker_id is not None and checker is None:
            return _refused(f"There is no journalist {checker_id!r}.")
        found = [
            c
            for c in self.claims.values()
            if (
                c["verdict"] in ("open", "disputed")
                and self.articles[c["article_id"]]["status"] in ("draft", "editing", "checking")
            )
            and (checker_id is None or self.articles[c["article_id"]]["checker_id"] == checker_id)
            and (
                not self._solid(c)
                or self.articles[c["article_id"]]["checker_id"] is not None
                and any(
                    not self._knows(self.journalists[self.articles[c["article_id"]]["checker_id"]], s)
                    for s in [self.sources[key] for key in c["source_ids"]]
                )
            )
        ]
        found.sort(key=lambda c: (self.articles[c["article_id"]]["filed_at"], c["id"], _age(c)))
        return _found(
            {
                "total": len(found),
                "claims": [
                    {
                        "id": c["id"],
                        "article": self.articles[c["article_id"]]["title"],
                        "statement": c["statement"],
                        "sources": [*[s["codename"] for s in [self.sources[key] for key in c["source_ids"]]]],
                        "verdict": c["verdict"],
                    }
                    for c in _page(found, offset)
                ],
            }
        )

    def line_up(self, issue_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """What stands on the pages of an issue, page by page.

        Args:
            issue_id (str): Id of the issue, such as ISSUE-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "articles": records}} or {"success": False, "error": why
                not}
        """
        issue = self.issues.get(issue_id)
        if issue is None:
            return _refused(f"There is no issue {issue_id!r}.")
        found = [
            a
            for a in [
                a
                for _page in self._pages_by_issue.get(issue_id, {}).values()
                for a in self._articles_by_page.get(_page["id"], {}).values()
            ]
            if (a["page_id"] is not None and self.pages[a["page_id"]]["issue_id"] == issue_id)
        ]
        found.sort(key=lambda a: (a["words"], a["title"], _age(a)))
        shown = [
            {
                "id": a["id"],
                "title": a["title"],
                "page": a["page_id"],
                "words": a["words"],
                "desk": self._article_desk(a),
                "status": a["status"],
                "embargo": a["embargo"],
            }
            for a in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "articles": shown},
            _names((self.pages, "code", [row["page"] for row in shown])),
        )

    def resting_on(self, source_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """The claims that rest on a source, with their articles.

        Args:
            source_id (str): Id of the source, such as SOURCE-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "claims": records}} or {"success": False, "error": why
                not}
        """
        source = self.sources.get(source_id)
        if source is None:
            return _refused(f"There is no source {source_id!r}.")
        found = [c for c in self._claims_by_sources.get(source_id, {}).values()]
        found.sort(key=lambda c: (self.articles[c["article_id"]]["filed_at"], c["id"], _age(c)))
        return _found(
            {
                "total": len(found),
                "claims": [
                    {
                        "id": c["id"],
                        "statement": c["statement"],
                        "verdict": c["verdict"],
                        "article_id": c["article_id"],
                        "article": self.articles[c["article_id"]]["title"],
                        "status": self.articles[c["article_id"]]["status"],
                    }
                    for c in _page(found, offset)
                ],
            }
        )

    def list_journalists(
        self,
        name: Text | None = None,
        desk: Literal["politics", "business", "culture", "research"] | None = None,
        role: Literal["reporter", "editor", "checker"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the journalists, oldest first, all of them or only some.

        Args:
            name (str, optional): Only journalists whose name contains this text.
            desk (str, optional): Only journalists with this desk.
            role (str, optional): Only journalists with this role.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "journalists": records}}
        """
        found = [
            journalist
            for journalist in self.journalists.values()
            if (name is None or name.casefold() in journalist["name"].casefold())
            and (desk is None or journalist["desk"] == desk)
            and (role is None or journalist["role"] == role)
        ]
        return _found(
            {
                "total": len(found),
                "journalists": [self._show_journalist(journalist) for journalist in _page(found, offset)],
            }
        )

    def list_sources(
        self,
        codename: Text | None = None,
        handler_id: str | None = None,
        secret: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the sources, oldest first, all of them or only some.

        Args:
            codename (str, optional): Only sources whose codename contains this text.
            handler_id (str, optional): Only sources whose handler is this journalist.
            secret (bool, optional): Only sources that are secret (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "sources": records}}
        """
        if handler_id is not None and handler_id not in self.journalists:
            return _refused(f"There is no journalist {handler_id!r}.")
        found = [
            source
            for source in self.sources.values()
            if (codename is None or codename.casefold() in source["codename"].casefold())
            and (handler_id is None or source["handler_id"] == handler_id)
            and (secret is None or source["secret"] == secret)
        ]
        shown = [self._show_source(source) for source in _page(found, offset)]
        return _found({"total": len(found), "sources": shown}, self._names_of_sources(shown))

    def list_issues(
        self,
        number: Text | None = None,
        status: Literal["open", "closed"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the issues, oldest first, all of them or only some.

        Args:
            number (str, optional): Only issues whose number contains this text.
            status (str, optional): Only issues with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "issues": records}}
        """
        found = [
            issue
            for issue in self.issues.values()
            if (number is None or number.casefold() in issue["number"].casefold())
            and (status is None or issue["status"] == status)
        ]
        return _found({"total": len(found), "issues": [{**issue} for issue in _page(found, offset)]})

    def list_pages(
        self,
        code: Text | None = None,
        issue_id: str | None = None,
        section: Literal["front", "politics", "business", "culture"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the pages, oldest first, all of them or only some.

        Args:
            code (str, optional): Only pages whose code contains this text.
            issue_id (str, optional): Only pages of this issue.
            section (str, optional): Only pages with this section.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "pages": records}}
        """
        if issue_id is not None and issue_id not in self.issues:
            return _refused(f"There is no issue {issue_id!r}.")
        found = [
            page
            for page in self.pages.values()
            if (code is None or code.casefold() in page["code"].casefold())
            and (issue_id is None or page["issue_id"] == issue_id)
            and (section is None or page["section"] == section)
        ]
        shown = [self._show_page(page) for page in _page(found, offset)]
        return _found({"total": len(found), "pages": shown}, self._names_of_pages(shown))

    def list_articles(
        self,
        title: Text | None = None,
        writer_id: str | None = None,
        editor_id: str | None = None,
        checker_id: str | None = None,
        page_id: str | None = None,
        status: Literal["draft", "editing", "spiked", "checking", "cleared", "printed"] | None = None,
        filed_at_from: Date | None = None,
        filed_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the articles, oldest first, all of them or only some.

        Args:
            title (str, optional): Only articles whose title contains this text.
            writer_id (str, optional): Only articles whose writer is this journalist.
            editor_id (str, optional): Only articles whose editor is this journalist.
            checker_id (str, optional): Only articles whose checker is this journalist.
            page_id (str, optional): Only articles of this page.
            status (str, optional): Only articles with this status.
            filed_at_from (str, optional): Only articles whose `filed_at` is on this day or later.
            filed_at_to (str, optional): Only articles whose `filed_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "articles": records}}
        """
        if writer_id is not None and writer_id not in self.journalists:
            return _refused(f"There is no journalist {writer_id!r}.")
        if editor_id is not None and editor_id not in self.journalists:
            return _refused(f"There is no journalist {editor_id!r}.")
        if checker_id is not None and checker_id not in self.journalists:
            return _refused(f"There is no journalist {checker_id!r}.")
        if page_id is not None and page_id not in self.pages:
            return _refused(f"There is no page {page_id!r}.")
        found = [
            article
            for article in self.articles.values()
            if (title is None or title.casefold() in article["title"].casefold())
            and (writer_id is None or article["writer_id"] == writer_id)
            and (editor_id is None or article["editor_id"] == editor_id)
            and (checker_id is None or article["checker_id"] == checker_id)
            and (page_id is None or article["page_id"] == page_id)
            and (status is None or article["status"] == status)
            and (filed_at_from is None or article["filed_at"][:10] >= filed_at_from)
            and (filed_at_to is None or article["filed_at"][:10] <= filed_at_to)
        ]
        shown = [self._show_article(article) for article in _page(found, offset)]
        return _found({"total": len(found), "articles": shown}, self._names_of_articles(shown))

    def list_claims(
        self,
        article_id: str | None = None,
        verdict: Literal["open", "confirmed", "disputed", "cut", "corrected"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the claims, oldest first, all of them or only some.

        Args:
            article_id (str, optional): Only claims of this article.
            verdict (str, optional): Only claims with this verdict.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "claims": records}}
        """
        if article_id is not None and article_id not in self.articles:
            return _refused(f"There is no article {article_id!r}.")
        found = [
            claim
            for claim in self.claims.values()
            if (article_id is None or claim["article_id"] == article_id)
            and (verdict is None or claim["verdict"] == verdict)
        ]
        shown = [self._show_claim(claim) for claim in _page(found, offset)]
        return _found({"total": len(found), "claims": shown}, self._names_of_claims(shown))

    def list_corrections(
        self,
        claim_id: str | None = None,
        page_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the corrections, oldest first, all of them or only some.

        Args:
            claim_id (str, optional): Only corrections of this claim.
            page_id (str, optional): Only corrections of this page.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "corrections": records}}
        """
        if claim_id is not None and claim_id not in self.claims:
            return _refused(f"There is no claim {claim_id!r}.")
        if page_id is not None and page_id not in self.pages:
            return _refused(f"There is no page {page_id!r}.")
        found = [
            correction
            for correction in self.corrections.values()
            if (claim_id is None or correction["claim_id"] == claim_id)
            and (page_id is None or correction["page_id"] == page_id)
        ]
        shown = [{**correction} for correction in _page(found, offset)]
        return _found({"total": len(found), "corrections": shown}, self._names_of_corrections(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def file_article(
        self,
        writer_id: str,
        title: Text,
        words: Annotated[int, {"minimum": 40, "maximum": 3000}],
        claims: Annotated[list[Text], {"maxItems": 20}],
        embargo: DateTime | None = None,
    ) -> Result:
        """File the draft of a reporter with the claims in it that have to be checked.

        Args:
            writer_id (str): Reporter who wrote the draft; an id such as JOURNALIST-00001.
            title (str): Title of the article, not in use yet.
            words (int): Length of the draft in words, from 40 to 3000.
            claims (list): Statements in the article that have to be checked, each once.
            embargo (str, optional): Time before which it may not appear, in the future, as YYYY-MM-DDTHH:MM. If
                left out, there is no embargo.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        writer = self.journalists.get(writer_id)
        if writer is None:
            return _refused(f"There is no journalist {writer_id!r}.")
        if writer["role"] != "reporter":
            return _refused(f"{writer['name']} is no reporter but {writer['role']}.")
        if self._articles_by_lower_title.get(title.lower(), {}):
            return _refused(f"There is an article “{title}” already.")
        if len(claims) <= 0:
            return _refused("An article without a claim needs no fact check; name at least one.")
        if not _different([c.lower() for c in claims]):
            return _refused("A claim is named twice.")
        if embargo is not None and embargo <= self.now:
            return _refused(f"The embargo ended at {embargo} already.")
        self._journal = []
        added_claims: list[Any] = []
        article: Article = {
            "id": self._new_id("article", "ARTICLE", self.articles),
            "title": title,
            "writer_id": writer_id,
            "filed_at": self.now,
            "words": words,
            "embargo": embargo,
            "editor_id": None,
            "checker_id": None,
            "page_id": None,
            "spiked_for": None,
            "status": "draft",
        }
        self._add("articles", article)
        for c in list(claims):
            claim = {
                "id": self._new_id("claim", "CLAIM", self.claims),
                "article_id": article["id"],
                "statement": c,
                "source_ids": [record["id"] for record in []],
                "verdict": "open",
            }
            self._add("claims", claim)
            added_claims.append(claim)
        if len(self._articles_by_title.get(article["title"], {})) > 1:
            return self._take_back(f"There is already an article with the title {article['title']!r}.")
        if self._breaks_rule_1(article):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(article):
            return self._take_back(RULES[1])
        for one_page in _distinct([self.pages.get(article["page_id"])]):
            if self._breaks_rule_3(one_page):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(article):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(article):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(article):
            return self._take_back(RULES[5])
        for one_claim in _distinct(added_claims):
            if self._breaks_rule_7(one_claim):
                return self._take_back(RULES[6])
        for one_claim in _distinct(added_claims):
            if self._breaks_rule_8(one_claim):
                return self._take_back(RULES[7])
        for one_claim in _distinct(added_claims):
            if self._breaks_rule_9(one_claim):
                return self._take_back(RULES[8])
        for one_claim in _distinct(added_claims):
            if self._breaks_rule_10(one_claim):
                return self._take_back(RULES[9])
        if self._breaks_rule_13(article):
            return self._take_back(RULES[12])
        return {
            "success": True,
            "message": f"Done: file “{title}” by {writer['name']} (new: article {article['id']}).",
            "data": {"article_id": article["id"], **self._changes()},
        }

    def back_claim(self, claim_id: str, source_id: str) -> Result:
        """Put a source behind a claim that is not confirmed yet.

        Args:
            claim_id (str): Id of the claim, such as CLAIM-00001.
            source_id (str): Id of the source, such as SOURCE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        claim = self.claims.get(claim_id)
        if claim is None:
            return _refused(f"There is no claim {claim_id!r}.")
        source = self.sources.get(source_id)
        if source is None:
            return _refused(f"There is no source {source_id!r}.")
        if self.articles[claim["article_id"]]["status"] not in ("draft", "editing", "checking"):
            return _refused(
                f"“{self.articles[claim['article_id']]['title']}” is {self.articles[claim['article_id']]['status']}."
            )
        if claim["verdict"] not in ("open", "disputed"):
            return _refused(f"The claim “{claim['statement']}” is {claim['verdict']}.")
        if source_id in claim["source_ids"]:
            return _refused(f"{source['codename']} stands behind this claim already.")
        if not self._knows(self.journalists[self.articles[claim["article_id"]]["writer_id"]], source):
            return _refused(
                f"{self.journalists[self.articles[claim['article_id']]['writer_id']]['name']} does not know who "
                f"{source['codename']} is and has to be let in first."
            )
        self._journal = []
        self._put(
            "claims",
            claim,
            "source_ids",
            [record["id"] for record in [self.sources[key] for key in claim["source_ids"]] + [source]],
        )
        if self._breaks_rule_8(claim):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(claim):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(claim):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: back the claim “{claim['statement']}” with {source['codename']}.",
            "data": self._changes(),
        }

    def let_in(self, source_id: str, person_id: str, by_id: str) -> Result:
        """Let the handler of a secret source tell a colleague who it is.

        Args:
            source_id (str): Id of the source, such as SOURCE-00001.
            person_id (str): Colleague who is told who the source is; an id such as JOURNALIST-00001.
            by_id (str): Handler of the source, who tells it; an id such as JOURNALIST-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        source = self.sources.get(source_id)
        if source is None:
            return _refused(f"There is no source {source_id!r}.")
        person = self.journalists.get(person_id)
        if person is None:
            return _refused(f"There is no journalist {person_id!r}.")
        by = self.journalists.get(by_id)
        if by is None:
            return _refused(f"There is no journalist {by_id!r}.")
        if not source["secret"]:
            return _refused(f"{source['codename']} is no secret.")
        if by_id != source["handler_id"]:
            return _refused(
                f"Only {self.journalists[source['handler_id']]['name']} may tell who {source['codename']} is."
            )
        if person_id in source["known_to_ids"]:
            return _refused(f"{person['name']} knows who {source['codename']} is.")
        if len(source["known_to_ids"]) >= 4:
            return _refused(f"Four people know who {source['codename']} is, and it must not be more.")
        self._journal = []
        self._put(
            "sources",
            source,
            "known_to_ids",
            [record["id"] for record in [self.journalists[key] for key in source["known_to_ids"]] + [person]],
        )
        for one_claim in _distinct(self._claims_by_sources.get(source["id"], {}).values()):
            if self._breaks_rule_9(one_claim):
                return self._take_back(RULES[8])
        for one_claim in _distinct(self._claims_by_sources.get(source["id"], {}).values()):
            if self._breaks_rule_10(one_claim):
                return self._take_back(RULES[9])
        if self._breaks_rule_11(source):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: let {person['name']} in on {source['codename']} through {by['name']}.",
            "data": self._changes(),
        }

    def pass_on(self, article_id: str, to_id: str) -> Result:
        """Pass a draft on to an editor of its desk, or an edited article on to a fact checker.

        Args:
            article_id (str): Id of the article, such as ARTICLE-00001.
            to_id (str): Editor of the same desk for a draft, fact checker for an edited article; an id such as
                JOURNALIST-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        article = self.articles.get(article_id)
        if article is None:
            return _refused(f"There is no article {article_id!r}.")
        to = self.journalists.get(to_id)
        if to is None:
            return _refused(f"There is no journalist {to_id!r}.")
        if article["status"] not in ("draft", "editing"):
            return _refused(f"“{article['title']}” is {article['status']}.")
        if article["status"] == "draft" and to["role"] != "editor":
            return _refused(f"“{article['title']}” is a draft and goes to an editor, which {to['name']} is not.")
        if article["status"] == "draft" and to["desk"] != self._article_desk(article):
            return _refused(
                f"{to['name']} edits {to['desk']}, and “{article['title']}” is a piece for "
                f"{self._article_desk(article)}."
            )
        if article["status"] == "editing" and to["role"] != "checker":
            return _refused(f"“{article['title']}” goes to a fact checker next, which {to['name']} is not.")
        bare = next((c for c in self._standing(article) if len(c["source_ids"]) == 0), None)
        if article["status"] != "draft" and bare is not None:
            return _refused(f"The claim “{bare['statement']}” has no source yet.")
        self._journal = []
        changed_articles: list[Any] = []
        changed_articles_2: list[Any] = []
        changed_articles_3: list[Any] = []
        if article["status"] == "draft":
            changed_articles.append(article)
            self._put("articles", article, "editor_id", to_id)
            changed_articles_2.append(article)
            self._put("articles", article, "status", "editing")
        else:
            changed_articles_3.append(article)
            self._put("articles", article, "checker_id", to_id)
            if article["status"] not in ("editing", "checking"):
                return self._take_back(f"Article {article['title']} cannot go from {article['status']} to checking.")
            changed_articles_2.append(article)
            self._put("articles", article, "status", "checking")
        for one_article in _distinct([*changed_articles, *changed_articles_3]):
            if self._breaks_rule_1(one_article):
                return self._take_back(RULES[0])
        for one_article in _distinct([*changed_articles, *changed_articles_3]):
            if self._breaks_rule_2(one_article):
                return self._take_back(RULES[1])
        for one_article in _distinct(changed_articles_2):
            if self._breaks_rule_6(one_article):
                return self._take_back(RULES[5])
        for one_claim in _distinct(
            [user for one in changed_articles_2 for user in self._claims_by_article.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_7(one_claim):
                return self._take_back(RULES[6])
        for one_claim in _distinct(
            [user for one in changed_articles_3 for user in self._claims_by_article.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_9(one_claim):
                return self._take_back(RULES[8])
        for one_article in _distinct(changed_articles_2):
            if self._breaks_rule_13(one_article):
                return self._take_back(RULES[12])
        return {
            "success": True,
            "message": f"Done: pass “{article['title']}” on to {to['name']}.",
            "data": self._changes(),
        }

    def settle_claim(self, claim_id: str, verdict: Literal["confirmed", "disputed"]) -> Result:
        """Enter what the fact check of a claim has found; with the last claim confirmed the article is cleared.

        Args:
            claim_id (str): Id of the claim, such as CLAIM-00001.
            verdict (str): What the check has found: confirmed or disputed.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        claim = self.claims.get(claim_id)
        if claim is None:
            return _refused(f"There is no claim {claim_id!r}.")
        article = self.articles[claim["article_id"]]
        if article["status"] != "checking" or article["checker_id"] is None:
            return _refused(f"“{article['title']}” is {article['status']}, not with the fact check.")
        if claim["verdict"] not in ("open", "disputed") or claim["verdict"] == verdict:
            return _refused(f"The claim “{claim['statement']}” is {claim['verdict']}.")
        stranger = next(
            (
                s
                for s in [self.sources[key] for key in claim["source_ids"]]
                if not self._knows(self.journalists[article["checker_id"]], s)
            ),
            None,
        )
        if verdict != "disputed" and stranger is not None:
            return _refused(
                f"{self.journalists[article['checker_id']]['name']} does not know who {stranger['codename']} is "
                "and has to be let in first."
            )
        if not (verdict == "disputed" or self._solid(claim)):
            return _refused(
                f"The claim “{claim['statement']}” needs an open source, or two secret ones with different handlers."
            )
        self._journal = []
        changed_articles: list[Any] = []
        self._put("claims", claim, "verdict", verdict)
        if self._proven(article):
            changed_articles.append(article)
            self._put("articles", article, "status", "cleared")
        for one_article in _distinct(changed_articles):
            if self._breaks_rule_6(one_article):
                return self._take_back(RULES[5])
        for one_claim in _distinct(
            [
                claim,
                *[user for one in changed_articles for user in self._claims_by_article.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_7(one_claim):
                return self._take_back(RULES[6])
        if self._breaks_rule_8(claim):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(claim):
            return self._take_back(RULES[8])
        for one_article in _distinct(changed_articles):
            if self._breaks_rule_13(one_article):
                return self._take_back(RULES[12])
        return {
            "success": True,
            "message": f"Done: enter the claim “{claim['statement']}” as {verdict}.",
            "data": self._changes(),
        }

    def cut_article(
        self,
        article_id: str,
        words: Annotated[int, {"minimum": 1, "maximum": 2500}],
        claim_ids: Annotated[list[str], {"maxItems": 20}] | None = None,
    ) -> Result:
        """Cut words from an article, and claims with them; if only confirmed claims remain in a fact check, the
        article is cleared.

        Args:
            article_id (str): Id of the article, such as ARTICLE-00001.
            words (int): Words that are cut from the article, from 1 to 2500.
            claim_ids (list): Claims of the article that go with the cut, never all: ids of claims, such as
                CLAIM-00001. May be left out.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        article = self.articles.get(article_id)
        if article is None:
            return _refused(f"There is no article {article_id!r}.")
        claims = []
        for key in claim_ids or []:
            if key not in self.claims:
                return _refused(f"There is no claim {key!r}.")
            claims.append(self.claims[key])
        if not self._alive(article):
            return _refused(f"“{article['title']}” is {article['status']}.")
        if article["words"] - words < 40:
            return _refused(f"“{article['title']}” has {article['words']} words, and 40 must remain.")
        if not _different([c["id"] for c in claims]):
            return _refused("A claim is named twice.")
        if not all(c["article_id"] == article_id and c["verdict"] != "cut" for c in claims):
            return _refused("A claim is from another article or has been cut already.")
        if not any(c not in claims for c in self._standing(article)):
            return _refused(f"Nothing would be left of “{article['title']}”, so spike it instead.")
        self._journal = []
        changed_claims: list[Any] = []
        changed_articles: list[Any] = []
        new_words = article["words"] - words
        if not 40 <= new_words <= 3000:
            return self._take_back(f"The words of {article['title']} must be between 40 and 3000.")
        self._put("articles", article, "words", new_words)
        for c in list(claims):
            if c["verdict"] not in ("open", "confirmed", "disputed", "cut"):
                return self._take_back(f"Claim {c['id']} cannot go from {c['verdict']} to cut.")
            changed_claims.append(c)
            self._put("claims", c, "verdict", "cut")
        if article["status"] == "checking" and self._proven(article):
            if article["status"] not in ("checking", "cleared"):
                return self._take_back(f"Article {article['title']} cannot go from {article['status']} to cleared.")
            changed_articles.append(article)
            self._put("articles", article, "status", "cleared")
        for one_page in _distinct([self.pages.get(article["page_id"])]):
            if self._breaks_rule_3(one_page):
                return self._take_back(RULES[2])
        for one_article in _distinct(changed_articles):
            if self._breaks_rule_6(one_article):
                return self._take_back(RULES[5])
        for one_claim in _distinct(
            [
                *changed_claims,
                *[user for one in changed_articles for user in self._claims_by_article.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_7(one_claim):
                return self._take_back(RULES[6])
        for one_claim in _distinct(changed_claims):
            if self._breaks_rule_8(one_claim):
                return self._take_back(RULES[7])
        for one_claim in _distinct(changed_claims):
            if self._breaks_rule_9(one_claim):
                return self._take_back(RULES[8])
        for one_article in _distinct(changed_articles):
            if self._breaks_rule_13(one_article):
                return self._take_back(RULES[12])
        return {
            "success": True,
            "message": f"Done: cut {words} words from “{article['title']}”.",
            "data": self._changes(),
        }

    def set_embargo(self, article_id: str, until: DateTime | None = None) -> Result:
        """Set or move the embargo of an article, or lift it where no time is given.

        Args:
            article_id (str): Id of the article, such as ARTICLE-00001.
            until (str, optional): New end of the embargo, in the future, as YYYY-MM-DDTHH:MM. If left out, the
                embargo is lifted.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        article = self.articles.get(article_id)
        if article is None:
            return _refused(f"There is no article {article_id!r}.")
        if article["status"] in ("printed", "spiked"):
            return _refused(f"“{article['title']}” is {article['status']}.")
        if until is None and article["embargo"] is None:
            return _refused(f"“{article['title']}” has no embargo.")
        if until is not None and until <= self.now:
            return _refused("An embargo ends in the future.")
        if (
            until is not None
            and article["page_id"] is not None
            and self.issues[self.pages[article["page_id"]]["issue_id"]]["appears_at"] < until
        ):
            return _refused(
                f"“{article['title']}” stands in issue "
                f"{self.issues[self.pages[article['page_id']]['issue_id']]['number']}, which appears too early; "
                "move it first."
            )
        self._journal = []
        self._put("articles", article, "embargo", until)
        if self._breaks_rule_5(article):
            return self._take_back(RULES[4])
        done = f"change the embargo of “{article['title']}”"
        if until is not None:
            done += f" to {until}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def place_article(self, article_id: str, page_id: str) -> Result:
        """Place an article on a page of an open issue, or move it there.

        Args:
            article_id (str): Id of the article, such as ARTICLE-00001.
            page_id (str): Id of the page, such as PAGE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        article = self.articles.get(article_id)
        if article is None:
            return _refused(f"There is no article {article_id!r}.")
        page = self.pages.get(page_id)
        if page is None:
            return _refused(f"There is no page {page_id!r}.")
        if not self._alive(article):
            return _refused(f"“{article['title']}” is {article['status']}.")
        if page_id == article["page_id"]:
            return _refused(f"“{article['title']}” stands there already.")
        if self.issues[page["issue_id"]]["status"] != "open":
            return _refused(f"Issue {self.issues[page['issue_id']]['number']} is closed.")
        if not self._suits(page, article):
            return _refused(
                f"A piece for {self._article_desk(article)} has no place on a page for {page['section']}."
            )
        if article["embargo"] is not None and self.issues[page["issue_id"]]["appears_at"] < article["embargo"]:
            return _refused(
                f"Issue {self.issues[page['issue_id']]['number']} appears before the embargo ends at "
                f"{article['embargo']}."
            )
        if self._page_left(page) < article["words"]:
            return _refused(f"That page has room for {self._page_left(page)} words, not for {article['words']}.")
        self._journal = []
        former_page_id = article["page_id"]
        self._put("articles", article, "page_id", page_id)
        for one_page in _distinct([self.pages.get(article["page_id"]), self.pages.get(former_page_id)]):
            if self._breaks_rule_3(one_page):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(article):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(article):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(article):
            return self._take_back(RULES[5])
        for one_correction in _distinct(
            [
                user
                for one in self._claims_by_article.get(article["id"], {}).values()
                for user in self._corrections_by_claim.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_12_k_again(one_correction):
                return self._take_back(RULES[11])
        if self._breaks_rule_13(article):
            return self._take_back(RULES[12])
        return {
            "success": True,
            "message": f"Done: place “{article['title']}” on page {page['code']}.",
            "data": self._changes(),
        }

    def close_issue(self, issue_id: str) -> Result:
        """Close an issue for print; what is cleared on its pages is printed, anything else falls out.

        Args:
            issue_id (str): Id of the issue, such as ISSUE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        issue = self.issues.get(issue_id)
        if issue is None:
            return _refused(f"There is no issue {issue_id!r}.")
        if issue["status"] != "open":
            return _refused(f"Issue {issue['number']} is closed.")
        if issue["appears_at"] > _plus_minutes(self.now, 3 * 1440):
            return _refused(
                f"Issue {issue['number']} appears at {issue['appears_at']} and is closed three days before at the "
                "earliest."
            )
        if not any(
            a["page_id"] is not None
            for _page in self._pages_by_issue.get(issue_id, {}).values()
            for a in self._articles_by_page_status.get((_page["id"], "cleared"), {}).values()
        ):
            return _refused(f"Nothing in issue {issue['number']} is cleared.")
        bare = next(
            (
                p
                for p in sorted(self._pages_by_issue_section.get((issue_id, "front"), {}).values(), key=_age)
                if not self._articles_by_page_status.get((p["id"], "cleared"), {})
            ),
            None,
        )
        if bare is not None:
            return _refused(
                f"Front page {bare['code']} has no cleared article, so issue {issue['number']} would appear "
                "without a lead."
            )
        self._journal = []
        changed_articles: list[Any] = []
        changed_articles_2: list[Any] = []
        former_page_ids: list[Any] = []
        for a in [
            a
            for a in sorted(
                [
                    a
                    for _page in self._pages_by_issue.get(issue_id, {}).values()
                    for a in self._articles_by_page.get(_page["id"], {}).values()
                ],
                key=_age,
            )
            if a["page_id"] is not None
        ]:
            if a["status"] == "cleared":
                if a["status"] not in ("cleared", "printed"):
                    return self._take_back(f"Article {a['title']} cannot go from {a['status']} to printed.")
                changed_articles.append(a)
                self._put("articles", a, "status", "printed")
            else:
                changed_articles_2.append(a)
                former_page_ids.append(a["page_id"])
                self._put("articles", a, "page_id", None)
        self._put("issues", issue, "status", "closed")
        for one_page in _distinct(
            [
                *[self.pages.get(one["page_id"]) for one in changed_articles_2],
                *[self.pages.get(key) for key in former_page_ids],
            ]
        ):
            if self._breaks_rule_3(one_page):
                return self._take_back(RULES[2])
        for one_article in _distinct(changed_articles_2):
            if self._breaks_rule_4(one_article):
                return self._take_back(RULES[3])
        for one_article in _distinct(changed_articles_2):
            if self._breaks_rule_5(one_article):
                return self._take_back(RULES[4])
        for one_article in _distinct(
            [
                *changed_articles,
                *changed_articles_2,
                *[
                    user
                    for one in self._pages_by_issue.get(issue["id"], {}).values()
                    for user in self._articles_by_page.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_6(one_article):
                return self._take_back(RULES[5])
        for one_claim in _distinct(
            [user for one in changed_articles for user in self._claims_by_article.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_7(one_claim):
                return self._take_back(RULES[6])
        for one_correction in _distinct(
            [
                user
                for one in [
                    user
                    for one in changed_articles_2
                    for user in self._claims_by_article.get(one["id"], {}).values()
                ]
                for user in self._corrections_by_claim.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_12_k_again(one_correction):
                return self._take_back(RULES[11])
        for one_article in _distinct([*changed_articles, *changed_articles_2]):
            if self._breaks_rule_13(one_article):
                return self._take_back(RULES[12])
        return {"success": True, "message": f"Done: close issue {issue['number']}.", "data": self._changes()}

    def spike_article(self, article_id: str, reason: Text) -> Result:
        """Spike an article that will not be printed.

        Args:
            article_id (str): Id of the article, such as ARTICLE-00001.
            reason (str): Why the article will not be printed.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        article = self.articles.get(article_id)
        if article is None:
            return _refused(f"There is no article {article_id!r}.")
        if article["status"] in ("printed", "spiked"):
            return _refused(f"“{article['title']}” is {article['status']}.")
        self._journal = []
        former_page_id = article["page_id"]
        self._put("articles", article, "page_id", None)
        self._put("articles", article, "spiked_for", reason)
        if article["status"] not in ("draft", "editing", "spiked", "checking", "cleared"):
            return self._take_back(f"Article {article['title']} cannot go from {article['status']} to spiked.")
        self._put("articles", article, "status", "spiked")
        for one_page in _distinct([self.pages.get(article["page_id"]), self.pages.get(former_page_id)]):
            if self._breaks_rule_3(one_page):
                return self._take_back(RULES[2])
        if self._breaks_rule_4(article):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(article):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(article):
            return self._take_back(RULES[5])
        for one_claim in _distinct(self._claims_by_article.get(article["id"], {}).values()):
            if self._breaks_rule_7(one_claim):
                return self._take_back(RULES[6])
        for one_correction in _distinct(
            [
                user
                for one in self._claims_by_article.get(article["id"], {}).values()
                for user in self._corrections_by_claim.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_12_k_again(one_correction):
                return self._take_back(RULES[11])
        if self._breaks_rule_13(article):
            return self._take_back(RULES[12])
        return {
            "success": True,
            "message": f"Done: spike “{article['title']}” with the reason {reason}.",
            "data": self._changes(),
        }

    def run_correction(
        self,
        claim_id: str,
        page_id: str,
        wording: Text,
        words: Annotated[int, {"minimum": 10, "maximum": 300}],
    ) -> Result:
        """Place the correction of a printed claim on a page of the same section in an open issue.

        Args:
            claim_id (str): Id of the claim, such as CLAIM-00001.
            page_id (str): Id of the page, such as PAGE-00001.
            wording (str): Text of the correction as it is printed.
            words (int): Length of the correction in words, from 10 to 300.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        claim = self.claims.get(claim_id)
        if claim is None:
            return _refused(f"There is no claim {claim_id!r}.")
        page = self.pages.get(page_id)
        if page is None:
            return _refused(f"There is no page {page_id!r}.")
        if (
            self.articles[claim["article_id"]]["status"] != "printed"
            or self.articles[claim["article_id"]]["page_id"] is None
        ):
            return _refused(
                f"“{self.articles[claim['article_id']]['title']}” is "
                f"{self.articles[claim['article_id']]['status']}, so it can still be changed."
            )
        if claim["verdict"] != "confirmed":
            return _refused(f"The claim “{claim['statement']}” is {claim['verdict']}.")
        if self.issues[page["issue_id"]]["status"] != "open":
            return _refused(f"Issue {self.issues[page['issue_id']]['number']} is closed.")
        if page["section"] != self.pages[self.articles[claim["article_id"]]["page_id"]]["section"]:
            return _refused(
                "The correction belongs on the "
                f"{self.pages[self.articles[claim['article_id']]['page_id']]['section']} page."
            )
        if self.issues[page["issue_id"]]["appears_at"] <= self.issues[
            self.pages[self.articles[claim["article_id"]]["page_id"]]["issue_id"]
        ]["appears_at"]:
            return _refused(f"Issue {self.issues[page['issue_id']]['number']} appears before the article.")
        if self._page_left(page) < words:
            return _refused(f"That page has room for {self._page_left(page)} words, not for {words}.")
        self._journal = []
        correction: Correction = {
            "id": self._new_id("correction", "CORRECTION", self.corrections),
            "claim_id": claim_id,
            "page_id": page_id,
            "wording": wording,
            "words": words,
        }
        self._add("corrections", correction)
        self._put("claims", claim, "verdict", "corrected")
        if self._breaks_rule_3(self.pages[correction["page_id"]]):
            return self._take_back(RULES[2])
        if self._breaks_rule_7(claim):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(claim):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(claim):
            return self._take_back(RULES[8])
        if self._breaks_rule_12_k(correction):
            return self._take_back(RULES[11])
        if self._breaks_rule_12_k_again(correction):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: run a correction of “{claim['statement']}” on page {page['code']} (new: correction "
                f"{correction['id']})."
            ),
            "data": {"correction_id": correction["id"], **self._changes()},
        }

    def _show_journalist(self, journalist: Journalist) -> dict[str, Any]:
        """The journalist as an answer shows it."""
        return {**journalist, "in_hand": self._journalist_in_hand(journalist)}

    def _show_source(self, source: Source) -> dict[str, Any]:
        """The source as an answer shows it."""
        return {**source, "known_to_ids": [*source["known_to_ids"]]}

    def _show_page(self, page: Page) -> dict[str, Any]:
        """The page as an answer shows it."""
        return {**page, "left": self._page_left(page)}

    def _show_article(self, article: Article) -> dict[str, Any]:
        """The article as an answer shows it."""
        return {**article, "desk": self._article_desk(article)}

    def _show_claim(self, claim: Claim) -> dict[str, Any]:
        """The claim as an answer shows it."""
        return {**claim, "source_ids": [*claim["source_ids"]]}

    def _names_of_sources(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that sources point to."""
        return _names(
            (self.journalists, "name", [row["handler_id"] for row in shown]),
            (self.journalists, "name", [each for row in shown for each in row["known_to_ids"]]),
        )

    def _names_of_pages(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that pages point to."""
        return _names((self.issues, "number", [row["issue_id"] for row in shown]))

    def _names_of_articles(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that articles point to."""
        return _names(
            (self.journalists, "name", [row["writer_id"] for row in shown]),
            (self.journalists, "name", [row["editor_id"] for row in shown]),
            (self.journalists, "name", [row["checker_id"] for row in shown]),
            (self.pages, "code", [row["page_id"] for row in shown]),
        )

    def _names_of_claims(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that claims point to."""
        return _names(
            (self.articles, "title", [row["article_id"] for row in shown]),
            (self.sources, "codename", [each for row in shown for each in row["source_ids"]]),
        )

    def _names_of_corrections(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that corrections point to."""
        return _names((self.pages, "code", [row["page_id"] for row in shown]))

    def _journalist_in_hand(self, journalist: Journalist) -> int:
        """The in hand of a journalist."""
        return sum(
            1
            for a in _distinct(
                [
                    *self._articles_by_editor.get(journalist["id"], {}).values(),
                    *self._articles_by_checker.get(journalist["id"], {}).values(),
                ]
            )
            if (
                a["editor_id"] == journalist["id"]
                and a["status"] == "editing"
                or a["checker_id"] == journalist["id"]
                and a["status"] == "checking"
            )
        )

    def _page_left(self, page: Page) -> int:
        """The left of a page."""
        return (
            page["holds"]
            - sum(a["words"] for a in self._articles_by_page.get(page["id"], {}).values())
            - sum(k["words"] for k in self._corrections_by_page.get(page["id"], {}).values())
        )

    def _article_desk(self, article: Article) -> str:
        """The desk of an article."""
        return self.journalists[article["writer_id"]]["desk"]

    def _knows(self, j: Journalist, s: Source) -> bool:
        return not s["secret"] or j["id"] in s["known_to_ids"]

    def _solid(self, c: Claim) -> bool:
        return (
            any(not s["secret"] for s in [self.sources[key] for key in c["source_ids"]])
            or any(
                s["handler_id"] != t["handler_id"]
                for s in [self.sources[key] for key in c["source_ids"]]
                for t in [self.sources[key] for key in c["source_ids"]]
            )
        )

    def _standing(self, a: Article) -> list[Claim]:
        return [
            c
            for c in sorted(self._claims_by_article.get(a["id"], {}).values(), key=_age)
            if c["verdict"] != "cut"
        ]

    def _proven(self, a: Article) -> bool:
        return bool(self._standing(a)) and all(c["verdict"] == "confirmed" for c in self._standing(a))

    def _alive(self, a: Article) -> bool:
        return a["status"] in ("editing", "checking", "cleared")

    def _suits(self, p: Page, a: Article) -> bool:
        return p["section"] == "front" or p["section"] == self._article_desk(a)

    def _breaks_rule_1(self, a: Article) -> bool:
        """Whether this is broken: nobody edits or checks what they wrote, and nobody checks what they edited."""
        return not (
            (a["editor_id"] is None or a["editor_id"] != a["writer_id"])
            and (a["checker_id"] is None or a["checker_id"] != a["writer_id"] and a["checker_id"] != a["editor_id"])
        )

    def _breaks_rule_2(self, a: Article) -> bool:
        """Whether this is broken: an article is edited on its own desk and checked by research."""
        return not (
            (
                a["editor_id"] is None
                or self.journalists[a["editor_id"]]["role"] == "editor"
                and self.journalists[a["editor_id"]]["desk"] == self.journalists[a["writer_id"]]["desk"]
            )
            and (a["checker_id"] is None or self.journalists[a["checker_id"]]["role"] == "checker")
        )

    def _breaks_rule_3(self, p: Page) -> bool:
        """Whether this is broken: the articles and corrections of a page fit on it."""
        return self._page_left(p) < 0

    def _breaks_rule_4(self, a: Article) -> bool:
        """Whether this is broken: an article stands on the front page or on a page of its desk."""
        return not (a["page_id"] is None or self._suits(self.pages[a["page_id"]], a))

    def _breaks_rule_5(self, a: Article) -> bool:
        """Whether this is broken: no article appears before its embargo ends."""
        return (
            a["page_id"] is not None
            and a["embargo"] is not None
            and self.issues[self.pages[a["page_id"]]["issue_id"]]["appears_at"] < a["embargo"]
        )

    def _breaks_rule_6(self, a: Article) -> bool:
        """Whether this is broken: an issue that is closed holds printed articles only, and all printed articles are
        in closed issues.
        """
        return (a["status"] == "printed") != (
            a["page_id"] is not None
            and self.issues[self.pages[a["page_id"]]["issue_id"]]["status"] == "closed"
        )

    def _breaks_rule_7(self, c: Claim) -> bool:
        """Whether this is broken: every claim of a cleared or printed article is confirmed, corrected or cut."""
        return (
            self.articles[c["article_id"]]["status"] in ("cleared", "printed")
            and c["verdict"] not in ("confirmed", "corrected", "cut")
        )

    def _breaks_rule_8(self, c: Claim) -> bool:
        """Whether this is broken: a confirmed claim rests on an open source, or on two secret ones with different
        handlers.
        """
        return c["verdict"] in ("confirmed", "corrected") and not self._solid(c)

    def _breaks_rule_9(self, c: Claim) -> bool:
        """Whether this is broken: whoever confirms a claim knows the secret sources behind it."""
        return (
            c["verdict"] in ("confirmed", "corrected")
            and not (
                self.articles[c["article_id"]]["checker_id"] is not None
                and all(
                    self._knows(self.journalists[self.articles[c["article_id"]]["checker_id"]], s)
                    for s in [self.sources[key] for key in c["source_ids"]]
                )
            )
        )

    def _breaks_rule_10(self, c: Claim) -> bool:
        """Whether this is broken: a writer uses no secret source whose identity they were not told."""
        return any(
            not self._knows(self.journalists[self.articles[c["article_id"]]["writer_id"]], s)
            for s in [self.sources[key] for key in c["source_ids"]]
        )

    def _breaks_rule_11(self, s: Source) -> bool:
        """Whether this is broken: the handler knows a secret source, and no more than four people do."""
        return not (not s["secret"] or s["handler_id"] in s["known_to_ids"] and len(s["known_to_ids"]) <= 4)

    def _breaks_rule_12_k(self, k: Correction) -> bool:
        """Whether this is broken: a claim is corrected once, in an issue after that of the article, on a page of the
        same section.
        """
        return any(other_k is not k for other_k in self._corrections_by_claim.get(k["claim_id"], {}).values())

    def _breaks_rule_12_k_again(self, k: Correction) -> bool:
        """Whether this is broken: a claim is corrected once, in an issue after that of the article, on a page of the
        same section.
        """
        return (
            self.articles[self.claims[k["claim_id"]]["article_id"]]["page_id"] is None
            or self.pages[k["page_id"]]["section"] != self.pages[
                self.articles[self.claims[k["claim_id"]]["article_id"]]["page_id"]
            ]["section"]
            or self.issues[self.pages[k["page_id"]]["issue_id"]]["appears_at"] <= self.issues[
                self.pages[self.articles[self.claims[k["claim_id"]]["article_id"]]["page_id"]]["issue_id"]
            ]["appears_at"]
        )

    def _breaks_rule_13(self, a: Article) -> bool:
        """Whether this is broken: a spiked article says why and stands on no page."""
        return not (
            (a["status"] == "spiked") == (a["spiked_for"] is not None)
            and (a["spiked_for"] is None or a["page_id"] is None)
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
            case "pages":
                self._pages_by_issue.setdefault(record["issue_id"], {})[record["id"]] = record
                self._pages_by_issue_section.setdefault(
                    (record["issue_id"], record["section"]),
                    {},
                )[record["id"]] = record
            case "articles":
                self._articles_by_checker.setdefault(record["checker_id"], {})[record["id"]] = record
                self._articles_by_editor.setdefault(record["editor_id"], {})[record["id"]] = record
                self._articles_by_lower_title.setdefault(record["title"].lower(), {})[record["id"]] = record
                self._articles_by_page.setdefault(record["page_id"], {})[record["id"]] = record
                self._articles_by_page_status.setdefault((record["page_id"], record["status"]), {})[record["id"]] = record
                self._articles_by_title.setdefault(record["title"], {})[record["id"]] = record
            case "claims":
                self._claims_by_article.setdefault(record["article_id"], {})[record["id"]] = record
                for key in record["source_ids"]:
                    self._claims_by_sources.setdefault(key, {})[record["id"]] = record
            case "corrections":
                self._corrections_by_claim.setdefault(record["claim_id"], {})[record["id"]] = record
                self._corrections_by_page.setdefault(record["page_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "pages":
                del self._pages_by_issue[record["issue_id"]][record["id"]]
                del self._pages_by_issue_section[record["issue_id"], record["section"]][record["id"]]
            case "articles":
                del self._articles_by_checker[record["checker_id"]][record["id"]]
                del self._articles_by_editor[record["editor_id"]][record["id"]]
                del self._articles_by_lower_title[record["title"].lower()][record["id"]]
                del self._articles_by_page[record["page_id"]][record["id"]]
                del self._articles_by_page_status[record["page_id"], record["status"]][record["id"]]
                del self._articles_by_title[record["title"]][record["id"]]
            case "claims":
                del self._claims_by_article[record["article_id"]][record["id"]]
                for key in record["source_ids"]:
                    self._claims_by_sources[key].pop(record["id"], None)
            case "corrections":
                del self._corrections_by_claim[record["claim_id"]][record["id"]]
                del self._corrections_by_page[record["page_id"]][record["id"]]
