// The calls of a world, the latest first; each can be undone.

import { isReader } from "./api.js";
import { attempt, button, el, fill, plural, put, redraw, sentence, words } from "./dom.js";
import { answer, difference, plainText } from "./values.js";

// What a step of a person is signed with; where steps come from a run there is no world with people.
export const author = (world, step) => (step.by === "person" ? (world.person ?? "person") : step.by);

// `undoes`: where nothing else is said, those who may change the world may take calls back.
export function timelinePanel(world, { title = "Calls", oldestFirst = false, most = 60, undoes = !isReader() && !world.checks.official } = {}) {
  const list = el("ol.steps", {});
  const all = undoes && button("", () => attempt(() => world.undo(world.timeline.earliest)), ".small", { "data-does": "undo-all" });
  const panel = el("section.timeline", { "aria-label": title }, el("header.row", {}, el("h2", {}, title), all), list);
  const draw = () => {
    const steps = oldestFirst ? world.steps.slice(-most) : world.steps.slice(-most).reverse();
    if (all) drawUndoAll(world, all);
    fill(
      list,
      steps.map((step) => item(world, step, { undoes })),
      !steps.length && el("li.empty", {}, "No call yet."),
    );
    if (oldestFirst) list.scrollTop = list.scrollHeight;
  };
  world.addEventListener("change", () => panel.isConnected && redraw(panel, draw));
  draw();
  return panel;
}

// A fork goes back to where it began, and other worlds to where their recording did.
function drawUndoAll(world, all) {
  const { earliest, parent, forked_after: forkedAfter } = world.timeline;
  const count = world.last - earliest;
  const toFork = parent && earliest > 0 && earliest === forkedAfter;
  all.disabled = count === 0;
  fill(all, toFork ? `Back to the fork${count ? ` (${plural(count, "call")})` : ""}` : count > 1 ? `Undo all ${count} calls` : "Undo all");
}

const SIGNS = { done: "✓", refused: "✕" };

// `answers`: every answer can be unfolded, not only that of the last call.
export function item(world, step, { undoes = true, answers = false } = {}) {
  const last = answers || step === world.steps.at(-1);
  const turned = world.turned.get(step.number) ?? [];
  const changes = difference(world, step.diff);
  const gone = world.last - step.number + 1;
  const undo = undoes && !isReader() && step.undoable && button(gone > 1 ? `Undo ${gone} calls` : "Undo", () => attempt(() => world.undo(step.number - 1)), ".small.undo", { "aria-label": gone > 1 ? `Undo ${gone} calls, from call ${step.number} on` : `Undo call ${step.number}`, title: "Back to before this call" });
  return el(
    `li.step.${step.kind}`,
    { "data-step": step.number },
    el("header.row", {}, el("span.sign", { "aria-label": step.kind }, SIGNS[step.kind] ?? "!"), el("b", {}, sentence(step.tool)), el("span.by", {}, author(world, step)), undo),
    args(world, step.arguments),
    changes ?? (step.kind !== "done" ? answer(world, step) : el("p.dim", {}, summary(step.result))),
    turned.map((lamp) => el(`p.turned.${lamp.holds ? "on" : "off"}`, {}, lamp.holds ? `✓ check ${lamp.place} is true now` : `✕ check ${lamp.place} is not true any more`, el("span.sr", {}, `: ${lamp.words}`))),
    !last || step.kind !== "done" || (changes && !answers) ? null : later("Answer", () => answer(world, step)),
  );
}

// Made when it is opened.
export function later(title, make) {
  const box = el("details", {}, el("summary", {}, title));
  box.addEventListener("toggle", () => box.open && box.children.length === 1 && put(box, make()));
  return box;
}

export function args(world, given) {
  if (typeof given !== "object" || given === null) return el("p.args", {}, String(given));
  const entries = Object.entries(given);
  return entries.length > 0 && el("p.args", {}, entries.map(([name, value]) => el("span", {}, `${words(name.replace(/_ids?$/, ""))} `, el("b", {}, called(world, value)))));
}

// An id as what its record is called.
function called(world, value) {
  if (typeof value !== "string") return plainText(value);
  const table = world.tables.tables.find((each) => Object.hasOwn(each.records, value));
  return table ? table.labels[value] : plainText(value);
}

function summary(result) {
  if (result && typeof result === "object") {
    if (typeof result.message === "string") return result.message;
    const lists = Object.values(result.data ?? {}).filter(Array.isArray);
    if (lists.length) return plural(result.data.total ?? lists[0].length, "record");
  }
  return "answered";
}
