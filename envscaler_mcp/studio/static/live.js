// An agent at work: the conversation, its calls and the tables side by side. A person may take over at any moment.

import { isReader } from "./api.js";
import { attempt, button, el, fill, plural, sentence } from "./dom.js";
import { levelTag, toWatch } from "./environment.js";
import { playground } from "./playground.js";
import { tablesPanel } from "./tables.js";
import { lamps } from "./task.js";
import { author, timelinePanel } from "./timeline.js";
import { doneButton } from "./verdict.js";

const PACES = [["slow", 2600], ["normal", 1200], ["fast", 250]];

// `watched`: nothing can be pressed, not even by an owner.
export function livePanel(world, signal, { watched = false } = {}) {
  const reader = isReader() || watched;
  const task = world.checks.task;
  const state = { agent: task === null ? "random" : "oracle", pace: 1200, playing: false, said: "", words: new Map() };
  const talk = el("ol.talk", {});
  const person = el("section.person", { "aria-label": "Your turn", hidden: true });
  const status = el("span.dim", { role: "status" });
  const play = button("Play", () => (state.playing ? pause() : start()), ".primary", { "data-does": "play" });
  const step = button("One step", () => attempt(one), "", { "data-does": "step" });
  const over = button("Take over", () => takeOver(), "", { "data-does": "take-over" });
  const agents = el("select", { "aria-label": "Agent", onchange: () => choose(agents.value) }, task !== null && el("option", { value: "oracle" }, "oracle"), el("option", { value: "random" }, "random"), task !== null && world.agents.model && el("option", { value: "model" }, world.agents.model), el("option", { value: "person" }, "person"));
  const paces = el("select", { "aria-label": "Speed", onchange: () => { state.pace = Number(paces.value); } }, PACES.map(([name, wait]) => el("option", { value: wait, selected: wait === state.pace }, name)));
  const again = button("From the start", () => attempt(async () => { pause(); state.said = ""; await world.undo(world.timeline.earliest); }), ".quiet");
  const controls = watched ? null : reader ? el("p.dim", {}, "You see what happens here as it happens.") : el("div.controls.row", { role: "group", "aria-label": "Agent at work" }, play, step, over, el("label", {}, "agent ", agents), el("label", {}, "speed ", paces), again, status);
  let timer = 0;

  function choose(agent) {
    state.agent = agent;
    agents.value = agent;
    const mine = agent === "person";
    if (mine) pause();
    play.disabled = step.disabled = mine;
    person.hidden = !mine;
    if (mine && !person.firstChild) {
      if (task !== null) person.append(el("section.asked", { "aria-label": "Your task" }, el("header.row", {}, el("h2", {}, "Your task"), levelTag(world.checks.level), doneButton(world)), el("p.request", {}, task)));
      person.append(playground(world));
    }
    fill(status, mine ? "It is your turn." : "");
  }

  function takeOver() {
    choose("person");
    person.querySelector(".form")?.querySelector("input, select, textarea, button")?.focus({ preventScroll: true });
    person.scrollIntoView({ block: "start" });
  }

  function start() {
    state.playing = true;
    fill(play, "Pause");
    run();
  }

  function pause() {
    state.playing = false;
    clearTimeout(timer);
    fill(play, "Play");
  }

  async function run() {
    if (!state.playing || signal.aborted) return;
    const going = await attempt(one);
    if (!going) return pause();
    timer = setTimeout(run, state.pace);
  }

  // Whether there is more to come.
  async function one() {
    fill(status, state.agent === "model" ? "thinking …" : "");
    const answer = await world.play(state.agent).finally(() => fill(status));
    if (answer.step && answer.says) state.words.set(answer.step.number, answer.says);
    if (answer.ended) {
      state.said = answer.says;
      world.tell();
    }
    return !answer.ended && !world.gone;
  }

  signal.addEventListener("abort", pause);

  function draw() {
    fill(
      talk,
      task !== null && el("li.turn.user", {}, el("p.who", {}, "user ", levelTag(world.checks.level)), el("p.request", {}, task)),
      world.steps.map((each) => el(`li.turn.agent.${each.kind}`, {}, el("p.who", {}, author(world, each)), state.words.has(each.number) && el("p", {}, state.words.get(each.number)), el("p", {}, el("b", {}, sentence(each.tool))), el("p.dim", {}, outcome(each)))),
      state.said && el("li.turn.agent.end", {}, el("p.who", {}, state.agent), el("p", {}, state.said)),
    );
    // Those who watch read the request.
    if (!watched) talk.scrollTop = talk.scrollHeight;
  }

  const panel = el(
    "div.live",
    {},
    controls,
    person,
    el("section.conversation", { "aria-label": watched ? "Request" : "Conversation" }, el("h2", {}, watched ? "Request" : "Conversation"), talk),
    el("div.middle", {}, task !== null && lamps(world), timelinePanel(world, watched ? { undoes: false } : {})),
    tablesPanel(world, { follow: true }),
  );
  world.addEventListener("change", () => panel.isConnected && draw());
  draw();
  if (toWatch.delete(world.name) && !reader) {
    // The start is seen before the first call.
    state.playing = true;
    fill(play, "Pause");
    timer = setTimeout(run, state.pace);
  }
  return panel;
}

// What a visitor of a class does, for those who only look.
export function lookPanel(world, visitor) {
  world.visitor = visitor;
  return el(
    "div.task",
    {},
    world.checks.task !== null && el("section.asked", { "aria-label": "Request" }, el("header.row", {}, el("h2", {}, "Request"), levelTag(world.checks.level)), el("p.request", {}, world.checks.task), lamps(world)),
    el("div.below", {}, tablesPanel(world, { follow: true }), timelinePanel(world, { undoes: false })),
  );
}

function outcome({ kind, result }) {
  if (typeof result !== "object" || result === null) return kind;
  if (result.success === false) return `Refused: ${result.error}`;
  if (typeof result.message === "string") return result.message;
  const list = Object.values(result.data ?? {}).find(Array.isArray);
  return list ? `saw ${plural(result.data.total ?? list.length, "record")}` : "answered";
}
