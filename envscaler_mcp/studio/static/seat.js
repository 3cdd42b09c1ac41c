// The page of a visitor of a class: they join, and have one world of their own.

import { get, joinClass, post, session } from "./api.js";
import { again } from "./class.js";
import { attempt, button, el, fill, place } from "./dom.js";
import { World } from "./model.js";
import { taskPanel } from "./task.js";

const SECONDS = 2;

export async function showJoin(main, signal, code) {
  place(["Join a class"]);
  const name = el("input", { id: "name", maxlength: 40, autocomplete: "nickname", required: true });
  const submit = el("button.primary", { type: "submit" }, "Join");
  const join = async () => {
    submit.disabled = true;
    try {
      await joinClass(code, name.value);
      location.hash = "#/seat";
    } finally {
      submit.disabled = false;
    }
  };
  const there = session() && (await get("/v1/seat").catch(() => null));
  if (signal.aborted) return;
  fill(
    main,
    el(
      "form.login",
      { onsubmit: (event) => { event.preventDefault(); attempt(join); } },
      el("h1", {}, "Join the class"),
      el("p", {}, "You get a small world of your own: records, tools, and a task. The teacher sees how far you are."),
      el("label", { for: "name" }, "What are you called?"),
      name,
      submit,
      there && el("p", {}, el("a", { href: "#/seat" }, `Go on as ${there.name} in ${there.title}`)),
    ),
  );
  name.focus();
}

export async function showSeat(main, signal) {
  let seat = await get("/v1/seat");
  let world = null;
  let closing = null;
  const locked = el("p.banner", { role: "alert", hidden: true });
  const body = el("div.view.view-task", {});
  const title = el("h1", {}, seat.title);
  const who = el("p.dim", {});
  const fresh = button("Start again", () => attempt(async () => enter(await post("/v1/seat/again"))), "", { "data-does": "again" });
  place([seat.title]);
  fill(main, el("header.classhead", {}, el("div", {}, title, who), el("p.row", {}, fresh)), locked, body);

  async function enter(now) {
    const another = now.world !== seat.world || !world;
    seat = now;
    fill(who, `${seat.name}${seat.number > 1 ? ` · task ${seat.number}` : ""}`);
    if (locked.hidden === seat.locked) fill(locked, "The teacher has locked the worlds. You may look, and go on when they are open again.");
    locked.hidden = !seat.locked;
    fresh.disabled = seat.locked;
    body.inert = seat.locked;
    if (!another) return;
    closing?.abort();
    if (!seat.world) {
      world = null;
      fill(body, el("p.empty", {}, "Your world has ended. Start again with a fresh one."));
      return;
    }
    closing = new AbortController();
    const opened = new World(seat.seat);
    await opened.open(closing.signal);
    if (signal.aborted) return;
    world = opened;
    fill(body, taskPanel(world));
  }

  signal.addEventListener("abort", () => closing?.abort());
  await enter(seat);
  again(signal, SECONDS, async () => enter(await get("/v1/seat")));
}
