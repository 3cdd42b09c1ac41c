// One recorded episode: what was said and called, which checks held after each step, and the records as they were then.

import { get, post } from "./api.js";
import { attempt, button, copy, el, fill, notice, place, plural, put } from "./dom.js";
import { levelTag } from "./environment.js";
import { asked, episodeAddress, outcomeSign, runAddress, runPath, titled, titlesOf } from "./runs.js";
import { tablesPanel } from "./tables.js";
import { item, later } from "./timeline.js";
import { World, litBy } from "./model.js";

const PACES = [["slow", 2200], ["normal", 1100], ["fast", 350]];

// A recorded episode in the place of a world: tables, labels and checks as they were after one of its steps.
export class Replay extends EventTarget {
  constructor(run, episode) {
    super();
    Object.assign(this, { run, episode, name: episode.row.id, tables: { now: null, tables: [], scalars: {} }, forms: { rules: episode.rules }, lit: { tables: new Map(), step: 0 } });
    const words = (number) => episode.checks[number - 1]?.words ?? "";
    const turned = (step) => [...step.turned_true.map((number) => [number, true]), ...step.turned_false.map((number) => [number, false])];
    this.turned = new Map(episode.steps.map((step) => [step.place, turned(step).map(([number, holds]) => ({ place: number, words: words(number), holds }))]));
    this.steps = [];
    this.at = 0;
  }

  table(name) {
    return this.tables.tables.find((table) => table.name === name);
  }

  label(table, id) {
    return World.prototype.label.call(this, table, id);
  }

  get holds() {
    return new Set(this.at ? this.episode.steps[this.at - 1].holds : this.episode.holds);
  }

  // Where this is the solution of an episode's task, that episode is named.
  async read(step, solutionOf = "") {
    const mine = (this.reading = step);
    const tables = await get(`${runPath(this.run)}/tables?${asked({ id: solutionOf || this.episode.row.id, of: solutionOf && "solution", after: step })}`);
    if (mine !== this.reading) return false;
    const before = this.tables.tables.flatMap((table) => Object.entries(table.labels).map(([id, label]) => [`${table.name}/${id}`, label]));
    this.labelsBefore = new Map([...(this.labelsBefore ?? []), ...before]);
    this.tables = tables;
    this.at = this.shown = step;
    // Where the step itself changed nothing, what was changed last is lit.
    const changed = this.episode.steps.slice(0, step).findLast((each) => litBy(each.call?.diff).size > 0);
    this.lit = { tables: litBy(changed?.call.diff), step };
    return true;
  }

  tell() {
    this.dispatchEvent(new Event("change"));
  }
}

