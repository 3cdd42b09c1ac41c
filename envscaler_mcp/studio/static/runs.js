// Recorded runs: the folders, and one run in figures with its episodes.

import { get } from "./api.js";
import { attempt, button, el, fill, place, plural, visible, words } from "./dom.js";
import { LEVELS } from "./environment.js";

const OUTCOMES = [["", "all"], ["solved", "solved"], ["failed", "not solved"], ["disturbed", "disturbed"]];
const MOST_FIGURES = 60;

export const runPath = (id) => `/v1/runs/${encodeURIComponent(id)}`;
export const runAddress = (id) => `#/run/${id}`;
export const episodeAddress = (run, id, step = 0) => `#/run/${run}/${encodeURIComponent(id)}${step ? `/${step}` : ""}`;
export const asked = (values) => new URLSearchParams(Object.entries(values).filter(([, value]) => value !== "" && value !== undefined && value !== 0)).toString();
export const percent = (part, all) => (all ? `${Math.round((100 * part) / all)} %` : "–");

// A share as a bar beside its figure.
export function share(part, all, label) {
  const bar = el("span.bar", { "aria-hidden": "true" }, el("span", {}));
  bar.firstChild.style.width = `${all ? (100 * part) / all : 0}%`;
  return el("span.share", { title: label }, bar, el("span", {}, all ? `${part} of ${all}` : "–"));
}

