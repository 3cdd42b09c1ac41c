// A blueprint on the left; what comes of it on the right, as it happens: checked, compiled, grown, proven, published.

import { get, post, remove } from "./api.js";
import { attempt, button, el, fill, notice, place, plural, redraw, words } from "./dom.js";
import { levelTag } from "./environment.js";

const WAIT = 300;
const STAGES = [["check", "Check"], ["compile", "Compile"], ["grow", "Grow start states"], ["before", "Tasks of the version before"], ["prove", "Make tasks and prove them"]];

export async function showBuilder(main, signal, named) {
  place(["Builder"]);
  const { blueprints, publishes } = await get("/v1/blueprints");
  const wanted = named ?? blueprints[0].id;
  const opened = await get(`/v1/blueprints/${encodeURIComponent(wanted)}`);
  if (signal.aborted) return;
  // Whose tasks are proven again in what is written now: those of the environment, or of the first build.
  const state = { before: wanted === blueprints[0].id ? "" : wanted, build: "", lines: [], running: false, failed: "", text: "" };
  const source = el("textarea", { id: "source", spellcheck: "false", autocomplete: "off", "aria-describedby": "source-hint" });
  source.value = opened.text;
  const menu = el("select", { id: "blueprint", onchange: () => { location.hash = `#/builder/${menu.value}`; } }, blueprints.map((each) => el("option", { value: each.id, selected: each.id === wanted }, each.title)));
  const start = button("Build", () => attempt(build), ".primary", { "data-does": "build" });
  const stop = button("Stop", () => attempt(() => remove(`/v1/builds/${state.build}`)), "", { "data-does": "stop", hidden: true });
  const stages = el("div.stages", { "aria-label": "What comes of it" });
  const said = el("p.sr", { role: "status" });

  source.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) attempt(build);
  });

  async function build() {
    state.text = source.value;
    take(await post("/v1/builds", { text: state.text, before: state.before }), true);
    follow(state.build);
  }

  function take(answer, fresh = false) {
    Object.assign(state, { build: answer.build, running: answer.running, failed: answer.failed, next: answer.next, lines: fresh ? answer.lines : [...state.lines, ...answer.lines] });
    draw();
    if (state.running) return;
    const done = state.lines.at(-1)?.stage === "done";
    fill(said, done ? "The build is done." : state.failed);
    if (done && !state.before) state.before = state.build;
  }

  async function follow(id) {
    while (state.running && state.build === id && !signal.aborted) {
      await new Promise((resolve) => setTimeout(resolve, WAIT));
      const answer = await attempt(() => get(`/v1/builds/${id}?from=${state.next}`));
      if (!answer) state.running = false;
      else if (state.build === id && !signal.aborted) take(answer);
    }
    draw();
  }

  function draw() {
    start.disabled = state.running;
    stop.hidden = !state.running;
    redraw(stages, () => fill(stages, state.lines.length || state.failed ? [STAGES.filter(([name]) => name !== "before" || state.lines.some((line) => line.stage === name)).map(([name, title]) => stage(name, title)), last()] : el("p.panel.dim", {}, "Nothing is built yet. Change a rule, build, and see which tasks can still be proven.")));
  }

  function stage(name, title) {
    const lines = state.lines.filter((line) => line.stage === name);
    const latest = state.lines.at(-1);
    const here = latest?.stage === name;
    const wrong = here && !state.running && state.failed;
    const kind = wrong ? "bad" : !lines.length ? "waits" : here ? "runs" : "done";
    const mark = { bad: "✕", waits: "·", runs: "◌", done: "✓" }[kind];
    return el(
      `section.panel.stage.${kind}`,
      { "data-stage": name, "aria-label": title },
      el("header.row", {}, el("span.mark", { "aria-hidden": "true" }, mark), el("h2", {}, title), lines.length > 0 && el("span.dim", {}, `${lines.at(-1).seconds.toFixed(1)} s`)),
      lines.length > 0 && SHOWN[name](lines, source),
      wrong && el("p.refusal", {}, state.failed),
    );
  }

  function last() {
    const line = state.lines.at(-1);
    if (line?.stage !== "done") return null;
    return el(
      "section.panel.stage.done",
      { "data-stage": "done", "aria-label": "Done" },
      el("header.row", {}, el("span.mark", { "aria-hidden": "true" }, "✓"), el("h2", {}, `${line.id} is built`), el("span.dim", {}, `${line.seconds.toFixed(1)} s`)),
      state.text !== source.value && el("p.dim", {}, "The blueprint was changed since."),
      publishes && el("p.row", {}, button("Publish into the registry", () => attempt(publish), ".primary", { "data-does": "publish" }), el("span.hint", {}, "It is then an environment of this home, like any other.")),
    );
  }

  async function publish() {
    const { environment } = await post(`/v1/builds/${state.build}/publish`);
    notice("Published.");
    location.hash = `#/environment/${environment}`;
  }

  signal.addEventListener("abort", () => { if (state.running) remove(`/v1/builds/${state.build}`).catch(() => {}); });
  fill(
    main,
    el("header.classhead", {}, el("h1", {}, "Builder"), el("div.row", {}, el("label", { for: "blueprint" }, "Blueprint "), menu, start, stop)),
    el("div.builder", {}, el("section.source", { "aria-label": "Blueprint" }, source, el("p.hint", { id: "source-hint" }, "Ctrl+Enter builds. Nothing is written into the registry before you publish it.")), stages),
    said,
  );
  draw();
}

