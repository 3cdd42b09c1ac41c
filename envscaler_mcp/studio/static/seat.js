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

const closeDialogs = () => document.querySelectorAll("dialog[open]").forEach((shown) => shown.close());

function showOver(main) {
  place(["Class"]);
  fill(main, el("section.hero", {}, el("h1", {}, "The class is over"), el("p", {}, "It has ended, or your place in it is gone. To play on, join by the teacher's link.")));
  main.focus({ preventScroll: true });
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
    lock();
    if (!another) return;
    closing?.abort();
    // A verdict on the world before would stand over the new one.
    closeDialogs();
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
    lock();
  }

  // Dead for the pointer as a whole, and seen to be.
  function lock() {
    body.querySelectorAll(".form [type=submit], [data-does=done]").forEach((control) => { control.disabled = seat.locked; });
  }

  // The place is gone, with the class or without it: what is left on the page could only be refused.
  async function ask() {
    try {
      await enter(await get("/v1/seat"));
    } catch (refusal) {
      if (refusal.status !== 404 && refusal.status !== 401) throw refusal;
      ended.abort();
      closing?.abort();
      closeDialogs();
      showOver(main);
    }
  }

  const ended = new AbortController();
  signal.addEventListener("abort", () => { ended.abort(); closing?.abort(); });
  await enter(seat);
  again(ended.signal, SECONDS, ask);
}
