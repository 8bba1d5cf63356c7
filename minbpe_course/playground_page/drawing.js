// What a token looks like: the same signs as showing/drawing.py, made of text nodes only, so nothing in a text is markup.

export const MOST_CHARACTERS = 300; // of one token; a class that returns the whole text as one token stays readable
const MOST_HEX = 48; // bytes of one token that are written out on hover

const VISIBLE = new Map([[" ", "·"], ["\n", "↵"], ["\t", "→"], ["\r", "\\r"]]);
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Zs}]/u;
// Letters, marks and signs that show nothing, as in showing/drawing.py; a selector shows by the character before it.
const BLANK = /[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\uffa0\ufff0-\ufff8\u{e0100}-\u{e01ef}]/u;
const SELECTOR = /[\ufe00-\ufe0f]/;
const PLAIN = /^[!-~]+$/;
const MARK = /^\p{M}/u;
const TALL = /\p{M}{3}/u; // accents upon accents, which would cover the lines above and below
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

// The text of some bytes, or null where they are no whole characters.
export function textOf(token) {
  if (typeof token === "string") return token;
  try {
    return strict.decode(token);
  } catch {
    return null;
  }
}

export function bytesOf(token) {
  return typeof token === "string" ? encoder.encode(token) : token;
}

export function sameToken(a, b) {
  if (typeof a === "string" || typeof b === "string") return a === b;
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at += 1) if (a[at] !== b[at]) return false;
  return true;
}

export function endsLine(token) {
  return typeof token === "string" ? token.endsWith("\n") : token[token.length - 1] === 10;
}

const two = (byte) => byte.toString(16).padStart(2, "0");

function lengthOf(lead) {
  if (lead < 0x80) return 1;
  if (lead < 0xc2) return 0;
  if (lead < 0xe0) return 2;
  if (lead < 0xf0) return 3;
  return lead < 0xf5 ? 4 : 0;
}

// Broken bytes, cut into whole characters and single bytes that belong to none: [text, or null and the byte].
function* charactersOf(bytes) {
  for (let at = 0; at < bytes.length; ) {
    const length = lengthOf(bytes[at]);
    const text = length && at + length <= bytes.length ? textOf(bytes.subarray(at, at + length)) : null;
    yield text === null ? [null, bytes[at]] : [text, 0];
    at += text === null ? 1 : length;
  }
}

function signOf(character, before) {
  const sign = VISIBLE.get(character);
  if (sign !== undefined) return sign;
  const chosen = SELECTOR.test(character) && SELECTOR.test(before);
  if (!chosen && !INVISIBLE.test(character) && !BLANK.test(character)) return null;
  const code = character.codePointAt(0);
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, "0")}` : `\\U${code.toString(16).padStart(8, "0")}`;
}

// The runs of which a token is drawn: {text, standIn}. A stand-in is drawn in place of what cannot be seen.
export function drawn(token) {
  const runs = [];
  let length = 0;
  let before = "";
  const put = (text, standIn) => {
    const last = runs[runs.length - 1];
    if (last && last.standIn === standIn) last.text += text;
    else runs.push({ text, standIn });
    length += 1;
  };
  const whole = textOf(token);
  if (whole !== null && whole.length <= MOST_CHARACTERS && PLAIN.test(whole)) return [{ text: whole, standIn: false }];
  const characters = whole === null ? charactersOf(token) : whole;
  for (const item of characters) {
    if (length >= MOST_CHARACTERS) {
      put("…", true);
      break;
    }
    const character = whole === null ? item[0] : item;
    if (character === null) {
      put(`\\x${two(item[1])}`, true);
      continue;
    }
    // An accent without its letter would sit on top of whatever stands before the token.
    if (length === 0 && MARK.test(character)) put("◌", true);
    const sign = signOf(character, before);
    put(sign ?? character, sign !== null);
    before = character;
  }
  return runs;
}

export function visible(token) {
  return drawn(token).map((run) => run.text).join("");
}

// A name with its spaces as they are, and anything else that cannot be seen by its code.
export function harmless(name) {
  return Array.from(name, (character) => (character === " " ? " " : (signOf(character, "") ?? character))).join("");
}

// What is said of a token when the pointer or the keyboard is on it.
export function factsOf(token, id) {
  const bytes = bytesOf(token);
  const hex = Array.from(bytes.subarray(0, MOST_HEX), two).join(" ");
  const rest = bytes.length > MOST_HEX ? ` … ${bytes.length} bytes` : "";
  const facts = id === undefined ? [] : [`id ${id}`];
  facts.push(bytes.length ? `bytes ${hex}${rest}` : "no bytes");
  if (textOf(token) === null) facts.push("not a whole character");
  return facts.join(" · ");
}

// The direction of the first letter, as a browser decides for plain text.
const RIGHT_TO_LEFT = new RegExp(
  `[\u200f${["Hebrew", "Arabic", "Syriac", "Thaana", "Nko", "Samaritan", "Mandaic", "Adlam", "Hanifi_Rohingya"]
    .map((script) => `\\p{Script=${script}}`)
    .join("")}]`,
  "u",
);

const STRONG = /[\p{L}\u200e\u200f]/u;

// "ltr", "rtl", or "" where no letter says it.
export function strongDirection(text) {
  const strong = STRONG.exec(text);
  if (strong === null) return "";
  return RIGHT_TO_LEFT.test(strong[0]) ? "rtl" : "ltr";
}

export const directionOf = (text) => strongDirection(text) || "ltr";

export function make(tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}

export function checkbox(name, on, changed) {
  const wrapped = make("label", "mbp-choice");
  const box = make("input");
  box.type = "checkbox";
  box.checked = on;
  box.addEventListener("change", () => changed(box.checked));
  wrapped.append(box, make("bdi", "", harmless(name)));
  return wrapped;
}

export function fill(element, token) {
  const runs = drawn(token);
  if (runs.some(({ text }) => TALL.test(text))) element.classList.add("mbp-tall");
  if (runs.length === 1 && !runs[0].standIn) {
    element.textContent = runs[0].text;
    return;
  }
  element.textContent = runs.length ? "" : "\u00a0";
  for (const run of runs) element.append(run.standIn ? make("span", "mbp-stand-in", run.text) : run.text);
}

