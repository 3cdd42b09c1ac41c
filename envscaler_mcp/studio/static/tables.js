// The records of a world: a tab for each kind, a table to sort, filter and follow references in.

import { button, el, fill, plural, redraw } from "./dom.js";
import { cell, plainText } from "./values.js";

const PAGE = 100;
const MOST_COLUMNS = 60;

export function tablesPanel(world, { follow = false } = {}) {
  const shown = { table: world.tables.tables[0]?.name, sort: "", up: true, filter: "", most: PAGE, target: "" };
  const tabs = el("div.tabs", { role: "group", "aria-label": "Kinds of records" });
  const filter = el("input", {
    type: "search", "aria-label": "Filter records", placeholder: "Filter", autocomplete: "off",
    oninput: () => { shown.filter = filter.value.toLowerCase(); shown.most = PAGE; drawRows(); },
  });
  const count = el("span.dim", { role: "status" });
  const grid = el("div.wide", { tabindex: 0, role: "region" });
  const panel = el("section.tables", { "aria-label": "Records" }, tabs, el("div.row.tools", {}, filter, count), grid);
  const current = () => world.table(shown.table) ?? world.tables.tables[0];

  function open(name) {
    Object.assign(shown, { table: name, sort: "", filter: "", most: PAGE });
    filter.value = "";
    draw();
  }

  function draw() {
    const table = current();
    fill(tabs, world.tables.tables.map((each) => {
      const lit = world.lit.tables.has(each.name);
      return button([each.title, el("span.count", {}, String(each.total)), lit && el("span.dot", { title: "changed by the last call" })], () => open(each.name), ".tab", { "aria-pressed": String(each.name === table?.name), "data-table": each.name });
    }));
    drawRows();
  }

  function rows(table) {
    const label = (column, value) => (column.refers ? [value].flat().map((id) => world.label(column.refers, id)).join(" ") : plainText(value));
    let listed = Object.entries(table.records);
    if (shown.filter) listed = listed.filter(([id, record]) => `${id} ${table.columns.map((column) => label(column, record[column.name])).join(" ")}`.toLowerCase().includes(shown.filter));
    const column = table.columns.find((each) => each.name === shown.sort);
    if (column) {
      const key = ([, record]) => { const value = record[column.name]; return typeof value === "number" ? value : value === null || value === undefined ? "" : label(column, value); };
      const order = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), undefined, { numeric: true }));
      listed.sort((a, b) => (shown.up ? 1 : -1) * order(key(a), key(b)));
    }
    const lit = follow && !column && world.lit.tables.get(table.name);
    // Where a page follows an agent, what the last call changed stands first.
    return lit ? [...listed.filter(([id]) => lit.has(id)), ...listed.filter(([id]) => !lit.has(id))] : listed;
  }

  function drawRows() {
    const table = current();
    if (!table) return fill(grid, el("p.empty", {}, "This world has no records."));
    const listed = rows(table);
    const columns = ordered(table).filter((column) => !follow || column.title !== "Id");
    const lit = world.lit.tables.get(table.name);
    const first = listed.findIndex(([id]) => id === shown.target);
    const most = Math.max(shown.most, first + 1);
    grid.setAttribute("aria-label", table.title);
    fill(count, listed.length === table.total ? plural(table.total, "record") : `${listed.length} of ${plural(table.total, "record")}`);
    return fill(
      grid,
      el(
        "table.records",
        {},
        el("thead", {}, el("tr", {}, columns.map((column) => head(column)))),
        el("tbody", {}, listed.slice(0, most).map(([id, record]) => row(table, columns, id, record, lit))),
      ),
      !listed.length && el("p.empty", {}, "No records."),
      listed.length > most && button(`Show ${Math.min(PAGE, listed.length - most)} more`, () => { shown.most = most + PAGE; drawRows(); }, ".quiet"),
    );
  }

  function head(column) {
    const sorted = shown.sort === column.name;
    const order = sorted ? (shown.up ? "ascending" : "descending") : "none";
    const sort = () => {
      shown.up = sorted ? !shown.up : true;
      shown.sort = column.name;
      drawRows();
      grid.querySelector(`th[data-column="${CSS.escape(column.name)}"] button`)?.focus();
    };
    return el(`th.${column.type}`, { scope: "col", "aria-sort": order, "data-column": column.name }, button(column.title, sort, ".sort"));
  }

  function row(table, columns, id, record, lit) {
    const fields = lit?.get(id);
    const fresh = lit?.has(id) && fields === null;
    const made = el(`tr${fresh ? ".fresh" : ""}${id === shown.target ? ".target" : ""}`, { "data-id": id, tabindex: id === shown.target ? -1 : null });
    columns.forEach((column, place) => {
      const changed = fields?.has(column.name);
      const attributes = changed ? { title: "changed by the last call" } : {};
      const own = column.title === "Id" ? id : null;
      made.append(place === 0 && !own
        ? el(`th.${column.type}${changed ? ".lit" : ""}`, { scope: "row", ...attributes }, cell(world, column, record[column.name]))
        : el(`td.${column.type}${own ? ".id" : ""}${changed ? ".lit" : ""}`, attributes, own ?? cell(world, column, record[column.name])));
    });
    return made;
  }

  // Only the table scrolls: the page stays where the person has it.
  function bring(changed) {
    if (!changed) return;
    const [outer, inner] = [grid.getBoundingClientRect(), changed.getBoundingClientRect()];
    grid.scrollTop = 0;
    if (inner.right > outer.right) grid.scrollLeft += inner.right - outer.right + 24;
  }

  world.addEventListener("follow", ({ detail }) => {
    if (!panel.isConnected || !world.table(detail.table)) return;
    shown.target = detail.id;
    open(detail.table);
    const target = grid.querySelector("tr.target");
    target?.scrollIntoView({ block: "center" });
    target?.focus({ preventScroll: true });
  });
  world.addEventListener("change", () => {
    if (!panel.isConnected) return;
    // What the last call changed is shown, where no table was chosen by hand.
    const [first] = [...world.lit.tables.keys()];
    if (follow && first && !world.lit.tables.has(shown.table)) shown.table = first;
    redraw(panel, draw);
    if (follow) bring([...grid.querySelectorAll(".lit")].at(-1));
  });
  draw();
  return panel;
}

// What records are called comes first, their ids last.
function ordered(table) {
  const label = table.columns.filter((column) => column.name === table.label);
  const id = table.columns.filter((column) => column.title === "Id");
  return [...label, ...table.columns.filter((column) => !label.includes(column) && !id.includes(column)).slice(0, MOST_COLUMNS), ...id];
}
