"""What the demo does in three worlds: looks around, is refused, finds another way."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from envscaler_mcp.errors import EnvScalerError


class Caller(Protocol):
    """Calls a tool, tells the person what happened, and hands the answer back."""

    async def __call__(self, tool: str, /, **arguments: object) -> dict[str, Any]: ...


Scene = Callable[[Caller], Awaitable[None]]


async def hospital(call: Caller) -> None:
    """A bed cannot be blocked while somebody lies in it, nor used again before it is clean."""
    stay = _first((await call("list_stays", status="admitted"))["data"]["stays"], "nobody is admitted")
    await call("block_bed", bed_id=stay["bed_id"], reason="broken rail")
    await call("discharge_patient", patient_id=stay["patient_id"], outcome="home")
    await call("clean_bed", bed_id=stay["bed_id"], disinfected=True)


async def trading(call: Caller) -> None:
    """Orders trade in whole lots, and match with what rests in the book."""
    instruments = (await call("list_instruments", status="trading"))["data"]["instruments"]
    empty = [i for i in instruments if i["best_bid"] is None and i["best_ask"] is None]
    instrument = _first([*empty, *instruments], "nothing is traded")
    accounts = (await call("list_accounts", status="active"))["data"]["accounts"]
    resting = (await call("list_orders", instrument_id=instrument["id"], status="open"))["data"]["orders"]
    # Nobody stands on both sides of one book.
    active = {account["id"] for account in accounts} - {order["account_id"] for order in resting}
    holdings = (await call("list_holdings", instrument_id=instrument["id"]))["data"]["holdings"]
    lot, price = instrument["lot_size"], instrument["close_price"]
    sellers = [h["account_id"] for h in holdings if h["account_id"] in active and h["units"] >= 2 * lot]
    seller = _first(sellers, f"nobody holds {instrument['ticker']}")
    buyers = [a["id"] for a in accounts if a["id"] in active - {seller} and a["free_cash"] >= price * lot]
    order = {"instrument_id": instrument["id"], "price": price}
    await call("place_order", account_id=seller, side="sell", units=lot + 1, **order)
    await call("place_order", account_id=seller, side="sell", units=2 * lot, **order)
    await call("place_order", account_id=_first(buyers, "nobody can pay"), side="buy", units=lot, **order)
    await call("order_book", instrument_id=instrument["id"], side="sell")


async def drive(call: Caller) -> None:
    """A folder cannot be moved into itself; a file saved twice has two versions."""
    folders = (await call("list_folders"))["data"]["folders"]
    folder = _first([f for f in folders if f["parent_id"] is not None], "there are only top folders")
    by = folder["owner_id"]
    await call("move_folder", by_id=by, folder_id=folder["id"], into_id=folder["id"])
    await call("save_file", by_id=by, folder_id=folder["id"], name="Minutes.txt", size="1")
    await call("save_file", by_id=by, folder_id=folder["id"], name="Minutes.txt", size=1)
    await call("save_file", by_id=by, folder_id=folder["id"], name="Minutes.txt", size=2)
    files = (await call("list_files", folder_id=folder["id"], name="Minutes.txt"))["data"]["files"]
    await call("list_versions", file_id=_first(files, "the file is not there")["id"])


def _first(found: list[Any], otherwise: str) -> Any:
    if not found:
        raise EnvScalerError(f"The demo cannot go on: {otherwise}; `envscaler build --all` makes the worlds anew")
    return found[0]
