"""Telescope time. Compiled from blueprint.yaml; run `envscaler build telescope_time` after changing it there.

Runs the queue of an observatory - proposals with minutes to spend, observing blocks with limits of moon and
seeing, nights with weather loss, instruments that must be mounted and blocks that follow others.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Time = Annotated[str, {"format": "time"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "A night holds no more minutes than it is dark, what was lost included.",
    "A proposal never spends or books more minutes than it was allowed.",
    "A telescope carries no more instruments than it has ports.",
    "A block is planned in one night at a time, and only while it counts as planned.",
    "A block is done exactly when it was observed once.",
    "What was observed kept the limit of seeing, and what was rejected did not.",
    "Blocks are planned for nights when the moon is faint enough and the target is up.",
    "An instrument stays mounted as long as blocks are planned with it.",
    "A block that follows another belongs to the same proposal and is not done before it.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "submit_block",
    "withdraw_block",
    "mount_instrument",
    "dismount_instrument",
    "plan_block",
    "drop_slot",
    "observe_slot",
    "lose_time",
    "give_minutes",
    "change_band",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "telescopes": ("name",),
    "instruments": ("name",),
    "proposals": ("code",),
    "targets": ("name",),
    "blocks": ("code",),
    "nights": (),
    "slots": (),
    "losses": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("blocks", "code"),
    ("blocks", "follows_id"),
    ("blocks", "instrument_id"),
    ("blocks", "proposal_id"),
    ("instruments", "telescope_id"),
    ("losses", "night_id"),
    ("nights", "telescope_id"),
    ("slots", "block_id"),
    ("slots", "night_id"),
    ("slots", "status"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Telescope(TypedDict):
    id: str
    name: str
    ports: int


class Instrument(TypedDict):
    id: str
    name: str
    telescope_id: str | None


class Proposal(TypedDict):
    id: str
    code: str
    leader: str
    band: Literal["A", "B", "C"]
    allowed: int


class Target(TypedDict):
    id: str
    name: str
    rises: str
    sets: str


class Block(TypedDict):
    id: str
    code: str
    proposal_id: str
    target_id: str
    instrument_id: str
    minutes: int
    moon_limit: int
    seeing_limit: int
    follows_id: str | None
    status: Literal["waiting", "planned", "withdrawn", "done"]


class Night(TypedDict):
    id: str
    telescope_id: str
    on: str
    moon: int
    dark: int


class Slot(TypedDict):
    id: str
    block_id: str
    night_id: str
    seeing: int | None
    status: Literal["planned", "observed", "rejected", "dropped"]


class Loss(TypedDict):
    id: str
    night_id: str
    cause: Literal["clouds", "wind", "humidity", "technical"]
    minutes: int


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


class TelescopeTime:
    """Runs the queue of an observatory - proposals with minutes to spend, observing blocks with limits of
    moon and seeing, nights with weather loss, instruments that must be mounted and blocks that follow
    others.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.telescopes: dict[str, Telescope] = _copied(config.get("telescopes", {}))
        self.instruments: dict[str, Instrument] = _copied(config.get("instruments", {}))
        self.proposals: dict[str, Proposal] = _copied(config.get("proposals", {}))
        self.targets: dict[str, Target] = _copied(config.get("targets", {}))
        self.blocks: dict[str, Block] = _copied(config.get("blocks", {}))
        self.nights: dict[str, Night] = _copied(config.get("nights", {}))
        self.slots: dict[str, Slot] = _copied(config.get("slots", {}))
        self.losses: dict[str, Loss] = _copied(config.get("losses", {}))
        self.now: str = config.get("now", "2026-04-20T16:00")
        self.counters: dict[str, int] = {
            "telescope": len(self.telescopes),
            "instrument": len(self.instruments),
            "proposal": len(self.proposals),
            "target": len(self.targets),
            "block": len(self.blocks),
            "night": len(self.nights),
            "slot": len(self.slots),
            "loss": len(self.losses),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._instruments_by_telescope: dict[Any, dict[str, Instrument]] = {}
        self._blocks_by_code: dict[Any, dict[str, Block]] = {}
        self._blocks_by_follows: dict[Any, dict[str, Block]] = {}
        self._blocks_by_instrument: dict[Any, dict[str, Block]] = {}
        self._blocks_by_lower_code: dict[Any, dict[str, Block]] = {}
        self._blocks_by_proposal: dict[Any, dict[str, Block]] = {}
        self._nights_by_telescope: dict[Any, dict[str, Night]] = {}
        self._slots_by_block: dict[Any, dict[str, Slot]] = {}
        self._slots_by_block_status: dict[Any, dict[str, Slot]] = {}
        self._slots_by_night: dict[Any, dict[str, Slot]] = {}
        self._slots_by_night_status: dict[Any, dict[str, Slot]] = {}
        self._losses_by_night: dict[Any, dict[str, Loss]] = {}
        for instrument in self.instruments.values():
            self._link("instruments", instrument)
        for block in self.blocks.values():
            self._link("blocks", block)
        for night in self.nights.values():
            self._link("nights", night)
        for slot in self.slots.values():
            self._link("slots", slot)
        for loss in self.losses.values():
            self._link("losses", loss)

    def blocks_for_night(
        self,
        night_id: str,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Waiting blocks that could be planned for a night, best band first and then the longest.

        Args:
            night_id (str): Id of the night, such as NIGHT-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "blocks": records}} or {"success": False, "error": why
                not}
        """
        night = self.nights.get(night_id)
        if night is None:
            return _refused(f"There is no night {night_id!r}.")
        found = [
            b
            for b in [
                b
                for _instrument in self._instruments_by_telescope.get(night["telescope_id"], {}).values()
                for b in self._blocks_by_instrument.get(_instrument["id"], {}).values()
            ]
            if (b["status"] == "waiting" and self._sees(b, night))
            and b["minutes"] <= self._proposal_unspent(self.proposals[b["proposal_id"]])
        ]
        found.sort(key=lambda b: (self._rank(self.proposals[b["proposal_id"]]), -b["minutes"], b["code"], _age(b)))
        return _found(
            {
                "total": len(found),
                "blocks": [
                    {
                        "id": b["id"],
                        "code": b["code"],
                        "proposal": self.proposals[b["proposal_id"]]["code"],
                        "band": self.proposals[b["proposal_id"]]["band"],
                        "minutes": b["minutes"],
                        "seeing_limit": b["seeing_limit"],
                    }
                    for b in _page(found, offset)
                ],
            }
        )

    def nights_for_block(
        self,
        block_id: str,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Nights from today on for which a waiting block could be planned, earliest first.

        Args:
            block_id (str): Id of the block, such as BLOCK-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "nights": records}} or {"success": False, "error": why
                not}
        """
        block = self.blocks.get(block_id)
        if block is None:
            return _refused(f"There is no block {block_id!r}.")
        found = [
            n
            for n in self._nights_by_telescope.get(
                self.instruments[block["instrument_id"]]["telescope_id"],
                {},
            ).values()
            if (n["on"] >= self.now[:10] and self._sees(block, n))
        ]
        found.sort(key=lambda n: (n["on"], self.telescopes[n["telescope_id"]]["name"], _age(n)))
        return _found(
            {
                "total": len(found),
                "nights": [
                    {
                        "id": n["id"],
                        "on": n["on"],
                        "telescope": self.telescopes[n["telescope_id"]]["name"],
                        "moon": n["moon"],
                        "spare": self._night_spare(n),
                    }
                    for n in _page(found, offset)
                ],
            }
        )

    def chain_of(self, block_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """The blocks that come before a block, nearest first.

        Args:
            block_id (str): Id of the block, such as BLOCK-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "blocks": records}} or {"success": False, "error": why
                not}
        """
        block = self.blocks.get(block_id)
        if block is None:
            return _refused(f"There is no block {block_id!r}.")
        found = [b for b in _above(self.blocks, block, "follows_id")]
        return _found(
            {
                "total": len(found),
                "blocks": [{"id": b["id"], "code": b["code"], "status": b["status"]} for b in _page(found, offset)],
            }
        )

    def list_telescopes(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the telescopes, oldest first, all of them or only some.

        Args:
            name (str, optional): Only telescopes whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "telescopes": records}}
        """
        found = [
            telescope
            for telescope in self.telescopes.values()
            if (name is None or name.casefold() in telescope["name"].casefold())
        ]
        return _found({"total": len(found), "telescopes": [{**telescope} for telescope in _page(found, offset)]})

    def list_instruments(
        self,
        name: Text | None = None,
        telescope_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the instruments, oldest first, all of them or only some.

        Args:
            name (str, optional): Only instruments whose name contains this text.
            telescope_id (str, optional): Only instruments of this telescope.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "instruments": records}}
        """
        if telescope_id is not None and telescope_id not in self.telescopes:
            return _refused(f"There is no telescope {telescope_id!r}.")
        found = [
            instrument
            for instrument in self.instruments.values()
            if (name is None or name.casefold() in instrument["name"].casefold())
            and (telescope_id is None or instrument["telescope_id"] == telescope_id)
        ]
        shown = [{**instrument} for instrument in _page(found, offset)]
        return _found({"total": len(found), "instruments": shown}, self._names_of_instruments(shown))

    def list_proposals(
        self,
        code: Text | None = None,
        band: Literal["A", "B", "C"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the proposals, oldest first, all of them or only some.

        Args:
            code (str, optional): Only proposals whose code contains this text.
            band (str, optional): Only proposals with this band.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "proposals": records}}
        """
        found = [
            proposal
            for proposal in self.proposals.values()
            if (code is None or code.casefold() in proposal["code"].casefold())
            and (band is None or proposal["band"] == band)
        ]
        return _found(
            {"total": len(found), "proposals": [self._show_proposal(proposal) for proposal in _page(found, offset)]}
        )

    def list_targets(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the targets, oldest first, all of them or only some.

        Args:
            name (str, optional): Only targets whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "targets": records}}
        """
        found = [
            target
            for target in self.targets.values()
            if (name is None or name.casefold() in target["name"].casefold())
        ]
        return _found({"total": len(found), "targets": [{**target} for target in _page(found, offset)]})

    def list_blocks(
        self,
        code: Text | None = None,
        proposal_id: str | None = None,
        target_id: str | None = None,
        instrument_id: str | None = None,
        follows_id: str | None = None,
        status: Literal["waiting", "planned", "withdrawn", "done"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the blocks, oldest first, all of them or only some.

        Args:
            code (str, optional): Only blocks whose code contains this text.
            proposal_id (str, optional): Only blocks of this proposal.
            target_id (str, optional): Only blocks of this target.
            instrument_id (str, optional): Only blocks of this instrument.
            follows_id (str, optional): Only blocks whose follows is this block.
            status (str, optional): Only blocks with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "blocks": records}}
        """
        if proposal_id is not None and proposal_id not in self.proposals:
            return _refused(f"There is no proposal {proposal_id!r}.")
        if target_id is not None and target_id not in self.targets:
            return _refused(f"There is no target {target_id!r}.")
        if instrument_id is not None and instrument_id not in self.instruments:
            return _refused(f"There is no instrument {instrument_id!r}.")
        if follows_id is not None and follows_id not in self.blocks:
            return _refused(f"There is no block {follows_id!r}.")
        found = [
            block
            for block in self.blocks.values()
            if (code is None or code.casefold() in block["code"].casefold())
            and (proposal_id is None or block["proposal_id"] == proposal_id)
            and (target_id is None or block["target_id"] == target_id)
            and (instrument_id is None or block["instrument_id"] == instrument_id)
            and (follows_id is None or block["follows_id"] == follows_id)
            and (status is None or block["status"] == status)
        ]
        shown = [{**block} for block in _page(found, offset)]
        return _found({"total": len(found), "blocks": shown}, self._names_of_blocks(shown))

    def list_nights(
        self,
        telescope_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the nights, oldest first, all of them or only some.

        Args:
            telescope_id (str, optional): Only nights of this telescope.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "nights": records}}
        """
        if telescope_id is not None and telescope_id not in self.telescopes:
            return _refused(f"There is no telescope {telescope_id!r}.")
        found = [
            night
            for night in self.nights.values()
            if (telescope_id is None or night["telescope_id"] == telescope_id)
        ]
        shown = [self._show_night(night) for night in _page(found, offset)]
        return _found({"total": len(found), "nights": shown}, self._names_of_nights(shown))

    def list_slots(
        self,
        block_id: str | None = None,
        night_id: str | None = None,
        status: Literal["planned", "observed", "rejected", "dropped"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the slots, oldest first, all of them or only some.

        Args:
            block_id (str, optional): Only slots of this block.
            night_id (str, optional): Only slots of this night.
            status (str, optional): Only slots with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "slots": records}}
        """
        if block_id is not None and block_id not in self.blocks:
            return _refused(f"There is no block {block_id!r}.")
        if night_id is not None and night_id not in self.nights:
            return _refused(f"There is no night {night_id!r}.")
        found = [
            slot
            for slot in self.slots.values()
            if (block_id is None or slot["block_id"] == block_id)
            and (night_id is None or slot["night_id"] == night_id)
            and (status is None or slot["status"] == status)
        ]
        shown = [{**slot} for slot in _page(found, offset)]
        return _found({"total": len(found), "slots": shown}, self._names_of_slots(shown))

    def list_losses(
        self,
        night_id: str | None = None,
        cause: Literal["clouds", "wind", "humidity", "technical"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the losses, oldest first, all of them or only some.

        Args:
            night_id (str, optional): Only losses of this night.
            cause (str, optional): Only losses with this cause.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "losses": records}}
        """
        if night_id is not None and night_id not in self.nights:
            return _refused(f"There is no night {night_id!r}.")
        found = [
            loss
            for loss in self.losses.values()
            if (night_id is None or loss["night_id"] == night_id)
            and (cause is None or loss["cause"] == cause)
        ]
        return _found({"total": len(found), "losses": [{**loss} for loss in _page(found, offset)]})

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def submit_block(
        self,
        code: Text,
        proposal_id: str,
        target_id: str,
        instrument_id: str,
        minutes: Annotated[int, {"minimum": 10, "maximum": 400}],
        moon_limit: Annotated[int, {"minimum": 0, "maximum": 100}],
        seeing_limit: Annotated[int, {"minimum": 40, "maximum": 300}],
        follows_id: str | None = None,
    ) -> Result:
        """Submit an observing block of a proposal; it may follow another block of it.

        Args:
            code (str): Code of the new block, not in use yet.
            proposal_id (str): Id of the proposal, such as PROPOSAL-00001.
            target_id (str): Id of the target, such as TARGET-00001.
            instrument_id (str): Id of the instrument, such as INSTRUMENT-00001.
            minutes (int): Length of the observation in minutes, within the proposal's unspent time, from 10 to
                400.
            moon_limit (int): Brightest moon that the block stands, in percent, from 0 to 100.
            seeing_limit (int): Worst seeing that the block stands, in hundredths of an arcsecond, from 40 to 300.
            follows_id (str, optional): Block of the same proposal that must be observed first; an id such as
                BLOCK-00001. If left out, it follows no other block.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        proposal = self.proposals.get(proposal_id)
        if proposal is None:
            return _refused(f"There is no proposal {proposal_id!r}.")
        target = self.targets.get(target_id)
        if target is None:
            return _refused(f"There is no target {target_id!r}.")
        instrument = self.instruments.get(instrument_id)
        if instrument is None:
            return _refused(f"There is no instrument {instrument_id!r}.")
        follows = self.blocks.get(follows_id) if follows_id is not None else None
        if follows_id is not None and follows is None:
            return _refused(f"There is no block {follows_id!r}.")
        if self._blocks_by_lower_code.get(code.lower(), {}):
            return _refused(f"There is a block {code} already.")
        if follows_id is not None and follows["proposal_id"] != proposal_id:
            return _refused("The block before belongs to another proposal.")
        if follows_id is not None and follows["status"] == "withdrawn":
            return _refused("The block before was withdrawn.")
        if minutes > self._proposal_unspent(proposal):
            return _refused(f"{proposal['code']} has {self._proposal_unspent(proposal)} minutes left, not {minutes}.")
        self._journal = []
        block: Block = {
            "id": self._new_id("block", "BLOCK", self.blocks),
            "code": code,
            "proposal_id": proposal_id,
            "target_id": target_id,
            "instrument_id": instrument_id,
            "minutes": minutes,
            "moon_limit": moon_limit,
            "seeing_limit": seeing_limit,
            "follows_id": follows_id,
            "status": "waiting",
        }
        self._add("blocks", block)
        if len(self._blocks_by_code.get(block["code"], {})) > 1:
            return self._take_back(f"There is already a block with the code {block['code']!r}.")
        if self._breaks_rule_4_b(block):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(block):
            return self._take_back(RULES[4])
        if self._breaks_rule_9(block):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: submit the block {code} for {proposal['code']} (new: block {block['id']}).",
            "data": {"block_id": block["id"], **self._changes()},
        }

    def withdraw_block(self, block_id: str) -> Result:
        """Withdraw a waiting block that no other waiting or planned block follows.

        Args:
            block_id (str): Id of the block, such as BLOCK-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        block = self.blocks.get(block_id)
        if block is None:
            return _refused(f"There is no block {block_id!r}.")
        if block["status"] != "waiting":
            return _refused(f"{block['code']} is {block['status']}.")
        later = next(
            (
                b
                for b in sorted(self._blocks_by_follows.get(block_id, {}).values(), key=_age)
                if b["status"] in ("waiting", "planned")
            ),
            None,
        )
        if later is not None:
            return _refused(f"{later['code']} follows it, so withdraw that first.")
        self._journal = []
        self._put("blocks", block, "status", "withdrawn")
        if self._breaks_rule_4_b(block):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(block):
            return self._take_back(RULES[4])
        for one_block in _distinct([block, *self._blocks_by_follows.get(block["id"], {}).values()]):
            if self._breaks_rule_9(one_block):
                return self._take_back(RULES[8])
        return {"success": True, "message": f"Done: withdraw {block['code']}.", "data": self._changes()}

    def mount_instrument(self, instrument_id: str, telescope_id: str) -> Result:
        """Mount an instrument that is in the store on a telescope with a free port.

        Args:
            instrument_id (str): Id of the instrument, such as INSTRUMENT-00001.
            telescope_id (str): Id of the telescope, such as TELESCOPE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        instrument = self.instruments.get(instrument_id)
        if instrument is None:
            return _refused(f"There is no instrument {instrument_id!r}.")
        telescope = self.telescopes.get(telescope_id)
        if telescope is None:
            return _refused(f"There is no telescope {telescope_id!r}.")
        if instrument["telescope_id"] is not None:
            return _refused(
                f"{instrument['name']} is mounted on {self.telescopes[instrument['telescope_id']]['name']}."
            )
        if len(self._instruments_by_telescope.get(telescope_id, {})) >= telescope["ports"]:
            return _refused(f"All {telescope['ports']} ports of {telescope['name']} are taken.")
        self._journal = []
        former_telescope_id = instrument["telescope_id"]
        self._put("instruments", instrument, "telescope_id", telescope_id)
        for one_telescope in _distinct(
            [self.telescopes.get(instrument["telescope_id"]), self.telescopes.get(former_telescope_id)]
        ):
            if self._breaks_rule_3(one_telescope):
                return self._take_back(RULES[2])
        for one_slot in _distinct(
            [
                user
                for one in self._blocks_by_instrument.get(instrument["id"], {}).values()
                for user in self._slots_by_block_status.get((one["id"], "planned"), {}).values()
            ]
        ):
            if self._breaks_rule_8(one_slot):
                return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: mount {instrument['name']} on {telescope['name']}.",
            "data": self._changes(),
        }

    def dismount_instrument(self, instrument_id: str) -> Result:
        """Take an instrument off its telescope, for which nothing may be planned.

        Args:
            instrument_id (str): Id of the instrument, such as INSTRUMENT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        instrument = self.instruments.get(instrument_id)
        if instrument is None:
            return _refused(f"There is no instrument {instrument_id!r}.")
        if instrument["telescope_id"] is None:
            return _refused(f"{instrument['name']} is in the store.")
        slot = next(
            (
                s
                for s in sorted(
                    [
                        s
                        for _block in self._blocks_by_instrument.get(instrument_id, {}).values()
                        for s in self._slots_by_block_status.get((_block["id"], "planned"), {}).values()
                    ],
                    key=_age,
                )
            ),
            None,
        )
        if slot is not None:
            return _refused(
                f"{self.blocks[slot['block_id']]['code']} is planned with it for "
                f"{self.nights[slot['night_id']]['on']}, so drop that first."
            )
        self._journal = []
        former_telescope_id = instrument["telescope_id"]
        self._put("instruments", instrument, "telescope_id", None)
        for one_telescope in _distinct(
            [self.telescopes.get(instrument["telescope_id"]), self.telescopes.get(former_telescope_id)]
        ):
            if self._breaks_rule_3(one_telescope):
                return self._take_back(RULES[2])
        for one_slot in _distinct(
            [
                user
                for one in self._blocks_by_instrument.get(instrument["id"], {}).values()
                for user in self._slots_by_block_status.get((one["id"], "planned"), {}).values()
            ]
        ):
            if self._breaks_rule_8(one_slot):
                return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: take {instrument['name']} off its telescope.",
            "data": self._changes(),
        }

    def plan_block(self, block_id: str, night_id: str) -> Result:
        """Plan a waiting block for tonight or a later night.

        Args:
            block_id (str): Id of the block, such as BLOCK-00001.
            night_id (str): Id of the night, such as NIGHT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        block = self.blocks.get(block_id)
        if block is None:
            return _refused(f"There is no block {block_id!r}.")
        night = self.nights.get(night_id)
        if night is None:
            return _refused(f"There is no night {night_id!r}.")
        if block["status"] != "waiting":
            return _refused(f"{block['code']} is {block['status']}.")
        if night["on"] < self.now[:10]:
            return _refused(f"The night of {night['on']} is over.")
        if self.instruments[block["instrument_id"]]["telescope_id"] != night["telescope_id"]:
            return _refused(
                f"{self.instruments[block['instrument_id']]['name']} is not mounted on "
                f"{self.telescopes[night['telescope_id']]['name']}."
            )
        if night["moon"] > block["moon_limit"]:
            return _refused(
                f"The moon is at {night['moon']} percent and {block['code']} bears {block['moon_limit']}."
            )
        if not self._in_season(self.targets[block["target_id"]], night["on"]):
            return _refused(
                f"{self.targets[block['target_id']]['name']} is up from "
                f"{self.targets[block['target_id']]['rises']} to {self.targets[block['target_id']]['sets']}."
            )
        if not self._ready_for(block, night["on"]):
            return _refused(f"The block before {block['code']} must be done, or planned for an earlier night.")
        if block["minutes"] > self._night_spare(night):
            return _refused(f"The night has {self._night_spare(night)} minutes left, not {block['minutes']}.")
        if block["minutes"] > self._proposal_unspent(self.proposals[block["proposal_id"]]):
            return _refused(
                f"{self.proposals[block['proposal_id']]['code']} has "
                f"{self._proposal_unspent(self.proposals[block['proposal_id']])} minutes left, not "
                f"{block['minutes']}."
            )
        self._journal = []
        slot: Slot = {
            "id": self._new_id("slot", "SLOT", self.slots),
            "block_id": block_id,
            "night_id": night_id,
            "seeing": None,
            "status": "planned",
        }
        self._add("slots", slot)
        self._put("blocks", block, "status", "planned")
        if self._breaks_rule_1(self.nights[slot["night_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(self.proposals[self.blocks[slot["block_id"]]["proposal_id"]]):
            return self._take_back(RULES[1])
        if self._breaks_rule_4_s(slot):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_b(self.blocks[slot["block_id"]]):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_b(block):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(self.blocks[slot["block_id"]]):
            return self._take_back(RULES[4])
        if self._breaks_rule_5(block):
            return self._take_back(RULES[4])
        if self._breaks_rule_6_s(slot):
            return self._take_back(RULES[5])
        if self._breaks_rule_6_s_again(slot):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(slot):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(slot):
            return self._take_back(RULES[7])
        for one_block in _distinct([block, *self._blocks_by_follows.get(block["id"], {}).values()]):
            if self._breaks_rule_9(one_block):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: plan {block['code']} for the night of {night['on']} at "
                f"{self.telescopes[night['telescope_id']]['name']} (new: slot {slot['id']})."
            ),
            "data": {"slot_id": slot["id"], **self._changes()},
        }

    def drop_slot(self, slot_id: str) -> Result:
        """Drop a planned slot, so that the block waits again.

        Args:
            slot_id (str): Id of the slot, such as SLOT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        slot = self.slots.get(slot_id)
        if slot is None:
            return _refused(f"There is no slot {slot_id!r}.")
        if slot["status"] != "planned":
            return _refused(f"That slot is {slot['status']}.")
        later = next(
            (
                s
                for s in sorted(
                    [
                        s
                        for _block in self._blocks_by_follows.get(slot["block_id"], {}).values()
                        for s in self._slots_by_block_status.get((_block["id"], "planned"), {}).values()
                    ],
                    key=_age,
                )
            ),
            None,
        )
        if later is not None:
            return _refused(f"{self.blocks[later['block_id']]['code']} is planned after it, so drop that first.")
        self._journal = []
        self._put("slots", slot, "status", "dropped")
        block = self.blocks[slot["block_id"]]
        if block["status"] not in ("waiting", "planned"):
            return self._take_back(f"Block {block['code']} cannot go from {block['status']} to waiting.")
        self._put("blocks", block, "status", "waiting")
        if self._breaks_rule_1(self.nights[slot["night_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(self.proposals[self.blocks[slot["block_id"]]["proposal_id"]]):
            return self._take_back(RULES[1])
        if self._breaks_rule_4_s(slot):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_b(self.blocks[slot["block_id"]]):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_b(block):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(self.blocks[slot["block_id"]]):
            return self._take_back(RULES[4])
        if self._breaks_rule_5(block):
            return self._take_back(RULES[4])
        if self._breaks_rule_6_s(slot):
            return self._take_back(RULES[5])
        if self._breaks_rule_6_s_again(slot):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(slot):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(slot):
            return self._take_back(RULES[7])
        for one_block in _distinct([block, *self._blocks_by_follows.get(block["id"], {}).values()]):
            if self._breaks_rule_9(one_block):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: drop {self.blocks[slot['block_id']]['code']} from the night of "
                f"{self.nights[slot['night_id']]['on']}."
            ),
            "data": self._changes(),
        }

    def observe_slot(self, slot_id: str, seeing: Annotated[int, {"minimum": 30, "maximum": 400}]) -> Result:
        """Record that a planned slot was observed, with the seeing in hundredths of an arcsecond; worse than the
        limit, it is rejected and the block waits again.

        Args:
            slot_id (str): Id of the slot, such as SLOT-00001.
            seeing (int): Seeing that was measured, in hundredths of an arcsecond, from 30 to 400.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        slot = self.slots.get(slot_id)
        if slot is None:
            return _refused(f"There is no slot {slot_id!r}.")
        if slot["status"] != "planned":
            return _refused(f"That slot is {slot['status']}.")
        if self.nights[slot["night_id"]]["on"] >= self.now[:10]:
            return _refused(f"The night of {self.nights[slot['night_id']]['on']} is not over.")
        if (
            self.blocks[slot["block_id"]]["follows_id"] is not None
            and self.blocks[self.blocks[slot["block_id"]]["follows_id"]]["status"] != "done"
        ):
            return _refused(
                f"{self.blocks[self.blocks[slot['block_id']]['follows_id']]['code']} was not done, so drop the slot."
            )
        self._journal = []
        changed_slots: list[Any] = []
        changed_blocks: list[Any] = []
        self._put("slots", slot, "seeing", seeing)
        if seeing <= self.blocks[slot["block_id"]]["seeing_limit"]:
            changed_slots.append(slot)
            self._put("slots", slot, "status", "observed")
            block = self.blocks[slot["block_id"]]
            if block["status"] not in ("planned", "done"):
                return self._take_back(f"Block {block['code']} cannot go from {block['status']} to done.")
            changed_blocks.append(block)
            self._put("blocks", block, "status", "done")
        else:
            if slot["status"] not in ("planned", "rejected"):
                return self._take_back(f"Slot {slot['id']} cannot go from {slot['status']} to rejected.")
            changed_slots.append(slot)
            self._put("slots", slot, "status", "rejected")
            its_block = self.blocks[slot["block_id"]]
            if its_block["status"] not in ("waiting", "planned"):
                return self._take_back(f"Block {its_block['code']} cannot go from {its_block['status']} to waiting.")
            changed_blocks.append(its_block)
            self._put("blocks", its_block, "status", "waiting")
        for one_night in _distinct([self.nights[one["night_id"]] for one in changed_slots]):
            if self._breaks_rule_1(one_night):
                return self._take_back(RULES[0])
        for one_proposal in _distinct(
            [self.proposals[one["proposal_id"]] for one in [self.blocks[one["block_id"]] for one in changed_slots]]
        ):
            if self._breaks_rule_2(one_proposal):
                return self._take_back(RULES[1])
        for one_slot in _distinct(changed_slots):
            if self._breaks_rule_4_s(one_slot):
                return self._take_back(RULES[3])
        for one_block in _distinct([*[self.blocks[one["block_id"]] for one in changed_slots], *changed_blocks]):
            if self._breaks_rule_4_b(one_block):
                return self._take_back(RULES[3])
        for one_block in _distinct([*[self.blocks[one["block_id"]] for one in changed_slots], *changed_blocks]):
            if self._breaks_rule_5(one_block):
                return self._take_back(RULES[4])
        for one_slot in _distinct([slot, *changed_slots]):
            if self._breaks_rule_6_s(one_slot):
                return self._take_back(RULES[5])
        for one_slot in _distinct([slot, *changed_slots]):
            if self._breaks_rule_6_s_again(one_slot):
                return self._take_back(RULES[5])
        for one_slot in _distinct(changed_slots):
            if self._breaks_rule_7(one_slot):
                return self._take_back(RULES[6])
        for one_slot in _distinct(changed_slots):
            if self._breaks_rule_8(one_slot):
                return self._take_back(RULES[7])
        for one_block in _distinct(
            [
                *changed_blocks,
                *[user for one in changed_blocks for user in self._blocks_by_follows.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_9(one_block):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: record {self.blocks[slot['block_id']]['code']} with a seeing of {seeing}.",
            "data": self._changes(),
        }

    def lose_time(
        self,
        night_id: str,
        cause: Literal["clouds", "wind", "humidity", "technical"],
        minutes: Annotated[int, {"minimum": 1, "maximum": 720}],
    ) -> Result:
        """Record minutes lost in a night; planned slots that no longer fit are dropped, the lowest bands and the
        longest blocks first.

        Args:
            night_id (str): Id of the night, such as NIGHT-00001.
            cause (str): Why the time was lost: clouds, wind, humidity or technical.
            minutes (int): Time that was lost, in minutes, from 1 to 720.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        night = self.nights.get(night_id)
        if night is None:
            return _refused(f"There is no night {night_id!r}.")
        if night["on"] > self.now[:10]:
            return _refused(f"The night of {night['on']} has not come yet.")
        busy = sum(
            self.blocks[s["block_id"]]["minutes"]
            for s in self._slots_by_night.get(night_id, {}).values()
            if s["status"] in ("observed", "rejected")
        )
        if minutes + busy + self._night_lost(night) > night["dark"]:
            return _refused(
                f"Only {night['dark'] - self._night_lost(night) - busy} minutes of that night can still be lost."
            )
        if any(
            bool(
                [
                    o
                    for _block in self._blocks_by_follows.get(s["block_id"], {}).values()
                    for o in self._slots_by_block_status.get((_block["id"], "planned"), {}).values()
                ]
            )
            for s in self._slots_by_night_status.get((night_id, "planned"), {}).values()
        ):
            return _refused("A slot of that night has others planned after it, so drop those first.")
        self._journal = []
        changed_slots: list[Any] = []
        changed_blocks: list[Any] = []
        over = minutes - self._night_spare(night)
        for s in sorted(
            self._slots_by_night_status.get((night_id, "planned"), {}).values(),
            key=lambda s: (
                -self._rank(self.proposals[self.blocks[s["block_id"]]["proposal_id"]]),
                -self.blocks[s["block_id"]]["minutes"],
                self.blocks[s["block_id"]]["code"],
                _age(s),
            ),
        ):
            if over > 0:
                if s["status"] not in ("planned", "dropped"):
                    return self._take_back(f"Slot {s['id']} cannot go from {s['status']} to dropped.")
                changed_slots.append(s)
                self._put("slots", s, "status", "dropped")
                block = self.blocks[s["block_id"]]
                if block["status"] not in ("waiting", "planned"):
                    return self._take_back(f"Block {block['code']} cannot go from {block['status']} to waiting.")
                changed_blocks.append(block)
                self._put("blocks", block, "status", "waiting")
                over = over - self.blocks[s["block_id"]]["minutes"]
        loss: Loss = {
            "id": self._new_id("loss", "LOSS", self.losses),
            "night_id": night_id,
            "cause": cause,
            "minutes": minutes,
        }
        self._add("losses", loss)
        for one_night in _distinct(
            [self.nights[loss["night_id"]], *[self.nights[one["night_id"]] for one in changed_slots]]
        ):
            if self._breaks_rule_1(one_night):
                return self._take_back(RULES[0])
        for one_proposal in _distinct(
            [self.proposals[one["proposal_id"]] for one in [self.blocks[one["block_id"]] for one in changed_slots]]
        ):
            if self._breaks_rule_2(one_proposal):
                return self._take_back(RULES[1])
        for one_slot in _distinct(changed_slots):
            if self._breaks_rule_4_s(one_slot):
                return self._take_back(RULES[3])
        for one_block in _distinct([*[self.blocks[one["block_id"]] for one in changed_slots], *changed_blocks]):
            if self._breaks_rule_4_b(one_block):
                return self._take_back(RULES[3])
        for one_block in _distinct([*[self.blocks[one["block_id"]] for one in changed_slots], *changed_blocks]):
            if self._breaks_rule_5(one_block):
                return self._take_back(RULES[4])
        for one_slot in _distinct(changed_slots):
            if self._breaks_rule_6_s(one_slot):
                return self._take_back(RULES[5])
        for one_slot in _distinct(changed_slots):
            if self._breaks_rule_6_s_again(one_slot):
                return self._take_back(RULES[5])
        for one_slot in _distinct(changed_slots):
            if self._breaks_rule_7(one_slot):
                return self._take_back(RULES[6])
        for one_slot in _distinct(changed_slots):
            if self._breaks_rule_8(one_slot):
                return self._take_back(RULES[7])
        for one_block in _distinct(
            [
                *changed_blocks,
                *[user for one in changed_blocks for user in self._blocks_by_follows.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_9(one_block):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: record {minutes} minutes lost in the night of {night['on']} to {cause} (new: loss "
                f"{loss['id']})."
            ),
            "data": {"loss_id": loss["id"], **self._changes()},
        }

    def give_minutes(
        self,
        giver_id: str,
        taker_id: str,
        minutes: Annotated[int, {"minimum": 1, "maximum": 3000}],
    ) -> Result:
        """Let a proposal give unspent minutes to another.

        Args:
            giver_id (str): Proposal that gives up time; an id such as PROPOSAL-00001.
            taker_id (str): Proposal that gets the time; an id such as PROPOSAL-00001.
            minutes (int): Unspent time that is given, in minutes, from 1 to 3000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        giver = self.proposals.get(giver_id)
        if giver is None:
            return _refused(f"There is no proposal {giver_id!r}.")
        taker = self.proposals.get(taker_id)
        if taker is None:
            return _refused(f"There is no proposal {taker_id!r}.")
        if giver is taker:
            return _refused("A proposal cannot give to itself.")
        if minutes > self._proposal_unspent(giver):
            return _refused(f"{giver['code']} has {self._proposal_unspent(giver)} minutes to give, not {minutes}.")
        if taker["allowed"] + minutes > 3000:
            return _refused("A proposal has 3000 minutes at most.")
        self._journal = []
        allowed = giver["allowed"] - minutes
        if not 0 <= allowed <= 3000:
            return self._take_back(f"The allowed of {giver['code']} must be between 0 and 3000.")
        self._put("proposals", giver, "allowed", allowed)
        new_allowed = taker["allowed"] + minutes
        if not 0 <= new_allowed <= 3000:
            return self._take_back(f"The allowed of {taker['code']} must be between 0 and 3000.")
        self._put("proposals", taker, "allowed", new_allowed)
        if self._breaks_rule_2(giver):
            return self._take_back(RULES[1])
        if self._breaks_rule_2(taker):
            return self._take_back(RULES[1])
        return {
            "success": True,
            "message": f"Done: give {minutes} minutes of {giver['code']} to {taker['code']}.",
            "data": self._changes(),
        }

    def change_band(self, proposal_id: str, band: Literal["A", "B", "C"]) -> Result:
        """Put a proposal into another band of the queue.

        Args:
            proposal_id (str): Id of the proposal, such as PROPOSAL-00001.
            band (str): New band in the queue, A being served before B and C: A, B or C.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        proposal = self.proposals.get(proposal_id)
        if proposal is None:
            return _refused(f"There is no proposal {proposal_id!r}.")
        if proposal["band"] == band:
            return _refused(f"{proposal['code']} is in band {band} already.")
        self._journal = []
        self._put("proposals", proposal, "band", band)
        return {
            "success": True,
            "message": f"Done: put {proposal['code']} into band {band}.",
            "data": self._changes(),
        }

    def _show_proposal(self, proposal: Proposal) -> dict[str, Any]:
        """The proposal as an answer shows it."""
        return {
            **proposal,
            "spent": self._proposal_spent(proposal),
            "booked": self._proposal_booked(proposal),
            "unspent": self._proposal_unspent(proposal),
        }

    def _show_night(self, night: Night) -> dict[str, Any]:
        """The night as an answer shows it."""
        return {**night, "lost": self._night_lost(night), "spare": self._night_spare(night)}

    def _names_of_instruments(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that instruments point to."""
        return _names((self.telescopes, "name", [row["telescope_id"] for row in shown]))

    def _names_of_blocks(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that blocks point to."""
        return _names(
            (self.proposals, "code", [row["proposal_id"] for row in shown]),
            (self.targets, "name", [row["target_id"] for row in shown]),
            (self.instruments, "name", [row["instrument_id"] for row in shown]),
            (self.blocks, "code", [row["follows_id"] for row in shown]),
        )

    def _names_of_nights(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that nights point to."""
        return _names((self.telescopes, "name", [row["telescope_id"] for row in shown]))

    def _names_of_slots(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that slots point to."""
        return _names((self.blocks, "code", [row["block_id"] for row in shown]))

    def _proposal_spent(self, proposal: Proposal) -> int:
        """The spent of a proposal."""
        return sum(
            self.blocks[s["block_id"]]["minutes"]
            for _block in self._blocks_by_proposal.get(proposal["id"], {}).values()
            for s in self._slots_by_block_status.get((_block["id"], "observed"), {}).values()
        )

    def _proposal_booked(self, proposal: Proposal) -> int:
        """The booked of a proposal."""
        return sum(
            self.blocks[s["block_id"]]["minutes"]
            for _block in self._blocks_by_proposal.get(proposal["id"], {}).values()
            for s in self._slots_by_block_status.get((_block["id"], "planned"), {}).values()
        )

    def _proposal_unspent(self, proposal: Proposal) -> int:
        """The unspent of a proposal."""
        return proposal["allowed"] - self._proposal_spent(proposal) - self._proposal_booked(proposal)

    def _night_lost(self, night: Night) -> int:
        """The lost of a night."""
        return sum(x["minutes"] for x in self._losses_by_night.get(night["id"], {}).values())

    def _night_spare(self, night: Night) -> int:
        """The spare of a night."""
        return (
            night["dark"]
            - self._night_lost(night)
            - sum(
                self.blocks[s["block_id"]]["minutes"]
                for s in self._slots_by_night.get(night["id"], {}).values()
                if s["status"] != "dropped"
            )
        )

    def _rank(self, p: Proposal) -> int:
        return 1 if p["band"] == "A" else 2 if p["band"] == "B" else 3

    def _in_season(self, t: Target, d: str) -> bool:
        return t["rises"] <= d and d <= t["sets"]

    def _ready_for(self, b: Block, d: str) -> bool:
        return (
            b["follows_id"] is None
            or self.blocks[b["follows_id"]]["status"] == "done"
            or any(
                self.nights[s["night_id"]]["on"] < d
                for s in self._slots_by_block_status.get((b["follows_id"], "planned"), {}).values()
            )
        )

    def _sees(self, b: Block, n: Night) -> bool:
        return (
            self.instruments[b["instrument_id"]]["telescope_id"] == n["telescope_id"]
            and n["moon"] <= b["moon_limit"]
            and self._in_season(self.targets[b["target_id"]], n["on"])
            and b["minutes"] <= self._night_spare(n)
            and self._ready_for(b, n["on"])
        )

    def _breaks_rule_1(self, n: Night) -> bool:
        """Whether this is broken: a night holds no more minutes than it is dark, what was lost included."""
        return self._night_spare(n) < 0

    def _breaks_rule_2(self, p: Proposal) -> bool:
        """Whether this is broken: a proposal never spends or books more minutes than it was allowed."""
        return self._proposal_unspent(p) < 0

    def _breaks_rule_3(self, t: Telescope) -> bool:
        """Whether this is broken: a telescope carries no more instruments than it has ports."""
        return len(self._instruments_by_telescope.get(t["id"], {})) > t["ports"]

    def _breaks_rule_4_s(self, s: Slot) -> bool:
        """Whether this is broken: a block is planned in one night at a time, and only while it counts as planned."""
        return (
            s["status"] == "planned"
            and any(
                other_s is not s
                for other_s in self._slots_by_block_status.get((s["block_id"], "planned"), {}).values()
            )
        )

    def _breaks_rule_4_b(self, b: Block) -> bool:
        """Whether this is broken: a block is planned in one night at a time, and only while it counts as planned."""
        return (b["status"] == "planned") != any(
            s["status"] == "planned"
            for s in self._slots_by_block.get(b["id"], {}).values()
        )

    def _breaks_rule_5(self, b: Block) -> bool:
        """Whether this is broken: a block is done exactly when it was observed once."""
        return len(self._slots_by_block_status.get((b["id"], "observed"), {})) != (1 if b["status"] == "done" else 0)

    def _breaks_rule_6_s(self, s: Slot) -> bool:
        """Whether this is broken: what was observed kept the limit of seeing, and what was rejected did not."""
        return (
            s["status"] == "observed"
            and (s["seeing"] is None or s["seeing"] > self.blocks[s["block_id"]]["seeing_limit"])
        )

    def _breaks_rule_6_s_again(self, s: Slot) -> bool:
        """Whether this is broken: what was observed kept the limit of seeing, and what was rejected did not."""
        return (
            s["status"] == "rejected"
            and (s["seeing"] is None or s["seeing"] <= self.blocks[s["block_id"]]["seeing_limit"])
        )

    def _breaks_rule_7(self, s: Slot) -> bool:
        """Whether this is broken: blocks are planned for nights when the moon is faint enough and the target is up.
        """
        return (
            s["status"] == "planned"
            and not (
                self.nights[s["night_id"]]["moon"] <= self.blocks[s["block_id"]]["moon_limit"]
                and self._in_season(
                    self.targets[self.blocks[s["block_id"]]["target_id"]],
                    self.nights[s["night_id"]]["on"],
                )
            )
        )

    def _breaks_rule_8(self, s: Slot) -> bool:
        """Whether this is broken: an instrument stays mounted as long as blocks are planned with it."""
        return (
            s["status"] == "planned"
            and (
                self.instruments[self.blocks[s["block_id"]]["instrument_id"]]["telescope_id"] is None
                or self.instruments[
                    self.blocks[s["block_id"]]["instrument_id"]
                ]["telescope_id"] != self.nights[s["night_id"]]["telescope_id"]
            )
        )

    def _breaks_rule_9(self, b: Block) -> bool:
        """Whether this is broken: a block that follows another belongs to the same proposal and is not done before
        it.
        """
        return not (
            b["follows_id"] is None
            or self.blocks[b["follows_id"]]["proposal_id"] == b["proposal_id"]
            and (b["status"] != "done" or self.blocks[b["follows_id"]]["status"] == "done")
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
            case "instruments":
                self._instruments_by_telescope.setdefault(record["telescope_id"], {})[record["id"]] = record
            case "blocks":
                self._blocks_by_code.setdefault(record["code"], {})[record["id"]] = record
                self._blocks_by_follows.setdefault(record["follows_id"], {})[record["id"]] = record
                self._blocks_by_instrument.setdefault(record["instrument_id"], {})[record["id"]] = record
                self._blocks_by_lower_code.setdefault(record["code"].lower(), {})[record["id"]] = record
                self._blocks_by_proposal.setdefault(record["proposal_id"], {})[record["id"]] = record
            case "nights":
                self._nights_by_telescope.setdefault(record["telescope_id"], {})[record["id"]] = record
            case "slots":
                self._slots_by_block.setdefault(record["block_id"], {})[record["id"]] = record
                self._slots_by_block_status.setdefault((record["block_id"], record["status"]), {})[record["id"]] = record
                self._slots_by_night.setdefault(record["night_id"], {})[record["id"]] = record
                self._slots_by_night_status.setdefault((record["night_id"], record["status"]), {})[record["id"]] = record
            case "losses":
                self._losses_by_night.setdefault(record["night_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "instruments":
                del self._instruments_by_telescope[record["telescope_id"]][record["id"]]
            case "blocks":
                del self._blocks_by_code[record["code"]][record["id"]]
                del self._blocks_by_follows[record["follows_id"]][record["id"]]
                del self._blocks_by_instrument[record["instrument_id"]][record["id"]]
                del self._blocks_by_lower_code[record["code"].lower()][record["id"]]
                del self._blocks_by_proposal[record["proposal_id"]][record["id"]]
            case "nights":
                del self._nights_by_telescope[record["telescope_id"]][record["id"]]
            case "slots":
                del self._slots_by_block[record["block_id"]][record["id"]]
                del self._slots_by_block_status[record["block_id"], record["status"]][record["id"]]
                del self._slots_by_night[record["night_id"]][record["id"]]
                del self._slots_by_night_status[record["night_id"], record["status"]][record["id"]]
            case "losses":
                del self._losses_by_night[record["night_id"]][record["id"]]
