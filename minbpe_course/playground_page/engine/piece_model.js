// A SentencePiece model: text is normalised and cut into pieces; the rest becomes bytes or the unknown piece.
//
// One file for each way to cut: pieces.js (BPE), unigram.js, whole_pieces.js (characters, words).

import { Normalizer } from "./normalize.js";
import { CONTROL, UNUSED, USER_DEFINED, WRITTEN_KINDS } from "./piece_kinds.js";
import { PieceMerger } from "./pieces.js";
import { LongestMatch, unitsOf } from "./trie.js";
import { UnigramSearch } from "./unigram.js";
import { cutCharacters, cutWords } from "./whole_pieces.js";
import { shortEnough, wellFormed } from "./well_formed.js";

export class PieceTokenizer {
  /** entry: a tokenizer of page_data.py, unpacked; or what readPieceFile returns, with the limits for files. */
  constructor(entry, limits = undefined) {
    this.pieces = Array.isArray(entry.pieces) ? entry.pieces : JSON.parse(new TextDecoder().decode(entry.pieces));
    this.kinds = entry.kinds;
    this.scores = new Float32Array(entry.scores.buffer);
    this.unknown = entry.unknown;
    this.byteIds = entry.byteIds;
    // The pieces that text can become. A piece that is not UTF-8 arrives empty.
    this.ids = new Map();
    this.pieces.forEach((piece, id) => {
      if (WRITTEN_KINDS.includes(this.kinds[id]) && piece && piece !== "\0") this.ids.set(piece, id);
    });
    const users = [...this.ids].filter(([, id]) => this.kinds[id] === USER_DEFINED).map(([piece]) => piece);
    this.rules = entry.normalizer;
    this.normalizer = new Normalizer(entry.normalizer, users, limits);
    this.users = new LongestMatch(users.map(unitsOf));
    this.encoder = new TextEncoder();
    this.way = WAYS[entry.type](this);
  }

  /** Return the id of a control or user-defined piece, undefined if there is none of this name. */
  specialId(name) {
    const id = this.pieces.indexOf(name);
    return this.kinds[id] === CONTROL || this.kinds[id] === USER_DEFINED ? id : undefined;
  }

  nextId() {
    return this.pieces.length;
  }

  /** Return a special token as `cut` returns tokens: pieces are strings. */
  tokenOf(name) {
    return name;
  }

  cut(text) {
    const out = { ids: [], tokens: [], special: [] };
    for (const [part, id] of this.way.parts(this.normalized(text))) this.put(part, id, out);
    out.ids.forEach((id, at) => {
      if (this.kinds[id] === CONTROL || this.kinds[id] === USER_DEFINED) out.special.push(at);
    });
    return out;
  }

  /** Add a part of the text; its id is -1 if it is not a piece. */
  put(part, id, out) {
    const last = out.ids.length - 1;
    if (id >= 0 && id !== this.unknown) {
      out.ids.push(id);
      out.tokens.push(part);
    } else if (this.byteIds) {
      for (const byte of this.encoder.encode(part)) {
        out.ids.push(this.byteIds[byte]);
        out.tokens.push(`<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`);
      }
    } else if (last >= 0 && out.ids[last] === this.unknown) {
      out.tokens[last] += part;
    } else {
      out.ids.push(this.unknown);
      out.tokens.push(part);
    }
  }

  normalized(text) {
    return this.normalizer.normalize(wellFormed(text));
  }

  /** Return the words of a text as they would be typed, each with the spaces before it, or after it in some models.
   * A single space is left out if the model adds one to every text. */
  words(text) {
    return this.normalizedWords(this.normalized(text)).map((word) => this.asTyped(word)).filter((word) => word);
  }

  normalizedWords(text) {
    const [mark, other] = this.rules.escape ? ["\u2581", "[^\u2581]"] : [" ", "[^ ]"];
    const pattern = this.rules.suffix ? `${other}*${mark}+|${other}+` : `${mark}+${other}*|${other}+`;
    return text.match(new RegExp(pattern, "g")) ?? [];
  }

  /** Return the word that contains token `place` of a text. */
  wordAt(text, place) {
    const normalized = this.normalized(text);
    const out = { ids: [], tokens: [], special: [] };
    let reached = 0;
    for (const [part, id] of this.way.parts(normalized)) {
      this.put(part, id, out);
      if (out.ids.length > place) break;
      reached += part.length;
    }
    if (out.ids.length <= place) throw new Error("there is no such token.");
    if (this.kinds[out.ids[place]] === USER_DEFINED) {
      throw new Error("this piece was given to the model from outside; no merges make it.");
    }
    for (const word of this.normalizedWords(normalized)) {
      if (reached < word.length) {
        const typed = this.asTyped(word);
        if (typed) return typed;
        throw new Error("this space stands alone, and no merges make it.");
      }
      reached -= word.length;
    }
    throw new Error("there is no such token.");
  }

  /** Return the text to type for a word of the normalised text. */
  asTyped(word) {
    const { dummyPrefix, suffix, escape } = this.rules;
    const mark = escape ? "\u2581" : " ";
    let bare = word;
    if (dummyPrefix && !suffix && bare.startsWith(mark)) bare = bare.slice(1);
    if (dummyPrefix && suffix && bare.endsWith(mark)) bare = bare.slice(0, -1);
    const spaced = bare.replaceAll(mark, " ");
    return [spaced, bare].find((typed) => this.normalized(typed) === word) ?? spaced;
  }

  /** Return the parts of a word before the first merge and after each one: { parts, rank, at, ids }. */
  steps(word) {
    shortEnough(this.encoder.encode(word));
    const ids = (parts) => parts.map((part) => Math.max(this.knownId(part), this.unknown));
    return this.way.steps(this.normalized(word)).map(({ parts, rank, at }) => ({ parts, rank, at, ids: ids(parts) }));
  }

  /** Return the id of a piece that text may become, -1 for an unused or unknown one. */
  knownId(part) {
    const id = this.ids.get(part) ?? -1;
    return id >= 0 && this.kinds[id] !== UNUSED ? id : -1;
  }

  /** Call take(begin, end, frozen) for each user-defined piece and each other character of normalised text. */
  eachSymbol(text, take) {
    const unitAt = (place) => text.charCodeAt(place);
    for (let at = 0; at < text.length;) {
      const length = this.users.length(unitAt, at, text.length);
      const end = at + (length || (text.codePointAt(at) > 0xffff ? 2 : 1));
      take(at, end, length > 0);
      at = end;
    }
  }
}

const WAYS = {
  bpe: (model) => new PieceMerger(model),
  unigram: (model) => new UnigramSearch(model),
  char: (model) => cutCharacters(model),
  word: (model) => cutWords(model),
};
