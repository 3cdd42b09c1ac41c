// Which view is shown: told by the part of the address after `#`.

import { get, isReader, isVisitor, logInByCode, logInByToken, logOut, session } from "./api.js";
import { attempt, button, el, fill, notice, place } from "./dom.js";
import { showGallery } from "./gallery.js";

const main = document.getElementById("main");
let leaving = new AbortController();

// Views are loaded when they are first shown, so that the gallery does not wait for them.
const VIEWS = [
  [/^\/$/, async () => showGallery],
  [/^\/environment\/([a-z0-9_+-]+)$/, async () => (await import("./environment.js")).showEnvironment],
  [/^\/class$/, async () => (await import("./class.js")).showClasses],
  [/^\/class\/([\w-]+)$/, async () => (await import("./class.js")).showClass],
  [/^\/class\/([\w-]+)\/([\w-]+)$/, async () => (await import("./class.js")).showPupil],
  [/^\/builder(?:\/([a-z0-9_]+))?$/, async () => (await import("./builder.js")).showBuilder],
  [/^\/demo$/, async () => (await import("./demo.js")).showDemo],
  [/^\/train$/, async () => (await import("./train.js")).showTrain],
  [/^\/join\/([\w-]+)$/, async () => (await import("./seat.js")).showJoin],
  [/^\/seat$/, async () => (await import("./seat.js")).showSeat],
  [/^\/world\/([\w-]+)(?:\/(tables|playground|task|live|arena))?$/, async () => (await import("./world.js")).showWorld],
  [/^\/runs$/, async () => (await import("./runs.js")).showRuns],
  [/^\/run\/([\w.-]+)$/, async () => (await import("./runs.js")).showRun],
  [/^\/run\/([\w.-]+)\/([^/]+)(?:\/(\d+))?$/, async () => (await import("./episode.js")).showEpisode],
  [/^\/compare\/([\w.-]+)\/([\w.-]+)$/, async () => (await import("./compare.js")).showComparison],
  [/^\/beside\/([\w.-]+)\/([^/]+)\/([\w.-]+)$/, async () => (await import("./compare.js")).showBeside],
];

async function show() {
  leaving.abort();
  leaving = new AbortController();
  const { signal } = leaving;
  const path = location.hash.slice(1) || "/";
  if (!session() && !path.startsWith("/join/")) return showLogin();
  showSession();
  for (const [pattern, load] of VIEWS) {
    const match = pattern.exec(path);
    if (!match) continue;
    try {
      const view = await load();
      if (!signal.aborted) await view(main, signal, ...match.slice(1));
    } catch (refusal) {
      if (!signal.aborted && session()) fill(main, el("p.empty", {}, refusal.message, " ", el("a", { href: "#/" }, "To the gallery")));
    }
    return;
  }
  fill(main, el("p.empty", {}, "There is no such page. ", el("a", { href: "#/" }, "To the gallery")));
}

// What an owner finds beside the gallery.
let demo = [];
const ROOMS = [["Class", "/class"], ["Builder", "/builder"], ["Runs", "/runs"], ["Train", "/train"]];

function showSession() {
  const path = location.hash.slice(1);
  const rooms = [...(session()?.scope === "control" ? ROOMS : []), ...(session() && !isVisitor() ? demo : [])];
  fill(document.getElementById("rooms"), rooms.map(([text, at]) => el("a", { href: `#${at}`, "aria-current": path.startsWith(at) ? "page" : null }, text)));
  fill(
    document.getElementById("session"),
    isReader() && el("span.tag", {}, "read only"),
    session() && button(isVisitor() ? "Leave" : "Log out", async () => { await logOut(); location.hash = "#/"; show(); }, ".quiet"),
  );
}

function showLogin() {
  place();
  for (const part of ["session", "rooms"]) document.getElementById(part).replaceChildren();
  if (location.hash === "#/seat") {
    fill(main, el("p.empty", {}, "You are in no class, or it has ended. Join by the teacher's link."));
    return;
  }
  const field = el("input", { type: "password", id: "token", autocomplete: "off", required: true });
  const form = el(
    "form.login",
    {
      onsubmit: async (event) => {
        event.preventDefault();
        await attempt(async () => { await logInByToken(field.value); show(); offerDemo(); });
      },
    },
    el("h1", {}, "Log in"),
    el("p", {}, "Paste a token of this farm. A token for control may open and change worlds, one for reading may look."),
    el("label", { for: "token" }, "Token"),
    field,
    el("button.primary", { type: "submit" }, "Log in"),
    el("p.dim", {}, "On the farm's machine, ", el("code", {}, "envscaler farm token control"), " prints one, and ", el("code", {}, "envscaler studio"), " opens this page without one."),
  );
  fill(main, form);
  field.focus();
}

// Where the farm has a demonstration, the header leads back to it.
async function offerDemo() {
  const shown = session() && !isVisitor() ? await get("/v1/demonstration").catch(() => null) : null;
  if (!shown?.offered) return;
  demo = [["Demonstration", "/demo"]];
  showSession();
}

let refusedLink = "";

function showRefusedLink() {
  place(["Link"]);
  showSession();
  fill(main, el("section.hero", {}, el("h1", {}, "This link opens nothing any more"), el("p", { role: "alert" }, refusedLink), el("p.row", {}, button(session() ? "Go on as you are logged in" : "Log in with a token", show, ".primary"))));
  refusedLink = "";
}

// An address with a code lets in, also where it is pasted into a page that is open.
async function enter() {
  const [, code, at] = /^#code=([\w.-]+)(?:&at=([\w/+-]+))?$/.exec(location.hash) ?? [];
  if (!code) return;
  history.replaceState(null, "", at ? `/#/${at}` : "/#/");
  refusedLink = await logInByCode(code).then(() => "", (refusal) => refusal.message);
}

async function start() {
  await enter();
  addEventListener("hashchange", async () => {
    if (location.hash === "#main") return;
    await enter();
    await (refusedLink ? showRefusedLink() : show());
    scrollTo(0, 0);
    main.focus({ preventScroll: true });
  });
  addEventListener("logged-out", () => { leaving.abort(); showLogin(); });
  await (refusedLink ? showRefusedLink() : show());
  offerDemo();
}

start();
