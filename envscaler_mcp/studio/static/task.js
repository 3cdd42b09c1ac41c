// The task of a world: the request, its checks as lamps, its solution step by step, and the tools to do it.

import { isReader, isVisitor } from "./api.js";
import { attempt, button, el, fill, notice, plural } from "./dom.js";
import { levelTag } from "./environment.js";
import { playground } from "./playground.js";
import { tablesPanel } from "./tables.js";
import { timelinePanel } from "./timeline.js";
import { doneButton } from "./verdict.js";

export function lamps(world) {
  const list = el("ul.lamps", { "aria-label": "Checks" });
  const verdict = el("p.verdict", { role: "status" });
  const draw = () => {
    const { checks, reward, solved, frame_violations: wrong } = world.checks;
    const latest = new Set((world.turned.get(world.last) ?? []).map((lamp) => lamp.place));
    fill(list, checks.map((lamp, place) => el(`li.lamp.${lamp.holds ? "on" : "off"}${latest.has(place + 1) ? ".new" : ""}`, {}, el("span.bulb", { role: "img", "aria-label": lamp.holds ? "holds" : "does not hold yet" }), el("span", {}, lamp.words))));
    const held = checks.filter((lamp) => lamp.holds).length;
    verdict.className = `verdict ${solved ? "solved" : wrong.length ? "spoilt" : ""}`;
    fill(
      verdict,
      el("b", {}, solved ? "Solved" : `${held} of ${plural(checks.length, "check")}`),
      el("span", {}, ` reward ${reward.toFixed(2)}`),
      wrong.length > 0 && el("span.wrong", {}, ` ${plural(wrong.length, "change")} that the task does not allow: ${wrong.slice(0, 3).join(", ")}`),
    );
  };
  const panel = el("section.checks", { "aria-label": "Checks" }, verdict, list);
  world.addEventListener("change", () => panel.isConnected && draw());
  draw();
  return panel;
}

export const noTask = (world) => el("p.empty", {}, "This world was opened without a task. ", el("a", { href: `#/environment/${world.card.environment}` }, "Choose a task"));

export function taskPanel(world) {
  if (world.checks.task === null) return noTask(world);
  const reader = isReader();
  const step = button("", () => attempt(next), "", { "data-does": "solve-step" });
  const next = async () => {
    const answer = await world.play("oracle");
    if (answer.ended) notice("The solution has no more calls.");
  };
  const draw = () => {
    const { steps, next_step: done } = world.checks;
    fill(step, done >= steps ? "The solution is played" : `Show step ${done + 1} of ${steps} of the solution`);
    step.disabled = done >= steps;
  };
  const panel = el(
    "div.task",
    {},
    el(
      "section.asked",
      { "aria-label": "Request" },
      el("header.row", {}, el("h2", {}, "Request"), levelTag(world.checks.level)),
      el("p.request", {}, world.checks.task),
      !reader && el("p.row", {}, doneButton(world), !isVisitor() && [step, button("Back to the start", () => attempt(() => world.undo(world.timeline.earliest)), ".quiet")]),
      lamps(world),
    ),
    !reader && playground(world),
    el("div.below", {}, tablesPanel(world, { follow: true }), timelinePanel(world)),
  );
  world.addEventListener("change", () => panel.isConnected && draw());
  draw();
  return panel;
}
