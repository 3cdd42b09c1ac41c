// Requests to the farm that served this page. The session is a cookie that scripts cannot read, and a key that only pages
// of this origin can.

// A teacher may join the class in the same browser, so a visitor's session has a place of its own.
const store = () => (/^#\/(seat|join)\b/.test(location.hash) ? "envscaler-seat" : "envscaler-studio");
const HEADER = "X-Envscaler-Studio";

export class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export function session() {
  try {
    const stored = JSON.parse(localStorage.getItem(store()));
    return stored && stored.until > Date.now() ? stored : null;
  } catch {
    return null;
  }
}

export const isReader = () => session()?.scope === "read";
export const isVisitor = () => session()?.scope === "seat";

async function logIn(path, body) {
  const answer = await fetch(path, { method: "POST", body: JSON.stringify(body) });
  const content = await answer.json();
  if (!answer.ok) throw new Refusal(answer.status, content.error);
  const { scope, key, seconds } = content;
  localStorage.setItem(store(), JSON.stringify({ scope, key, until: Date.now() + seconds * 1000 }));
}

export const logInByCode = (code) => logIn(`/studio/login/${code.split(".")[3] ?? ""}`, { code });
export const logInByToken = (token) => logIn("/studio/login", { token });
export const joinClass = (code, name) => logIn("/studio/join", { code, name });

export async function logOut() {
  const way = isVisitor() ? "leave" : "logout";
  localStorage.removeItem(store());
  await fetch(`/studio/${way}`, { method: "POST" });
}

function headers() {
  return { [HEADER]: session()?.key ?? "" };
}

async function ask(method, path, body) {
  let answer;
  try {
    answer = await fetch(path, { method, headers: headers(), body: body === undefined ? undefined : JSON.stringify(body) });
  } catch {
    throw new Refusal(0, "The farm does not answer. Is it still running?");
  }
  const content = await answer.json().catch(() => ({ error: "The farm's answer cannot be read." }));
  if (answer.status === 401) {
    localStorage.removeItem(store());
    dispatchEvent(new Event("logged-out"));
  }
  if (!answer.ok) throw new Refusal(answer.status, content.error);
  return content;
}

export const get = (path) => ask("GET", path);
export const post = (path, body) => ask("POST", path, body);
export const remove = (path) => ask("DELETE", path);
export const worldPath = (name) => `/v1/worlds/${encodeURIComponent(name)}`;
export const environmentPath = (id) => `/v1/environments/${encodeURIComponent(id)}`;

// Events of a world, as they happen, until the signal ends it. `EventSource` could not send the key.
export async function watch(name, signal, heard) {
  let answer;
  try {
    answer = await fetch(`${worldPath(name)}/events`, { headers: headers(), signal });
  } catch {
    return;
  }
  if (!answer.ok) return;
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const parts = (rest + value).split("\n\n");
      rest = parts.pop();
      for (const part of parts) {
        const data = part.split("\n").find((line) => line.startsWith("data: "));
        if (data) heard(JSON.parse(data.slice(6)));
      }
    }
  } catch {
    // The page has gone on to something else.
  }
}
