// Training: rewards over runs and within them, pass@k by world and level, and the rows that come of a run.

import { get } from "./api.js";
import { attempt, button, el, fill, place, plural, svg, textBlock } from "./dom.js";
import { LEVELS } from "./environment.js";
import { percent, runAddress, runPath, titled, titlesOf } from "./runs.js";

const LINES = 8;

export async function showTrain(main, signal) {
  place(["Train"]);
  const [{ runs, formats, more }] = await Promise.all([get("/v1/training"), titlesOf()]);
  if (signal.aborted) return;
  if (!runs.length) {
    fill(main, el("section.hero", {}, el("h1", {}, "Train"), el("p", {}, "There are no runs yet. ", el("code", {}, "envscaler run --agent openai:MODEL --repeat 4 --out runs/first"), " records some, and ", el("code", {}, "envscaler studio --runs runs"), " shows how they come along.")));
    return;
  }
  let chosen = runs.at(-1);
  const figures = el("section.sheet", { "aria-label": "pass@k by world and level" });
  const rows = el("section.sheet", { "aria-label": "Rows for a trainer" });
  const choice = el("select", { id: "run", onchange: () => choose(choice.value) }, [...runs].reverse().map(({ card }) => el("option", { value: card.id }, `${card.name} · ${card.agent}`)));
  const choose = (id) => {
    chosen = runs.find(({ card }) => card.id === id);
    fill(figures, rates(chosen));
    fill(rows, exporting(chosen, formats));
  };
  fill(
    main,
    el("header.classhead", {}, el("h1", {}, "Train"), el("div.row", {}, el("label", { for: "run" }, "Run "), choice)),
    el("div.charts", {}, overRuns(runs), within(runs)),
    more > 0 && el("p.dim", {}, `${plural(more, "other folder")} left out: older, of benchmarks, or unreadable.`),
    figures,
    rows,
  );
  choose(chosen.card.id);
}

// Curves

function overRuns(runs) {
  const lines = [["all", (run) => run.all], ...LEVELS.map((level) => [level, (run) => run.levels[level]])]
    .map(([name, of]) => ({ name, points: runs.map((run, at) => [at + 1, of(run)?.reward ?? null, run.card.name]).filter(([, reward]) => reward !== null) }))
    .filter(({ points }) => points.length);
  const names = runs.map(({ card }) => card.name);
  return sheet("Reward of each run", "runs, the oldest first", lines, names.length <= 6 ? names : null);
}

function within(runs) {
  const lines = runs.slice(-LINES).map(({ card, curve }) => ({ name: card.name, points: curve.map((point) => [point.episodes, point.reward, card.name]) })).filter(({ points }) => points.length);
  return sheet("Reward within a run", "episodes, in the order in which they were recorded", lines);
}

function sheet(title, across, lines, names = null) {
  return el("section.sheet", { "aria-label": title }, el("h2", {}, title), chart(title, across, lines, names), el("ul.legend", {}, lines.map(({ name }, at) => el(`li.c${at}`, {}, name))));
}

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [560, 260, 40, 14, 12, 40];

