// Benchmarks of other authors: their tasks, and a world at one of them. The verdict is theirs, and so are its words.

import { environmentPath, get, isReader, post } from "./api.js";
import { attempt, button, el, fill, place, plural, sentence, words } from "./dom.js";
import { openWorld } from "./environment.js";
import { playground } from "./playground.js";
import { tablesPanel } from "./tables.js";
import { timelinePanel } from "./timeline.js";

const PAGE = 40;
const LONGEST = 20_000;
// What a user says when they want no more.
const STOP = "###STOP###";

export const isBenchmark = (card) => card.sector === "benchmark" && card.states.includes("official");

export async function showBenchmark(main, signal, card) {
  place([card.title]);
  const tasks = el("section", { "aria-label": "Tasks" }, el("h2", {}, "Tasks"), el("p.dim", {}, "Reading the tasks …"));
  fill(
    main,
    el(
      "section.hero",
      {},
      el("p.sector", {}, "Benchmark of other authors"),
      el("h1", {}, card.title),
      el("p", {}, `${card.version}. Its tasks, tools, state and verdict are its authors' own. A world can be called; it cannot be undone or forked, and no agent of the studio plays in it. Where a task has a user, one answers, or you play both.`),
      el("p", {}, "To measure a model: ", el("code", {}, `envscaler bench run ${card.id} --agent openai:MODEL --out runs/${card.id}`)),
    ),
    tasks,
  );
  const { tasks: list } = await get(`${environmentPath(card.id)}/tasks`);
  if (!signal.aborted) showTasks(tasks, card.id, list);
}

function showTasks(section, id, all) {
  const shown = { category: "", search: "", most: PAGE };
  const rows = el("ul.tasks", {});
  const count = el("span.dim", { role: "status" });
  const categories = [...new Set(all.map((task) => task.category))];
  const choices = el("select", { "aria-label": "Category", onchange: () => { Object.assign(shown, { category: choices.value, most: PAGE }); draw(); } }, el("option", { value: "" }, `all categories (${categories.length})`), categories.map((name) => el("option", { value: name }, words(name))));
  const search = el("input", { type: "search", "aria-label": "Find a task", placeholder: "Find a task", autocomplete: "off", oninput: () => { Object.assign(shown, { search: search.value.toLowerCase(), most: PAGE }); draw(); } });
  const draw = () => {
    const fitting = all.filter((task) => (!shown.category || task.category === shown.category) && `${task.id} ${task.task}`.toLowerCase().includes(shown.search));
    fill(count, fitting.length === all.length ? plural(all.length, "task") : `${fitting.length} of ${plural(all.length, "task")}`);
    fill(
      rows,
      fitting.slice(0, shown.most).map((task) => row(id, task)),
      fitting.length > shown.most && el("li", {}, button(`Show ${Math.min(PAGE, fitting.length - shown.most)} more`, () => { shown.most += PAGE; draw(); }, ".quiet")),
    );
  };
  const none = isReader() ? "Readers see no tasks of a benchmark." : "There are no tasks.";
  fill(section, el("h2", {}, "Tasks"), all.length > 0 && el("div.row.tools", {}, choices, search, count), rows, !all.length && el("p.empty", {}, none));
  draw();
}

function row(id, task) {
  const facts = [task.turns > 1 && plural(task.turns, "turn"), task.steps > 0 && `${plural(task.steps, "call")} in its authors' solution`].filter(Boolean);
  return el(
    "li.task",
    { "data-task": task.id },
    el("header.row", {}, el("span.tag", {}, words(task.category)), el("b", {}, task.id), el("span.dim", {}, facts.join(" · "))),
    el("p.request", {}, task.task),
    !isReader() && el("p.row", {}, button("Open it", () => attempt(() => openWorld(id, task.id, "task")))),
  );
}

// The state that is no table, as JSON.
export function otherState(world) {
  const list = el("div.scalars", {});
  const title = world.tables.tables.length ? "Other state" : "State";
  const panel = el("section.tables", { "aria-label": title }, el("h2", {}, title), list);
  let drawn = false;
  const draw = () => {
    const entries = Object.entries(world.tables.scalars);
    const shown = drawn ? [...list.querySelectorAll("details[open]")].map((each) => each.dataset.name) : entries.length < 4 ? entries.map(([name]) => name) : [];
    const open = new Set(shown);
    drawn = true;
    panel.hidden = !entries.length;
    fill(list, entries.map(([name, value]) => scalar(name, value, open)));
  };
  world.addEventListener("change", () => panel.isConnected && draw());
  draw();
  return panel;
}

function scalar(name, value, open) {
  const nested = typeof value === "object" && value !== null && Object.keys(value).length > 0;
  if (!nested) return el("p", {}, el("span.dim", {}, `${sentence(name)} `), el("b", {}, value === null ? "none" : typeof value === "string" ? value : JSON.stringify(value)));
  return el("details", { "data-name": name, open: open.has(name) }, el("summary", {}, sentence(name)), json(value));
}

const records = (world, options) => [world.tables.tables.length > 0 && tablesPanel(world, options), otherState(world)];

export const officialTables = (world) => [el("div.official", {}, records(world, {})), timelinePanel(world)];

