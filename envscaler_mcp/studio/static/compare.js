// Two runs task by task, and two episodes of one task side by side.

import { get } from "./api.js";
import { attempt, button, el, fill, place, plural } from "./dom.js";
import { levelTag } from "./environment.js";
import { banner, opening, Replay, told } from "./episode.js";
import { asked, episodeAddress, outcomeSign, percent, runAddress, runPath, taskName, titled, titlesOf } from "./runs.js";

const said = (comparison, change) => ({
  left: `only ${comparison.left.name}`, right: `only ${comparison.right.name}`, both: "both", neither: "neither", missing: "not in both",
}[change]);

export async function showComparison(main, signal, left, right) {
  const path = `${runPath(left)}/compare`;
  const [first] = await Promise.all([get(`${path}?${asked({ with: right })}`), titlesOf()]);
  if (signal.aborted) return;
  place(["Runs", "#/runs"], [`${first.left.name} and ${first.right.name}`]);
  const chosen = { change: "", search: "" };
  const names = ["", "left", "right", "both", "neither", "missing"];
  const all = Object.values(first.changes).reduce((a, b) => a + b, 0);
  const choices = el("div.segments", { role: "group", "aria-label": "Solved by" }, names.map((change) => button(`${change ? said(first, change) : "all"} ${change ? first.changes[change] : all}`, () => choose(change), "", { "data-change": change })));
  const field = el("input", { type: "search", id: "compare-search", autocomplete: "off", placeholder: "task", oninput: () => { chosen.search = field.value.slice(0, 200); clearTimeout(timer); timer = setTimeout(() => list(0), 120); } });
  const count = el("span.dim", { role: "status" });
  const body = el("tbody", {});
  const more = button("Show more", () => list(body.rows.length), ".quiet", { hidden: true });
  let timer = 0;
  let turn = 0;
  const draw = (answer, offset) => {
    if (!offset) body.replaceChildren();
    body.append(...answer.rows.map((row) => comparedRow(first, row)));
    fill(count, plural(answer.total, "task"));
    more.hidden = body.rows.length >= answer.total;
  };
  const list = (offset) => attempt(async () => {
    const mine = ++turn;
    const answer = await get(`${path}?${asked({ with: right, ...chosen, offset })}`);
    if (mine === turn) draw(answer, offset);
  });
  const mark = () => { for (const choice of choices.children) choice.setAttribute("aria-pressed", String(choice.dataset.change === chosen.change)); };
  function choose(change) {
    chosen.change = change;
    mark();
    list(0);
  }
  const side = (card, figures, name) => el(`div.side.${name}`, {}, el("h2", {}, el("a", { href: runAddress(card.id) }, card.name)), el("p.dim", {}, card.agent), el("p", {}, el("b", {}, percent(figures.solved, figures.done)), ` solved, ${figures.solved} of ${figures.done}`), el("p.dim", {}, `mean reward ${figures.reward === null ? "–" : figures.reward.toFixed(3)}`));
  fill(
    main,
    el("section.hero", {}, el("h1", {}, "Two runs"), el("p", {}, "Each task once in both: what one solves and the other does not comes first.")),
    el("div.sides", {}, side(first.left, first.left_all, "a"), side(first.right, first.right_all, "b")),
    el(
      "section.sheet.episodes",
      { "aria-label": "Tasks" },
      el("header.row", {}, el("h2", {}, "Solved by"), choices),
      el("form.filters", { role: "search", onsubmit: (event) => event.preventDefault() }, el("label", { for: "compare-search" }, "Search", field)),
      count,
      el("div.wide", { tabindex: 0, role: "region", "aria-label": "Tasks" }, el("table.listing", {}, el("thead", {}, el("tr", {}, ["Task", first.left.name, first.right.name, "World", "Level"].map((name) => el("th", { scope: "col" }, name)))), body)),
      more,
    ),
  );
  mark();
  draw(first, 0);
}

