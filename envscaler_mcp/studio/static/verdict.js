// The verdict that a person asks for: what holds, what does not, and what was changed that must not be.

import { get } from "./api.js";
import { attempt, button, dialog, el, plural } from "./dom.js";

const MOST = 20;

export const doneButton = (world) => button("Done", () => attempt(() => showVerdict(world)), ".primary", { "data-does": "done", title: "Ask for the verdict" });

async function showVerdict(world) {
  const { checks, reward, solved, frame_violations: wrong } = await get(`${world.path}/checks`);
  const missing = checks.filter((lamp) => !lamp.holds);
  const list = (title, lines) => lines.length > 0 && el("section", {}, el("h3", {}, title), el("ol.rulelist", {}, lines.slice(0, MOST).map((line) => el("li", {}, line))), lines.length > MOST && el("p.dim", {}, `and ${lines.length - MOST} more`));
  dialog(
    solved ? "Solved" : "Not solved",
    el(solved ? "p.verdict.solved" : "p.verdict", {}, el("b", {}, `Reward ${reward.toFixed(2)}`), el("span", {}, ` after ${plural(world.last, "call")}`)),
    list(`${plural(missing.length, "check")} that ${missing.length === 1 ? "does" : "do"} not hold`, missing.map((lamp) => lamp.words)),
    list(`${plural(wrong.length, "change")} that the task does not allow`, wrong),
    el("p.dim", {}, solved ? "Every check holds, and nothing was changed besides." : "The world goes on: call again, or undo."),
  );
}
