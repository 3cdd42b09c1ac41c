"""Election count. Compiled from blueprint.yaml; run `envscaler build election_count` after changing it there.

Counts the ballots of an election night, from the arrival of sealed batches through two-party counting tables,
differences, recounts and signed precinct returns to the certified result.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "A batch is counted by two people of different parties.",
    "Nobody counts the ballots of the precinct where they vote.",
    "Nobody sits at two counting tables.",
    "Votes go to candidates of the contest that is on the ballot, once for each batch.",
    "A batch gives no more votes than it has papers.",
    "A batch is reconciled when its papers are those on the slip or their difference is explained.",
    "A disputed batch has one open difference, and no other batch has any.",
    "A difference is explained by a table chair, and one of more than two papers only after a second count.",
    "A signed precinct has all its batches reconciled and the signature of a chair.",
    "A signed precinct has no more papers in a contest than voters who signed the roll.",
    "A contest is certified when every batch is reconciled and a close result has been recounted.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "receive_batch",
    "correct_slip",
    "assign_team",
    "relieve_teller",
    "count_batch",
    "adjudicate_ballots",
    "explain_difference",
    "recount_batch",
    "recount_contest",
    "sign_return",
    "certify_contest",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "contests": ("name",),
    "candidates": ("name",),
    "precincts": ("name",),
    "tellers": ("name",),
    "batches": ("number",),
    "tallies": (),
    "discrepancies": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("batches", "caller_id"),
    ("batches", "contest_id"),
    ("batches", "precinct_id"),
    ("batches", "status"),
    ("batches", "tallier_id"),
    ("candidates", "contest_id"),
    ("contests", "drawn_id"),
    ("contests", "status"),
    ("discrepancies", "batch_id"),
    ("discrepancies", "status"),
    ("tallies", "batch_id"),
    ("tallies", "candidate_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Contest(TypedDict):
    id: str
    name: str
    recount_below: int
    recounted: bool
    drawn_id: str | None
    status: Literal["open", "certified"]


class Candidate(TypedDict):
    id: str
    name: str
    contest_id: str
    party: Literal["blue", "red", "green", "orange"]


class Precinct(TypedDict):
    id: str
    name: str
    voted: int
    signed_by_id: str | None
    status: Literal["open", "signed"]


class Teller(TypedDict):
    id: str
    name: str
    party: Literal["blue", "red", "green", "orange"]
    home_id: str
    chair: bool


class Batch(TypedDict):
    id: str
    number: str
    precinct_id: str
    contest_id: str
    declared: int
    papers: int
    counts: int
    received_at: str | None
    caller_id: str | None
    tallier_id: str | None
    status: Literal["expected", "received", "counting", "reconciled", "disputed"]


class Tally(TypedDict):
    id: str
    batch_id: str
    candidate_id: str
    votes: int


class Discrepancy(TypedDict):
    id: str
    batch_id: str
    difference: int
    reason: Literal["misplaced_paper", "paper_taken_home", "slip_error", "torn_paper"] | None
    explained_by_id: str | None
    status: Literal["open", "explained", "dropped"]


class CountBatchPile(TypedDict):
    candidate_id: str
    votes: Annotated[int, {"minimum": 0, "maximum": 2000}]


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


def _those(records: dict[str, Any], keys: Iterable[Any]) -> list[Any]:
    """The records of these ids, each once, oldest first."""
    return sorted((records[key] for key in set(keys) if key in records), key=_age)


class ElectionCount:
    """Counts the ballots of an election night, from the arrival of sealed batches through two-party
    counting tables, differences, recounts and signed precinct returns to the certified result.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.contests: dict[str, Contest] = _copied(config.get("contests", {}))
        self.candidates: dict[str, Candidate] = _copied(config.get("candidates", {}))
        self.precincts: dict[str, Precinct] = _copied(config.get("precincts", {}))
        self.tellers: dict[str, Teller] = _copied(config.get("tellers", {}))
        self.batches: dict[str, Batch] = _copied(config.get("batches", {}))
        self.tallies: dict[str, Tally] = _copied(config.get("tallies", {}))
        self.discrepancies: dict[str, Discrepancy] = _copied(config.get("discrepancies", {}))
        self.now: str = config.get("now", "2026-05-18T11:00")
        self.counters: dict[str, int] = {
            "contest": len(self.contests),
            "candidate": len(self.candidates),
            "precinct": len(self.precincts),
            "teller": len(self.tellers),
            "batch": len(self.batches),
            "tally": len(self.tallies),
            "discrepancy": len(self.discrepancies),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._contests_by_drawn_status: dict[Any, dict[str, Contest]] = {}
        self._candidates_by_contest: dict[Any, dict[str, Candidate]] = {}
        self._batches_by_caller: dict[Any, dict[str, Batch]] = {}
        self._batches_by_caller_status: dict[Any, dict[str, Batch]] = {}
        self._batches_by_contest: dict[Any, dict[str, Batch]] = {}
        self._batches_by_precinct: dict[Any, dict[str, Batch]] = {}
        self._batches_by_precinct_contest: dict[Any, dict[str, Batch]] = {}
        self._batches_by_tallier: dict[Any, dict[str, Batch]] = {}
        self._batches_by_tallier_status: dict[Any, dict[str, Batch]] = {}
        self._tallies_by_batch: dict[Any, dict[str, Tally]] = {}
        self._tallies_by_batch_candidate: dict[Any, dict[str, Tally]] = {}
        self._tallies_by_candidate: dict[Any, dict[str, Tally]] = {}
        self._discrepancies_by_batch: dict[Any, dict[str, Discrepancy]] = {}
        self._discrepancies_by_batch_status: dict[Any, dict[str, Discrepancy]] = {}
        self._discrepancies_by_status: dict[Any, dict[str, Discrepancy]] = {}
        for contest in self.contests.values():
            self._link("contests", contest)
        for candidate in self.candidates.values():
            self._link("candidates", candidate)
        for batch in self.batches.values():
            self._link("batches", batch)
        for tally in self.tallies.values():
            self._link("tallies", tally)
        for discrepancy in self.discrepancies.values():
            self._link("discrepancies", discrepancy)

    def standings(self, contest_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """The candidates of a contest by votes counted so far.

        Args:
            contest_id (str): Id of the contest, such as CONTEST-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "candidates": records}} or {"success": False, "error":
                why not}
        """
        contest = self.contests.get(contest_id)
        if contest is None:
            return _refused(f"There is no contest {contest_id!r}.")
        found = [c for c in self._candidates_by_contest.get(contest_id, {}).values()]
        found.sort(key=lambda c: (-self._candidate_votes(c), c["name"], _age(c)))
        return _found(
            {
                "total": len(found),
                "candidates": [
                    {"id": c["id"], "name": c["name"], "party": c["party"], "votes": self._candidate_votes(c)}
                    for c in _page(found, offset)
                ],
            }
        )

    def free_tellers(
        self,
        batch_id: str,
        party: Literal["blue", "red", "green", "orange"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Tellers who may be given a batch now.

        Args:
            batch_id (str): Id of the batch, such as BATCH-00001.
            party (str, optional): Party of the tellers: blue, red, green or orange. If left out, tellers of all
                parties are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "tellers": records}} or {"success": False, "error": why
                not}
        """
        batch = self.batches.get(batch_id)
        if batch is None:
            return _refused(f"There is no batch {batch_id!r}.")
        found = [
            c
            for c in self.tellers.values()
            if self._may_count(c, batch)
            and (party is None or c["party"] == party)
        ]
        found.sort(key=lambda c: (c["name"], _age(c)))
        return _found(
            {
                "total": len(found),
                "tellers": [{"id": c["id"], "name": c["name"], "party": c["party"]} for c in _page(found, offset)],
            }
        )

    def open_differences(
        self,
        precinct_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Differences between slip and count that nobody has explained, the largest first.

        Args:
            precinct_id (str, optional): Precinct that the batches come from; an id such as PRECINCT-00001. If left
                out, differences of all precincts are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "discrepancies": records}} or {"success": False,
                "error": why not}
        """
        precinct = self.precincts.get(precinct_id) if precinct_id is not None else None
        if precinct_id is not None and precinct is None:
            return _refused(f"There is no precinct {precinct_id!r}.")
        found = [
            d
            for d in self._discrepancies_by_status.get("open", {}).values()
            if (precinct_id is None or self.batches[d["batch_id"]]["precinct_id"] == precinct_id)
        ]
        found.sort(key=lambda d: (-abs(d["difference"]), d["id"], _age(d)))
        return _found(
            {
                "total": len(found),
                "discrepancies": [
                    {
                        "id": d["id"],
                        "batch": self.batches[d["batch_id"]]["number"],
                        "precinct": self.precincts[self.batches[d["batch_id"]]["precinct_id"]]["name"],
                        "contest": self.contests[self.batches[d["batch_id"]]["contest_id"]]["name"],
                        "difference": d["difference"],
                        "counts": self.batches[d["batch_id"]]["counts"],
                    }
                    for d in _page(found, offset)
                ],
            }
        )

    def count_progress(
        self,
        precinct_id: str | None = None,
        contest_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Batches of a precinct or contest that are not reconciled yet.

        Args:
            precinct_id (str, optional): Precinct that the batches come from; an id such as PRECINCT-00001. If left
                out, batches of all precincts are listed.
            contest_id (str, optional): Contest that is counted; an id such as CONTEST-00001. If left out, batches
                of all contests are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "batches": records}} or {"success": False, "error": why
                not}
        """
        precinct = self.precincts.get(precinct_id) if precinct_id is not None else None
        if precinct_id is not None and precinct is None:
            return _refused(f"There is no precinct {precinct_id!r}.")
        contest = self.contests.get(contest_id) if contest_id is not None else None
        if contest_id is not None and contest is None:
            return _refused(f"There is no contest {contest_id!r}.")
        found = [
            b
            for b in self.batches.values()
            if b["status"] != "reconciled"
            and (precinct_id is None or b["precinct_id"] == precinct_id)
            and (contest_id is None or b["contest_id"] == contest_id)
        ]
        found.sort(key=lambda b: (b["number"], _age(b)))
        return _found(
            {
                "total": len(found),
                "batches": [
                    {
                        "id": b["id"],
                        "number": b["number"],
                        "precinct": self.precincts[b["precinct_id"]]["name"],
                        "contest": self.contests[b["contest_id"]]["name"],
                        "status": b["status"],
                        "declared": b["declared"],
                        "difference": self._open_difference(b)[
                            "difference"
                        ] if self._open_difference(b) is not None else None,
                    }
                    for b in _page(found, offset)
                ],
            }
        )

    def list_contests(
        self,
        name: Text | None = None,
        recounted: bool | None = None,
        drawn_id: str | None = None,
        status: Literal["open", "certified"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the contests, oldest first, all of them or only some.

        Args:
            name (str, optional): Only contests whose name contains this text.
            recounted (bool, optional): Only contests that are recounted (true) or not (false).
            drawn_id (str, optional): Only contests whose drawn is this candidate.
            status (str, optional): Only contests with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "contests": records}}
        """
        if drawn_id is not None and drawn_id not in self.candidates:
            return _refused(f"There is no candidate {drawn_id!r}.")
        found = [
            contest
            for contest in self.contests.values()
            if (name is None or name.casefold() in contest["name"].casefold())
            and (recounted is None or contest["recounted"] == recounted)
            and (drawn_id is None or contest["drawn_id"] == drawn_id)
            and (status is None or contest["status"] == status)
        ]
        shown = [self._show_contest(contest) for contest in _page(found, offset)]
        return _found({"total": len(found), "contests": shown}, self._names_of_contests(shown))

    def list_candidates(
        self,
        name: Text | None = None,
        contest_id: str | None = None,
        party: Literal["blue", "red", "green", "orange"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the candidates, oldest first, all of them or only some.

        Args:
            name (str, optional): Only candidates whose name contains this text.
            contest_id (str, optional): Only candidates of this contest.
            party (str, optional): Only candidates with this party.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "candidates": records}}
        """
        if contest_id is not None and contest_id not in self.contests:
            return _refused(f"There is no contest {contest_id!r}.")
        found = [
            candidate
            for candidate in self.candidates.values()
            if (name is None or name.casefold() in candidate["name"].casefold())
            and (contest_id is None or candidate["contest_id"] == contest_id)
            and (party is None or candidate["party"] == party)
        ]
        shown = [self._show_candidate(candidate) for candidate in _page(found, offset)]
        return _found({"total": len(found), "candidates": shown}, self._names_of_candidates(shown))

    def list_precincts(
        self,
        name: Text | None = None,
        signed_by_id: str | None = None,
        status: Literal["open", "signed"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the precincts, oldest first, all of them or only some.

        Args:
            name (str, optional): Only precincts whose name contains this text.
            signed_by_id (str, optional): Only precincts signed by this teller.
            status (str, optional): Only precincts with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "precincts": records}}
        """
        if signed_by_id is not None and signed_by_id not in self.tellers:
            return _refused(f"There is no teller {signed_by_id!r}.")
        found = [
            precinct
            for precinct in self.precincts.values()
            if (name is None or name.casefold() in precinct["name"].casefold())
            and (signed_by_id is None or precinct["signed_by_id"] == signed_by_id)
            and (status is None or precinct["status"] == status)
        ]
        shown = [{**precinct} for precinct in _page(found, offset)]
        return _found({"total": len(found), "precincts": shown}, self._names_of_precincts(shown))

    def list_tellers(
        self,
        name: Text | None = None,
        party: Literal["blue", "red", "green", "orange"] | None = None,
        home_id: str | None = None,
        chair: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the tellers, oldest first, all of them or only some.

        Args:
            name (str, optional): Only tellers whose name contains this text.
            party (str, optional): Only tellers with this party.
            home_id (str, optional): Only tellers whose home is this precinct.
            chair (bool, optional): Only tellers with this value of `chair`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "tellers": records}}
        """
        if home_id is not None and home_id not in self.precincts:
            return _refused(f"There is no precinct {home_id!r}.")
        found = [
            teller
            for teller in self.tellers.values()
            if (name is None or name.casefold() in teller["name"].casefold())
            and (party is None or teller["party"] == party)
            and (home_id is None or teller["home_id"] == home_id)
            and (chair is None or teller["chair"] == chair)
        ]
        shown = [self._show_teller(teller) for teller in _page(found, offset)]
        return _found({"total": len(found), "tellers": shown}, self._names_of_tellers(shown))

    def list_batches(
        self,
        number: Text | None = None,
        precinct_id: str | None = None,
        contest_id: str | None = None,
        caller_id: str | None = None,
        tallier_id: str | None = None,
        status: Literal["expected", "received", "counting", "reconciled", "disputed"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the batches, oldest first, all of them or only some.

        Args:
            number (str, optional): Only batches whose number contains this text.
            precinct_id (str, optional): Only batches of this precinct.
            contest_id (str, optional): Only batches of this contest.
            caller_id (str, optional): Only batches whose caller is this teller.
            tallier_id (str, optional): Only batches whose tallier is this teller.
            status (str, optional): Only batches with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "batches": records}}
        """
        if precinct_id is not None and precinct_id not in self.precincts:
            return _refused(f"There is no precinct {precinct_id!r}.")
        if contest_id is not None and contest_id not in self.contests:
            return _refused(f"There is no contest {contest_id!r}.")
        if caller_id is not None and caller_id not in self.tellers:
            return _refused(f"There is no teller {caller_id!r}.")
        if tallier_id is not None and tallier_id not in self.tellers:
            return _refused(f"There is no teller {tallier_id!r}.")
        found = [
            batch
            for batch in self.batches.values()
            if (number is None or number.casefold() in batch["number"].casefold())
            and (precinct_id is None or batch["precinct_id"] == precinct_id)
            and (contest_id is None or batch["contest_id"] == contest_id)
            and (caller_id is None or batch["caller_id"] == caller_id)
            and (tallier_id is None or batch["tallier_id"] == tallier_id)
            and (status is None or batch["status"] == status)
        ]
        shown = [self._show_batch(batch) for batch in _page(found, offset)]
        return _found({"total": len(found), "batches": shown}, self._names_of_batches(shown))

    def list_tallies(
        self,
        batch_id: str | None = None,
        candidate_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the tallies, oldest first, all of them or only some.

        Args:
            batch_id (str, optional): Only tallies of this batch.
            candidate_id (str, optional): Only tallies of this candidate.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "tallies": records}}
        """
        if batch_id is not None and batch_id not in self.batches:
            return _refused(f"There is no batch {batch_id!r}.")
        if candidate_id is not None and candidate_id not in self.candidates:
            return _refused(f"There is no candidate {candidate_id!r}.")
        found = [
            tally
            for tally in self.tallies.values()
            if (batch_id is None or tally["batch_id"] == batch_id)
            and (candidate_id is None or tally["candidate_id"] == candidate_id)
        ]
        shown = [{**tally} for tally in _page(found, offset)]
        return _found({"total": len(found), "tallies": shown}, self._names_of_tallies(shown))

    def list_discrepancies(
        self,
        batch_id: str | None = None,
        reason: Literal["misplaced_paper", "paper_taken_home", "slip_error", "torn_paper"] | None = None,
        explained_by_id: str | None = None,
        status: Literal["open", "explained", "dropped"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the discrepancies, oldest first, all of them or only some.

        Args:
            batch_id (str, optional): Only discrepancies of this batch.
            reason (str, optional): Only discrepancies with this reason.
            explained_by_id (str, optional): Only discrepancies explained by this teller.
            status (str, optional): Only discrepancies with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "discrepancies": records}}
        """
        if batch_id is not None and batch_id not in self.batches:
            return _refused(f"There is no batch {batch_id!r}.")
        if explained_by_id is not None and explained_by_id not in self.tellers:
            return _refused(f"There is no teller {explained_by_id!r}.")
        found = [
            discrepancy
            for discrepancy in self.discrepancies.values()
            if (batch_id is None or discrepancy["batch_id"] == batch_id)
            and (reason is None or discrepancy["reason"] == reason)
            and (explained_by_id is None or discrepancy["explained_by_id"] == explained_by_id)
            and (status is None or discrepancy["status"] == status)
        ]
        shown = [{**discrepancy} for discrepancy in _page(found, offset)]
        return _found({"total": len(found), "discrepancies": shown}, self._names_of_discrepancies(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def receive_batch(self, batch_id: str) -> Result:
        """Receive a sealed batch at the counting centre.

        Args:
            batch_id (str): Id of the batch, such as BATCH-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        batch = self.batches.get(batch_id)
        if batch is None:
            return _refused(f"There is no batch {batch_id!r}.")
        if batch["status"] != "expected":
            return _refused(f"Batch {batch['number']} is {batch['status']} already.")
        self._journal = []
        self._put("batches", batch, "received_at", self.now)
        self._put("batches", batch, "status", "received")
        if self._breaks_rule_1(batch):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(batch):
            return self._take_back(RULES[1])
        for one_teller in _distinct([self.tellers.get(batch["caller_id"]), self.tellers.get(batch["tallier_id"])]):
            if self._breaks_rule_3(one_teller):
                return self._take_back(RULES[2])
        if self._breaks_rule_6(batch):
            return self._take_back(RULES[5])
        if self._breaks_rule_7_b(batch):
            return self._take_back(RULES[6])
        if self._breaks_rule_9_p(self.precincts[batch["precinct_id"]]):
            return self._take_back(RULES[8])
        if self._breaks_rule_11(self.contests[batch["contest_id"]]):
            return self._take_back(RULES[10])
        return {"success": True, "message": f"Done: receive batch {batch['number']}.", "data": self._changes()}

    def correct_slip(
        self,
        batch_id: str,
        declared: Annotated[int, {"minimum": 1, "maximum": 2000}],
        by_id: str,
    ) -> Result:
        """Correct the number of papers on the transport slip of a batch, as a chair; in a dispute over more than two
        papers only after a second count.

        Args:
            batch_id (str): Id of the batch, such as BATCH-00001.
            declared (int): Right number of papers for the transport slip, from 1 to 2000.
            by_id (str): Teller who is a chair and corrects the slip; an id such as TELLER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        batch = self.batches.get(batch_id)
        if batch is None:
            return _refused(f"There is no batch {batch_id!r}.")
        by = self.tellers.get(by_id)
        if by is None:
            return _refused(f"There is no teller {by_id!r}.")
        if batch["status"] not in ("expected", "received", "disputed"):
            return _refused(f"Batch {batch['number']} is {batch['status']}, so its slip stands.")
        if self.contests[batch["contest_id"]]["status"] != "open":
            return _refused(f"{self.contests[batch['contest_id']]['name']} is certified.")
        if batch["counts"] != 0 and batch["status"] != "disputed":
            return _refused(f"Batch {batch['number']} waits for a recount, so its slip stands until then.")
        if batch["declared"] == declared:
            return _refused(f"The slip of batch {batch['number']} says {declared} already.")
        if not by["chair"]:
            return _refused(f"{by['name']} is not a chair.")
        if batch["status"] == "disputed" and abs(batch["papers"] - batch["declared"]) > 2 and batch["counts"] < 2:
            return _refused(
                f"A difference of {abs(batch['papers'] - batch['declared'])} papers needs a second count before "
                "the slip is corrected."
            )
        self._journal = []
        changed_discrepancies: list[Any] = []
        changed_batches: list[Any] = []
        added_discrepancies: list[Any] = []
        self._put("batches", batch, "declared", declared)
        for d in sorted(self._discrepancies_by_batch_status.get((batch_id, "open"), {}).values(), key=_age):
            changed_discrepancies.append(d)
            self._put("discrepancies", d, "status", "dropped")
        if batch["status"] == "disputed":
            if batch["papers"] == declared:
                if batch["status"] not in ("counting", "reconciled", "disputed"):
                    return self._take_back(f"Batch {batch['number']} cannot go from {batch['status']} to reconciled.")
                changed_batches.append(batch)
                self._put("batches", batch, "status", "reconciled")
            else:
                difference = batch["papers"] - declared
                if not -2000 <= difference <= 2000:
                    return self._take_back("The difference of a discrepancy must be between -2000 and 2000.")
                discrepancy = {
                    "id": self._new_id("discrepancy", "DISCREPANCY", self.discrepancies),
                    "batch_id": batch_id,
                    "difference": difference,
                    "reason": None,
                    "explained_by_id": None,
                    "status": "open",
                }
                self._add("discrepancies", discrepancy)
                added_discrepancies.append(discrepancy)
        for one_batch in _distinct(changed_batches):
            if self._breaks_rule_1(one_batch):
                return self._take_back(RULES[0])
        for one_batch in _distinct(changed_batches):
            if self._breaks_rule_2(one_batch):
                return self._take_back(RULES[1])
        for one_teller in _distinct(
            [
                *[self.tellers.get(one["caller_id"]) for one in changed_batches],
                *[self.tellers.get(one["tallier_id"]) for one in changed_batches],
            ]
        ):
            if self._breaks_rule_3(one_teller):
                return self._take_back(RULES[2])
        for one_batch in _distinct(
            [
                batch,
                *[self.batches[one["batch_id"]] for one in changed_discrepancies],
                *changed_batches,
                *[self.batches[one["batch_id"]] for one in added_discrepancies],
            ]
        ):
            if self._breaks_rule_6(one_batch):
                return self._take_back(RULES[5])
        for one_discrepancy in _distinct([*changed_discrepancies, *added_discrepancies]):
            if self._breaks_rule_7_d(one_discrepancy):
                return self._take_back(RULES[6])
        for one_batch in _distinct(
            [
                *[self.batches[one["batch_id"]] for one in changed_discrepancies],
                *changed_batches,
                *[self.batches[one["batch_id"]] for one in added_discrepancies],
            ]
        ):
            if self._breaks_rule_7_b(one_batch):
                return self._take_back(RULES[6])
        for one_discrepancy in _distinct([*changed_discrepancies, *added_discrepancies]):
            if self._breaks_rule_8(one_discrepancy):
                return self._take_back(RULES[7])
        for one_precinct in _distinct([self.precincts[one["precinct_id"]] for one in changed_batches]):
            if self._breaks_rule_9_p(one_precinct):
                return self._take_back(RULES[8])
        for one_contest in _distinct([self.contests[one["contest_id"]] for one in changed_batches]):
            if self._breaks_rule_11(one_contest):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: correct the slip of batch {batch['number']} to {declared} as {by['name']}.",
            "data": self._changes(),
        }

    def assign_team(self, batch_id: str, caller_id: str, tallier_id: str) -> Result:
        """Give a received batch to a table of two tellers of different parties; a recount needs two fresh people.

        Args:
            batch_id (str): Id of the batch, such as BATCH-00001.
            caller_id (str): Teller from elsewhere who reads out the votes; an id such as TELLER-00001.
            tallier_id (str): Teller from elsewhere, of another party, who writes them down; an id such as
                TELLER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        batch = self.batches.get(batch_id)
        if batch is None:
            return _refused(f"There is no batch {batch_id!r}.")
        caller = self.tellers.get(caller_id)
        if caller is None:
            return _refused(f"There is no teller {caller_id!r}.")
        tallier = self.tellers.get(tallier_id)
        if tallier is None:
            return _refused(f"There is no teller {tallier_id!r}.")
        if batch["status"] != "received":
            return _refused(f"Batch {batch['number']} is {batch['status']}.")
        if caller["party"] == tallier["party"]:
            return _refused(f"{caller['name']} and {tallier['name']} are both {caller['party']}.")
        if caller["home_id"] == batch["precinct_id"] or tallier["home_id"] == batch["precinct_id"]:
            return _refused(f"Nobody who votes in {self.precincts[batch['precinct_id']]['name']} counts its ballots.")
        if (
            self.tellers.get(batch["caller_id"]) in [caller, tallier]
            or self.tellers.get(batch["tallier_id"]) in [caller, tallier]
        ):
            return _refused(f"Batch {batch['number']} must be recounted by people who have not counted it before.")
        if self._teller_busy(caller):
            return _refused(f"{caller['name']} is counting another batch.")
        if self._teller_busy(tallier):
            return _refused(f"{tallier['name']} is counting another batch.")
        self._journal = []
        former_caller_id = batch["caller_id"]
        self._put("batches", batch, "caller_id", caller_id)
        former_tallier_id = batch["tallier_id"]
        self._put("batches", batch, "tallier_id", tallier_id)
        self._put("batches", batch, "status", "counting")
        if self._breaks_rule_1(batch):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(batch):
            return self._take_back(RULES[1])
        for one_teller in _distinct(
            [
                self.tellers.get(batch["caller_id"]),
                self.tellers.get(former_caller_id),
                self.tellers.get(batch["tallier_id"]),
                self.tellers.get(former_tallier_id),
            ]
        ):
            if self._breaks_rule_3(one_teller):
                return self._take_back(RULES[2])
        if self._breaks_rule_6(batch):
            return self._take_back(RULES[5])
        if self._breaks_rule_7_b(batch):
            return self._take_back(RULES[6])
        if self._breaks_rule_9_p(self.precincts[batch["precinct_id"]]):
            return self._take_back(RULES[8])
        if self._breaks_rule_11(self.contests[batch["contest_id"]]):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: give batch {batch['number']} to {caller['name']} and {tallier['name']}.",
            "data": self._changes(),
        }

    def relieve_teller(self, leaving_id: str, coming_id: str) -> Result:
        """Let another teller take the place of somebody at a counting table.

        Args:
            leaving_id (str): Teller who leaves the counting table; an id such as TELLER-00001.
            coming_id (str): Free teller who takes the place, of another party than the one staying; an id such as
                TELLER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        leaving = self.tellers.get(leaving_id)
        if leaving is None:
            return _refused(f"There is no teller {leaving_id!r}.")
        coming = self.tellers.get(coming_id)
        if coming is None:
            return _refused(f"There is no teller {coming_id!r}.")
        batch = next(
            (
                b
                for b in sorted(
                    _distinct(
                        [
                            *self._batches_by_caller.get(leaving_id, {}).values(),
                            *self._batches_by_tallier.get(leaving_id, {}).values(),
                        ]
                    ),
                    key=_age,
                )
                if b["status"] == "counting"
            ),
            None,
        )
        if batch is None:
            return _refused(f"{leaving['name']} is not counting anything.")
        if coming is leaving or self._teller_busy(coming):
            return _refused(f"{coming['name']} is counting already.")
        if coming["home_id"] == batch["precinct_id"]:
            return _refused(f"{coming['name']} votes in {self.precincts[batch['precinct_id']]['name']}.")
        if any(
            b["caller_id"] is not None
            and b["caller_id"] != leaving_id
            and self.tellers[b["caller_id"]]["party"] == coming["party"]
            or b["tallier_id"] is not None
            and b["tallier_id"] != leaving_id
            and self.tellers[b["tallier_id"]]["party"] == coming["party"]
            for b in _those(self.batches, [batch["id"]])
        ):
            return _refused(f"The other person at the table is {coming['party']} too.")
        self._journal = []
        changed_batches: list[Any] = []
        former_caller_ids: list[Any] = []
        changed_batches_2: list[Any] = []
        former_tallier_ids: list[Any] = []
        if batch["caller_id"] == leaving_id:
            changed_batches.append(batch)
            former_caller_ids.append(batch["caller_id"])
            self._put("batches", batch, "caller_id", coming_id)
        else:
            changed_batches_2.append(batch)
            former_tallier_ids.append(batch["tallier_id"])
            self._put("batches", batch, "tallier_id", coming_id)
        for one_batch in _distinct([*changed_batches, *changed_batches_2]):
            if self._breaks_rule_1(one_batch):
                return self._take_back(RULES[0])
        for one_batch in _distinct([*changed_batches, *changed_batches_2]):
            if self._breaks_rule_2(one_batch):
                return self._take_back(RULES[1])
        for one_teller in _distinct(
            [
                *[self.tellers.get(one["caller_id"]) for one in changed_batches],
                *[self.tellers.get(key) for key in former_caller_ids],
                *[self.tellers.get(one["tallier_id"]) for one in changed_batches_2],
                *[self.tellers.get(key) for key in former_tallier_ids],
            ]
        ):
            if self._breaks_rule_3(one_teller):
                return self._take_back(RULES[2])
        return {
            "success": True,
            "message": f"Done: relieve {leaving['name']} by {coming['name']}.",
            "data": self._changes(),
        }

    def count_batch(
        self,
        batch_id: str,
        piles: Annotated[list[CountBatchPile], {"maxItems": 20}],
        extra: Annotated[int, {"minimum": -100, "maximum": 100}] = 0,
    ) -> Result:
        """Enter what a table counted, in votes by candidate and papers above (or below) the slip; papers without a
        clear vote are the rest.

        Args:
            batch_id (str): Id of the batch, such as BATCH-00001.
            piles (list): One entry for each candidate of the contest with votes: candidate_id: candidate who got
                the votes; an id such as CANDIDATE-00001; votes: papers with a clear vote for that candidate, from
                0 to 2000.
            extra (int): Papers counted above the number on the slip, negative for missing ones, from -100 to 100.
                Default: 0.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        batch = self.batches.get(batch_id)
        if batch is None:
            return _refused(f"There is no batch {batch_id!r}.")
        entries, piles = piles, []
        for entry in entries:
            if entry["candidate_id"] not in self.candidates:
                return _refused(f"There is no candidate {entry['candidate_id']!r}.")
            piles.append({"candidate": self.candidates[entry["candidate_id"]], "votes": entry["votes"]})
        if batch["status"] != "counting":
            return _refused(f"Batch {batch['number']} is {batch['status']}, so no table is counting it.")
        if not (len(piles) > 0 and _different([l["candidate"]["id"] for l in piles])):
            return _refused("Name each candidate once.")
        if not all(l["candidate"]["contest_id"] == batch["contest_id"] for l in piles):
            return _refused(
                f"Batch {batch['number']} is about {self.contests[batch['contest_id']]['name']}, so name its "
                "candidates only."
            )
        papers = batch["declared"] + extra
        if papers < 0 or sum(l["votes"] for l in piles) > papers:
            return _refused(f"The piles make {sum(l['votes'] for l in piles)} votes, more than the {papers} papers.")
        if batch["counts"] >= 20:
            return _refused(f"Batch {batch['number']} was counted 20 times.")
        self._journal = []
        deleted_tallies: list[Any] = []
        changed_discrepancies: list[Any] = []
        added_tallies: list[Any] = []
        changed_batches: list[Any] = []
        added_discrepancies: list[Any] = []
        for t in sorted(self._tallies_by_batch.get(batch_id, {}).values(), key=_age):
            if t["id"] in self.tallies:
                self._remove("tallies", t)
            deleted_tallies.append(t)
        for d in [
            d
            for d in sorted(self._discrepancies_by_batch.get(batch_id, {}).values(), key=_age)
            if d["status"] != "dropped"
        ]:
            changed_discrepancies.append(d)
            self._put("discrepancies", d, "status", "dropped")
        for l in list(piles):
            tally = {
                "id": self._new_id("tally", "TALLY", self.tallies),
                "batch_id": batch_id,
                "candidate_id": l["candidate"]["id"],
                "votes": l["votes"],
            }
            self._add("tallies", tally)
            added_tallies.append(tally)
        if not 0 <= papers <= 2100:
            return self._take_back(f"The papers of {batch['number']} must be between 0 and 2100.")
        self._put("batches", batch, "papers", papers)
        counts = batch["counts"] + 1
        if not 0 <= counts <= 20:
            return self._take_back(f"The counts of {batch['number']} must be between 0 and 20.")
        self._put("batches", batch, "counts", counts)
        if extra == 0:
            changed_batches.append(batch)
            self._put("batches", batch, "status", "reconciled")
        else:
            discrepancy = {
                "id": self._new_id("discrepancy", "DISCREPANCY", self.discrepancies),
                "batch_id": batch_id,
                "difference": extra,
                "reason": None,
                "explained_by_id": None,
                "status": "open",
            }
            self._add("discrepancies", discrepancy)
            added_discrepancies.append(discrepancy)
            if batch["status"] not in ("counting", "disputed"):
                return self._take_back(f"Batch {batch['number']} cannot go from {batch['status']} to disputed.")
            changed_batches.append(batch)
            self._put("batches", batch, "status", "disputed")
        for one_batch in _distinct(changed_batches):
            if self._breaks_rule_1(one_batch):
                return self._take_back(RULES[0])
        for one_batch in _distinct(changed_batches):
            if self._breaks_rule_2(one_batch):
                return self._take_back(RULES[1])
        for one_teller in _distinct(
            [
                *[self.tellers.get(one["caller_id"]) for one in changed_batches],
                *[self.tellers.get(one["tallier_id"]) for one in changed_batches],
            ]
        ):
            if self._breaks_rule_3(one_teller):
                return self._take_back(RULES[2])
        for one_tally in _distinct(added_tallies):
            if one_tally["id"] in self.tallies and self._breaks_rule_4_t(one_tally):
                return self._take_back(RULES[3])
        for one_tally in _distinct(added_tallies):
            if one_tally["id"] in self.tallies and self._breaks_rule_4_t_again(one_tally):
                return self._take_back(RULES[3])
        for one_batch in _distinct(
            [
                batch,
                *[self.batches[one["batch_id"]] for one in deleted_tallies],
                *[self.batches[one["batch_id"]] for one in added_tallies],
            ]
        ):
            if self._breaks_rule_5(one_batch):
                return self._take_back(RULES[4])
        for one_batch in _distinct(
            [
                batch,
                *[self.batches[one["batch_id"]] for one in changed_discrepancies],
                *changed_batches,
                *[self.batches[one["batch_id"]] for one in added_discrepancies],
            ]
        ):
            if self._breaks_rule_6(one_batch):
                return self._take_back(RULES[5])
        for one_discrepancy in _distinct([*changed_discrepancies, *added_discrepancies]):
            if self._breaks_rule_7_d(one_discrepancy):
                return self._take_back(RULES[6])
        for one_batch in _distinct(
            [
                *[self.batches[one["batch_id"]] for one in changed_discrepancies],
                *changed_batches,
                *[self.batches[one["batch_id"]] for one in added_discrepancies],
            ]
        ):
            if self._breaks_rule_7_b(one_batch):
                return self._take_back(RULES[6])
        for one_discrepancy in _distinct(
            [
                *changed_discrepancies,
                *self._discrepancies_by_batch_status.get((batch["id"], "explained"), {}).values(),
                *added_discrepancies,
            ]
        ):
            if self._breaks_rule_8(one_discrepancy):
                return self._take_back(RULES[7])
        for one_precinct in _distinct([self.precincts[one["precinct_id"]] for one in changed_batches]):
            if self._breaks_rule_9_p(one_precinct):
                return self._take_back(RULES[8])
        for one_batch in _distinct(self._batches_by_precinct.get(batch["precinct_id"], {}).values()):
            if self._breaks_rule_10(one_batch):
                return self._take_back(RULES[9])
        for one_contest in _distinct(
            [
                *[
                    self.contests[one["contest_id"]]
                    for one in [self.candidates[one["candidate_id"]] for one in deleted_tallies]
                ],
                *[
                    user
                    for one in [self.candidates[one["candidate_id"]] for one in deleted_tallies]
                    for user in self._contests_by_drawn_status.get((one["id"], "certified"), {}).values()
                ],
                *[
                    self.contests[one["contest_id"]]
                    for one in [self.candidates[one["candidate_id"]] for one in added_tallies]
                ],
                *[
                    user
                    for one in [self.candidates[one["candidate_id"]] for one in added_tallies]
                    for user in self._contests_by_drawn_status.get((one["id"], "certified"), {}).values()
                ],
                *[self.contests[one["contest_id"]] for one in changed_batches],
            ]
        ):
            if self._breaks_rule_11(one_contest):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: enter the count of batch {batch['number']}.",
            "data": self._changes(),
        }

    def adjudicate_ballots(
        self,
        batch_id: str,
        candidate_id: str,
        ballots: Annotated[int, {"minimum": 1, "maximum": 500}],
    ) -> Result:
        """Award papers without a clear vote to a candidate, as the panel decided.

        Args:
            batch_id (str): Id of the batch, such as BATCH-00001.
            candidate_id (str): Id of the candidate, such as CANDIDATE-00001.
            ballots (int): Unclear papers of the batch awarded to the candidate, from 1 to 500.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        batch = self.batches.get(batch_id)
        if batch is None:
            return _refused(f"There is no batch {batch_id!r}.")
        candidate = self.candidates.get(candidate_id)
        if candidate is None:
            return _refused(f"There is no candidate {candidate_id!r}.")
        if batch["status"] not in ("reconciled", "disputed"):
            return _refused(f"Batch {batch['number']} is {batch['status']}, so it is not adjudicated now.")
        if self.precincts[batch["precinct_id"]]["status"] != "open":
            return _refused(f"{self.precincts[batch['precinct_id']]['name']} has been signed.")
        if self.contests[batch["contest_id"]]["status"] != "open":
            return _refused(f"{self.contests[batch['contest_id']]['name']} is certified.")
        if candidate["contest_id"] != batch["contest_id"]:
            return _refused(f"{candidate['name']} does not stand for {self.contests[batch['contest_id']]['name']}.")
        if ballots > self._batch_unclear(batch):
            return _refused(f"Batch {batch['number']} has {self._batch_unclear(batch)} unclear papers.")
        self._journal = []
        changed_tallies: list[Any] = []
        added_tallies: list[Any] = []
        tally = next(
            (
                t
                for t in sorted(self._tallies_by_batch_candidate.get((batch_id, candidate_id), {}).values(), key=_age)
            ),
            None,
        )
        if tally is not None:
            votes = tally["votes"] + ballots
            if not 0 <= votes <= 2000:
                return self._take_back(f"The votes of {tally['id']} must be between 0 and 2000.")
            changed_tallies.append(tally)
            self._put("tallies", tally, "votes", votes)
        else:
            new_tally = {
                "id": self._new_id("tally", "TALLY", self.tallies),
                "batch_id": batch_id,
                "candidate_id": candidate_id,
                "votes": ballots,
            }
            self._add("tallies", new_tally)
            added_tallies.append(new_tally)
        for one_tally in _distinct(added_tallies):
            if self._breaks_rule_4_t(one_tally):
                return self._take_back(RULES[3])
        for one_tally in _distinct(added_tallies):
            if self._breaks_rule_4_t_again(one_tally):
                return self._take_back(RULES[3])
        for one_batch in _distinct(
            [
                *[self.batches[one["batch_id"]] for one in changed_tallies],
                *[self.batches[one["batch_id"]] for one in added_tallies],
            ]
        ):
            if self._breaks_rule_5(one_batch):
                return self._take_back(RULES[4])
        for one_contest in _distinct(
            [
                *[
                    self.contests[one["contest_id"]]
                    for one in [self.candidates[one["candidate_id"]] for one in changed_tallies]
                ],
                *[
                    user
                    for one in [self.candidates[one["candidate_id"]] for one in changed_tallies]
                    for user in self._contests_by_drawn_status.get((one["id"], "certified"), {}).values()
                ],
                *[
                    self.contests[one["contest_id"]]
                    for one in [self.candidates[one["candidate_id"]] for one in added_tallies]
                ],
                *[
                    user
                    for one in [self.candidates[one["candidate_id"]] for one in added_tallies]
                    for user in self._contests_by_drawn_status.get((one["id"], "certified"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_11(one_contest):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: award {ballots} papers of batch {batch['number']} to {candidate['name']}.",
            "data": self._changes(),
        }

    def explain_difference(
        self,
        batch_id: str,
        by_id: str,
        reason: Literal["misplaced_paper", "paper_taken_home", "slip_error", "torn_paper"],
    ) -> Result:
        """Let a chair explain the difference of a disputed batch, which reconciles it.

        Args:
            batch_id (str): Id of the batch, such as BATCH-00001.
            by_id (str): Teller who is a chair and explains the difference; an id such as TELLER-00001.
            reason (str): Cause of the difference: misplaced_paper, paper_taken_home, slip_error or torn_paper.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        batch = self.batches.get(batch_id)
        if batch is None:
            return _refused(f"There is no batch {batch_id!r}.")
        by = self.tellers.get(by_id)
        if by is None:
            return _refused(f"There is no teller {by_id!r}.")
        discrepancy = self._open_difference(batch)
        if discrepancy is None:
            return _refused(f"Batch {batch['number']} is {batch['status']} and has no open difference.")
        if not by["chair"]:
            return _refused(f"{by['name']} is not a chair.")
        if abs(discrepancy["difference"]) > 2 and batch["counts"] < 2:
            return _refused(
                f"A difference of {abs(discrepancy['difference'])} papers is explained only after a second count."
            )
        self._journal = []
        self._put("discrepancies", discrepancy, "reason", reason)
        self._put("discrepancies", discrepancy, "explained_by_id", by_id)
        if discrepancy["status"] not in ("open", "explained"):
            return self._take_back(
                f"Discrepancy {discrepancy['id']} cannot go from {discrepancy['status']} to explained."
            )
        self._put("discrepancies", discrepancy, "status", "explained")
        if batch["status"] not in ("counting", "reconciled", "disputed"):
            return self._take_back(f"Batch {batch['number']} cannot go from {batch['status']} to reconciled.")
        self._put("batches", batch, "status", "reconciled")
        if self._breaks_rule_1(batch):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(batch):
            return self._take_back(RULES[1])
        for one_teller in _distinct([self.tellers.get(batch["caller_id"]), self.tellers.get(batch["tallier_id"])]):
            if self._breaks_rule_3(one_teller):
                return self._take_back(RULES[2])
        if self._breaks_rule_6(self.batches[discrepancy["batch_id"]]):
            return self._take_back(RULES[5])
        if self._breaks_rule_6(batch):
            return self._take_back(RULES[5])
        if self._breaks_rule_7_d(discrepancy):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_b(self.batches[discrepancy["batch_id"]]):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_b(batch):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(discrepancy):
            return self._take_back(RULES[7])
        if self._breaks_rule_9_p(self.precincts[batch["precinct_id"]]):
            return self._take_back(RULES[8])
        if self._breaks_rule_11(self.contests[batch["contest_id"]]):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: explain the difference in batch {batch['number']} by {reason}.",
            "data": self._changes(),
        }

    def recount_batch(self, batch_id: str) -> Result:
        """Send a counted batch back for a recount; a signed precinct is opened again.

        Args:
            batch_id (str): Id of the batch, such as BATCH-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        batch = self.batches.get(batch_id)
        if batch is None:
            return _refused(f"There is no batch {batch_id!r}.")
        if batch["status"] not in ("reconciled", "disputed"):
            return _refused(f"Batch {batch['number']} is {batch['status']}, so there is no count to repeat.")
        if self.contests[batch["contest_id"]]["status"] != "open":
            return _refused(f"{self.contests[batch['contest_id']]['name']} is certified.")
        self._journal = []
        changed_discrepancies: list[Any] = []
        changed_precincts: list[Any] = []
        changed_precincts_2: list[Any] = []
        for d in sorted(self._discrepancies_by_batch_status.get((batch_id, "open"), {}).values(), key=_age):
            changed_discrepancies.append(d)
            self._put("discrepancies", d, "status", "dropped")
        self._put("batches", batch, "status", "received")
        if self.precincts[batch["precinct_id"]]["status"] == "signed":
            precinct = self.precincts[batch["precinct_id"]]
            changed_precincts.append(precinct)
            self._put("precincts", precinct, "signed_by_id", None)
            its_precinct = self.precincts[batch["precinct_id"]]
            changed_precincts_2.append(its_precinct)
            self._put("precincts", its_precinct, "status", "open")
        if self._breaks_rule_1(batch):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(batch):
            return self._take_back(RULES[1])
        for one_teller in _distinct([self.tellers.get(batch["caller_id"]), self.tellers.get(batch["tallier_id"])]):
            if self._breaks_rule_3(one_teller):
                return self._take_back(RULES[2])
        for one_batch in _distinct([batch, *[self.batches[one["batch_id"]] for one in changed_discrepancies]]):
            if self._breaks_rule_6(one_batch):
                return self._take_back(RULES[5])
        for one_discrepancy in _distinct(changed_discrepancies):
            if self._breaks_rule_7_d(one_discrepancy):
                return self._take_back(RULES[6])
        for one_batch in _distinct([batch, *[self.batches[one["batch_id"]] for one in changed_discrepancies]]):
            if self._breaks_rule_7_b(one_batch):
                return self._take_back(RULES[6])
        for one_discrepancy in _distinct(changed_discrepancies):
            if self._breaks_rule_8(one_discrepancy):
                return self._take_back(RULES[7])
        for one_precinct in _distinct(
            [self.precincts[batch["precinct_id"]], *changed_precincts, *changed_precincts_2]
        ):
            if self._breaks_rule_9_p(one_precinct):
                return self._take_back(RULES[8])
        for one_precinct in _distinct(changed_precincts):
            if self._breaks_rule_9_p_again(one_precinct):
                return self._take_back(RULES[8])
        for one_batch in _distinct(
            [user for one in changed_precincts_2 for user in self._batches_by_precinct.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_10(one_batch):
                return self._take_back(RULES[9])
        if self._breaks_rule_11(self.contests[batch["contest_id"]]):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: send batch {batch['number']} back for a recount.",
            "data": self._changes(),
        }

    def recount_contest(self, contest_id: str) -> Result:
        """Order the full recount of a contest whose result is closer than the law allows.

        Args:
            contest_id (str): Id of the contest, such as CONTEST-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        contest = self.contests.get(contest_id)
        if contest is None:
            return _refused(f"There is no contest {contest_id!r}.")
        if contest["status"] != "open":
            return _refused(f"{contest['name']} is certified.")
        if contest["recounted"]:
            return _refused(f"{contest['name']} has had its recount.")
        if not self._contest_close(contest):
            return _refused(
                f"{contest['name']} is decided by {self._contest_margin(contest)} votes, which is not close."
            )
        waiting = next(
            (
                b
                for b in sorted(self._batches_by_contest.get(contest_id, {}).values(), key=_age)
                if b["status"] != "reconciled"
            ),
            None,
        )
        if waiting is not None:
            return _refused(f"Batch {waiting['number']} is {waiting['status']}, so the first count is not finished.")
        self._journal = []
        changed_batches: list[Any] = []
        changed_precincts: list[Any] = []
        changed_precincts_2: list[Any] = []
        self._put("contests", contest, "recounted", True)
        for b in sorted(self._batches_by_contest.get(contest_id, {}).values(), key=_age):
            if b["status"] not in ("expected", "received", "reconciled", "disputed"):
                return self._take_back(f"Batch {b['number']} cannot go from {b['status']} to received.")
            changed_batches.append(b)
            self._put("batches", b, "status", "received")
            if self.precincts[b["precinct_id"]]["status"] == "signed":
                precinct = self.precincts[b["precinct_id"]]
                changed_precincts.append(precinct)
                self._put("precincts", precinct, "signed_by_id", None)
                its_precinct = self.precincts[b["precinct_id"]]
                changed_precincts_2.append(its_precinct)
                self._put("precincts", its_precinct, "status", "open")
        for one_batch in _distinct(changed_batches):
            if self._breaks_rule_1(one_batch):
                return self._take_back(RULES[0])
        for one_batch in _distinct(changed_batches):
            if self._breaks_rule_2(one_batch):
                return self._take_back(RULES[1])
        for one_teller in _distinct(
            [
                *[self.tellers.get(one["caller_id"]) for one in changed_batches],
                *[self.tellers.get(one["tallier_id"]) for one in changed_batches],
            ]
        ):
            if self._breaks_rule_3(one_teller):
                return self._take_back(RULES[2])
        for one_batch in _distinct(changed_batches):
            if self._breaks_rule_6(one_batch):
                return self._take_back(RULES[5])
        for one_batch in _distinct(changed_batches):
            if self._breaks_rule_7_b(one_batch):
                return self._take_back(RULES[6])
        for one_precinct in _distinct(
            [
                *[self.precincts[one["precinct_id"]] for one in changed_batches],
                *changed_precincts,
                *changed_precincts_2,
            ]
        ):
            if self._breaks_rule_9_p(one_precinct):
                return self._take_back(RULES[8])
        for one_precinct in _distinct(changed_precincts):
            if self._breaks_rule_9_p_again(one_precinct):
                return self._take_back(RULES[8])
        for one_batch in _distinct(
            [user for one in changed_precincts_2 for user in self._batches_by_precinct.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_10(one_batch):
                return self._take_back(RULES[9])
        for one_contest in _distinct([contest, *[self.contests[one["contest_id"]] for one in changed_batches]]):
            if self._breaks_rule_11(one_contest):
                return self._take_back(RULES[10])
        return {"success": True, "message": f"Done: order the recount of {contest['name']}.", "data": self._changes()}

    def sign_return(self, precinct_id: str, by_id: str) -> Result:
        """Sign the return of a precinct whose batches are all reconciled.

        Args:
            precinct_id (str): Id of the precinct, such as PRECINCT-00001.
            by_id (str): Teller who is a chair and signs the return; an id such as TELLER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        precinct = self.precincts.get(precinct_id)
        if precinct is None:
            return _refused(f"There is no precinct {precinct_id!r}.")
        by = self.tellers.get(by_id)
        if by is None:
            return _refused(f"There is no teller {by_id!r}.")
        if precinct["status"] != "open":
            return _refused(f"{precinct['name']} has been signed.")
        if not by["chair"]:
            return _refused(f"{by['name']} is not a chair.")
        waiting = next((b for b in self._batches_of(precinct) if b["status"] != "reconciled"), None)
        if waiting is not None:
            return _refused(f"Batch {waiting['number']} of {precinct['name']} is {waiting['status']}.")
        over = next(
            (
                b
                for b in self._batches_of(precinct)
                if self._papers_in(precinct, self.contests[b["contest_id"]]) > precinct["voted"]
            ),
            None,
        )
        if over is not None:
            return _refused(
                f"{precinct['name']} has {self._papers_in(precinct, self.contests[over['contest_id']])} papers "
                f"for {self.contests[over['contest_id']]['name']} and only {precinct['voted']} voters."
            )
        self._journal = []
        self._put("precincts", precinct, "signed_by_id", by_id)
        self._put("precincts", precinct, "status", "signed")
        if self._breaks_rule_9_p(precinct):
            return self._take_back(RULES[8])
        if self._breaks_rule_9_p_again(precinct):
            return self._take_back(RULES[8])
        for one_batch in _distinct(self._batches_by_precinct.get(precinct["id"], {}).values()):
            if self._breaks_rule_10(one_batch):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: sign the return of {precinct['name']} as {by['name']}.",
            "data": self._changes(),
        }

    def certify_contest(self, contest_id: str, by_lot_id: str | None = None) -> Result:
        """Certify the result of a contest once the precincts are signed and a close result is recounted; in a tie
        name who won the lot that was drawn.

        Args:
            contest_id (str): Id of the contest, such as CONTEST-00001.
            by_lot_id (str, optional): Candidate who won the lot, only for a tie in first place; an id such as
                CANDIDATE-00001. If left out, no lot is recorded; a tie needs one.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        contest = self.contests.get(contest_id)
        if contest is None:
            return _refused(f"There is no contest {contest_id!r}.")
        by_lot = self.candidates.get(by_lot_id) if by_lot_id is not None else None
        if by_lot_id is not None and by_lot is None:
            return _refused(f"There is no candidate {by_lot_id!r}.")
        if contest["status"] != "open":
            return _refused(f"{contest['name']} is certified.")
        waiting = next(
            (
                b
                for b in sorted(self._batches_by_contest.get(contest_id, {}).values(), key=_age)
                if self.precincts[b["precinct_id"]]["status"] != "signed"
            ),
            None,
        )
        if waiting is not None:
            return _refused(f"{self.precincts[waiting['precinct_id']]['name']} has not been signed.")
        if not contest["recounted"] and self._contest_close(contest):
            return _refused(
                f"{contest['name']} is decided by {self._contest_margin(contest)} votes and must be recounted first."
            )
        if self._contest_margin(contest) <= 0 and by_lot_id is None:
            return _refused(f"{contest['name']} is a tie; draw the lot and name who won it.")
        if not (
            by_lot_id is None
            or self._contest_margin(contest) == 0
            and by_lot["contest_id"] == contest_id
            and self._candidate_votes(by_lot) == max(
                (self._candidate_votes(c) for c in self._candidates_by_contest.get(contest_id, {}).values()),
                default=None,
            )
        ):
            return _refused(f"{by_lot['name']} is not one of those who are level at the top of {contest['name']}.")
        self._journal = []
        self._put("contests", contest, "drawn_id", by_lot_id)
        self._put("contests", contest, "status", "certified")
        if self._breaks_rule_11(contest):
            return self._take_back(RULES[10])
        done = f"certify {contest['name']}"
        if by_lot is not None:
            done += f" for {by_lot['name']}, by lot"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def _show_contest(self, contest: Contest) -> dict[str, Any]:
        """The contest as an answer shows it."""
        return {
            **contest,
            "leader_id": _id_of(self._contest_leader(contest)),
            "runner_up_id": _id_of(self._contest_runner_up(contest)),
            "margin": self._contest_margin(contest),
            "close": self._contest_close(contest),
        }

    def _show_candidate(self, candidate: Candidate) -> dict[str, Any]:
        """The candidate as an answer shows it."""
        return {**candidate, "votes": self._candidate_votes(candidate)}

    def _show_teller(self, teller: Teller) -> dict[str, Any]:
        """The teller as an answer shows it."""
        return {**teller, "busy": self._teller_busy(teller)}

    def _show_batch(self, batch: Batch) -> dict[str, Any]:
        """The batch as an answer shows it."""
        return {**batch, "unclear": self._batch_unclear(batch)}

    def _names_of_contests(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that contests point to."""
        return _names(
            (self.candidates, "name", [row["drawn_id"] for row in shown]),
            (self.candidates, "name", [row["leader_id"] for row in shown]),
            (self.candidates, "name", [row["runner_up_id"] for row in shown]),
        )

    def _names_of_candidates(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that candidates point to."""
        return _names((self.contests, "name", [row["contest_id"] for row in shown]))

    def _names_of_precincts(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that precincts point to."""
        return _names((self.tellers, "name", [row["signed_by_id"] for row in shown]))

    def _names_of_tellers(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that tellers point to."""
        return _names((self.precincts, "name", [row["home_id"] for row in shown]))

    def _names_of_batches(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that batches point to."""
        return _names(
            (self.precincts, "name", [row["precinct_id"] for row in shown]),
            (self.contests, "name", [row["contest_id"] for row in shown]),
            (self.tellers, "name", [row["caller_id"] for row in shown]),
            (self.tellers, "name", [row["tallier_id"] for row in shown]),
        )

    def _names_of_tallies(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that tallies point to."""
        return _names(
            (self.batches, "number", [row["batch_id"] for row in shown]),
            (self.candidates, "name", [row["candidate_id"] for row in shown]),
        )

    def _names_of_discrepancies(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that discrepancies point to."""
        return _names(
            (self.batches, "number", [row["batch_id"] for row in shown]),
            (self.tellers, "name", [row["explained_by_id"] for row in shown]),
        )

    def _contest_leader(self, contest: Contest) -> Candidate | None:
        """The leader of a contest."""
        return (
            self.candidates.get(contest["drawn_id"])
            or min(
                self._candidates_by_contest.get(contest["id"], {}).values(),
                key=lambda c: (-self._candidate_votes(c), c["name"], _age(c)),
                default=None,
            )
        )

    def _contest_runner_up(self, contest: Contest) -> Candidate | None:
        """The runner up of a contest."""
        return min(
            (
                c
                for c in self._candidates_by_contest.get(contest["id"], {}).values()
                if c is not self._contest_leader(contest)
            ),
            key=lambda c: (-self._candidate_votes(c), c["name"], _age(c)),
            default=None,
        )

    def _contest_margin(self, contest: Contest) -> int:
        """The margin of a contest."""
        return (
            (self._candidate_votes(self._contest_leader(contest)) if self._contest_leader(contest) is not None else 0)
            - (
                self._candidate_votes(self._contest_runner_up(contest))
                if self._contest_runner_up(contest) is not None
                else 0
            )
        )

    def _contest_close(self, contest: Contest) -> bool:
        """The close of a contest."""
        return self._contest_margin(contest) * 1000 < contest["recount_below"] * sum(
            self._candidate_votes(c)
            for c in self._candidates_by_contest.get(contest["id"], {}).values()
        )

    def _candidate_votes(self, candidate: Candidate) -> int:
        """The votes of a candidate."""
        return sum(t["votes"] for t in self._tallies_by_candidate.get(candidate["id"], {}).values())

    def _teller_busy(self, teller: Teller) -> bool:
        """The busy of a teller."""
        return any(
            b["status"] == "counting"
            for b in _distinct(
                [
                    *self._batches_by_caller.get(teller["id"], {}).values(),
                    *self._batches_by_tallier.get(teller["id"], {}).values(),
                ]
            )
        )

    def _batch_unclear(self, batch: Batch) -> int:
        """The unclear of a batch."""
        return batch["papers"] - sum(t["votes"] for t in self._tallies_by_batch.get(batch["id"], {}).values())

    def _batches_of(self, p: Precinct) -> list[Batch]:
        return sorted(self._batches_by_precinct.get(p["id"], {}).values(), key=_age)

    def _papers_in(self, p: Precinct, k: Contest) -> int:
        return sum(b["papers"] for b in self._batches_by_precinct_contest.get((p["id"], k["id"]), {}).values())

    def _open_difference(self, b: Batch) -> Discrepancy | None:
        return next(
            (d for d in sorted(self._discrepancies_by_batch_status.get((b["id"], "open"), {}).values(), key=_age)),
            None,
        )

    def _may_count(self, c: Teller, b: Batch) -> bool:
        return (
            c["home_id"] != b["precinct_id"]
            and b["caller_id"] != c["id"]
            and b["tallier_id"] != c["id"]
            and not self._teller_busy(c)
        )

    def _breaks_rule_1(self, b: Batch) -> bool:
        """Whether this is broken: a batch is counted by two people of different parties."""
        return (
            b["status"] == "counting"
            and (
                b["caller_id"] is None
                or b["tallier_id"] is None
                or self.tellers[b["caller_id"]]["party"] == self.tellers[b["tallier_id"]]["party"]
            )
        )

    def _breaks_rule_2(self, b: Batch) -> bool:
        """Whether this is broken: nobody counts the ballots of the precinct where they vote."""
        return (
            b["status"] == "counting"
            and not (
                (b["caller_id"] is None or self.tellers[b["caller_id"]]["home_id"] != b["precinct_id"])
                and (b["tallier_id"] is None or self.tellers[b["tallier_id"]]["home_id"] != b["precinct_id"])
            )
        )

    def _breaks_rule_3(self, c: Teller) -> bool:
        """Whether this is broken: nobody sits at two counting tables."""
        return (
            len(self._batches_by_caller_status.get((c["id"], "counting"), {}))
            + len(self._batches_by_tallier_status.get((c["id"], "counting"), {})) > 1
        )

    def _breaks_rule_4_t(self, t: Tally) -> bool:
        """Whether this is broken: votes go to candidates of the contest that is on the ballot, once for each batch.
        """
        return any(
            other_t is not t
            for other_t in self._tallies_by_batch_candidate.get((t["batch_id"], t["candidate_id"]), {}).values()
        )

    def _breaks_rule_4_t_again(self, t: Tally) -> bool:
        """Whether this is broken: votes go to candidates of the contest that is on the ballot, once for each batch.
        """
        return self.candidates[t["candidate_id"]]["contest_id"] != self.batches[t["batch_id"]]["contest_id"]

    def _breaks_rule_5(self, b: Batch) -> bool:
        """Whether this is broken: a batch gives no more votes than it has papers."""
        return self._batch_unclear(b) < 0

    def _breaks_rule_6(self, b: Batch) -> bool:
        """Whether this is broken: a batch is reconciled when its papers are those on the slip or their difference is
        explained.
        """
        return (
            b["status"] == "reconciled"
            and not (
                b["papers"] == b["declared"]
                or any(
                    d["status"] == "explained"
                    and d["difference"] == b["papers"] - b["declared"]
                    for d in self._discrepancies_by_batch.get(b["id"], {}).values()
                )
            )
        )

    def _breaks_rule_7_d(self, d: Discrepancy) -> bool:
        """Whether this is broken: a disputed batch has one open difference, and no other batch has any."""
        return (
            d["status"] == "open"
            and any(
                other_d is not d
                for other_d in self._discrepancies_by_batch_status.get((d["batch_id"], "open"), {}).values()
            )
        )

    def _breaks_rule_7_b(self, b: Batch) -> bool:
        """Whether this is broken: a disputed batch has one open difference, and no other batch has any."""
        return (b["status"] == "disputed") != any(
            d["status"] == "open"
            for d in self._discrepancies_by_batch.get(b["id"], {}).values()
        )

    def _breaks_rule_8(self, d: Discrepancy) -> bool:
        """Whether this is broken: a difference is explained by a table chair, and one of more than two papers only
        after a second count.
        """
        return (
            d["status"] == "explained"
            and not (
                d["reason"] is not None
                and d["explained_by_id"] is not None
                and self.tellers[d["explained_by_id"]]["chair"]
                and (abs(d["difference"]) <= 2 or self.batches[d["batch_id"]]["counts"] >= 2)
            )
        )

    def _breaks_rule_9_p(self, p: Precinct) -> bool:
        """Whether this is broken: a signed precinct has all its batches reconciled and the signature of a chair."""
        return (
            p["status"] == "signed"
            and not (
                (p["status"] == "signed") == (p["signed_by_id"] is not None)
                and all(b["status"] == "reconciled" for b in self._batches_by_precinct.get(p["id"], {}).values())
            )
        )

    def _breaks_rule_9_p_again(self, p: Precinct) -> bool:
        """Whether this is broken: a signed precinct has all its batches reconciled and the signature of a chair."""
        return p["signed_by_id"] is not None and not self.tellers[p["signed_by_id"]]["chair"]

    def _breaks_rule_10(self, b: Batch) -> bool:
        """Whether this is broken: a signed precinct has no more papers in a contest than voters who signed the roll.
        """
        return (
            self.precincts[b["precinct_id"]]["status"] == "signed"
            and self._papers_in(
                self.precincts[b["precinct_id"]],
                self.contests[b["contest_id"]],
            ) > self.precincts[b["precinct_id"]]["voted"]
        )

    def _breaks_rule_11(self, k: Contest) -> bool:
        """Whether this is broken: a contest is certified when every batch is reconciled and a close result has been
        recounted.
        """
        return (
            k["status"] == "certified"
            and not (
                all(b["status"] == "reconciled" for b in self._batches_by_contest.get(k["id"], {}).values())
                and (k["recounted"] or not self._contest_close(k))
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
            case "contests":
                self._contests_by_drawn_status.setdefault(
                    (record["drawn_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "candidates":
                self._candidates_by_contest.setdefault(record["contest_id"], {})[record["id"]] = record
            case "batches":
                self._batches_by_caller.setdefault(record["caller_id"], {})[record["id"]] = record
                self._batches_by_caller_status.setdefault(
                    (record["caller_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._batches_by_contest.setdefault(record["contest_id"], {})[record["id"]] = record
                self._batches_by_precinct.setdefault(record["precinct_id"], {})[record["id"]] = record
                self._batches_by_precinct_contest.setdefault(
                    (record["precinct_id"], record["contest_id"]),
                    {},
                )[record["id"]] = record
                self._batches_by_tallier.setdefault(record["tallier_id"], {})[record["id"]] = record
                self._batches_by_tallier_status.setdefault(
                    (record["tallier_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "tallies":
                self._tallies_by_batch.setdefault(record["batch_id"], {})[record["id"]] = record
                self._tallies_by_batch_candidate.setdefault(
                    (record["batch_id"], record["candidate_id"]),
                    {},
                )[record["id"]] = record
                self._tallies_by_candidate.setdefault(record["candidate_id"], {})[record["id"]] = record
            case "discrepancies":
                self._discrepancies_by_batch.setdefault(record["batch_id"], {})[record["id"]] = record
                self._discrepancies_by_batch_status.setdefault(
                    (record["batch_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._discrepancies_by_status.setdefault(record["status"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "contests":
                del self._contests_by_drawn_status[record["drawn_id"], record["status"]][record["id"]]
            case "candidates":
                del self._candidates_by_contest[record["contest_id"]][record["id"]]
            case "batches":
                del self._batches_by_caller[record["caller_id"]][record["id"]]
                del self._batches_by_caller_status[record["caller_id"], record["status"]][record["id"]]
                del self._batches_by_contest[record["contest_id"]][record["id"]]
                del self._batches_by_precinct[record["precinct_id"]][record["id"]]
                del self._batches_by_precinct_contest[record["precinct_id"], record["contest_id"]][record["id"]]
                del self._batches_by_tallier[record["tallier_id"]][record["id"]]
                del self._batches_by_tallier_status[record["tallier_id"], record["status"]][record["id"]]
            case "tallies":
                del self._tallies_by_batch[record["batch_id"]][record["id"]]
                del self._tallies_by_batch_candidate[record["batch_id"], record["candidate_id"]][record["id"]]
                del self._tallies_by_candidate[record["candidate_id"]][record["id"]]
            case "discrepancies":
                del self._discrepancies_by_batch[record["batch_id"]][record["id"]]
                del self._discrepancies_by_batch_status[record["batch_id"], record["status"]][record["id"]]
                del self._discrepancies_by_status[record["status"]][record["id"]]
