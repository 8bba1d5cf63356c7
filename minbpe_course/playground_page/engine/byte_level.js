// A byte-level tokenizer: text to special tokens and words, words to ids.

import { Merges } from "./merging.js";
import { WHITE_SPACE } from "./patterns.js";
import { classesOfRuns, familySplitter, patternSplitter, splitAtEnds } from "./split.js";
import { SpecialTokens } from "./specials.js";
import { shortEnough, wellFormed } from "./well_formed.js";

// A cache of words and their ids: a keystroke changes one word of a text, and most words occur again.
const CACHE_SIZE = 1 << 16;
const LONGEST_CACHED = 128;

export class ByteLevelTokenizer {
  /** merges: Merges. split: (text, take) calls take(word) for each word until it says true, and returns that word.
   * specials: [text, id] pairs. Those of a file may have more: always (found in every text), late (looked for in
   * normalized text), and stripLeft and stripRight (they take the white space beside them). normalize: (text) -> text. */
  constructor({ merges, split, specials, normalize = null }) {
    this.merges = merges;
    this.eachWord = split;
    this.normalize = normalize;
    // Where text is normalized first, so is the name that is looked for in it.
    const soughtAs = (name, late) => (late && normalize ? normalize(name) : name);
    const listed = specials.map(([name, id, flags = {}]) => ({ name: soughtAs(name, flags.late), id, ...flags }));
    this.ids = new Map(specials.map(([name, id]) => [name, id]));
    this.flags = new Map(listed.map((each) => [each.name, each]));
    const named = (wanted) => new SpecialTokens(listed.filter(wanted).map(({ name, id }) => [name, id]));
    // What is looked for in the text as it is, and then in the normalized text.
    this.finders = [named(({ late }) => !late), named(({ late }) => late)];
    this.encoder = new TextEncoder();
    this.cache = new Map();
    // An id with two special tokens means the last one.
    this.specialBytes = new Map(specials.map(([name, id]) => [id, this.encoder.encode(name)]));
  }

  /** entry: a tokenizer of page_data.py, unpacked. data: all of it, with the tables and classes. */
  static ofPage(entry, data) {
    const merges = Merges.ofTable(data.tables[entry.table] ?? entry.packed, entry.more ?? [], entry.skipped ?? []);
    return new ByteLevelTokenizer({ merges, split: splitterOf(entry.split, data), specials: entry.specials });
  }

  /** Return the id of a special token, undefined if there is none of this name. */
  specialId(name) {
    return this.ids.get(name);
  }

  /** Return the first id after all that are in use. */
  nextId() {
    return [...this.ids.values()].reduce((next, id) => Math.max(next, id + 1), this.merges.nextId());
  }

  /** Return a special token as `cut` returns tokens: its bytes. */
  tokenOf(name) {
    return this.encoder.encode(name);
  }

  cut(text, specials) {
    const out = { ids: [], tokens: [], special: [] };
    for (const part of this.parts(wellFormed(text), specials)) {
      if (part.special) {
        if (!part.always) out.special.push(out.ids.length);
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
          const kind = part.always ? "an added" : "a special";
          throw new Error(`this is ${kind} token: it has an id of its own, and no merges make it.`);
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
    const [early, late] = this.finders;
    for (const part of this.cutOut(text, early, specials)) {
      if (part.special) yield part;
      else yield* this.cutOut(this.normalize ? this.normalize(part.text) : part.text, late, specials);
    }
  }

  * cutOut(text, finder, specials) {
    // White space that a name takes is searched for names all the same, as in `tokenizers`.
    for (let at = 0, from = 0; ;) {
      const found = finder.next(text, from);
      let end = found ? found.at : text.length;
      let after = found ? end + found.name.length : end;
      from = after;
      const { stripLeft, stripRight, always } = (found && this.flags.get(found.name)) ?? {};
      // A special token that is ordinary text hides what begins in it.
      if (found && !specials && !always) continue;
      while (stripLeft && end > at && WHITE_SPACE.test(text[end - 1])) end -= 1;
      while (stripRight && after < text.length && WHITE_SPACE.test(text[after])) after += 1;
      if (end > at) yield { text: text.slice(at, end) };
      if (!found) return;
      yield { special: found.name, id: found.id, always };
      at = after;
    }
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

/** Return the function that calls take(word) for each word of a text. */
function splitterOf(split, data) {
  if (!split) return splitAtEnds((text) => text.length);
  if ("family" in split) return splitAtEnds(familySplitter(split.family, classesOf(data.classes[split.classes])));
  return splitAtEnds(patternSplitter(split));
}