export function officialTask(world) {
  const reader = isReader();
  const tools = el("div", {});
  const said = el("ol.turns", {});
  const next = button("", () => attempt(begin), "", { "data-does": "turn" });
  const verdict = el("section.checks", { "aria-label": "Verdict", role: "status" });
  const judge = button("Ask the official judge", () => attempt(judged), ".primary", { "data-does": "judge" });
  const { category, turns, talks, user, system } = world.checks.official;

  async function begin() {
    await post(`${world.path}/turn`, { turn: world.checks.official.begun + 1 });
    await world.hear();
  }

  async function judged() {
    judge.disabled = true;
    try {
      showVerdict(await post(`${world.path}/judge`, {}));
    } finally {
      judge.disabled = false;
    }
  }

  function showVerdict({ verdict: { solved, reward, reason, figures }, answer }) {
    verdict.className = "checks";
    fill(
      verdict,
      el(`p.verdict${solved ? ".solved" : ".spoilt"}`, {}, el("b", {}, solved ? "Solved" : "Not solved"), el("span", {}, ` reward ${reward.toFixed(2)}`)),
      reason && el("p", {}, reason),
      Object.keys(figures ?? {}).length > 0 && el("p.dim", {}, Object.entries(figures).map(([name, figure]) => `${words(name)} ${figure}`).join(" · ")),
      el("details", {}, el("summary", {}, "All that the judge has answered"), json(answer)),
    );
  }

  let forms = null;
  function draw() {
    const { begun } = world.checks.official;
    if (forms !== world.forms && !reader) fill(tools, playground(world));
    forms = world.forms;
    fill(said, turns.map((text, turn) => (talks || turn <= begun) && el(`li${turn === begun ? "" : ".dim"}`, {}, turns.length > 1 && el("b", {}, `Turn ${turn + 1} of ${turns.length}. `), text)));
    next.hidden = talks || turns.length < 2;
    next.disabled = begun + 1 >= turns.length;
    fill(next, next.disabled ? "The user says no more" : "End the turn");
  }

  world.addEventListener("change", () => said.isConnected && draw());
  draw();
  return el(
    "div.task",
    {},
    el(
      "section.asked",
      { "aria-label": "Request" },
      el("header.row", {}, el("h2", {}, talks ? "A conversation with a user" : "What the user says"), el("span.tag", {}, words(category))),
      talks ? el("details", { open: user === "person" }, el("summary", {}, "What the user wants, which the agent is not told"), said) : said,
      system && el("details", {}, el("summary", {}, "What the agent is told first"), el("pre", { tabindex: 0 }, system)),
      !reader && el("p.row", {}, next, judge),
      verdict,
    ),
    talks && conversation(world),
    !reader && tools,
    el("div.below", {}, el("div.official", {}, records(world, { follow: true })), timelinePanel(world)),
  );
}

// What was said to the task's user, and the calls between. The person plays the agent, and the user too where no other does.
export function conversation(world) {
  const list = el("ol.talk", {});
  const agent = field("What the agent says");
  const user = field("What the user answers");
  const say = button("", () => attempt(() => send(false)), ".primary", { "data-does": "say" });
  const stop = button("Say it, and the user is content", () => attempt(() => send(true)), "", { "data-does": "stop" });
  const form = el("div.saying", {}, agent.entry, user.entry, el("p.row", {}, say, stop));
  const status = el("p.dim", { role: "status" });

  async function send(ends) {
    const { conversation: before, user: by } = world.checks.official;
    const order = { text: before.length ? agent.input.value : null };
    if (by === "person") order.reply = ends ? `${user.input.value} ${STOP}`.trim() : user.input.value;
    say.disabled = stop.disabled = true;
    fill(status, by === "model" ? "The user is thinking …" : "");
    try {
      await world.say(order);
      agent.input.value = user.input.value = "";
    } finally {
      say.disabled = stop.disabled = false;
      fill(status);
      draw();
    }
  }

  function draw() {
    const { conversation: said, user: by, over } = world.checks.official;
    const calls = (from, to) => world.steps.filter(({ number }) => number > from && number <= to).map((each) => el(`li.turn.agent.${each.kind}`, {}, el("p.who", {}, "agent"), el("p", {}, "calls ", el("b", {}, sentence(each.tool)))));
    const turn = ({ text, reply }, place) => [
      text !== null && el("li.turn.agent", {}, el("p.who", {}, "agent"), el("p", {}, text || "(says nothing)")),
      el(`li.turn.user${over && place === said.length - 1 ? ".end" : ""}`, {}, el("p.who", {}, "user"), el("p", {}, reply)),
    ];
    fill(list, said.flatMap((each, place) => [...calls(said[place - 1]?.after ?? 0, each.after), ...turn(each, place)]), calls(said.at(-1)?.after ?? 0, Infinity), !said.length && el("li.empty", {}, "Nothing was said yet. The user begins."));
    list.scrollTop = list.scrollHeight;
    agent.entry.hidden = !said.length;
    user.entry.hidden = stop.hidden = by !== "person";
    stop.hidden ||= !said.length;
    fill(user.label, said.length ? "What the user answers" : "What the user says first");
    fill(say, said.length ? "Say it" : by === "person" ? "Begin" : "Let the user begin");
    form.hidden = over;
    if (over) fill(status, "The conversation has ended.");
  }

  world.addEventListener("change", () => list.isConnected && draw());
  draw();
  return el("section.conversation", { "aria-label": "Conversation" }, el("h2", {}, "Conversation"), list, !isReader() && form, status);
}

function field(title) {
  const label = el("span", {}, title);
  const input = el("textarea", { rows: 2 });
  return { label, input, entry: el("label.entry", {}, label, input) };
}

function json(value) {
  const text = JSON.stringify(value, null, 2);
  return el("pre", { tabindex: 0 }, text.length > LONGEST ? `${text.slice(0, LONGEST)}\n… (${plural(text.length - LONGEST, "more letter")})` : text);
}
