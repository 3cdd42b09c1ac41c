// A blueprint on the left; what comes of it on the right, as it happens: checked, compiled, grown, proven, published. Where
// a model was named, it writes the blueprint of a sentence.

import { get, post, remove } from "./api.js";
import { attempt, button, el, fill, notice, place, plural, redraw, words } from "./dom.js";
import { levelTag } from "./environment.js";

const WAIT = 300;
// What a model writes costs: it goes on while other views are shown.
let writing = "";
const STAGES = [["check", "Check"], ["compile", "Compile"], ["grow", "Grow start states"], ["before", "Tasks of the version before"], ["prove", "Make tasks and prove them"]];

export async function showBuilder(main, signal, named) {
  place(["Builder"]);
  const { blueprints, publishes, writer } = await get("/v1/blueprints");
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
  const sentence = el("textarea", { id: "sentence", rows: 2, maxlength: 2000, required: true, placeholder: "Move Ms Okafor's fitting to Friday and reserve the green doublet for the part of Orsino" });
  const ask = writer ? el("button", { type: "submit", "data-does": "write" }, "Write it") : null;
  const asking = el(
    "form.sentence.panel",
    { "aria-label": "A world of a sentence", onsubmit: (event) => { event.preventDefault(); attempt(write); } },
    writer ? el("label", { for: "sentence" }, "Make a world of this sentence") : el("h2", {}, "A world of a sentence"),
    writer
      ? [el("div.row", {}, sentence, ask), el("p.hint", {}, `${writer} names the line of work, writes a blueprint, tries its tools and mends it. That takes minutes and some dozens of questions.`)]
      : el("p.hint", {}, "A model can write one, and none was named: ", el("code", {}, "OPENAI_BASE_URL=… envscaler studio --agent openai:MODEL")),
  );
  const stages = el("div.stages", { "aria-label": "What comes of it" });
  const said = el("p.sr", { role: "status" });

  source.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) attempt(build);
  });

  async function write() {
    const answer = await post("/v1/blueprints/write", { sentence: sentence.value });
    writing = answer.build;
    state.text = source.value;
    take(answer, true);
    follow(writing);
  }

  async function build() {
    state.text = source.value;
    take(await post("/v1/builds", { text: state.text, before: state.before }), true);
    follow(state.build);
  }

  function take(answer, fresh = false) {
    Object.assign(state, { build: answer.build, running: answer.running, failed: answer.failed, next: answer.next, lines: fresh ? answer.lines : [...state.lines, ...answer.lines] });
    const made = answer.lines.find((line) => line.text);
    // What the author has changed meanwhile stays.
    if (made && source.value === state.text) show(made.text);
    draw();
    if (state.running) return;
    if (writing === state.build) writing = "";
    const done = state.lines.at(-1)?.stage === "done";
    fill(said, done ? "The build is done." : state.failed);
    if (done && !state.before) state.before = state.build;
  }

  function show(text) {
    Object.assign(state, { text: source.value = text, before: "" });
    draw();
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
    if (ask) ask.disabled = state.running;
    stop.hidden = !state.running;
    redraw(stages, () => fill(stages, state.lines.length || state.failed ? [state.lines[0]?.stage === "write" ? written() : STAGES.filter(([name]) => name !== "before" || state.lines.some((line) => line.stage === name)).map(([name, title]) => stage(name, title)), last()] : el("p.panel.dim", {}, "Nothing is built yet. Change a rule, build, and see which tasks can still be proven.")));
  }

  const written = () => [stage("write", `${writer} writes a world`)];

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
      line.text && line.text !== source.value ? el("p.row", {}, button("Show its blueprint", () => show(line.text), "", { "data-does": "show" })) : state.text !== source.value && el("p.dim", {}, "The blueprint was changed since."),
      publishes && el("p.row", {}, button("Publish into the registry", () => attempt(publish), ".primary", { "data-does": "publish" }), el("span.hint", {}, "It is then an environment of this home, like any other.")),
    );
  }

  async function publish() {
    const { environment } = await post(`/v1/builds/${state.build}/publish`);
    notice("Published.");
    location.hash = `#/environment/${environment}`;
  }

  signal.addEventListener("abort", () => { if (state.running && state.build !== writing) remove(`/v1/builds/${state.build}`).catch(() => {}); });
  fill(
    main,
    el("header.classhead", {}, el("h1", {}, "Builder"), el("div.row", {}, el("label", { for: "blueprint" }, "Blueprint "), menu, start, stop)),
    el("div.builder", {}, el("section.source", { "aria-label": "Blueprint" }, asking, source, el("p.hint", { id: "source-hint" }, "Ctrl+Enter builds. Nothing is written into the registry before you publish it.")), stages),
    said,
  );
  draw();
  if (writing && !named) {
    const answer = await get(`/v1/builds/${writing}?from=0`).catch(() => (writing = "", null));
    if (answer && !signal.aborted) {
      state.text = source.value;
      take(answer, true);
      follow(answer.build);
    }
  }
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

const STEPS = { tasks: "The sentence is judged", topic: "The line of work is named", blueprint: "The logic is written", tried: "Its tools are tried", mended: "Mended", stories: "Stories are written", scenarios: "Tasks are made and proven", words: "Tasks in other words", admitted: "Admitted", failed: "Not admitted" };
const SAID = ["topic", "tried", "admitted", "scenarios", "words"];

const SHOWN = {
  write(lines) {
    const steps = lines.filter((line) => line.step);
    const asked = lines.findLast((line) => line.questions)?.questions ?? [];
    const sum = (name) => asked.reduce((sum, row) => sum + row[name], 0);
    const dollars = asked.some((row) => row.dollars === null) ? null : sum("dollars");
    const cells = (row) => [row.asked, row.tokens_in, row.tokens_out].map((value) => el("td.number", {}, value.toLocaleString("en")));
    const cost = (value) => el("td.number", {}, value === null ? "–" : `$${value.toFixed(2)}`);
    return [
      steps.length > 0 ? el("ol.wrote", {}, steps.map((line) => el(`li${line.step === "failed" ? ".bad" : ""}`, {}, STEPS[line.step] ?? words(line.step), SAID.includes(line.step) && line.said && el("span.dim", {}, ` ${line.said}`)))) : el("p.dim", {}, "The model is asked whether the sentence needs records …"),
      asked.length > 0 && el("details.questions", {}, el("summary", {}, `${plural(sum("asked"), "question")}, ${(sum("tokens_in") + sum("tokens_out")).toLocaleString("en")} tokens${dollars ? `, $${dollars.toFixed(2)}` : ""}`), el("div.wide", {}, el(
        "table.listing",
        {},
        el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Question"), ["Asked", "Tokens in", "Tokens out", "Cost"].map((name) => el("th.number", { scope: "col" }, name)))),
        el("tbody", {}, asked.map((row) => el("tr", {}, el("th", { scope: "row" }, words(row.about)), cells(row), cost(row.dollars)))),
      ))),
    ];
  },
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
