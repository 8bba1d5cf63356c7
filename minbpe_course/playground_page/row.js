// One row of boxes, redrawn only where it changed: a line of the text that is as it was keeps its boxes, and within a
// line that changed, those before and behind the change are kept. A keystroke costs the same in any length of text.

import { endsLine, factsOf, fill, make, sameToken, strongDirection, textOf } from "./drawing.js";

const kinds = new WeakMap(); // box -> its colour and underline
const directions = new WeakMap(); // box -> the direction of its first letter, or ""
const FILLS = 5;
const UNDERLINES = 3;

// The next of `many` behind `before`, but never that of the box behind, which is there already.
function next(before, behind, many) {
  const found = (before + 1) % many;
  return found === behind ? (found + 1) % many : found;
}

function nextKind(before, behind) {
  return {
    fill: next(before.fill, behind ? behind.fill : -1, FILLS),
    under: next(before.under, behind ? behind.under : -1, UNDERLINES),
  };
}

function linesOf(tokens, ids, special, many) {
  const lines = [];
  let line = null;
  for (let place = 0; place < many; place += 1) {
    if (line === null) lines.push((line = { tokens: [], ids: [], special: [], boxes: [], element: null }));
    line.tokens.push(tokens[place]);
    line.ids.push(ids[place]);
    line.special.push(special.has(place));
    if (endsLine(tokens[place])) line = null;
  }
  return lines;
}

// How many items two lists share in front, and behind that.
function shared(old, now, same) {
  const least = Math.min(old, now);
  let front = 0;
  while (front < least && same(front, front)) front += 1;
  let back = 0;
  while (back < least - front && same(old - 1 - back, now - 1 - back)) back += 1;
  return [front, back];
}

function paint(box, kind) {
  box.classList.remove(...[...box.classList].filter((name) => /^mbp-(fill|under)-/.test(name)));
  box.classList.add(`mbp-fill-${kind.fill}`, `mbp-under-${kind.under}`);
  kinds.set(box, kind);
}

function boxFor(token, id, special, kind) {
  const box = make("span", `mbp-box mbp-fill-${kind.fill} mbp-under-${kind.under}${special ? " mbp-special" : ""}`);
  kinds.set(box, kind);
  directions.set(box, strongDirection(textOf(token) ?? ""));
  fill(box, token);
  box.dataset.id = id; // drawn by the style sheet where ids are switched on
  box.setAttribute("role", "option");
  box.setAttribute("aria-selected", "false");
  box.setAttribute("aria-label", `${box.textContent} id ${id}${special ? " special token" : ""}`);
  box.tabIndex = -1;
  return box;
}

function sameLine(a, b) {
  if (a.ids.length !== b.ids.length) return false;
  for (let at = 0; at < a.ids.length; at += 1) if (!sameAt(a, at, b, at)) return false;
  return true;
}

function sameAt(a, at, b, bt) {
  return a.ids[at] === b.ids[bt] && a.special[at] === b.special[bt] && sameToken(a.tokens[at], b.tokens[bt]);
}

// Turn the boxes of the line `old` (or of none) into those of `now`, in the same element.
function redrawLine(old, now) {
  const had = old === null ? [] : old.boxes;
  now.element = old === null ? make("div", "mbp-line") : old.element;
  const [front, back] =
    old === null ? [0, 0] : shared(had.length, now.ids.length, (at, bt) => sameAt(old, at, now, bt));
  const end = had.length - back;
  for (let at = front; at < end; at += 1) had[at].remove();
  const behind = back ? kinds.get(had[end]) : null;
  let kind = front ? kinds.get(had[front - 1]) : { fill: FILLS - 1, under: UNDERLINES - 1 };
  const fresh = [];
  for (let at = front; at < now.ids.length - back; at += 1) {
    kind = nextKind(kind, at === now.ids.length - back - 1 ? behind : null);
    fresh.push(boxFor(now.tokens[at], now.ids[at], now.special[at], kind));
  }
  if (front && back && fresh.length === 0 && (kind.fill === behind.fill || kind.under === behind.under)) {
    // What stood between two of a kind is gone.
    paint(had[end], nextKind(kind, back > 1 ? kinds.get(had[end + 1]) : null));
  }
  if (back) had[end].before(...fresh);
  else now.element.append(...fresh);
  now.boxes = [...had.slice(0, front), ...fresh, ...had.slice(end)];
  orient(now);
}

// Boxes follow one another in the direction of the first letter of their line; each one is isolated by the style sheet.
function orient({ element, boxes }) {
  const direction = boxes.map((box) => directions.get(box)).find((each) => each !== "") ?? "ltr";
  if (element.dir !== direction) element.dir = direction;
}

// `list` belongs to the row and to nobody else.
export function createRow(list) {
  let lines = [];
  let stop = null; // the one box that the tabulator reaches; from there the arrow keys go on

  function update(cut, most) {
    const many = Math.min(cut.tokens.length, most);
    const now = linesOf(cut.tokens, cut.ids, new Set(cut.special), many);
    const focused = list.getRootNode().activeElement;
    const focusedAt = list.contains(focused) ? placeOf(focused) : -1;
    const [front, back] = shared(lines.length, now.length, (old, fresh) => sameLine(lines[old], now[fresh]));
    const gone = lines.slice(front, lines.length - back);
    const behind = back ? lines[lines.length - back].element : null;
    for (let at = 0; at < front; at += 1) now[at] = lines[at];
    for (let at = 1; at <= back; at += 1) now[now.length - at] = lines[lines.length - at];
    const fresh = now.slice(front, now.length - back);
    fresh.forEach((line, at) => redrawLine(gone[at] ?? null, line));
    for (const line of gone.slice(fresh.length)) line.element.remove();
    const added = fresh.slice(gone.length).map((line) => line.element);
    if (behind === null) list.append(...added);
    else behind.before(...added);
    lines = now;
    if (stop === null || !stop.isConnected) moveStop(0);
    if (focusedAt >= 0 && !focused.isConnected) boxAt(Math.min(focusedAt, size() - 1))?.focus();
    return many;
  }

  // The line of a place, and where in it.
  function find(place) {
    for (const line of lines) {
      if (place < line.boxes.length) return [line, place];
      place -= line.boxes.length;
    }
    return [null, -1];
  }

  function placeOf(node) {
    const box = node instanceof Element ? node.closest(".mbp-box") : null;
    let before = 0;
    for (const line of box === null ? [] : lines) {
      if (line.element === box.parentNode) return before + line.boxes.indexOf(box);
      before += line.boxes.length;
    }
    return -1;
  }

  function boxAt(place) {
    const [line, at] = find(place);
    return line === null ? null : line.boxes[at];
  }

  function moveStop(place) {
    if (stop !== null) stop.tabIndex = -1;
    stop = boxAt(place);
    if (stop !== null) stop.tabIndex = 0;
  }

  function factsAt(place) {
    const [line, at] = find(place);
    return factsOf(line.tokens[at], line.ids[at]) + (line.special[at] ? " · special token" : "");
  }

  const size = () => lines.reduce((sum, line) => sum + line.boxes.length, 0);
  const clear = () => update({ ids: [], tokens: [], special: [] }, 0);
  return { update, clear, placeOf, boxAt, moveStop, factsAt, size };
}