const day = (seconds) => (seconds ? new Date(seconds * 1000).toLocaleString("en-GB", { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" }) : "–");

const titles = new Map();
export async function titlesOf() {
  if (!titles.size) for (const entry of (await get("/v1/catalogue")).environments) titles.set(entry.id, entry.title);
  return titles;
}
export const titled = (environment) => titles.get(environment) ?? words(environment);

// The folders

export async function showRuns(main, signal) {
  place(["Runs"]);
  const { folder, runs, more } = await get("/v1/runs");
  if (signal.aborted) return;
  const picked = new Set();
  const compare = button("Compare", () => { location.hash = `#/compare/${[...picked].join("/")}`; }, ".primary", { disabled: true, "data-does": "compare" });
  const hint = el("span.dim", { role: "status" });
  const pick = (id, on) => {
    if (on) picked.add(id);
    else picked.delete(id);
    compare.disabled = picked.size !== 2;
    fill(hint, picked.size === 2 ? "" : "Choose two runs to compare them.");
  };
  pick("", false);
  const body = el("tbody", {}, runs.map((run) => runRow(run, pick)));
  fill(
    main,
    el("section.hero", {}, el("h1", {}, "Runs"), el("p", {}, folder ? ["Recorded episodes in ", el("code", {}, folder)] : "This studio shows no folder of runs.")),
    !runs.length && el("p.empty", {}, folder ? "There is no run in it yet. " : "", el("code", {}, "envscaler run --agent random --limit 20 --out runs/first"), " records some, ", el("code", {}, "envscaler studio --runs runs"), " shows them."),
    runs.length > 0 && el("section.sheet", { "aria-label": "Run folders" },
      el("p.row", {}, compare, hint),
      el("div.wide", { tabindex: 0, role: "region", "aria-label": "Run folders" }, el("table.listing", {},
        el("thead", {}, el("tr", {}, ["", "Run", "Agent", "Solved", "Reward", "Masked", "Last record"].map((name) => el("th", { scope: "col" }, name || el("span.sr", {}, "Compare"))))), body)),
      more > 0 && el("p.dim", {}, `and ${plural(more, "older folder")} that are not listed`)),
  );
  for (const run of runs.slice(0, MOST_FIGURES)) {
    if (run.problem || signal.aborted) continue;
    const cells = body.querySelector(`tr[data-run="${CSS.escape(run.id)}"]`);
    await get(runPath(run.id)).then(({ all }) => {
      fill(cells.querySelector(".solved"), share(all.solved, all.done, `${percent(all.solved, all.done)} solved`));
      fill(cells.querySelector(".reward"), all.reward === null ? "–" : all.reward.toFixed(3));
      fill(cells.querySelector(".masked"), String(all.masked));
    }, (refusal) => fill(cells.querySelector(".solved"), el("span.dim", {}, refusal.message)));
  }
}

function runRow(run, pick) {
  const box = el("input", { type: "checkbox", "aria-label": `Compare ${run.name}`, disabled: Boolean(run.problem), onchange: () => pick(run.id, box.checked) });
  return el(
    "tr",
    { "data-run": run.id },
    el("td", {}, box),
    el("th", { scope: "row" }, run.problem ? run.name : el("a", { href: runAddress(run.id) }, run.name)),
    run.problem ? el("td.dim", { colspan: 4 }, run.problem) : [
      el("td", {}, run.agent, run.mode === "conversation" && [" ", el("span.tag", {}, "conversation")], run.benchmark && [" ", el("span.tag", {}, run.benchmark)]),
      el("td.solved", {}, el("span.dim", {}, plural(run.planned, "episode"))),
      el("td.reward", {}, "…"),
      el("td.masked", {}, "…"),
    ],
    el("td.dim", {}, day(run.changed)),
  );
}

// One run

export async function showRun(main, signal, id) {
  const [run] = await Promise.all([get(runPath(id)), titlesOf()]);
  if (signal.aborted) return;
  const { card, all } = run;
  place(["Runs", "#/runs"], [card.name]);
  const chosen = { search: "", environment: "", level: "", outcome: "" };
  const list = episodes(id, run, chosen);
  fill(
    main,
    el("header.run", {},
      el("div", {}, el("h1", {}, card.name), el("p.dim", {}, [card.agent, card.user && `user ${card.user}`, card.mode, `scoring ${card.scoring}`, card.benchmark].filter(Boolean).join(" · "))),
      el("dl.big", {}, [
        ["solved", percent(all.solved, all.done), `${all.solved} of ${all.done}`],
        ["mean reward", all.reward === null ? "–" : all.reward.toFixed(3), all.masked ? `${all.masked} masked` : "none masked"],
        ["played", percent(all.done, all.planned), `${all.done} of ${all.planned}`],
      ].map(([name, value, about]) => el("div", {}, el("dt", {}, name), el("dd", {}, el("b", {}, value), " ", el("span.dim", {}, about)))))),
    notes(run),
    el("div.sheets", {}, verdicts(run, (environment, level) => list.choose({ environment, level })), el("div", {}, failures(run), passes(run))),
    list.panel,
  );
  list.choose({});
}

function notes({ damaged, gradings, card, all }) {
  const kinds = Object.keys(gradings).length;
  const said = [
    damaged && `${damaged} ${damaged === 1 ? "stretch" : "stretches"} of the journal cannot be read.`,
    kinds > 1 && `The verdicts are by ${kinds} gradings and cannot be compared; runs rescore judges all by one.`,
    all.planned > all.done && `${plural(all.planned - all.done, "episode")} of the plan ${all.planned - all.done === 1 ? "is" : "are"} not done; the command that began ${card.name} plays ${all.planned - all.done === 1 ? "it" : "them"}.`,
  ].filter(Boolean);
  return said.length > 0 && el("ul.notes", {}, said.map((text) => el("li", {}, text)));
}

function verdicts(run, choose) {
  const levels = LEVELS.filter((level) => run.levels[level]);
  const cell = (figures, environment, level) => {
    if (!figures?.planned) return el("td.none", {}, "–");
    const made = el("td.heat", {}, button(`${figures.solved}/${figures.done}`, () => choose(environment, level), "", { "aria-label": `${environment ? titled(environment) : "all worlds"}, ${level || "all levels"}: ${figures.solved} of ${figures.done} solved; list them` }));
    made.style.setProperty("--share", String(figures.done ? Math.round((100 * figures.solved) / figures.done) : 0));
    if (!figures.done) made.className = "heat empty";
    return made;
  };
  const row = (name, all, by, environment) => el("tr", {}, el("th", { scope: "row" }, name), levels.map((level) => cell(by[level], environment, level)), cell(all, environment, ""), el("td.number", {}, all.reward === null ? "–" : all.reward.toFixed(2)));
  return el(
    "section.sheet.verdicts",
    { "aria-label": "Verdicts by world and level" },
    el("h2", {}, "Solved by world and level"),
    el("div.wide", { tabindex: 0, role: "region", "aria-label": "Solved by world and level" },
      el("table.listing", {},
        el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "World"), levels.map((level) => el("th.number", { scope: "col" }, level)), el("th.number", { scope: "col" }, "all"), el("th.number", { scope: "col" }, "reward"))),
        el("tbody", {}, run.worlds.length > 1 && row("All worlds", run.all, run.levels, ""), run.worlds.map((world) => row(titled(world.environment), world.all, world.levels, world.environment))))),
    run.more_worlds > 0 && el("p.dim", {}, `and ${plural(run.more_worlds, "more world")}`),
  );
}

function failures({ all }) {
  const owners = Object.entries(all.failures).sort((a, b) => b[1] - a[1]);
  return owners.length > 0 && el("section.sheet", { "aria-label": "Failures" }, el("h2", {}, "Failures by owner"), el("dl.counts", {}, owners.map(([owner, count]) => el("div", {}, el("dt", {}, words(owner)), el("dd", {}, String(count))))));
}

function passes({ passing }) {
  return passing.length > 1 && el("section.sheet", { "aria-label": "How surely" }, el("h2", {}, "How surely"), el("p.dim", {}, "pass@k: at least one of k plays solves a task. pass^k: all of them do."), el("div.wide", { tabindex: 0, role: "region", "aria-label": "How surely" }, el("table.listing", {},
    el("thead", {}, el("tr", {}, ["k", "pass@k", "pass^k"].map((name) => el("th.number", { scope: "col" }, name)))),
    el("tbody", {}, passing.slice(0, 16).map((rate) => el("tr", {}, el("th.number", { scope: "row" }, String(rate.k)), el("td.number", {}, rate.at_least_once.toFixed(3)), el("td.number", {}, rate.every_time.toFixed(3))))))));
}

