// Classes: a teacher chooses a task, visitors join by a link, and a board shows who has solved what.

import { environmentPath, get, post, remove } from "./api.js";
import { attempt, button, copy, dialog, el, fill, notice, place, plural, renew } from "./dom.js";
import { levelTag } from "./environment.js";
import { lookPanel } from "./live.js";
import { World } from "./model.js";
import { qrPicture } from "./qr.js";

const SECONDS = 1.5;
const classPath = (name) => `/v1/classes/${encodeURIComponent(name)}`;

export async function openClass(order) {
  const { name } = await post("/v1/classes", order);
  location.hash = `#/class/${name}`;
}

export async function showClasses(main, signal) {
  place(["Class"]);
  const [{ classes }, { environments }] = await Promise.all([get("/v1/classes"), get("/v1/catalogue")]);
  if (signal.aborted) return;
  const environment = el("select", { id: "environment", required: true, onchange: () => attempt(listTasks) }, environments.map((entry) => el("option", { value: entry.id }, entry.title)));
  const task = el("select", { id: "task", required: true });
  const about = el("p.request.dim", { role: "status" });
  const places = el("input", { type: "number", id: "places", min: 1, max: 200, value: 100, required: true });
  const hours = el("input", { type: "number", id: "hours", min: 0.1, max: 12, step: 0.1, value: 3, required: true });
  let tasks = [];
  const tell = () => fill(about, tasks.find((each) => each.id === task.value)?.task ?? "This environment has no tasks.");
  task.addEventListener("change", tell);
  async function listTasks() {
    tasks = (await get(`${environmentPath(environment.value)}/tasks`)).tasks;
    fill(task, tasks.map((each) => el("option", { value: each.id }, taskLine(each))));
    tell();
  }
  const start = () => openClass({ environment: environment.value, scenario: task.value, seats: Number(places.value), hours: Number(hours.value) });
  fill(
    main,
    el("section.hero", {}, el("h1", {}, "Class"), el("p", {}, "Choose a task. Everyone who joins by the link gets a world of their own at its start, and a board shows who has solved it.")),
    classes.length > 0 && el("section", { "aria-label": "Open classes" }, el("h2", {}, "Open classes"), el("ul.chips", {}, classes.map((each) => el("li", {}, el("a.chip", { href: `#/class/${each.name}` }, each.title, el("span.dim", {}, ` ${plural(each.visitors, "visitor")}`)))))),
    el(
      "form.panel.newclass",
      { onsubmit: (event) => { event.preventDefault(); attempt(start); } },
      labelled("Environment", environment),
      labelled("Task", task),
      about,
      el("div.row", {}, labelled("Places", places), labelled("Hours", hours)),
      el("p.row", {}, el("button.primary", { type: "submit" }, "Open the class")),
    ),
  );
  await listTasks();
}

const labelled = (text, control) => el("label.labelled", { for: control.id }, text, control);
// The day stands first in every task, and says nothing in a list.
const taskLine = ({ level, task }) => {
  const words = task.replace(/^[^\n]*\n\n/, "").replaceAll("\n", " ");
  return `${level} · ${words.length > 90 ? `${words.slice(0, 90)} …` : words}`;
};

