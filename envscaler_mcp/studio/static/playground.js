// Tools as forms: call one, see its answer and what it changed, copy the call for another program.

import { isVisitor, post } from "./api.js";
import { attempt, button, dialog, el, fill, sentence, textBlock } from "./dom.js";
import { answer, difference } from "./values.js";

const LONG = 400;

export function playground(world) {
  let chosen = world.forms.forms.find((form) => form.effect === "writes") ?? world.forms.forms[0];
  // What a tool of other authors changes is not known.
  const { official } = world.checks;
  let inputs = new Map();
  let calling = false;
  let shown = null;
  const filter = el("input", { type: "search", "aria-label": "Find a tool", placeholder: "Find a tool", autocomplete: "off", oninput: () => drawTools() });
  const tools = el("div.toollist", {});
  const place = el("section.form", { "aria-label": "Call" });
  const answered = el("section.answer", { "aria-label": "Answer", "aria-live": "polite" });

  function drawTools() {
    const words = filter.value.toLowerCase();
    const fitting = world.forms.forms.filter((form) => `${form.title} ${form.about}`.toLowerCase().includes(words));
    const group = (title, effect) => {
      const forms = fitting.filter((form) => form.effect === effect);
      return forms.length > 0 && el("section", { "aria-label": title }, el("h3", {}, title), el("ul", {}, forms.map((form) => el("li", {}, button(form.title, () => choose(form), `.tool.${effect}`, { "aria-pressed": String(form === chosen), title: form.about, "data-tool": form.tool })))));
    };
    fill(tools, group(official ? "Tools" : "Change", "writes"), group("Read", "reads"), !fitting.length && el("p.empty", {}, "No tool has these words."));
  }

  function choose(form) {
    chosen = form;
    dropRefusal();
    drawTools();
    drawForm();
    place.querySelector("input, select, textarea, button")?.focus({ preventScroll: true });
    if (innerWidth < 900) place.scrollIntoView({ block: "start" });
  }

  function drawForm() {
    if (!chosen) return;
    inputs = new Map(chosen.fields.map((field) => [field.name, input(world, field)]));
    const required = chosen.fields.filter((field) => field.required);
    const optional = chosen.fields.filter((field) => !field.required);
    fill(
      place,
      el(
        "form",
        { oninput: dropRefusal, onsubmit: (event) => { event.preventDefault(); if (!calling) attempt(call); } },
        el("header", {}, el("h2", {}, chosen.title, " ", !official && el(`span.tag.${chosen.effect}`, {}, chosen.effect === "writes" ? "changes" : "reads")), el("p", {}, chosen.about)),
        required.map((field) => entry(field)),
        optional.length > 0 && el("details", { open: required.length === 0 }, el("summary", {}, `Optional (${optional.length})`), optional.map((field) => entry(field))),
        el("p.row", {}, el("button.primary", { type: "submit" }, "Call"), !isVisitor() && button("Copy the call", () => attempt(showSnippets))),
      ),
    );
  }

  function entry(field) {
    const { control } = inputs.get(field.name);
    return el("div.entry", {}, el("label", { for: control.id }, field.title, field.required && el("span.must", { title: "required" }, " *")), control, el("p.hint", { id: `${control.id}-hint` }, hint(field, control)));
  }

  const given = () => {
    const values = {};
    for (const [name, { read }] of inputs) {
      const value = read();
      if (value !== undefined) values[name] = value;
    }
    return values;
  };

  async function call() {
    calling = true;
    try {
      showAnswer(await world.call(chosen.tool, given()));
    } finally {
      calling = false;
    }
  }

  // A refusal is about the call that was made, not about the one that is being filled in.
  function dropRefusal() {
    if (shown && shown.kind !== "done") clearAnswer();
  }

  function clearAnswer() {
    shown = null;
    answered.className = "answer";
    fill(answered);
  }

  function showAnswer(step) {
    shown = step;
    const changes = difference(world, step.diff);
    fill(answered, el("h2", {}, sentence(step.tool)), answer(world, step), changes && el("h3", {}, "What it changed"), changes);
    answered.className = `answer ${step.kind}`;
    answered.scrollIntoView({ block: "nearest" });
  }

  async function showSnippets() {
    const texts = await post(`${world.path}/snippets`, { tool: chosen.tool, arguments: given() });
    dialog("The same call elsewhere", textBlock("MCP", texts.mcp), textBlock("curl", texts.curl), textBlock("Python", texts.python));
  }

  // Pickers offer the records that there are now.
  world.addEventListener("change", () => {
    if (!place.isConnected) return;
    for (const { refresh } of inputs.values()) refresh?.();
    if (world.answer === null) clearAnswer();
    else if (shown && shown.number !== world.last) dropRefusal();
  });
  drawTools();
  drawForm();
  return el("div.playground", {}, el("section.toolbox", { "aria-label": "Tools" }, filter, tools), el("div.call", {}, place, answered));
}