function episodes(id, run, chosen) {
  const field = el("input", { type: "search", id: "episodes-search", autocomplete: "off", placeholder: "id, world, reason", oninput: () => { chosen.search = field.value; later(); } });
  const worlds = el("select", { id: "episodes-world", onchange: () => choose({ environment: worlds.value }) }, el("option", { value: "" }, "all worlds"), run.worlds.map(({ environment }) => el("option", { value: environment }, titled(environment))));
  const levels = el("select", { id: "episodes-level", onchange: () => choose({ level: levels.value }) }, el("option", { value: "" }, "all levels"), LEVELS.filter((level) => run.levels[level]).map((level) => el("option", { value: level }, level)));
  const outcomes = el("div.segments", { role: "group", "aria-label": "Outcome" }, OUTCOMES.map(([outcome, name]) => button(`${name} ${outcome ? (run.outcomes[outcome] ?? 0) : Object.values(run.outcomes).reduce((a, b) => a + b, 0)}`, () => choose({ outcome }), "", { "data-outcome": outcome })));
  const count = el("span.dim", { role: "status" });
  const body = el("tbody", {});
  const more = button("Show more", () => list(body.rows.length), ".quiet", { hidden: true });
  let timer = 0;
  let turn = 0;
  const later = () => { clearTimeout(timer); timer = setTimeout(() => list(0), 120); };
  const list = (offset) => attempt(async () => {
    const mine = ++turn;
    const answer = await get(`${runPath(id)}/episodes?${asked({ ...chosen, search: chosen.search.slice(0, 200), offset })}`);
    if (mine !== turn) return;
    if (!offset) body.replaceChildren();
    body.append(...answer.episodes.map((row) => episodeRow(id, row)));
    fill(count, plural(answer.total, "episode"));
    more.hidden = body.rows.length >= answer.total;
  });
  function choose(values) {
    const jump = "environment" in values && "level" in values;
    Object.assign(chosen, values);
    worlds.value = chosen.environment;
    levels.value = chosen.level;
    for (const choice of outcomes.children) choice.setAttribute("aria-pressed", String(choice.dataset.outcome === chosen.outcome));
    list(0);
    if (jump) panel.scrollIntoView({ block: "start" });
  }
  const panel = el(
    "section.sheet.episodes",
    { "aria-label": "Episodes" },
    el("header.row", {}, el("h2", {}, "Episodes"), outcomes),
    el("form.filters", { role: "search", onsubmit: (event) => event.preventDefault() }, el("label", { for: "episodes-search" }, "Search", field), el("label", { for: "episodes-world" }, "World", worlds), el("label", { for: "episodes-level" }, "Level", levels)),
    count,
    el("div.wide", { tabindex: 0, role: "region", "aria-label": "Episodes" }, el("table.listing", {}, el("thead", {}, el("tr", {}, ["", "Episode", "World", "Level", "Reward", "Steps", "Why"].map((name) => el(`th${/Reward|Steps/.test(name) ? ".number" : ""}`, { scope: "col" }, name || el("span.sr", {}, "Outcome"))))), body)),
    more,
  );
  return { panel, choose };
}

// A task and which play of it; the id also names the agent, which is the same in the whole run.
export const taskName = (row) => (row.scenario ? `${row.scenario}${row.repetition > 1 ? `, play ${row.repetition}` : ""}` : row.id);

const SIGNS = { solved: "✓", failed: "✕", disturbed: "!" };
const SAID = { solved: "solved", failed: "not solved", disturbed: "disturbed" };
export const outcomeSign = (row) => (row ? el(`span.outcome.${row.outcome}`, { role: "img", "aria-label": SAID[row.outcome], title: SAID[row.outcome] }, SIGNS[row.outcome]) : el("span.none", {}, "–"));

function episodeRow(run, row) {
  return el(
    "tr",
    { "data-episode": row.id },
    el("td", {}, outcomeSign(row)),
    el("th", { scope: "row" }, el("a", { href: episodeAddress(run, row.id), title: visible(row.id) }, taskName(row))),
    el("td", {}, titled(row.environment)),
    el("td", {}, row.level ? el(`span.tag.level-${row.level}`, {}, row.level) : "–"),
    el("td.number", {}, row.reward.toFixed(2)),
    el("td.number", {}, String(row.steps)),
    el("td.why", { title: visible(row.reason) }, row.outcome === "solved" ? "" : [row.outcome === "disturbed" && el("b", {}, `${words(row.owner)}: `), row.reason]),
  );
}
