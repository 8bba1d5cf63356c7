// A byte-level tokenizer: text to special tokens and words, words to ids.

import { Merges } from "./merging.js";
import { familySplitter, patternSplitter, unpackClasses } from "./split.js";
import { SpecialTokens } from "./specials.js";
import { shortEnough, wellFormed } from "./well_formed.js";

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
    // Of two special tokens with one id the last one is what the id stands for.
    this.specialBytes = new Map(entry.specials.map(([name, id]) => [id, this.encoder.encode(name)]));
  }

  cut(text, specials) {
    const out = { ids: [], tokens: [], special: [] };
    for (const part of this.parts(wellFormed(text), specials)) {
      if (part.special) {
        out.special.push(out.ids.length);
        out.ids.push(part.id);
        out.tokens.push(this.specialBytes.get(part.id));
      } else {
        this.eachWord(part.text, (word) => {
          for (const id of this.idsOf(word)) {
            out.ids.push(id);
            out.tokens.push(this.merges.tokenBytes(id));
          }
        });
      }
    }
    return out;
  }

  /** The words of a text, in which no special token is special. */
  words(text) {
    const found = [];
    this.eachWord(wellFormed(text), (word) => { found.push(word); });
    return found;
  }

  /** The word in which token `place` of a text stands. */
  wordAt(text, place, specials) {
    let reached = 0;
    for (const part of this.parts(wellFormed(text), specials)) {
      if (part.special) {
        if (reached === place) {
          throw new Error("this is a special token: it has an id of its own, and no merges make it.");
        }
        reached += 1;
        continue;
      }
      const found = this.eachWord(part.text, (word) => {
        reached += this.idsOf(word).length;
        return reached > place;
      });
      if (found) return found;
    }
    throw new Error("there is no such token.");
  }

  /** Cut a text at its special tokens: yields { text } and { special, id }. */
  * parts(text, specials) {
    for (let at = 0; at < text.length;) {
      const found = specials ? this.specials.next(text, at) : null;
      const end = found ? found.at : text.length;
      if (end > at) yield { text: at || found ? text.slice(at, end) : text };
      if (!found) return;
      yield { special: found.name, id: found.id };
      at = end + found.name.length;
    }
  }

  /** Call take(word) for each word, until it says true; return that word. */
  eachWord(text, take) {
    for (let at = 0; at < text.length;) {
      const end = this.wordEnd(text, at);
      const word = text.slice(at, end);
      if (take(word)) return word;
      at = end;
    }
    return null;
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

  /** The parts of a word before the first merge and after each one: { parts, rank, at, ids }. */
  steps(word) {
    const parts = (ids) => ids.map((id) => this.merges.tokenBytes(id));
    const steps = this.merges.steps(shortEnough(this.encoder.encode(wellFormed(word))));
    return steps.map(({ ids, rank, at }) => ({ parts: parts(ids), rank, at, ids }));
  }
}

/** Tables of classes by what they were packed as: several tokenizers share one. */
const unpackedClasses = new Map();

function classesOf(packed) {
  if (!unpackedClasses.has(packed)) unpackedClasses.set(packed, unpackClasses(packed));
  return unpackedClasses.get(packed);
}

/** Return the function that says where the word ends that begins at a place. */
function splitterOf(split, data) {
  if (!split) return (text) => text.length;
  if ("family" in split) return familySplitter(split.family, classesOf(data.classes[split.classes]));
  return patternSplitter(split);
}
