// A chat, cut into tokens: its parts are texts and special tokens, { special: name }.
//
// What a person wrote is a text, and stays one: a special token in it is found only where that is asked for (lesson 05).

/** Return the cut of the parts. A special token that the vocabulary does not have gets the next free id, and a note. */
export function cutParts(tokenizer, parts, specials) {
  const out = { ids: [], tokens: [], special: [] };
  const fresh = new Map();
  for (const part of joined(parts)) {
    const begin = out.ids.length;
    if (typeof part === "string") {
      const cut = tokenizer.cut(part, specials);
      for (const id of cut.ids) out.ids.push(id);
      for (const token of cut.tokens) out.tokens.push(token);
      for (const place of cut.special) out.special.push(begin + place);
      continue;
    }
    const known = tokenizer.specialId(part.special);
    if (known === undefined && !fresh.has(part.special)) fresh.set(part.special, tokenizer.nextId() + fresh.size);
    out.special.push(begin);
    out.ids.push(known ?? fresh.get(part.special));
    out.tokens.push(tokenizer.tokenOf(part.special));
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
  for (const part of joined(parts)) {
    const many = typeof part === "string" ? tokenizer.cut(part, specials).ids.length : 1;
    if (place < reached + many && typeof part === "string") return { text: part, place: place - reached };
    if (place < reached + many) throw new Error("this is a special token: it has an id of its own, and no merges make it.");
    reached += many;
  }
  throw new Error("there is no such token.");
}

function joined(parts) {
  const found = [];
  for (const part of parts) {
    if (typeof part === "string" && typeof found[found.length - 1] === "string") found[found.length - 1] += part;
    else if (part !== "") found.push(part);
  }
  return found;
}
