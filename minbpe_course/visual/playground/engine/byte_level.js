// A byte-level tokenizer: text to special tokens and words, words to ids.

import { Merges } from "./merging.js";
import { familySplitter, unpackClasses } from "./split.js";
import { SpecialTokens } from "./specials.js";
import { wellFormed } from "./well_formed.js";

// Words are remembered with their ids: typing changes one word of a text, and most words come again.
const MOST_REMEMBERED = 1 << 16;
const LONGEST_REMEMBERED = 128;

export class ByteLevelTokenizer {
  /** entry: one of page_data's entries. data: the whole of it, where tables and classes are. */
  constructor(entry, data) {
    this.merges = new Merges(entry.table in data.tables ? data.tables[entry.table] : entry.packed,
      entry.more ?? [], entry.skipped ?? []);
    this.specials = new SpecialTokens(entry.specials);
    this.wordEnd = splitterOf(entry.split, data);
    this.encoder = new TextEncoder();
    this.remembered = new Map();
  }

  cut(text, specials) {
    const out = { ids: [], tokens: [], special: [] };
    text = wellFormed(text);
    let at = 0;
    while (at < text.length) {
      const found = specials ? this.specials.next(text, at) : null;
      this.cutOrdinary(at || found ? text.slice(at, found ? found.at : text.length) : text, out);
      if (!found) break;
      out.special.push(out.ids.length);
      out.ids.push(found.id);
      out.tokens.push(this.encoder.encode(found.name));
      at = found.at + found.name.length;
    }
    return out;
  }

  cutOrdinary(text, out) {
    for (let at = 0; at < text.length;) {
      const end = this.wordEnd(text, at);
      for (const id of this.idsOf(text.slice(at, end))) {
        out.ids.push(id);
        out.tokens.push(this.merges.tokenBytes(id));
      }
      at = end;
    }
  }

  idsOf(word) {
    if (word.length > LONGEST_REMEMBERED) return this.merges.encode(this.encoder.encode(word));
    let ids = this.remembered.get(word);
    if (!ids) {
      ids = this.merges.encode(this.encoder.encode(word));
      if (this.remembered.size >= MOST_REMEMBERED) this.remembered.clear();
      this.remembered.set(word, ids);
    }
    return ids;
  }

  steps(word) {
    const bytes = this.encoder.encode(wellFormed(word));
    const parts = (ids) => ids.map((id) => this.merges.tokenBytes(id));
    return this.merges.steps(bytes).map(({ ids, rank, at }) => ({ ids, parts: parts(ids), rank, at }));
  }
}

/** The classes of the characters, unpacked once for each engine. */
const unpackedClasses = new Map();

function classesOf(engine, data) {
  if (!unpackedClasses.has(engine)) unpackedClasses.set(engine, unpackClasses(data.classes[engine]));
  return unpackedClasses.get(engine);
}

/** Return the function that says where the word ends that begins at a place. */
function splitterOf(split, data) {
  if (!split) return (text) => text.length;
  if ("family" in split) return familySplitter(split.family, classesOf(split.classes, data));
  throw new Error("no such way to split");
}
