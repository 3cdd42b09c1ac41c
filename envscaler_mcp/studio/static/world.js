// One open world: its records, its tools, its task, and agents at work in it.

import { get, isReader, post, remove } from "./api.js";
import { attempt, button, dialog, el, fill, notice, place, plural, sentence, textBlock } from "./dom.js";
import { livePanel } from "./live.js";
import { World } from "./model.js";
import { playground } from "./playground.js";
import { qrPicture } from "./qr.js";
import { tablesPanel } from "./tables.js";
import { taskPanel } from "./task.js";
import { timelinePanel } from "./timeline.js";

// The model outlives a change of the tab, so that the page knows which checks turned true.
let open = null;
let closing = null;

export async function showWorld(main, signal, name, view = "tables") {
  if (open?.name !== name || open.gone) {
    closing?.abort();
    closing = new AbortController();
    fill(main, el("p.empty", {}, "Opening …"));
    const world = new World(name);
    await world.open(closing.signal);
    open = world;
  }
  if (signal.aborted) return;
  const world = open;
  place([world.environment.title, `#/environment/${world.card.environment}`], [title(world)]);
  const official = world.checks.official && (await import("./benchmark.js"));
  if (signal.aborted) return;
  if (official && ["live", "arena"].includes(view)) view = "task";
  if (view === "playground" && isReader()) view = "tables";
  const body = el(`div.view.view-${view}`, {});
  const banner = el("p.banner", { role: "alert", hidden: true });
  fill(main, header(world, view), banner, body);
  if (official && view === "tables") body.append(...official.officialTables(world));
  else if (official && view === "task") body.append(official.officialTask(world));
  else if (view === "tables") body.append(tablesPanel(world), timelinePanel(world));
  else if (view === "playground") body.append(playground(world), world.checks.official?.talks ? el("div.middle", {}, official.conversation(world), timelinePanel(world)) : timelinePanel(world), tablesPanel(world, { follow: true }));
  else if (view === "task") body.append(taskPanel(world));
  else if (view === "arena") body.append((await import("./arena.js")).arenaPanel(world, signal));
  else body.append(livePanel(world, signal));
  const tell = () => {
    banner.hidden = !world.gone;
    fill(banner, world.gone);
    const day = main.querySelector(".day");
    if (day) fill(day, dayOf(world));
  };
  world.addEventListener("change", tell, { signal });
  tell();
}

const title = (world) => (world.card.scenario ? sentence(world.card.scenario.replace(`${world.card.environment}-`, "").replaceAll("-", " ")) : "Free play");

function dayOf(world) {
  const { now } = world.tables;
  if (!now) return "";
  const day = new Date(`${now.slice(0, 10)}T12:00:00Z`);
  if (Number.isNaN(day.getTime())) return now;
  return `${day.toLocaleDateString("en-GB", { weekday: "long", day: "numeric", month: "long", year: "numeric", timeZone: "UTC" })}${now.slice(10).replace("T", ", ").slice(0, 7)}`;
}

function header(world, view) {
  // The authors' code of a benchmark can be called and judged, and nothing else.
  const { official } = world.checks;
  const views = [["tables", "World"], ...(isReader() ? [] : [["playground", "Playground"]]), ["task", "Task"], ...(official ? [] : [["live", "Live"], ["arena", "Arena"]])];
  return el(
    "header.world",
    { "data-world": world.name },
    el("div", {}, el("h1", {}, world.environment.title), el("p.dim.day", {}, dayOf(world))),
    el("nav.views", { "aria-label": "Views of this world" }, views.map(([name, text]) => el("a", { href: `#/world/${world.name}/${name}`, "aria-current": name === view ? "page" : null }, text))),
    el(
      "div.row.does",
      {},
      !official && button("Rules", () => dialog("Rules that always hold", el("ol.rulelist", {}, world.forms.rules.map((rule) => el("li", {}, rule))), el("p.dim", {}, "A call that would break one is refused with it.")), ".quiet"),
      !official && button("Branches", () => attempt(() => showBranches(world)), ".quiet"),
      !isReader() && button("Share", () => attempt(() => share(world)), ".quiet"),
      !isReader() && !official && button("Fork", () => attempt(() => fork(world, view)), ""),
      !isReader() && !world.card.of_class && button("Close", () => attempt(() => close(world)), ".quiet"),
    ),
  );
}

async function fork(world, view) {
  const made = await world.fork();
  notice("A fork goes on from here; the first world stays as it is.");
  location.hash = `#/world/${made.name}/${view}`;
}

async function share(world) {
  const { address, seconds, qr } = await post(`${world.path}/share`);
  dialog(
    "Share this world",
    el("p", {}, `This address opens one page within ${Math.round(seconds / 60)} minutes. It shows what happens here as it happens, and may change nothing.`),
    textBlock("Address", address),
    qrPicture(qr, "The address as a QR code"),
  );
}

async function close(world) {
  await remove(world.path);
  location.hash = `#/environment/${world.card.environment}`;
}

async function showBranches(world) {
  const { worlds } = await get("/v1/worlds");
  const same = worlds.filter((card) => card.environment === world.card.environment && card.scenario === world.card.scenario);
  const shown = await Promise.all(same.slice(0, 50).map(async (card) => ({ card, timeline: await get(`/v1/worlds/${card.name}/timeline`) })));
  const children = (parent) => shown.filter(({ timeline }) => (same.some((card) => card.name === timeline.parent) ? timeline.parent : "") === parent);
  const branch = (parent) => {
    const below = children(parent);
    return below.length > 0 && el("ul.branches", {}, below.map(({ card, timeline }) => el(
      "li",
      {},
      card.name === world.name ? el("b", {}, "This world") : el("a", { href: `#/world/${card.name}/tables`, onclick: () => box.close() }, `World ${card.name.slice(0, 6)}`),
      el("span.dim", {}, ` ${plural(timeline.steps.length + timeline.dropped, "call")}${timeline.parent ? `, forked after call ${timeline.forked_after}` : ""}`),
      branch(card.name),
    )));
  };
  const box = dialog("Branches", el("p.dim", {}, "Worlds that began at the same state; a fork stands below the world that it came from."), branch(""));
}
