// A chat, cut into tokens: its parts are texts and special tokens, { special: name }.
//
// What a person wrote is a text, and stays one: a special token in it is found only where that is asked for (lesson 05).

import { SpecialTokens } from "./specials.js";

/** Return the cut of the parts. A special token that the vocabulary does not have gets the next free id, and a note. */
export function cutParts(tokenizer, parts, specials) {
  const out = { ids: [], tokens: [], special: [] };
  const fresh = freshIds(tokenizer, parts);
  for (const part of cutAt(fresh, parts, specials)) {
    const begin = out.ids.length;
    if (typeof part === "string") {
      const cut = tokenizer.cut(part, specials);
      for (const id of cut.ids) out.ids.push(id);
      for (const token of cut.tokens) out.tokens.push(token);
      for (const place of cut.special) out.special.push(begin + place);
    } else {
      out.special.push(begin);
      out.ids.push(tokenizer.specialId(part.special) ?? fresh.get(part.special));
      out.tokens.push(tokenizer.tokenOf(part.special));
    }
  }
  if (fresh.size) {
    const named = [...fresh].map(([name, id]) => `${name} (${id})`).join(", ");
    out.note = `Not in this vocabulary, so shown with the next free ids: ${named}.`;
  }
  return out;
}

/** Return the text that contains token `place` of the parts, and the place in it. */
export function partAt(tokenizer, parts, place, specials) {
  let reached = 0;
  for (const part of cutAt(freshIds(tokenizer, parts), parts, specials)) {
    const many = typeof part === "string" ? tokenizer.cut(part, specials).ids.length : 1;
    if (place < reached + many && typeof part === "string") return { text: part, place: place - reached };
    if (place < reached + many) throw new Error("this is a special token: it has an id of its own, and no merges make it.");
    reached += many;
  }
  throw new Error("there is no such token.");
}

/** Return ids for the special tokens that the vocabulary does not have, from its first free one on. */
function freshIds(tokenizer, parts) {
  const names = new Set(parts.filter((part) => part.special).map((part) => part.special));
  const missing = [...names].filter((name) => tokenizer.specialId(name) === undefined);
  const next = missing.length ? tokenizer.nextId() : 0;
  return new Map(missing.map((name, at) => [name, next + at]));
}

/** Join texts that are neighbours; where special tokens count in texts, the fresh ones count too. */
function cutAt(fresh, parts, specials) {
  const joined = [];
  for (const part of parts) {
    const last = joined.length - 1;
    if (typeof part === "string" && typeof joined[last] === "string") joined[last] += part;
    else if (part !== "") joined.push(part);
  }
  if (!specials || !fresh.size) return joined;
  const finder = new SpecialTokens(fresh);
  return joined.flatMap((part) => {
    if (typeof part !== "string") return [part];
    const found = [];
    let at = 0;
    for (let next = finder.next(part, 0); next; next = finder.next(part, at)) {
      if (next.at > at) found.push(part.slice(at, next.at));
      found.push({ special: next.name });
      at = next.at + next.name.length;
    }
    return at < part.length ? [...found, part.slice(at)] : found;
  });
}
