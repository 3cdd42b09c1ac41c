// A world as this page knows it: read again after each call, and told to whatever shows it.

import { environmentPath, get, isReader, post, watch, worldPath } from "./api.js";

const QUIET = 120;
const SECONDS = 4;

export class World extends EventTarget {
  constructor(name) {
    super();
    this.name = name;
    this.path = worldPath(name);
    this.turned = new Map();
    this.lit = { tables: new Map(), step: 0 };
    this.answer = null;
  }

  async open(signal) {
    this.signal = signal;
    this.card = await get(this.path);
    const recording = isReader() ? get(`${this.path}/timeline`) : post(`${this.path}/record`);
    const wanted = [get(environmentPath(this.card.environment)), get(`${this.path}/forms`), get(`${this.path}/tables`), recording, get(`${this.path}/checks`), get("/v1/agents")];
    [this.environment, this.forms, this.tables, this.timeline, this.checks, this.agents] = await Promise.all(wanted);
    this.light(this.timeline.steps.at(-1));
    let timer = 0;
    watch(this.name, signal, (event) => {
      if (event.event === "closed" || event.event === "ended") {
        this.gone = event.why ?? "This world was closed.";
        this.tell();
      }
      clearTimeout(timer);
      timer = setTimeout(() => this.catchUp(), QUIET);
    }).then(() => this.askAgainAndAgain());
  }

  // Where there are no more events, such as beside eight other watchers.
  askAgainAndAgain() {
    const asking = setInterval(() => (this.gone || this.signal.aborted ? clearInterval(asking) : this.catchUp()), SECONDS * 1000);
  }

  tell() {
    this.dispatchEvent(new Event("change"));
  }

  get steps() {
    return this.timeline.steps;
  }

  // Who made the calls of a person, for those who look at this page.
  get person() {
    return this.visitor ?? (isReader() ? "the owner" : "you");
  }

  get last() {
    return this.steps.at(-1)?.number ?? this.timeline.dropped;
  }

  table(name) {
    return this.tables.tables.find((table) => table.name === name);
  }

  label(table, id) {
    const labels = this.table(table)?.labels;
    return labels && Object.hasOwn(labels, id) ? labels[id] : (this.labelsBefore?.get(`${table}/${id}`) ?? id);
  }

  // Another client may have called: only then there is more to read.
  async catchUp() {
    if (this.busy || this.gone || this.signal.aborted) return;
    const timeline = await get(`${this.path}/timeline`).catch((refusal) => {
      if ([401, 404].includes(refusal.status)) this.gone = refusal.message;
      this.tell();
      return null;
    });
    if (!timeline || this.busy) return;
    if (this.checks.official) await this.hear();
    const same = timeline.steps.length === this.steps.length && timeline.steps.at(-1)?.number === this.steps.at(-1)?.number;
    if (same && timeline.recording === this.timeline.recording) return;
    this.timeline = timeline;
    await this.readAgain(timeline.steps.at(-1));
  }

  async readAgain(step) {
    const before = this.checks;
    this.labelsBefore = new Map(this.tables.tables.flatMap((table) => Object.entries(table.labels).map(([id, label]) => [`${table.name}/${id}`, label])));
    [this.tables, this.checks] = await Promise.all([get(`${this.path}/tables`), get(`${this.path}/checks`)]);
    this.light(step);
    if (step && before.task !== null) this.noteTurned(step.number, before.checks, this.checks.checks);
    this.tell();
  }

  light(step) {
    this.lit = { tables: litBy(step?.diff), step: step?.number ?? 0 };
  }

  noteTurned(number, before, after) {
    const turned = after.map((lamp, place) => ({ place: place + 1, words: lamp.words, holds: lamp.holds, was: before[place]?.holds }));
    this.turned.set(number, turned.filter((lamp) => lamp.holds !== lamp.was));
  }

  async do(does) {
    this.busy = true;
    try {
      return await does();
    } finally {
      this.busy = false;
    }
  }

  call(tool, args) {
    return this.do(async () => {
      const step = await post(`${this.path}/call`, { tool, arguments: args });
      await this.made(step);
      return step;
    });
  }

  // What was said to the user of a benchmark's task, and the turn that has begun, perhaps by another page.
  async hear() {
    const before = this.checks.official;
    const checks = await get(`${this.path}/checks`).catch(() => this.checks);
    const { conversation, over, begun } = checks.official;
    if (conversation.length === before.conversation.length && over === before.over && begun === before.begun) return;
    if (begun !== before.begun) this.forms = await get(`${this.path}/forms`).catch(() => this.forms);
    this.checks = checks;
    this.tell();
  }

  say(order) {
    return this.do(async () => {
      await post(`${this.path}/say`, order);
      await this.hear();
    });
  }

  play(agent) {
    return this.do(async () => {
      const answer = await post(`${this.path}/play`, { agent });
      if (answer.step) await this.made(answer.step);
      return answer;
    });
  }

  async made(step) {
    this.answer = step;
    this.timeline = { ...this.timeline, recording: true, steps: [...this.steps, step] };
    await this.readAgain(step);
  }

  undo(after) {
    return this.do(async () => {
      this.timeline = await post(`${this.path}/undo`, { after });
      for (const number of [...this.turned.keys()]) if (number > after) this.turned.delete(number);
      this.answer = null;
      await this.readAgain(null);
      this.light(null);
      this.tell();
    });
  }

  async fork() {
    const { worlds: [fork] } = await post(`${this.path}/fork`, {});
    return fork;
  }
}

// The cells that a difference names, by table and record.
export function litBy(diff) {
  const tables = new Map();
  if (!diff || typeof diff !== "object") return tables;
  for (const [table, records] of Object.entries(diff.created ?? {})) for (const id of Object.keys(records)) cells(tables, table, id, null);
  for (const [table, records] of Object.entries(diff.changed ?? {})) for (const [id, fields] of Object.entries(records)) cells(tables, table, id, Object.keys(fields));
  for (const table of Object.keys(diff.deleted ?? {})) cells(tables, table, "", []);
  return tables;
}

function cells(tables, table, id, fields) {
  if (!tables.has(table)) tables.set(table, new Map());
  if (id) tables.get(table).set(id, fields && new Set(fields));
}
