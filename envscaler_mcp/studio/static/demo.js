// The demonstration: the farm plays tasks of unlike worlds, this page fills the screen with the one that it is at. A touch
// ends it for owners, who have the world from then on; readers go on to the gallery.

import { get, isReader, post } from "./api.js";
import { attempt, button, el, fill, place, sentence } from "./dom.js";
import { livePanel } from "./live.js";
import { World } from "./model.js";

const ASK = 700;
const PATH = "/v1/demonstration";
const NO_TOUCH = ["Shift", "Control", "Alt", "Meta", "F11", "Tab"];

export async function showDemo(main, signal) {
  place(["Demonstration"]);
  const stage = el("div.demo", {}, el("p.empty", {}, "The first world is being opened …"));
  let world = null;
  let closing = new AbortController();
  const leave = () => closing.abort();
  signal.addEventListener("abort", leave);
  document.body.classList.add("showing");
  signal.addEventListener("abort", () => document.body.classList.remove("showing"));
  for (const kind of ["click", "keydown"]) {
    addEventListener(kind, (event) => {
      if (stage.dataset.stopped || event.target.closest?.(".fullscreen") || NO_TOUCH.includes(event.key)) return;
      event.preventDefault();
      attempt(touched);
    }, { signal, capture: true });
  }
  navigator.wakeLock?.request("screen").then((lock) => signal.addEventListener("abort", () => lock.release()), () => {});
  fill(main, stage);

  async function touched() {
    if (!world) return;
    if (isReader()) {
      location.hash = "#/";
      return;
    }
    const { world: name } = await post(`${PATH}/take`);
    location.hash = `#/world/${name || world.name}/live`;
  }

  async function open(name) {
    leave();
    closing = new AbortController();
    const next = new World(name);
    try {
      await next.open(closing.signal);
    } catch {
      // It was closed meanwhile; the next question names another.
      return;
    }
    world = next;
    if (!signal.aborted) fill(stage, head(world), livePanel(world, signal, { watched: true }));
  }

  for (;;) {
    const shown = await attempt(() => get(PATH));
    if (signal.aborted) return;
    if (shown && !shown.playing) return stopped(stage, shown);
    if (shown?.world && shown.world !== world?.name) await open(shown.world);
    await new Promise((resolve) => setTimeout(resolve, ASK));
    if (signal.aborted) return;
  }
}

function head(world) {
  return el(
    "header.demohead",
    {},
    el("div", {}, el("p.sector", {}, sentence(world.environment.sector)), el("h1", {}, world.environment.title), el("p.dim", {}, world.environment.about ?? "")),
    el("div.row", {}, el("p.dim", {}, isReader() ? "Touch to look around." : "Touch to take over."), document.fullscreenEnabled && button("Full screen", fullScreen, ".small.fullscreen")),
  );
}

function fullScreen() {
  if (document.fullscreenElement) document.exitFullscreen();
  else document.documentElement.requestFullscreen();
}

function stopped(stage, { offered, world }) {
  stage.dataset.stopped = "yes";
  document.body.classList.remove("showing");
  const start = () => attempt(async () => { await post(`${PATH}/start`); dispatchEvent(new Event("hashchange")); });
  fill(
    stage,
    el("h1", {}, "Demonstration"),
    el("p", {}, offered ? "It was ended; its world stays open for an hour after its last use." : ["No demonstration is played here; ", el("code", {}, "envscaler studio --demo"), " plays one."]),
    offered && !isReader() && el("p.row", {}, button("Go on with the next task", start, ".primary", { "data-does": "demonstrate" }), world && el("a.button", { href: `#/world/${world}/live` }, "To the world that was taken over")),
  );
}
