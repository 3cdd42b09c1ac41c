"use strict";
// Whatever comes from a record becomes text nodes, by make(); nothing here writes markup.
(() => {
  const AT_ONCE = 100;
  const A_LINE = 90;
  const SHORT = 400;
  const $ = (id) => document.getElementById(id);
  const { columns, rows, tasks, levels, unseen } = JSON.parse($("rows").textContent);
  const UNSEEN = new RegExp(`[${unseen.map((ends) => ends.map((code) => `\\u{${code.toString(16)}}`).join("-")).join("")}]`, "gu");
  const all = rows.map((row, number) => {
    const one = Object.fromEntries(columns.map((name, at) => [name, row[at]]));
    const words = [one.id, one.environment, one.agent, one.reason, one.tools, tasks[one.task]].join("\n").toLowerCase();
    return { ...one, solved: one.solved ? "yes" : "no", number, words };
  });
  const byId = new Map(all.map((one) => [one.id, one]));
  const opened = new Map();
  const title = document.title;
  const { compare } = new Intl.Collator("en", { numeric: true });
  let shown = all;
  let drawn = 0;
  let order = { name: "", down: false };
  let chosen = "";
  let searching = false;

  function make(tag, attributes, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes ?? {})) node.setAttribute(name, value);
    for (const child of children.flat()) node.append(...(child instanceof Node ? [child] : visible(String(child))));
    return node;
  }

  const code = (letter) => "U+" + letter.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
  /** The same where there can be no mark. */
  const plain = (text) => text.replace(UNSEEN, (letter) => `⟨${code(letter)}⟩`);

  /** A text, with a mark for each character that is not seen but changes what is. */
  function visible(text) {
    const nodes = [];
    let from = 0;
    for (const found of text.matchAll(UNSEEN)) {
      nodes.push(document.createTextNode(text.slice(from, found.index)));
      const mark = document.createElement("span");
      mark.className = "unseen";
      mark.textContent = code(found[0]);
      nodes.push(mark);
      from = found.index + found[0].length;
    }
    nodes.push(document.createTextNode(text.slice(from)));
    return nodes;
  }

  const said = (text) => make("div", { class: "text", dir: "auto" }, text);
  const time = (ms) => (ms >= 1000 ? (ms / 1000).toFixed(2) + " s" : ms.toFixed(1) + " ms");
  const hash = (id) => "#" + encodeURIComponent(id);
  const failure = (one) => (one.solved === "yes" ? "solved" : one.owner || "not solved");
  const colour = (one) => (one.solved === "yes" ? "good" : one.owner === "agent" ? "bad" : "warn");

  // The list.

  function chooseRows() {
    const words = $("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = [...document.querySelectorAll("#filters select")]
      .filter((select) => select.value)
      .map((select) => [select.id.slice("filter-".length), select.value.slice(1)]);
    shown = all.filter(
      (one) => wanted.every(([name, value]) => one[name] === value) && words.every((word) => one.words.includes(word)),
    );
    if (order.name) {
      const sign = order.down ? -1 : 1;
      const key = order.name;
      shown.sort((one, other) => sign * ordered(key, one[key], other[key]) || one.number - other.number);
    }
    $("episodes").tBodies[0].replaceChildren();
    drawn = 0;
    drawMore();
    $("count").textContent = `${shown.length} of ${all.length} episodes`;
  }

  /** Levels from easy to hard, numbers by size, and texts as people count: 2 before 10. */
  function ordered(name, one, other) {
    if (name === "level") return levels.indexOf(one) - levels.indexOf(other);
    return typeof one === "string" ? compare(one, other) : one - other;
  }

  function drawMore() {
    const part = document.createDocumentFragment();
    for (const one of shown.slice(drawn, drawn + AT_ONCE)) part.append(row(one));
    $("episodes").tBodies[0].append(part);
    drawn = Math.min(drawn + AT_ONCE, shown.length);
    $("more").hidden = drawn >= shown.length;
  }

  function row(one) {
    const cell = (name, text, more) => make("td", { class: `c-${name} ${more ?? ""}` }, text);
    return make(
      "tr",
      {},
      make("th", { scope: "row", class: "c-id" }, make("a", { href: hash(one.id), dir: "auto" }, one.id)),
      cell("environment", one.environment),
      cell("level", one.level || "–"),
      cell("split", (one.split || "–").replace("_", " ")),
      cell("agent", one.agent),
      cell("reward", one.reward.toFixed(2)),
      cell("owner", failure(one), colour(one)),
      cell("steps", one.steps),
      cell("milliseconds", time(one.milliseconds)),
    );
  }

  function focusRow(place) {
    while (place >= drawn && drawn < shown.length) drawMore();
    const link = $("episodes").tBodies[0].rows[place]?.querySelector("a");
    link?.focus();
    link?.scrollIntoView({ block: "nearest" });
  }

  function sortBy(button) {
    order = { name: button.dataset.sort, down: order.name === button.dataset.sort && !order.down };
    for (const head of document.querySelectorAll("#episodes thead th")) {
      const mine = head.contains(button);
      head.setAttribute("aria-sort", mine ? (order.down ? "descending" : "ascending") : "none");
    }
    chooseRows();
  }

  function fillFilters() {
    for (const select of document.querySelectorAll("#filters select")) {
      const name = select.id.slice("filter-".length);
      const found = [...new Set(all.map((one) => one[name]))].sort((one, other) => ordered(name, one, other));
      // The value has a mark before it: a filter for nothing is not the same as no filter.
      for (const value of found) select.append(make("option", { value: "=" + value }, value || "none"));
      select.addEventListener("change", chooseRows);
    }
  }

  // One episode.

  async function details(one) {
    if (!opened.has(one.packet)) {
      const bytes = Uint8Array.from(atob($(`packet-${one.packet}`).textContent), (letter) => letter.charCodeAt(0));
      const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
      opened.set(one.packet, JSON.parse(await new Response(stream).text()));
      if (opened.size > 8) opened.delete(opened.keys().next().value);
    }
    return opened.get(one.packet)[one.place];
  }

  async function show() {
    let id = "";
    try {
      id = decodeURIComponent(location.hash.slice(1));
    } catch {
      id = location.hash;
    }
    const before = chosen;
    chosen = byId.has(id) ? id : "";
    $("list").hidden = Boolean(chosen);
    $("episode").hidden = !chosen;
    document.title = chosen ? `${plain(chosen)}, ${title}` : title;
    if (!chosen) {
      $("episode").replaceChildren();
      if (id) $("count").textContent = `There is no episode ${id} in this page.`;
      const place = shown.findIndex((one) => one.id === before);
      if (searching) $("search").focus();
      else if (place >= 0) focusRow(place);
      searching = false;
      return;
    }
    const one = byId.get(id);
    $("episode").replaceChildren(make("p", { role: "status" }, "…"));
    let found;
    try {
      found = tell(one, await details(one));
    } catch (trouble) {
      found = [bar(one), make("p", { role: "alert" }, `This episode cannot be shown: ${trouble}`)];
    }
    // Somebody may have gone on meanwhile.
    if (chosen !== id) return;
    $("episode").replaceChildren(...found);
    $("episode").focus();
    scrollTo(0, 0);
  }

  function move(by) {
    const place = shown.findIndex((one) => one.id === chosen) + by;
    if (place >= 0 && place < shown.length) location.hash = hash(shown[place].id);
  }

  function bar(one) {
    const back = make("a", { href: "#" }, "← all episodes");
    const buttons = [
      [-1, "previous"],
      [1, "next"],
    ].map(([by, word]) => {
      const button = make("button", { type: "button" }, word);
      button.addEventListener("click", () => move(by));
      return button;
    });
    return make("nav", { class: "bar", "aria-label": "Episodes" }, back, ...buttons);
  }

  function tell(one, told) {
    const verdict = told.verdict;
    return [
      bar(one),
      make("h2", { dir: "auto" }, told.id),
      make("p", { class: colour(one) }, `${failure(one)}, reward ${verdict.reward.toFixed(2)}, ${one.steps} steps; the calls took ${time(one.milliseconds)}`),
      told.unreadable ? make("p", { role: "alert" }, `Only the verdict of this episode can be shown: ${told.unreadable}`) : [],
      make("ol", { class: "turns" }, told.opening.map(opening), told.turns.flatMap((one) => turn(one, told))),
      judged(told),
      origins(told),
    ].flat();
  }

  function opening(message) {
    const text = String(message.content ?? "");
    if (message.role !== "system") return make("li", { class: "turn" }, make("h3", {}, "user"), said(text));
    return make("li", { class: "turn" }, make("details", {}, make("summary", {}, "system"), said(text)));
  }

  function turn({ number, spoken, steps }, told) {
    const parts = [make("h3", {}, make("span", {}, "agent"), make("span", {}, `turn ${number}`))];
    for (const step of steps) {
      if (step.reasoning) parts.push(make("details", { class: "reasoning" }, make("summary", {}, "reasoning"), said(step.reasoning)));
      if (step.text) parts.push(said(step.text));
      if (!spoken) parts.push(call(step, told));
    }
    const agent = make("li", { class: "turn agent" }, parts);
    const [first] = steps;
    if (!spoken || !first.observation) return [agent];
    const who = told.mode === "conversation" && !first.is_error ? "user" : "environment";
    const heard = make("li", { class: "turn" }, make("h3", {}, make("span", {}, who), make("span", {}, time(first.milliseconds))));
    heard.append(...changed(first, told));
    heard.append(said(first.observation));
    return [agent, heard];
  }

  function call(step, told) {
    const tool = step.tool || "(no name)";
    const head = make("h4", {}, make("span", {}, make("code", {}, tool)), make("span", { class: "dim" }, `step ${step.place}, ${time(step.milliseconds)}`));
    return make(
      "div",
      { class: "step", role: "group", "aria-label": `call of ${plain(tool)}` },
      head,
      folded("arguments", step.arguments, ""),
      folded(step.is_error ? "error" : "result", step.observation, step.is_error ? "bad" : ""),
      changed(step, told),
    );
  }

  /** JSON so that a person can read it, anything else as it is; long ones are closed at first, and made when opened. */
  function folded(name, text, more) {
    const short = text.length > A_LINE ? [...text.slice(0, 2 * A_LINE)].slice(0, A_LINE).join("") + " …" : text;
    const pre = make("pre", { dir: "auto", tabindex: "0" });
    const box = make("details", { class: name }, make("summary", { class: more }, `${name} `, make("span", { class: "dim" }, short)), pre);
    box.addEventListener("toggle", () => box.open && !pre.firstChild && pre.append(...visible(indented(text))));
    // What the summary shows whole need not be said twice.
    box.open = text.length > A_LINE && text.length <= SHORT;
    return box;
  }

  /** JSON on several lines; its values stay as they are written, since 1.0 would be read as 1. */
  function indented(text) {
    try {
      JSON.parse(text);
    } catch {
      return text;
    }
    let depth = 0;
    const line = () => "\n" + "  ".repeat(depth);
    return text.replace(/"(?:[^"\\]+|\\.)*"|[[{]\s*[\]}]|[[\]{},:]|\s+/g, (part) => {
      if (part[0] === '"') return part;
      if (part === "{" || part === "[") return part + (depth++, line());
      if (part === "}" || part === "]") return (depth--, line()) + part;
      return part === "," ? part + line() : part === ":" ? ": " : part.trim() && part[0] + part.at(-1);
    });
  }

  function changed(step, told) {
    const found = [];
    const colours = { "+": "good", "-": "bad", "~": "" };
    const lines = step.changes.map((one) => make("li", { class: colours[one[0]] }, one));
    if (lines.length) found.push(make("ul", { class: "changes", "aria-label": "state changes" }, lines));
    if (step.turned) {
      const line = (number, truth) =>
        make("li", { class: truth ? "good" : "bad" }, `${truth ? "✓" : "✗"} check ${number} ${truth ? "is true now" : "is not true any more"}: ${question(told, number)}`);
      const [yes, no] = step.turned;
      found.push(make("ul", { class: "turned" }, yes.map((n) => line(n, true)), no.map((n) => line(n, false))));
    }
    return found;
  }

  const question = (told, number) => told.checks[number - 1]?.check_item ?? "";

  function judged(told) {
    const { checks, frame_violations, reason, owner, masked, reward, solved, scoring } = told.verdict;
    const parts = [make("h3", {}, "Verdict"), make("p", { class: solved ? "good" : "bad" }, solved ? "solved" : `not solved: ${reason || "no reason is recorded"}`)];
    parts.push(make("p", {}, `reward ${reward.toFixed(4)} (${scoring}), ended: ${told.ended}${owner ? `, the failure of: ${owner}` : ""}${masked ? ", masked: not for training" : ""}`));
    if (told.unsure) parts.push(make("p", { class: "warn" }, `When each check turned true is not known for sure: ${told.unsure}`));
    const answers = checks.map((truth, at) => {
      const source = told.checks[at]?.check_func;
      const line = make("span", { class: truth ? "good" : "bad" }, `${truth ? "✓ true" : "✗ not true"}: ${question(told, at + 1)}`);
      return make("li", {}, line, source ? make("details", {}, make("summary", {}, "source"), make("pre", { tabindex: "0" }, source)) : []);
    });
    if (answers.length) parts.push(make("ol", {}, answers));
    if (frame_violations.length) parts.push(make("p", {}, "Outside the frame:"), make("ul", {}, frame_violations.map((one) => make("li", { class: "bad" }, one))));
    return make("section", { class: "verdict", "aria-label": "verdict" }, parts);
  }

  function origins(told) {
    const names = ["scenario", "scenario_digest", "environment", "code_digest", "seed", "agent", "user", "via", "mode", "attempt", "final_hash"];
    const list = names.filter((name) => told[name] !== "").flatMap((name) => [make("dt", {}, name.replace("_", " ")), make("dd", {}, told[name])]);
    return make("details", {}, make("summary", {}, "Where it comes from"), make("dl", {}, list));
  }

  // The keyboard.

  function pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") {
      if (chosen) location.hash = "";
      else if (document.activeElement === $("search")) {
        $("search").value = "";
        chooseRows();
        $("search").blur();
      }
      return;
    }
    if (!$("keys").checked || event.target.closest?.("input:not([type=checkbox]), select, textarea")) return;
    if (event.key === "/") {
      event.preventDefault();
      if (!chosen) $("search").focus();
      else {
        searching = true;
        location.hash = "";
      }
    } else if (event.key === "j" || event.key === "k") {
      const by = event.key === "j" ? 1 : -1;
      if (chosen) move(by);
      else {
        const at = document.activeElement.closest?.("#episodes tbody tr");
        focusRow(at ? Math.max(0, at.sectionRowIndex + by) : 0);
      }
    }
  }

  fillFilters();
  chooseRows();
  for (const button of document.querySelectorAll("[data-sort]")) button.addEventListener("click", () => sortBy(button));
  $("search").addEventListener("input", chooseRows);
  $("filters").addEventListener("submit", (event) => event.preventDefault());
  $("more").addEventListener("click", drawMore);
  if ("IntersectionObserver" in window)
    new IntersectionObserver((seen) => seen.some((one) => one.isIntersecting) && drawMore()).observe($("more"));
  addEventListener("keydown", pressed);
  addEventListener("hashchange", show);
  show();
})();
