// One environment: what it is, its tasks, and the ways into a world of it.

import { environmentPath, get, isReader, post } from "./api.js";
import { openClass } from "./class.js";
import { attempt, button, dialog, el, fill, place, plural, sentence, textBlock } from "./dom.js";

const LEASE = 3600;
export const LEVELS = ["easy", "medium", "hard"];

// Worlds that a person opened to watch: the view of an agent at work begins at once, one time.
export const toWatch = new Set();

export async function openWorld(environment, scenario, view, watch = false) {
  const order = { environment, lease_seconds: LEASE, ...(scenario ? { scenario } : {}) };
  const { worlds: [world] } = await post("/v1/worlds", order);
  if (watch) toWatch.add(world.name);
  location.hash = `#/world/${world.name}/${view}`;
}

export async function showEnvironment(main, signal, id) {
  const card = await get(environmentPath(id));
  if (signal.aborted) return;
  if (card.sector === "benchmark") {
    const { isBenchmark, showBenchmark } = await import("./benchmark.js");
    if (isBenchmark(card)) return showBenchmark(main, signal, card);
  }
  place([card.title]);
  const tasks = el("section", { "aria-label": "Tasks" }, el("h2", {}, "Tasks"), el("p.dim", {}, "Reading the tasks …"));
  const reads = card.tools.filter((tool) => tool.effect === "reads").length;
  const reader = isReader();
  fill(
    main,
    el(
      "section.hero",
      {},
      el("p.sector", {}, sentence(card.sector)),
      el("h1", {}, card.title),
      el("p", {}, card.about),
      el("p.figures", {}, `${plural(reads, "tool")} that read${reads === 1 ? "s" : ""}, ${card.tools.length - reads} that change something, ${plural(card.rules.length, "rule")}`),
      !reader && el(
        "p.row",
        {},
        button("Open a fresh world", () => attempt(() => openWorld(id, null, "tables")), ".primary"),
        button("Connect a host", () => attempt(() => showConnect(id))),
      ),
    ),
    el("div.knows", {}, card.rules.length > 0 && el("details.rules", { open: true }, el("summary", {}, plural(card.rules.length, "rule"), " that always hold"), el("ol", {}, card.rules.map((rule) => el("li", {}, rule)))), toolList(card.tools)),
    tasks,
  );
  const list = (await get(`${environmentPath(id)}/tasks`)).tasks;
  if (signal.aborted) return;
  showTasks(tasks, id, list, reader);
}

function toolList(tools) {
  const group = (title, effect) => {
    const listed = tools.filter((tool) => tool.effect === effect);
    return listed.length > 0 && [el("h3", {}, title), el("ul", {}, listed.map((tool) => el("li", { title: tool.description }, sentence(tool.name))))];
  };
  return el("details.rules.tools", { open: true }, el("summary", {}, plural(tools.length, "tool")), group("Change", "writes"), group("Read", "reads"));
}

function showTasks(section, id, all, reader) {
  let level = "";
  const rows = el("ul.tasks", {});
  const draw = () => fill(rows, all.filter((task) => !level || task.level === level).map((task) => row(id, task, reader)));
  const levels = LEVELS.filter((name) => all.some((task) => task.level === name));
  const choices = el("div.segments", { role: "group", "aria-label": "Level" });
  const pick = (name) => {
    level = name;
    for (const choice of choices.children) choice.setAttribute("aria-pressed", choice.dataset.level === name);
    draw();
  };
  for (const name of ["", ...levels]) {
    const count = all.filter((task) => !name || task.level === name).length;
    choices.append(button(`${name || "all"} ${count}`, () => pick(name), "", { "data-level": name, "aria-pressed": String(name === "") }));
  }
  fill(section, el("header.row", {}, el("h2", {}, "Tasks"), choices), rows, !all.length && el("p.empty", {}, "This environment has no tasks."));
  draw();
}

export const levelTag = (level) => el(`span.tag.level-${level}`, {}, level);

function row(id, task, reader) {
  return el(
    "li.task",
    { "data-task": task.id },
    el("header.row", {}, levelTag(task.level), el("span.dim", {}, `${plural(task.checks.length, "check")} · solved in ${plural(task.steps, "call")}`)),
    el("p.request", {}, task.task),
    el("details", {}, el("summary", {}, "Checks in words"), el("ol", {}, task.checks.map((check) => el("li", {}, check)))),
    !reader && el(
      "p.row",
      {},
      button("Play it yourself", () => attempt(() => openWorld(id, task.id, "task"))),
      button("Watch it being solved", () => attempt(() => openWorld(id, task.id, "live", true))),
      button("Play it with a class", () => attempt(() => openClass({ environment: id, scenario: task.id })), ".quiet"),
      button("Arena", () => attempt(() => openWorld(id, task.id, "arena")), ".quiet", { title: "Several agents beside each other" }),
    ),
  );
}

async function showConnect(id) {
  const { url, hosts } = await get(`${environmentPath(id)}/connect`);
  const links = hosts.filter((host) => host.link);
  dialog(
    "Connect a host",
    el("p", {}, "This guest link is a fresh world. It begins with the first call and belongs to every client that knows it."),
    textBlock("Address", url),
    el("p.row", {}, links.map((host) => el("a.button", { href: host.link }, `Add to ${host.client === "vscode" ? "VS Code" : sentence(host.client)}`))),
    el(
      "details",
      {},
      el("summary", {}, "Lines for the host's file"),
      hosts.map((host) => textBlock(sentence(host.client.replaceAll("-", " ")), host.document)),
    ),
    textBlock("On the command line", hosts[0]?.command ?? ""),
  );
}