function chart(title, across, lines, names) {
  const right = Math.max(1, ...lines.flatMap(({ points }) => points.map(([x]) => x)));
  const first = names ? 1 : 0;
  const x = (value) => LEFT + ((value - first) / Math.max(1, right - first)) * (WIDTH - LEFT - RIGHT);
  const y = (value) => HEIGHT - BOTTOM - value * (HEIGHT - TOP - BOTTOM);
  const summary = lines.map(({ name, points }) => `${name}: ${points.map(([, reward]) => reward.toFixed(2)).join(", ")}`).join("; ");
  const anchor = (at) => (names.length === 1 || (at > 0 && at < names.length - 1) ? "middle" : at ? "end" : "start");
  return svg(
    "svg",
    { class: "chart", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `${title}. ${summary}` },
    [0, 0.25, 0.5, 0.75, 1].map((value) => [svg("line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y(value), y2: y(value) }), svg("text", { x: LEFT - 8, y: y(value) + 4, "text-anchor": "end" }, String(value))]),
    names ? names.map((name, at) => svg("text", { x: x(at + 1), y: HEIGHT - BOTTOM + 18, "text-anchor": anchor(at) }, name.length > 16 ? `${name.slice(0, 15)}…` : name)) : svg("text", { x: WIDTH - RIGHT, y: HEIGHT - BOTTOM + 18, "text-anchor": "end" }, String(right)),
    svg("text", { x: LEFT, y: HEIGHT - 4 }, across),
    lines.map(({ points }, at) => svg("g", { class: `c${at}` }, points.length > 1 && svg("path", { d: `M${points.map(([px, py]) => `${x(px).toFixed(1)} ${y(py).toFixed(1)}`).join("L")}` }), points.map(([px, py, name]) => svg("circle", { cx: x(px).toFixed(1), cy: y(py).toFixed(1), r: 3.5 }, svg("title", {}, `${name}: ${py.toFixed(3)}`))))),
  );
}

// pass@k

function rates(run) {
  const levels = LEVELS.filter((level) => run.levels[level]);
  const most = Math.max(0, ...run.worlds.map((world) => world.all.passing.length), run.all.passing.length);
  const ks = [...new Set([1, 2, 4, 8, 16, most])].filter((k) => k > 0 && k <= most).sort((a, b) => a - b);
  const body = el("tbody", {});
  const segments = el("div.segments", { role: "group", "aria-label": "Level" });
  const figure = (value) => el("td.number", {}, value === undefined ? el("span.none", {}, "–") : value.toFixed(3));
  const row = (name, rated) => rated && el("tr", {}, el("th", { scope: "row" }, name), ks.map((k) => figure(rated.passing.find((rate) => rate.k === k)?.at_least_once)), el("td.number", {}, rated.reward === null ? "–" : rated.reward.toFixed(3)), el("td.number.dim", {}, `${rated.solved} of ${rated.done}`));
  const show = (level) => {
    for (const choice of segments.children) choice.setAttribute("aria-pressed", String(choice.dataset.level === level));
    const of = (rated) => (level ? rated.levels[level] : rated.all);
    fill(body, row("All worlds", of(run)), run.worlds.map((world) => row(titled(world.environment), of(world))));
  };
  for (const level of ["", ...levels]) segments.append(button(level || "all levels", () => show(level), "", { "data-level": level }));
  show("");
  return [
    el("header.row", {}, el("h2", {}, "pass@k of ", el("a", { href: runAddress(run.card.id) }, run.card.name), el("span.dim", {}, ` ${percent(run.all.solved, run.all.done)} solved`)), segments),
    el("div.wide", { tabindex: 0, role: "region", "aria-label": "pass@k by world and level" }, el(
      "table.listing.passing",
      {},
      el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "World"), ks.map((k) => el("th.number", { scope: "col" }, `pass@${k}`)), el("th.number", { scope: "col" }, "Reward"), el("th.number", { scope: "col" }, "Solved"))),
      body,
    )),
    most < 2 && el("p.hint", {}, "Each task was played once; ", el("code", {}, "envscaler run --repeat 8"), " plays it several times, for pass@k of larger k."),
  ];
}

// Rows

function exporting(run, formats) {
  const form = el("select", { id: "format", onchange: () => attempt(count) }, formats.map(({ name, about }) => el("option", { value: name }, about)));
  const only = el("input", { type: "checkbox", id: "solved", onchange: () => attempt(count) });
  const result = el("div.rowsfound", { role: "status" }, el("p.dim", {}, "Counting …"));
  let turn = 0;
  async function count() {
    const mine = ++turn;
    const answer = await get(`${runPath(run.card.id)}/rows?format=${form.value}${only.checked ? "&only=solved" : ""}`).catch((refusal) => refusal);
    if (mine !== turn) return;
    if (answer instanceof Error) fill(result, el("p.refusal", {}, answer.message));
    else fill(result, counted(answer));
  }
  attempt(count);
  return [el("h2", {}, "Rows for a trainer"), el("div.row", {}, el("label", { for: "format" }, "Format "), form, el("label", { for: "solved" }, only, " only solved")), result];
}

function counted(answer) {
  const left = Object.entries(answer.left_out);
  return [
    el("p", {}, el("b", {}, plural(answer.rows, "row")), ` of ${plural(answer.episodes, "episode")}`, left.length > 0 && el("span.dim", {}, ` · left out: ${left.map(([reason, many]) => `${many} ${reason}`).join(", ")}`)),
    textBlock("Write them into a file", answer.command),
    answer.first.length > 0 && el("details", {}, el("summary", {}, answer.first.length > 1 ? `The first ${answer.first.length} rows` : "The first row"), answer.first.map((row) => el("pre", { tabindex: 0 }, pretty(row)))),
  ];
}

function pretty(row) {
  try {
    return JSON.stringify(JSON.parse(row), null, 2);
  } catch {
    return row;
  }
}
