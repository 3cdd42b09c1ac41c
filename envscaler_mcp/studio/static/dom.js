// Elements. What worlds, agents and people wrote is text and never markup.

// Characters that are not seen but change what is; what emoji are joined by is not among them.
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u034f\u115f\u1160\u2028\u2029\u3164\uffa0]|(?![\u200c\u200d])\p{Cf}/gu;

export const visible = (text) =>
  String(text).replace(UNSEEN, (sign) => `⟨U+${sign.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);

// `el("button.primary", { onclick, "aria-label": "…" }, "text", child)`
export function el(kind, attributes, ...children) {
  const [tag, ...classes] = kind.split(".");
  const made = document.createElement(tag || "div");
  made.className = classes.join(" ");
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name === "value") made.value = value;
    else made.setAttribute(name, value === true ? "" : value);
  }
  put(made, ...children);
  return made;
}

export function put(parent, ...children) {
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false || child === "") continue;
    parent.append(child instanceof Node ? child : visible(child));
  }
  return parent;
}

const SVG = "http://www.w3.org/2000/svg";

// The same for parts of pictures.
export function svg(tag, attributes, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return put(made, ...children);
}

export function fill(parent, ...children) {
  parent.replaceChildren();
  return put(parent, ...children);
}

export function button(text, does, kind = "", attributes = {}) {
  return el(`button${kind}`, { type: "button", onclick: does, ...attributes }, text);
}

const FOCUSABLE = "a[href], button, input, select, textarea, summary, [tabindex]";

// Draws a part of the page anew; what had the focus there, or stands in its place, has it afterwards. Where nothing there can
// have it, the button that calls the tool has it, or the tab of the view.
export function redraw(part, draw) {
  const before = part.contains(document.activeElement) ? [...part.querySelectorAll(FOCUSABLE)].indexOf(document.activeElement) : -1;
  draw();
  // A browser takes the focus from what was disabled only when it paints.
  const now = document.activeElement;
  if (before < 0 || (part.contains(now) && !now.disabled)) return;
  const after = [...part.querySelectorAll(FOCUSABLE)].filter((element) => !element.disabled);
  const next = after[Math.min(before, after.length - 1)] ?? document.querySelector("main .form .primary:enabled") ?? document.querySelector("main .views [aria-current], main");
  next.focus({ preventScroll: true });
}

// Makes what a part of the page holds like `children`. What stays the same keeps its identity, so that no click and no focus is
// lost; buttons and rows are the same where their `data-key` is.
export function renew(part, ...children) {
  const wanted = put(part.cloneNode(false), ...children);
  patchChildren(part, wanted);
}

const keyOf = (node) => node.dataset?.key;
const alike = (shown, wanted) => shown.nodeName === wanted.nodeName && keyOf(shown) === keyOf(wanted);

function patchChildren(shown, wanted) {
  const keys = new Set([...wanted.children].map(keyOf));
  for (const child of [...shown.children]) if (keyOf(child) && !keys.has(keyOf(child))) child.remove();
  let place = shown.firstChild;
  for (const child of [...wanted.childNodes]) {
    if (place && alike(place, child)) {
      patch(place, child);
      place = place.nextSibling;
    } else {
      const same = keyOf(child) && [...shown.children].find((each) => alike(each, child));
      if (same) patch(same, child);
      shown.insertBefore(same || child, place);
    }
  }
  while (place) {
    const next = place.nextSibling;
    place.remove();
    place = next;
  }
}

function patch(shown, wanted) {
  if (shown.nodeType === Node.TEXT_NODE) {
    if (shown.data !== wanted.data) shown.data = wanted.data;
    return;
  }
  for (const { name } of [...shown.attributes]) if (!wanted.hasAttribute(name)) shown.removeAttribute(name);
  for (const { name, value } of wanted.attributes) if (shown.getAttribute(name) !== value) shown.setAttribute(name, value);
  patchChildren(shown, wanted);
}

let timer = 0;
export function notice(text, wrong = false) {
  const place = document.getElementById("notice");
  place.className = wrong ? "wrong shown" : "shown";
  fill(place, text);
  clearTimeout(timer);
  timer = setTimeout(() => (place.className = ""), wrong ? 8000 : 3500);
}

// Runs what a person asked for; where it is refused, the page says why.
export async function attempt(does) {
  try {
    return await does();
  } catch (refusal) {
    if (refusal?.name === "AbortError") return undefined;
    notice(refusal?.message ?? String(refusal), true);
    return undefined;
  }
}

export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    notice("Copied.");
  } catch {
    notice("This browser does not let pages copy; select the text.", true);
  }
}

export function dialog(title, ...children) {
  const shown = el("dialog", { "aria-labelledby": "dialog-title" });
  put(
    shown,
    el("header.row", {}, el("h2", { id: "dialog-title" }, title), button("Close", () => shown.close(), ".quiet")),
    ...children,
  );
  shown.addEventListener("close", () => shown.remove());
  document.body.append(shown);
  shown.showModal();
  return shown;
}

export const textBlock = (name, text) =>
  el("section.snippet", {}, el("header.row", {}, el("h3", {}, name), button("Copy", () => copy(text), ".small")), el("pre", { tabindex: 0 }, text));

export const words = (name) => name.replaceAll("_", " ");
export const sentence = (name) => {
  const text = words(name);
  return text.charAt(0).toUpperCase() + text.slice(1);
};
export const plural = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

// The place of a view, as the header says it.
export function place(...parts) {
  fill(
    document.getElementById("crumbs"),
    parts.map(([text, address]) => (address ? el("a", { href: address }, text) : el("span", { "aria-current": "page" }, text))),
  );
  document.title = parts.length ? `${parts.at(-1)[0]} · EnvScaler studio` : "EnvScaler studio";
}
