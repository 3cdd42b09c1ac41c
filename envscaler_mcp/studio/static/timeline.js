// The calls of a world, the latest first; each can be undone.

import { isReader } from "./api.js";
import { attempt, button, el, fill, plural, put, redraw, sentence, words } from "./dom.js";
import { answer, difference, plainText } from "./values.js";

const AUTHORS = { person: "you", agent: "agent", oracle: "oracle", random: "random", model: "model" };

export function timelinePanel(world, { title = "Calls", oldestFirst = false, most = 60 } = {}) {
  const list = el("ol.steps", {});
  const panel = el("section.timeline", { "aria-label": title }, el("header.row", {}, el("h2", {}, title), !isReader() && button("Undo all", () => attempt(() => world.undo(world.timeline.dropped)), ".small", { "data-does": "undo-all" })), list);
  const draw = () => {
    const steps = oldestFirst ? world.steps.slice(-most) : world.steps.slice(-most).reverse();
    panel.querySelector("[data-does=undo-all]")?.toggleAttribute("disabled", !world.steps.length);
    fill(
      list,
      steps.map((step) => item(world, step)),
      !steps.length && el("li.empty", {}, "No call yet."),
    );
    if (oldestFirst) list.scrollTop = list.scrollHeight;
  };
  world.addEventListener("change", () => panel.isConnected && redraw(panel, draw));
  draw();
  return panel;
}

const SIGNS = { done: "✓", refused: "✕" };

// `answers`: every answer can be unfolded, not only that of the last call.
export function item(world, step, { undoes = true, answers = false } = {}) {
  const last = answers || step === world.steps.at(-1);
  const turned = world.turned.get(step.number) ?? [];
  const changes = difference(world, step.diff);
  const undo = undoes && !isReader() && step.undoable && button("Undo", () => attempt(() => world.undo(step.number - 1)), ".small.undo", { "aria-label": `Undo call ${step.number} and later ones`, title: "Back to before this call" });
  return el(
    `li.step.${step.kind}`,
    { "data-step": step.number },
    el("header.row", {}, el("span.sign", { "aria-label": step.kind }, SIGNS[step.kind] ?? "!"), el("b", {}, sentence(step.tool)), el("span.by", {}, AUTHORS[step.by]), undo),
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
