// Values of records, answers and differences, with labels in the place of ids.

import { el, sentence, visible, words } from "./dom.js";

const MINUTE = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)/;

export function go(world, table, id) {
  world.dispatchEvent(new CustomEvent("follow", { detail: { table, id } }));
}

export function reference(world, table, id) {
  return el("button.ref", { type: "button", title: visible(id), onclick: () => go(world, table, id) }, world.label(table, id));
}

const LONGEST = 400;
const MOST_CHANGES = 40;

export function plainText(value) {
  if (value === null || value === undefined) return "–";
  if (value === true) return "yes";
  if (value === false) return "no";
  const text = typeof value === "object" ? JSON.stringify(value) : String(value).replace(MINUTE, "$1 $2");
  return text.length > LONGEST ? `${text.slice(0, LONGEST)} … (${text.length} characters)` : text;
}

export function cell(world, column, value) {
  if (value === null || value === undefined || value === "") return el("span.none", { "aria-label": "nothing" }, "–");
  if (column.refers) {
    const ids = Array.isArray(value) ? value : [value];
    return ids.map((id, place) => [place > 0 && ", ", typeof id === "string" ? reference(world, column.refers, id) : plainText(id)]);
  }
  if (column.type === "choice") return el("span.tag", {}, words(plainText(value)));
  if (Array.isArray(value)) return value.length ? value.map(plainText).join(", ") : el("span.none", {}, "–");
  return plainText(value);
}

const columnOf = (world, table, field) => world.table(table)?.columns.find((column) => column.name === field) ?? { name: field, title: sentence(field), type: "text", refers: "" };

function changedField(world, table, field, [before, after]) {
  const column = columnOf(world, table, field);
  return el("li", {}, el("span.field", {}, `${column.title.toLowerCase()} `), el("del", {}, cell(world, column, before)), " → ", el("ins", {}, cell(world, column, after)));
}

// What a call changed, record by record.
export function difference(world, diff) {
  if (typeof diff === "string") return el("pre", { tabindex: 0 }, diff);
  const parts = [];
  const noun = (table) => world.table(table)?.noun ?? table;
  for (const [table, records] of Object.entries(diff?.created ?? {}))
    for (const id of Object.keys(records)) parts.push(el("li.created", {}, el("b", {}, `new ${noun(table)} `), reference(world, table, id)));
  for (const [table, records] of Object.entries(diff?.changed ?? {}))
    for (const [id, fields] of Object.entries(records))
      parts.push(el("li.changed", {}, el("b", {}, `${noun(table)} `), reference(world, table, id), el("ul", {}, Object.entries(fields).map(([field, change]) => changedField(world, table, field, change)))));
  for (const [table, records] of Object.entries(diff?.deleted ?? {}))
    for (const id of Object.keys(records)) parts.push(el("li.deleted", {}, el("b", {}, `${noun(table)} `), world.label(table, id), " is gone"));
  for (const [name, change] of Object.entries(diff?.scalars ?? {}))
    if (!name.startsWith("counters")) parts.push(el("li.changed", {}, el("b", {}, words(name)), " ", plainText(change[0]), " → ", plainText(change[1])));
  const more = parts.length - MOST_CHANGES;
  return parts.length ? el("ul.difference", {}, parts.slice(0, MOST_CHANGES), more > 0 && el("li.dim", {}, `and ${more} more records`)) : null;
}

const isRecord = (value) => value && typeof value === "object" && !Array.isArray(value);

// An answer: a sentence, or records as a small table.
export function answer(world, step) {
  const { result } = step;
  if (typeof result === "string") return el("pre", { tabindex: 0 }, result);
  if (!isRecord(result)) return el("pre", { tabindex: 0 }, JSON.stringify(result, null, 2));
  if (result.success === false) return refusal(world, step);
  if (typeof result.message === "string" && result.data === undefined) return el("p.said", {}, result.message);
  return data(world, "data" in result ? result.data : result);
}

function refusal(world, step) {
  const rule = step.rule ? world.forms.rules[step.rule - 1] : null;
  return el(
    "div.refusal",
    {},
    el("p", {}, el("b", {}, ["refused", "invalid"].includes(step.kind) ? "Refused: " : "Not done: "), String(step.result.error)),
    rule
      ? el("p.rule", {}, `Rule ${step.rule} of ${world.forms.rules.length} refused it: `, el("q", {}, rule))
      : step.condition && el("p.rule", {}, "The condition of this tool that refused it: ", el("code", {}, step.condition)),
    el("p.dim", {}, "Nothing was changed."),
  );
}

function data(world, value) {
  if (Array.isArray(value)) return value.length && value.every(isRecord) ? records(world, value) : el("p.said", {}, value.length ? value.map(plainText).join(", ") : "Nothing.");
  if (!isRecord(value)) return el("p.said", {}, plainText(value));
  const lists = Object.entries(value).filter(([, inner]) => Array.isArray(inner) && inner.every(isRecord));
  const rest = Object.entries(value).filter(([name]) => !lists.some(([listed]) => listed === name));
  return el(
    "div",
    {},
    rest.length > 0 && el("dl.facts", {}, rest.map(([name, inner]) => el("div", {}, el("dt", {}, sentence(name)), el("dd", {}, known(world, name, inner))))),
    lists.map(([, inner]) => (inner.length ? records(world, inner) : el("p.dim", {}, "No records."))),
  );
}

function records(world, rows) {
  const table = world.tables.tables.find((each) => Object.hasOwn(each.records, rows[0].id));
  // What a record is called stands for its id, where the answer has both.
  const names = [...new Set(rows.flatMap(Object.keys))].filter((name) => name !== "id" || !table?.label || !(table.label in rows[0]));
  return el(
    "div.wide",
    { tabindex: 0, role: "region", "aria-label": "Records of the answer" },
    el(
      "table",
      {},
      el("thead", {}, el("tr", {}, names.map((name) => el("th", { scope: "col" }, sentence(name.replace(/_id$/, "")))))),
      el("tbody", {}, rows.slice(0, 50).map((row) => el("tr", {}, names.map((name) => el("td", {}, known(world, name, row[name])))))),
    ),
  );
}

// The id of a record is shown as what the record is called.
function known(world, name, value) {
  if (typeof value === "string")
    for (const table of world.tables.tables) if (Object.hasOwn(table.records, value)) return reference(world, table.name, value);
  if (isRecord(value) || (Array.isArray(value) && value.some(isRecord))) return el("code", {}, JSON.stringify(value));
  return plainText(value);
}
