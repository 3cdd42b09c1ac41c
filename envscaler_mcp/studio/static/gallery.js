// The gallery: a card for each environment, and the worlds that are open.

import { get, isReader } from "./api.js";
import { attempt, el, fill, place, plural, words } from "./dom.js";

let search = "";
let sector = "";

export async function showGallery(main, signal) {
  place();
  const all = (await get("/v1/catalogue")).environments;
  if (signal.aborted) return;
  const cards = el("ul.cards", { "aria-label": "Environments" });
  const count = el("p.dim", { role: "status" });
  const field = el("input", {
    type: "search", id: "search", placeholder: "hospital bed, invoice, refund …", autocomplete: "off", value: search,
    oninput: () => { search = field.value; later(); },
  });
  const sectors = [...new Set(all.map((entry) => entry.sector))].sort();
  const menu = el(
    "select",
    { id: "sector", onchange: () => { sector = menu.value; list(); } },
    el("option", { value: "" }, `all sectors (${sectors.length})`),
    sectors.map((name) => el("option", { value: name, selected: name === sector }, words(name))),
  );
  const open = el("section.open", { "aria-label": "Open worlds" });
  fill(
    main,
    el("section.hero", {}, el("h1", {}, "Worlds for agents"), el("p", {}, "Each card is a small business with records, tools and rules. Open one, call its tools, undo, or watch a task being solved.")),
    el("form.filters", { role: "search", onsubmit: (event) => event.preventDefault() }, el("label", { for: "search" }, "Search", field), el("label", { for: "sector" }, "Sector", menu)),
    open,
    count,
    cards,
  );
  let turn = 0;
  let timer = 0;
  const later = () => { clearTimeout(timer); timer = setTimeout(list, 80); };
  const list = () => attempt(async () => {
    const mine = ++turn;
    const words_ = search.trim().split(/\s+/).slice(0, 8).join(" ").slice(0, 200);
    const fitting = words_ ? (await get(`/v1/catalogue?search=${encodeURIComponent(words_)}`)).environments : all;
    if (mine !== turn || signal.aborted) return;
    const shown = fitting.filter((entry) => !sector || entry.sector === sector);
    const benchmarks = all.filter((entry) => entry.benchmark).length;
    const whole = `${all.length - benchmarks} environments${benchmarks ? ` and ${plural(benchmarks, "benchmark")}` : ""}`;
    fill(count, shown.length === all.length ? whole : `${shown.length} of ${all.length} ${benchmarks ? "environments and benchmarks" : "environments"}`);
    fill(cards, shown.map(card), !shown.length && el("li.empty", {}, "No environment has these words."));
  });
  await list();
  addEventListener("keydown", (event) => {
    if (event.key === "/" && !/INPUT|TEXTAREA|SELECT/.test(document.activeElement?.tagName)) {
      event.preventDefault();
      field.focus();
    }
  }, { signal });
  attempt(() => showOpen(open, all, signal));
}

function card(entry) {
  return el(
    "li.card",
    {},
    el("p.sector", {}, entry.benchmark ? "benchmark of other authors" : words(entry.sector)),
    el("h2", {}, el("a", { href: `#/environment/${entry.id}` }, entry.title)),
    el("p.about", {}, entry.about),
    el("p.figures", {}, entry.benchmark ? entry.id : `${plural(entry.tools, "tool")} · ${plural(entry.tasks, "task")}`),
  );
}

async function showOpen(section, all, signal) {
  const { worlds } = await get("/v1/worlds");
  if (signal.aborted || !worlds.length) {
    if (isReader()) fill(section, el("p.dim", {}, "No world is open now."));
    return;
  }
  const titles = new Map(all.map((entry) => [entry.id, entry.title]));
  fill(
    section,
    el("h2", {}, "Open worlds"),
    el(
      "ul.chips",
      {},
      worlds.slice(0, 24).map((world) =>
        el("li", {}, el("a.chip", { href: `#/world/${world.name}` }, titles.get(world.environment) ?? world.environment, el("span.dim", {}, world.scenario ? ` ${world.scenario.replace(`${world.environment}-`, "")}` : " free play", world.of_class && " · a visitor's", world.fork && " · a fork", ` · ${plural(world.calls ?? 0, "call")}`))),
      ),
    ),
  );
}