export async function showEpisode(main, signal, run, encoded, chosen) {
  const id = decodeURIComponent(encoded);
  const [episode] = await Promise.all([get(`${runPath(run)}/episode?id=${encodeURIComponent(id)}`), titlesOf()]);
  if (signal.aborted) return;
  const { row } = episode;
  const replay = new Replay(run, episode);
  const last = episode.steps.length;
  place(["Runs", "#/runs"], [run, runAddress(run)], [row.scenario || row.id]);
  const turns = el("ol.told", {});
  const lampList = el("ul.lamps", { "aria-label": "Checks" });
  const where = el("output", { "aria-live": "polite" });
  const side = el("aside.aside", { "aria-label": "The world after this step" });
  const state = { playing: 0, pace: 1100 };
  const buttons = {
    first: button("|◀", () => step(0), "", { "aria-label": "To the start", title: "To the start" }),
    back: button("◀", () => step(replay.wanted - 1), "", { "aria-label": "One step back", title: "One step back (k)" }),
    play: button("Play", () => (state.playing ? pause() : play()), ".primary", { "data-does": "play" }),
    on: button("▶", () => step(replay.wanted + 1), "", { "aria-label": "One step on", title: "One step on (j)" }),
    end: button("▶|", () => step(last), "", { "aria-label": "To the end", title: "To the end" }),
  };
  const paces = el("select", { "aria-label": "Speed", onchange: () => { state.pace = Number(paces.value); } }, PACES.map(([name, wait]) => el("option", { value: wait, selected: wait === state.pace }, name)));
  const opens = button("", () => attempt(open), "", { "data-does": "open-step" });
  const others = el("select", { "aria-label": "Beside another run", hidden: true, onchange: () => { location.hash = `#/beside/${run}/${encoded}/${others.value}`; } });
  replay.wanted = last;

  function pause() {
    clearTimeout(state.playing);
    state.playing = 0;
    fill(buttons.play, "Play");
  }

  function play() {
    if (replay.wanted >= last) step(0, true);
    fill(buttons.play, "Pause");
    const next = async () => {
      if (signal.aborted || replay.wanted >= last) return pause();
      await step(replay.wanted + 1, true);
      state.playing = setTimeout(next, state.pace);
    };
    state.playing = setTimeout(next, state.pace / 2);
  }

  async function step(wanted, playing = false) {
    if (!playing && state.playing) pause();
    replay.wanted = Math.max(0, Math.min(last, wanted));
    history.replaceState(null, "", episodeAddress(run, id, replay.wanted === last ? 0 : replay.wanted));
    replay.at = replay.wanted;
    mark();
    if (!episode.playable) return;
    const read = replay.shown === replay.wanted || (await attempt(() => replay.read(replay.wanted)));
    if (read && !signal.aborted) {
      if (!side.querySelector(".tables")) side.append(tablesPanel(replay, { follow: true }));
      replay.tell();
    }
  }

  function mark() {
    const at = replay.wanted;
    fill(where, at ? `after step ${at} of ${last}` : "at the start");
    for (const [name, off] of [["first", at <= 0], ["back", at <= 0], ["on", at >= last], ["end", at >= last]]) buttons[name].disabled = off;
    fill(opens, at ? `Play on from step ${at}` : "Play from the start");
    for (const told of turns.querySelectorAll("[data-place]")) {
      const mine = Number(told.dataset.place);
      told.classList.toggle("current", mine === at);
      told.classList.toggle("coming", mine > at);
      if (mine === at) bring(told);
    }
    const held = replay.holds;
    const turnedNow = new Set((replay.turned.get(at) ?? []).map((lamp) => lamp.place));
    fill(lampList, episode.checks.map((lamp, index) => el(`li.lamp.${held.has(index + 1) ? "on" : "off"}${turnedNow.has(index + 1) ? ".new" : ""}`, {}, el("span.bulb", { role: "img", "aria-label": held.has(index + 1) ? "holds" : "does not hold" }), el("span", {}, lamp.words || `check ${index + 1}`))));
  }

  // Only the list scrolls.
  function bring(told) {
    const [outer, inner] = [turns.getBoundingClientRect(), told.getBoundingClientRect()];
    if (inner.top < outer.top || inner.bottom > outer.bottom) turns.scrollTop += inner.top - outer.top - outer.height / 3;
  }

  async function open() {
    const at = Math.min(replay.wanted + 1, last + 1);
    const { world, calls, differs } = await post(`${runPath(run)}/open`, { episode: id, step: at });
    notice(differs ? `Call ${differs} was answered otherwise than it was recorded.` : `A world of your own, with ${plural(calls, "call")} made in it.`, Boolean(differs));
    location.hash = `#/world/${world}/playground`;
  }

  // Records that a call made are called by their names from the beginning.
  if (episode.playable) await attempt(() => replay.read(last));
  if (signal.aborted) return;
  fill(turns, opening(episode), episode.steps.map((each) => told(replay, episode, each, step)), episode.more_steps > 0 && el("li.dim", {}, `${plural(episode.more_steps, "more step")} not shown here`));
  fill(
    main,
    put(banner(run, episode), button("Copy link", () => copy(location.href), ".quiet")),
    el("div.controls.row", { role: "group", "aria-label": "Steps" }, buttons.first, buttons.back, buttons.play, buttons.on, buttons.end, where, paces, el("span.gap", {}), episode.playable && opens, episode.playable && el("a.button", { href: `#/beside/${run}/${encoded}/solution` }, "Beside the solution"), others),
    el("div.replay", {}, el("section.conversation", { "aria-label": "What happened" }, el("h2", {}, "What happened"), turns), side),
  );
  fill(side, episode.checks.length > 0 && el("section.checks", { "aria-label": "Checks" }, el("h2", {}, "Checks"), lampList), episode.unsure && el("p.banner.warn", {}, `When each check turned true is not known for sure: ${episode.unsure}`), episode.unreadable && el("p.banner", {}, episode.unreadable));
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input, select, textarea, dialog")) return;
    if (event.key === "j" || event.key === "k") step(replay.wanted + (event.key === "j" ? 1 : -1));
  }, { signal });
  signal.addEventListener("abort", pause);
  get("/v1/runs").then(({ runs }) => {
    const rest = runs.filter((each) => each.id !== run && !each.problem);
    others.hidden = !rest.length;
    fill(others, el("option", { value: "" }, "Beside another run …"), rest.map((each) => el("option", { value: each.id }, each.name)));
  }, () => {});
  await step(chosen === undefined ? last : Number(chosen));
}

