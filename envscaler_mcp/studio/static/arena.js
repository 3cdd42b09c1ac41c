// Agents beside each other: each at a fork of this world, where they part, and who solves the task with how many calls.

import { get, isReader, post, remove, worldPath } from "./api.js";
import { attempt, button, el, fill, plural, sentence } from "./dom.js";
import { World } from "./model.js";
import { playground } from "./playground.js";
import { outcomeSign } from "./runs.js";
import { item } from "./timeline.js";

const PACES = [["slow", 2200], ["normal", 900], ["fast", 200]];
const MOST = 4;
const FEWEST = 2;
const MOST_CALLS = 40;
const SECONDS = 3;

// Which agent plays in which fork, for as long as the page is open.
const seats = new Map();

export function arenaPanel(world, signal) {
  const reader = isReader();
  const task = world.checks.task;
  const kinds = [...(task === null ? [] : ["oracle"]), "random", ...(task !== null && world.agents.model ? ["model"] : []), "person"];
  const named = (kind) => (kind === "model" ? world.agents.model : kind === "person" ? "you" : kind);
  const state = { lanes: [], pace: 900, running: false, standing: { contenders: [], parts_at: 0, first: "" }, said: new Map(), ended: new Set(), hand: null };
  const setup = el("div.row", {});
  const start = button("Start all", () => attempt(begin), ".primary", { "data-does": "start" });
  const pause = button("Pause", () => (state.running ? halt() : go()), "", { "data-does": "pause", hidden: true });
  const paces = el("select", { "aria-label": "Speed", onchange: () => { state.pace = Number(paces.value); } }, PACES.map(([name, wait]) => el("option", { value: wait, selected: wait === state.pace }, name)));
  const status = el("p.dim", { role: "status" });
  const board = el("section.sheet.board", { "aria-label": "Standing", hidden: true });
  const lanes = el("div.lanes", {});
  const hand = el("section.person", { "aria-label": "Your turn", hidden: true });
  const wanted = [kinds[0], kinds.includes("model") ? "model" : kinds.find((kind) => kind !== kinds[0])];

  function drawSetup() {
    fill(
      setup,
      wanted.map((kind, place) => el("label", {}, el("span.sr", {}, `Agent ${place + 1} `), el("select", { "aria-label": `Agent ${place + 1}`, onchange: (event) => { wanted[place] = event.target.value; } }, kinds.map((each) => el("option", { value: each, selected: each === kind }, each === "model" ? world.agents.model : each))))),
      wanted.length < MOST && button("One more", () => { wanted.push(kinds.find((kind) => !wanted.includes(kind)) ?? "random"); drawSetup(); }, ".quiet", { "data-does": "more" }),
      wanted.length > FEWEST && button("One less", () => { wanted.pop(); drawSetup(); }, ".quiet"),
    );
  }

  // Forks of the world as it is now; those of an earlier round are closed.
  async function begin() {
    halt();
    start.disabled = true;
    try {
      for (const lane of state.lanes) await remove(worldPath(lane)).catch(() => {});
      state.said.clear();
      state.ended.clear();
      putAway();
      await post(`${world.path}/record`);
      const { worlds } = await post(`${world.path}/fork`, { count: wanted.length });
      state.lanes = worlds.map((card) => card.name);
      state.lanes.forEach((name, place) => seats.set(name, wanted[place]));
      await look();
      fill(start, "Start again");
      go();
    } finally {
      start.disabled = false;
    }
  }

  function go() {
    state.running = true;
    pause.hidden = false;
    fill(pause, "Pause");
    for (const name of state.lanes) if (seats.get(name) !== "person") run(name);
    if (state.lanes.some((name) => seats.get(name) === "person")) attempt(() => takeHand(state.lanes.find((name) => seats.get(name) === "person")));
  }

  function halt() {
    state.running = false;
    fill(pause, "Go on");
  }

  const busy = new Set();
  async function run(name) {
    if (busy.has(name)) return;
    busy.add(name);
    try {
      while (state.running && !signal.aborted && state.lanes.includes(name) && !state.ended.has(name)) {
        const answer = await attempt(() => post(`${worldPath(name)}/play`, { agent: seats.get(name) }));
        if (!answer || answer.ended) {
          state.ended.add(name);
          if (answer?.says) state.said.set(name, answer.says);
        }
        await look();
        const mine = state.standing.contenders.find((each) => each.world === name);
        if (!mine || mine.solved || mine.calls >= MOST_CALLS || mine.ended) state.ended.add(name);
        await new Promise((done) => setTimeout(done, state.pace));
      }
    } finally {
      busy.delete(name);
      draw();
    }
  }

  async function look() {
    const standing = await get(`${world.path}/arena`);
    if (signal.aborted) return;
    state.standing = standing;
    state.lanes = standing.contenders.map((each) => each.world);
    draw();
  }

  // A person plays one of the lanes with the tools.
  async function takeHand(name) {
    if (!name || state.hand?.name === name) return;
    putAway();
    const closing = new AbortController();
    signal.addEventListener("abort", () => closing.abort());
    const mine = new World(name);
    await mine.open(closing.signal);
    state.hand = { name, closing };
    mine.addEventListener("change", () => attempt(look));
    hand.hidden = false;
    panel.classList.add("handed");
    fill(hand, el("h2", {}, "Your turn"), playground(mine));
  }

  function putAway() {
    state.hand?.closing.abort();
    state.hand = null;
    hand.hidden = true;
    panel.classList.remove("handed");
    hand.replaceChildren();
  }

  const seat = (each) => seats.get(each.world) ?? each.by ?? "agent";
  const over = (each) => each.solved || state.ended.has(each.world) || each.ended;

  function draw() {
    const { contenders, parts_at: parting, first } = state.standing;
    board.hidden = !contenders.length;
    if (!contenders.length) return fill(lanes, el("p.empty", {}, reader ? "No agents play beside each other here." : "Each agent begins at a fork of this world as it is now; the world itself stays as it is."));
    const done = contenders.every(over);
    if (done) {
      state.running = false;
      pause.hidden = true;
    }
    fill(status, verdict(contenders, parting, first, done));
    fill(board, el("div.wide", { tabindex: 0, role: "region", "aria-label": "Standing" }, el("table.listing", {},
      el("thead", {}, el("tr", {}, ["", "Agent", "Calls", "Refused", "Checks", "Reward"].map((name, place) => el(`th${place > 1 ? ".number" : ""}`, { scope: "col" }, name || el("span.sr", {}, "Solved"))))),
      el("tbody", {}, [...contenders].sort((a, b) => b.reward - a.reward || a.calls - b.calls).map((each) => el(`tr${each.world === first ? ".leads" : ""}`, { "data-agent": seat(each) },
        el("td", {}, over(each) ? outcomeSign({ outcome: each.solved ? "solved" : "failed" }) : null),
        el("th", { scope: "row" }, named(seat(each))),
        [each.calls, each.refused, each.checks.length ? `${each.checks.filter((lamp) => lamp.holds).length} of ${each.checks.length}` : "–", each.reward.toFixed(2)].map((value) => el("td.number", {}, String(value)))))))));
    const scrolled = new Map([...lanes.querySelectorAll(".lane .steps")].map((list) => [list.dataset.lane, list.scrollTop + list.clientHeight >= list.scrollHeight - 8 ? Infinity : list.scrollTop]));
    fill(lanes, contenders.map((each) => lane(each, parting)));
    lanes.style.setProperty("--lanes", String(contenders.length));
    for (const list of lanes.querySelectorAll(".lane .steps")) list.scrollTop = Math.min(scrolled.get(list.dataset.lane) ?? Infinity, list.scrollHeight);
    return undefined;
  }

  function verdict(contenders, parting, first, done) {
    const winner = contenders.find((each) => each.world === first);
    const parts = parting ? (parting === 1 ? "They part at the first call." : `The same until call ${parting - 1}; they part at call ${parting}.`) : "So far all do the same.";
    if (winner) return `${parts} ${sentence(named(seat(winner)))} solved it with ${plural(winner.calls, "call")}${contenders.filter((each) => each.solved).length > 1 ? ", the fewest" : ""}.`;
    return done ? `${parts} It is not solved.` : contenders.some((each) => each.calls) ? parts : "";
  }

  function lane(each, parting) {
    const who = seat(each);
    const base = each.calls - each.steps.length;
    return el(
      `section.lane${each.solved ? ".won" : ""}`,
      { "aria-label": `${named(who)}`, "data-agent": who },
      el("header.row", {}, el("h2", {}, named(who)), el("span.dim", {}, each.solved ? `solved with ${plural(each.calls, "call")}` : over(each) ? `ended after ${plural(each.calls, "call")}` : plural(each.calls, "call"))),
      each.checks.length > 0 && el("ul.dots", { "aria-label": "Checks" }, each.checks.map((lamp) => el(`li.lamp.${lamp.holds ? "on" : "off"}`, {}, el("span.bulb", { role: "img", title: lamp.words, "aria-label": `${lamp.holds ? "holds" : "does not hold"}: ${lamp.words}` })))),
      el("ol.steps", { "data-lane": each.world },
        each.more_steps > 0 && el("li.dim", {}, `${plural(each.more_steps, "earlier call")}`),
        each.steps.map((step, place) => [
          parting > 1 && base + place + 1 === parting && el("li.parting", {}, el("span", {}, "here they part")),
          item(world, step, { undoes: false }),
        ]),
        !each.steps.length && el("li.empty", {}, "No call yet."),
        state.said.has(each.world) && el("li.dim.saidlast", {}, state.said.get(each.world)),
      ),
      el("p.row", {}, el("a", { href: `#/world/${each.world}/tables` }, "Its world"), !reader && who === "person" && state.hand?.name !== each.world && button("Play", () => attempt(() => takeHand(each.world)), ".small")),
    );
  }

  const panel = el(
    "div.arena",
    {},
    reader ? el("p.dim", {}, "You see what happens here as it happens.") : el("div.controls.row", { role: "group", "aria-label": "Agents" }, setup, start, pause, el("label", {}, "speed ", paces)),
    el("div.ring", {}, task !== null && el("p.request.asked", {}, task), board),
    status,
    lanes,
    hand,
  );
  drawSetup();
  draw();
  attempt(look);
  // What others do in the forks is seen, too.
  const looking = setInterval(() => (!state.running && state.lanes.length ? look().catch(() => {}) : undefined), SECONDS * 1000);
  signal.addEventListener("abort", () => { clearInterval(looking); halt(); putAway(); });
  return panel;
}