export async function showClass(main, signal, name) {
  const path = classPath(name);
  let board = await get(path);
  if (signal.aborted) return;
  place(["Class", "#/class"], [board.title]);
  const joined = el("p.joined", { role: "status" });
  const controls = el("div.row.controls", { role: "group", "aria-label": "The class" });
  const request = el("section.panel.asked", { "aria-label": "Task" });
  const rows = el("div.wide", { tabindex: 0, role: "region", "aria-label": "Board" });
  const said = el("p.sr", { role: "status" });
  const solved = new Set();

  const does = (order, body) => attempt(async () => draw(await post(`${path}/${order}`, body)));

  function draw(latest) {
    board = latest;
    const task = board.tasks.at(-1);
    const now = board.seats.map((seat) => [seat, seat.results[board.tasks.length - 1]]);
    const done = now.filter(([, result]) => result?.solved_after != null);
    renew(joined, el("b", {}, `${board.seats.length} of ${board.places}`), " places taken", el("span.dim", {}, ` · ends in ${time(board.seconds_left)}`));
    renew(
      controls,
      button(board.locked ? "Unlock the worlds" : "Lock the worlds", () => does("rules", { locked: !board.locked }), board.locked ? ".primary" : "", { "data-does": "lock", "data-key": "lock" }),
      button(board.joining ? "Let no one else in" : "Let others in", () => does("rules", { joining: !board.joining }), board.joining ? "" : ".primary", { "data-does": "door", "data-key": "door" }),
      button("Next task", () => attempt(chooseTask), "", { "data-key": "next" }),
      button("Reset all", () => sure("Reset all worlds?", "Every visitor gets a fresh world; what they did is gone.", "Reset all", () => does("reset", {})), "", { "data-key": "reset" }),
      button("End the class", () => sure("End the class?", "All its worlds end, and the board with them.", "End the class", () => attempt(end)), ".quiet", { "data-key": "end" }),
    );
    renew(
      request,
      el("header.row", {}, el("h2", {}, board.tasks.length > 1 ? `Task ${board.tasks.length}` : "Task"), levelTag(task.level)),
      el("p.request", {}, task.task),
      el("details", { open: request.querySelector("details")?.open }, el("summary", {}, plural(task.checks.length, "check"), " in words"), el("ol", {}, task.checks.map((check) => el("li", {}, check)))),
    );
    renew(rows, board.seats.length ? table(now, done.length) : el("p.empty", {}, "No one has joined yet."));
    for (const [seat] of done) {
      const key = `${seat.seat} ${board.tasks.length}`;
      if (!solved.has(key)) fill(said, `${seat.name} has solved the task.`);
      solved.add(key);
    }
  }

  function table(now, done) {
    const { checks } = board.tasks.at(-1);
    const before = board.tasks.slice(0, -1);
    return el(
      "table.board",
      {},
      el("caption", {}, el("b", {}, `${done} of ${board.seats.length}`), " have solved it"),
      el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Visitor"), before.map((_, number) => el("th", { scope: "col" }, `Task ${number + 1}`)), el("th", { scope: "col" }, "Checks"), el("th.number", { scope: "col" }, "Calls"), el("th.number", { scope: "col" }, "Solved after"), el("td", {}))),
      el("tbody", {}, now.map(([seat, result]) => el(
        "tr",
        { "data-seat": seat.name, "data-key": seat.seat, class: result?.solved_after != null ? "solved" : null },
        el("th", { scope: "row" }, seat.name),
        before.map((_, number) => el("td", {}, earlier(seat.results[number]))),
        el("td", {}, bulbs(checks, result?.holds ?? [], seat.world)),
        el("td.number", {}, String(result?.calls ?? 0)),
        el("td.number.after", {}, result?.solved_after != null ? time(result.solved_after) : "–"),
        el(
          "td.row",
          {},
          seat.world && el("a.button.small", { "data-key": "show", href: `#/class/${name}/${seat.seat}`, "aria-label": `Show the world of ${seat.name}` }, "Show"),
          button("Reset", () => does("reset", { seat: seat.seat }), ".small", { "data-key": "reset", "aria-label": `Reset the world of ${seat.name}` }),
          button("Remove", () => sure(`Send ${seat.name} away?`, "Their world ends. They may join again while others are let in.", "Send away", () => does("remove", { seat: seat.seat })), ".small.quiet", { "data-key": "remove", "aria-label": `Send ${seat.name} away` }),
        ),
      ))),
    );
  }

  async function chooseTask() {
    const { tasks } = await get(`${environmentPath(board.environment)}/tasks`);
    const next = nextOf(tasks.map((each) => each.id), board.tasks.map((each) => each.id));
    const choice = el("select", { id: "next-task" }, tasks.map((each) => el("option", { value: each.id, selected: each.id === next }, taskLine(each))));
    const box = dialog("Next task", el("p", {}, "Everyone gets a fresh world at its start. The board keeps who has solved the tasks before."), labelled("Task", choice), el("p.row", {}, button("Go on to it", async () => { box.close(); await does("task", { scenario: choice.value }); }, ".primary")));
  }

  async function end() {
    await remove(path);
    notice("The class has ended.");
    location.hash = "#/class";
  }

  fill(
    main,
    el("header.classhead", {}, el("h1", {}, board.title), controls),
    el(
      "div.classroom",
      {},
      el("section.panel.join", { "aria-label": "Join" }, qrPicture(board.qr, `QR code of ${board.address}`), el("p.address", {}, board.address), button("Copy the address", () => copy(board.address), ".small"), joined, !board.reachable && el("p.hint", {}, "Only this machine reaches this address. For phones and other machines start ", el("code", {}, "envscaler studio --host ADDRESS"), " with an address of this machine in their network.")),
      el("div.boardside", {}, request, el("section.panel", { "aria-label": "Who has solved it" }, rows)),
    ),
    said,
  );
  draw(board);
  again(signal, SECONDS, async () => draw(await get(path)));
}

