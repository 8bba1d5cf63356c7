// A byte-level tokenizer: text to special tokens and words, words to ids.

import { Merges } from "./merging.js";
import { classesOfRuns, familySplitter, patternSplitter } from "./split.js";
import { SpecialTokens } from "./specials.js";
import { shortEnough, wellFormed } from "./well_formed.js";

// A cache of words and their ids: a keystroke changes one word of a text, and most words occur again.
const CACHE_SIZE = 1 << 16;
const LONGEST_CACHED = 128;

export class ByteLevelTokenizer {
  /** entry: a tokenizer of page_data.py, unpacked. data: all of it, with the tables and classes. */
  constructor(entry, data) {
    this.merges = new Merges(data.tables[entry.table] ?? entry.packed,
      entry.more ?? [], entry.skipped ?? []);
    this.specials = new SpecialTokens(entry.specials);
    this.wordEnd = splitterOf(entry.split, data);
    this.encoder = new TextEncoder();
    this.cache = new Map();
    // An id with two special tokens means the last one.
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

  /** Return the words of a text; special tokens are ordinary text. */
  words(text) {
    const found = [];
    this.eachWord(wellFormed(text), (word) => { found.push(word); });
    return found;
  }

  /** Return the word that contains token `place` of a text. */
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
    if (word.length > LONGEST_CACHED) return this.merges.encode(this.encoder.encode(word));
    let ids = this.cache.get(word);
    if (!ids) {
      ids = this.merges.encode(this.encoder.encode(word));
      if (this.cache.size >= CACHE_SIZE) this.cache.clear();
      this.cache.set(word, ids);
    }
    return ids;
  }

  /** Return the parts of a word before the first merge and after each one: { parts, rank, at, ids }. */
  steps(word) {
    const parts = (ids) => ids.map((id) => this.merges.tokenBytes(id));
    const steps = this.merges.steps(shortEnough(this.encoder.encode(wellFormed(word))));
    return steps.map(({ ids, rank, at }) => ({ parts: parts(ids), rank, at, ids }));
  }
}

/** Tables of classes by their runs, because several tokenizers share one. */
const knownClasses = new WeakMap();

function classesOf(runs) {
  if (!knownClasses.has(runs)) knownClasses.set(runs, classesOfRuns(runs));
  return knownClasses.get(runs);
}

/** Return the function that finds the end of the word that begins at a position. */
function splitterOf(split, data) {
  if (!split) return (text) => text.length;
  if ("family" in split) return familySplitter(split.family, classesOf(data.classes[split.classes]));
  return patternSplitter(split);
}