export function banner(run, episode) {
  const { row } = episode;
  const why = row.outcome === "solved" ? "" : row.outcome === "disturbed" ? `failure of: ${row.owner.replaceAll("_", " ")}. ${row.reason}` : row.reason;
  return el(
    `header.verdictbar.${row.outcome}`,
    {},
    outcomeSign(row),
    el("div", {},
      el("h1", {}, row.outcome === "solved" ? "Solved" : row.outcome === "failed" ? "Not solved" : "Disturbed", el("span.dim", {}, ` reward ${row.reward.toFixed(2)}`)),
      why && el("p.why", {}, why),
      episode.frame_violations.length > 0 && el("p.why", {}, `Changed, though the task does not allow it: ${episode.frame_violations.slice(0, 6).join(", ")}${episode.frame_violations.length > 6 ? " …" : ""}`),
      el("p.dim", {}, [titled(row.environment), row.scenario, `agent ${episode.agent}`, row.repetition > 1 ? `play ${row.repetition}` : "", plural(row.steps, "step"), row.masked ? "masked: not for training" : ""].filter(Boolean).join(" · "), " ", row.level && levelTag(row.level))),
  );
}

export const opening = (episode) => [
  episode.task && el("li.turn.user", {}, el("p.who", {}, "user"), el("p.request", {}, episode.task)),
  episode.system && el("li.quiet", {}, later("What the agent was told first", () => el("p.request", {}, episode.system))),
];

// A step: what was thought and said, a call with its answer as a table, and the checks that turned with it.
export function told(world, episode, step, go) {
  const parts = [];
  if (step.thinks) parts.push(later("Thought", () => el("p.request", {}, step.thinks)));
  if (step.says) parts.push(el("div.turn.agent", {}, el("p.who", {}, "agent"), el("p.request", {}, step.says)));
  if (step.call) parts.push(el("ol.steps", {}, item(world, step.call, { undoes: false, answers: true })));
  else for (const lamp of world.turned.get(step.place) ?? []) parts.push(el(`p.turned.${lamp.holds ? "on" : "off"}`, {}, `${lamp.holds ? "✓" : "✕"} check ${lamp.place}`));
  if (step.hears) parts.push(el("div.turn.user", {}, el("p.who", {}, episode.mode === "conversation" ? "user" : "environment"), el("p.request", {}, step.hears)));
  const number = go ? button(String(step.place), () => go(step.place), ".number", { "aria-label": `Step ${step.place}: show the world after it` }) : el("span.number", {}, String(step.place));
  return el("li.toldstep", { "data-place": step.place }, number, el("div", {}, parts));
}