// The first task after the last one that was not played yet; of those before it where there is none.
function nextOf(all, played) {
  const at = all.indexOf(played.at(-1));
  return [...all.slice(at + 1), ...all.slice(0, at + 1)].find((id) => !played.includes(id)) ?? played.at(-1);
}

// The world of one visitor, for the projector: nothing there can be pressed that changes it. It follows them to their next world.
export async function showPupil(main, signal, name, id) {
  let shown = null;
  let closing = null;
  const title = el("h1", {});
  const about = el("p.dim", {});
  const back = el("a.button", { href: `#/class/${name}`, "data-does": "back" }, "Back to the board");
  const body = el("div.view.view-live", {});
  fill(main, el("header.classhead", {}, el("div", {}, title, about), el("p.row", {}, back)), body);
  signal.addEventListener("abort", () => closing?.abort());

  async function look(board) {
    const seat = board.seats.find((each) => each.seat === id);
    if (!seat) return fill(body, el("p.empty", {}, "This visitor is not in the class any more."));
    place(["Class", "#/class"], [board.title, `#/class/${name}`], [seat.name]);
    renew(title, seat.name);
    renew(about, `${board.title}, task ${board.tasks.length}`);
    if (seat.world === shown) return;
    shown = seat.world;
    closing?.abort();
    if (!shown) return fill(body, el("p.empty", {}, "Their world has ended."));
    closing = new AbortController();
    const world = new World(shown);
    await world.open(closing.signal);
    if (!signal.aborted) fill(body, lookPanel(world, seat.name));
  }

  await look(await get(classPath(name)));
  again(signal, SECONDS, async () => look(await get(classPath(name))));
}

// Asks again and again while the page is seen, until the signal ends it.
export function again(signal, seconds, does) {
  let busy = false;
  const timer = setInterval(async () => {
    if (document.hidden || busy) return;
    busy = true;
    try {
      if (!signal.aborted) await does();
    } catch (refusal) {
      if (signal.aborted) return;
      clearInterval(timer);
      notice(refusal.message, true);
    } finally {
      busy = false;
    }
  }, seconds * 1000);
  signal.addEventListener("abort", () => clearInterval(timer));
}

function sure(title, words, yes, does) {
  const box = dialog(title, el("p", {}, words), el("p.row", {}, button(yes, () => { box.close(); does(); }, ".primary", { "data-does": "sure" })));
}

function time(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return hours ? `${hours} h ${minutes} min` : `${minutes}:${String(whole % 60).padStart(2, "0")}`;
}

const earlier = (result) => (result?.solved_after != null ? el("span.good", { "aria-label": "solved" }, "✓") : el("span.none", { "aria-label": "not solved" }, "–"));

function bulbs(checks, holds, world) {
  if (!world) return el("span.dim", {}, "the world has ended");
  const count = holds.filter(Boolean).length;
  return el("span.bulbs", { role: "img", "aria-label": `${count} of ${plural(checks.length, "check")}`, title: checks.filter((_, number) => !holds[number]).join("\n") }, checks.map((_, number) => el(`span.${holds[number] ? "on" : "off"}`, {}, el("span.bulb", {}))));
}