function comparedRow({ left, right }, row) {
  const address = row.left && row.right ? `#/beside/${left.id}/${encodeURIComponent(row.left.id)}/${right.id}` : row.left ? episodeAddress(left.id, row.left.id) : row.right ? episodeAddress(right.id, row.right.id) : null;
  const cell = (episode) => el("td.came", {}, outcomeSign(episode), episode && el("span.dim", {}, ` ${episode.reward.toFixed(2)} · ${plural(episode.steps, "step")}`));
  return el("tr", { "data-change": row.change }, el("th", { scope: "row" }, address ? el("a", { href: address }, taskName(row)) : taskName(row)), cell(row.left), cell(row.right), el("td", {}, titled(row.environment)), el("td", {}, row.level ? levelTag(row.level) : "–"));
}

// Two episodes

export async function showBeside(main, signal, run, encoded, other) {
  const id = decodeURIComponent(encoded);
  const solution = other === "solution";
  const query = asked({ id, with: solution ? "" : other });
  const [{ left, right, rows, parts_at: parting }] = await Promise.all([get(`${runPath(run)}/beside?${query}`), titlesOf()]);
  if (signal.aborted) return;
  place(["Runs", "#/runs"], [run, runAddress(run)], [left.row.scenario || id, episodeAddress(run, id)], [solution ? "beside the solution" : `beside ${other}`]);
  const worlds = [new Replay(run, left), new Replay(solution ? run : other, right)];
  if (left.playable) await attempt(() => worlds[0].read(left.steps.length));
  if (right.playable) await attempt(() => worlds[1].read(right.steps.length, solution ? id : ""));
  if (signal.aborted) return;
  const names = [left.agent, solution ? "solution" : right.agent];
  const labels = names[0] === names[1] ? [run, other] : names;
  const list = el("ol.pairs", {});
  let calls = [0, 0];
  let parted = false;
  for (const pair of rows) {
    const steps = [left.steps[pair.left - 1], right.steps[pair.right - 1]];
    const after = calls.map((count, side) => count + (steps[side]?.call ? 1 : 0));
    if (parting && !parted && after.some((count) => count >= parting) && after.some((count, side) => count !== calls[side])) {
      parted = true;
      list.append(el("li.parting", {}, el("span", {}, parting === 1 ? "They part at the first call" : `The same until call ${parting - 1}; here they part`)));
    }
    calls = after;
    if (pair.same && alike(...steps)) {
      list.append(el("li.pair.same", {}, el("div.cell.both", {}, el("p.who", {}, "both"), el("ol.told", {}, told(worlds[0], left, steps[0])))));
      continue;
    }
    list.append(el(
      "li.pair",
      {},
      steps.map((step, side) => el(`div.cell.${side ? "b" : "a"}`, {}, el("p.who", {}, labels[side]), step ? el("ol.told", {}, told(worlds[side], side ? right : left, step)) : el("p.none", {}, "–"))),
    ));
  }
  fill(
    main,
    el("section.hero", {}, el("h1", {}, solution ? "An episode beside the solution" : "Two episodes of one task"), el("p", { role: "status" }, parting ? (parting === 1 ? "They part at the first call." : `Their first ${plural(parting - 1, "call")} ${parting === 2 ? "is" : "are"} the same; they part at call ${parting}.`) : "All their calls are the same.")),
    el("div.sides", {}, [left, right].map((episode, side) => el(`div.side.${side ? "b" : "a"}`, {}, el("p.who", {}, labels[side]), banner(run, episode), lamps(episode)))),
    el("ol.told.wideopening", {}, opening(left)),
    list,
    (left.more_steps > 0 || right.more_steps > 0) && el("p.dim", {}, "Later steps are not shown here."),
  );
}

// What both did and were answered is shown once.
const alike = (a, b) => [a, b].every((step) => !step.thinks) && JSON.stringify([a.says, a.hears, a.call?.result]) === JSON.stringify([b.says, b.hears, b.call?.result]);

const lamps = (episode) => episode.checks.length > 0 && el("ul.lamps", { "aria-label": "Checks" }, episode.checks.map((lamp, place) => el(`li.lamp.${lamp.holds ? "on" : "off"}`, {}, el("span.bulb", { role: "img", "aria-label": lamp.holds ? "holds" : "does not hold" }), el("span", {}, lamp.words || `check ${place + 1}`))));