// How a value is written, at the end of what is said of it.
const WRITTEN = /(, as (YYYY|HH)[^.]*|; an id such as [^.]*|: ids of [^.]*, such as [^.]*)(?=\.( |$))/;

// What is said of a field beyond its name; a menu says how ids look, and a date field how dates are written.
function hint(field, control) {
  const menu = control.localName === "select" || ["date", "minute", "time"].includes(field.type);
  const about = menu ? field.about.replace(/^(Id of [^.]*, such as [^.]*|[^.]*: an? (date|time)[^.]*)\.$/, "").replace(WRITTEN, "") : field.about;
  return about.replace(/^The |\.$/g, "").toLowerCase() === field.title.toLowerCase() ? "" : about;
}

let counter = 0;

function input(world, field) {
  const id = `field-${++counter}`;
  const common = { id, name: field.name, required: field.required, "aria-describedby": `${id}-hint` };
  const text = (control) => ({ control, read: () => (control.value === "" && !field.required ? undefined : control.value) });
  switch (field.type) {
    case "choice":
      return text(el("select", common, el("option", { value: "" }, field.required ? "Choose …" : "–"), field.options.map((option) => el("option", { value: option }, option.replaceAll("_", " ")))));
    case "yes_no": {
      const control = el("select", common, el("option", { value: "" }, field.required ? "Choose …" : "–"), el("option", { value: "true" }, "yes"), el("option", { value: "false" }, "no"));
      return { control, read: () => (control.value === "" ? undefined : control.value === "true") };
    }
    case "record":
    case "records":
      return picker(world, field, common);
    case "number": {
      const control = el("input", { ...common, type: "number", step: "any", min: field.least, max: field.most });
      return { control, read: () => (control.value === "" ? undefined : Number(control.value)) };
    }
    case "date":
      return text(el("input", { ...common, type: "date", value: field.required ? (world.tables.now ?? "").slice(0, 10) : "" }));
    case "minute":
      return text(el("input", { ...common, type: "datetime-local", value: field.required ? (world.tables.now ?? "").slice(0, 16) : "" }));
    case "time":
      return text(el("input", { ...common, type: "time" }));
    case "json": {
      const control = el("textarea", { ...common, rows: 3, placeholder: "JSON", spellcheck: "false" });
      return { control, read: () => (control.value.trim() === "" ? undefined : JSON.parse(control.value)) };
    }
    default:
      return text(el("input", { ...common, type: "text", autocomplete: "off" }));
  }
}

function picker(world, field, common) {
  const many = field.type === "records";
  const table = world.table(field.refers);
  if (!table || table.total > LONG) {
    const control = el("input", { ...common, type: "text", autocomplete: "off", placeholder: many ? "ids, with commas" : "an id" });
    const split = (value) => value.split(",").map((part) => part.trim()).filter(Boolean);
    return { control, read: () => (control.value === "" ? undefined : many ? split(control.value) : control.value.trim()) };
  }
  const control = el("select", { ...common, multiple: many, size: many ? Math.min(8, Math.max(3, table.total)) : null });
  const refresh = () => {
    const chosen = new Set([...control.selectedOptions].map((option) => option.value));
    const now = world.table(field.refers) ?? table;
    const listed = Object.keys(now.records).sort((a, b) => now.labels[a].localeCompare(now.labels[b], undefined, { numeric: true }));
    fill(control, !many && el("option", { value: "" }, field.required ? `Choose ${/^[aeiou]/i.test(now.noun) ? "an" : "a"} ${now.noun} …` : "–"), listed.map((id) => el("option", { value: id, selected: chosen.has(id) }, now.labels[id] === id ? id : `${now.labels[id]}  (${id})`)));
  };
  refresh();
  const read = () => {
    const chosen = [...control.selectedOptions].map((option) => option.value).filter(Boolean);
    return many ? (chosen.length || field.required ? chosen : undefined) : chosen[0];
  };
  return { control, read, refresh };
}

