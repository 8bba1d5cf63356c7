// Counting and copying what is shown.

import { make } from "./drawing.js";

export const grouped = (number) => number.toLocaleString("en");
export const plural = (many, one) => `${grouped(many)} ${one}${many === 1 ? "" : "s"}`;

// A text, or the parts of a chat, as one text.
export const written = (text) => (typeof text === "string" ? text : text.map((part) => part.special ?? part).join(""));

export function charactersIn(text) {
  let many = text.length;
  for (let at = 0; at < text.length - 1; at += 1) {
    const here = text.charCodeAt(at);
    const next = text.charCodeAt(at + 1);
    if (here >= 0xd800 && here < 0xdc00 && next >= 0xdc00 && next < 0xe000) {
      many -= 1;
      at += 1;
    }
  }
  return many;
}

// Copies without the clipboard's own interface too, which only exists where a page is trusted.
export async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = make("textarea", "mbp-hidden");
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}