// Where a problem is: a line, or a name that stands in the text.
function seek(source, at) {
  const line = /:(\d+)$/.exec(at);
  const lines = source.value.split("\n");
  const name = /(\w+)(?: \(.*\))?$/.exec(at)?.[1] ?? "";
  const number = line ? Number(line[1]) - 1 : lines.findIndex((each) => new RegExp(`^\\s*(- )?${name}:`).test(each));
  if (number < 0 || number >= lines.length) return null;
  return () => {
    const start = lines.slice(0, number).join("\n").length + (number > 0 ? 1 : 0);
    source.focus();
    source.setSelectionRange(start, start + lines[number].length);
    source.scrollTop = Math.max(0, (number - 5) * 19.5);
  };
}

const figures = (counts) => el("p.figure", {}, Object.entries(counts).map(([name, count]) => el("span", {}, el("b", {}, String(count)), ` ${words(name)}`)));

const SHOWN = {
  check(lines, source) {
    const found = lines.find((line) => line.problems);
    if (!found) return el("p.dim", {}, "Reading, and playing long histories …");
    return [
      Object.keys(found.counts).length > 0 && figures(found.counts),
      found.problems.length > 0 && el("ul.problems", {}, found.problems.map((problem) => {
        const go = seek(source, problem.place);
        const at = problem.place.replace(/^blueprint\.yaml:/, "line ").replace(/^blueprint\.yaml$/, "the file");
        return el(`li.problem.${problem.severity}`, {}, go ? el("button.place", { type: "button", onclick: go }, `${problem.severity}: ${at}`) : el("span.place", {}, `${problem.severity}: ${at}`), el("span", {}, problem.message));
      })),
    ];
  },
  compile(lines) {
    const made = lines.find((line) => line.tools);
    if (!made) return null;
    const reads = made.tools.filter((tool) => tool.effect === "reads").length;
    return [figures({ "lines of Python": made.lines, "tools that read": reads, "tools that change": made.tools.length - reads })];
  },
  grow(lines) {
    const states = lines.filter((line) => line.state);
    return states.length > 0 && el("ul.madetasks", {}, states.map((state) => el("li", {}, el("b", {}, words(state.state)), figures(state.records))));
  },
  before(lines) {
    const tasks = lines.filter((line) => line.task);
    const lost = tasks.filter((line) => line.why);
    return [
      el("p", { role: "status" }, el("b", {}, `${tasks.length - lost.length} of ${tasks.length}`), " are still proven"),
      el("ul.madetasks", {}, lost.map((line) => el("li.made.unproven", { "data-task": line.id }, el("p", {}, levelTag(line.level), " ", el("span.why", {}, "Not provable any more: "), line.why), el("details", {}, el("summary", {}, "The request"), el("p.words.request", {}, line.task))))),
    ];
  },
  prove(lines) {
    const tasks = lines.filter((line) => line.task);
    const short = lines.filter((line) => line.short);
    if (lines[0].stories === 0) return el("p.dim", {}, "The blueprint has no stories yet, so no tasks come of it.");
    return [
      el("p", { role: "status" }, el("b", {}, String(tasks.length)), ` of ${lines[0].wanted} made and proven`),
      el("ul.madetasks", {}, tasks.map((line) => el("li.made", { "data-task": line.id }, el("details", {}, el("summary", {}, levelTag(line.level), el("span.dim", {}, ` ${plural(line.calls, "call")}, ${plural(line.checks, "check")}, ${plural(line.wrong_endings, "wrong ending")} noticed`)), el("p.words.request", {}, line.task))))),
      short.map((line) => el("p.refusal", {}, `No more tasks of level ${line.level}: ${line.short}`)),
    ];
  },
};
