// A SentencePiece model: text is normalised, cut into pieces, and what is no piece becomes bytes or the unknown piece.
//
// One file for each way to cut: pieces.js (BPE), unigram.js, whole_pieces.js (characters, words). Twin: reference/.

import { unpackBytes, unpackText } from "./inflate.js";
import { Normalizer } from "./normalize.js";
import { CONTROL, UNUSED, USER_DEFINED, WRITTEN_KINDS } from "./piece_kinds.js";
import { PieceMerger } from "./pieces.js";
import { LongestMatch, unitsOf } from "./trie.js";
import { UnigramSearch } from "./unigram.js";
import { cutCharacters, cutWords } from "./whole_pieces.js";
import { shortEnough, wellFormed } from "./well_formed.js";

export class PieceTokenizer {
  /** entry: one of page_data's entries. */
  constructor(entry) {
    this.pieces = JSON.parse(unpackText(entry.pieces));
    this.kinds = unpackBytes(entry.kinds);
    const scores = unpackBytes(entry.scores);
    this.scores = new Float32Array(scores.buffer.slice(scores.byteOffset, scores.byteOffset + scores.length));
    this.unknown = entry.unknown;
    this.byteIds = entry.byteIds;
    // The pieces that text can become. A piece that is no text came here empty.
    this.ids = new Map();
    this.pieces.forEach((piece, id) => {
      if (WRITTEN_KINDS.includes(this.kinds[id]) && piece && piece !== "\0") this.ids.set(piece, id);
    });
    const users = [...this.ids].filter(([, id]) => this.kinds[id] === USER_DEFINED).map(([piece]) => piece);
    this.rules = entry.normalizer;
    this.normalizer = new Normalizer(entry.normalizer, users);
    this.users = new LongestMatch(users.map(unitsOf));
    this.encoder = new TextEncoder();
    this.way = WAYS[entry.type](this);
  }

  cut(text) {
    const out = { ids: [], tokens: [], special: [] };
    for (const [part, id] of this.way.parts(this.normalized(text))) this.put(part, id, out);
    out.ids.forEach((id, at) => {
      if (this.kinds[id] === CONTROL || this.kinds[id] === USER_DEFINED) out.special.push(at);
    });
    return out;
  }

  /** Add a part of the text; its id is -1 if it is no piece. */
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

  /** The words of a text, as they would be typed: each with the spaces in front of it, or behind it in some models.
   * A single space is left out where the model adds one to whatever is typed. */
  words(text) {
    return this.normalizedWords(this.normalized(text)).map((word) => this.asTyped(word)).filter((word) => word);
  }

  normalizedWords(text) {
    const [mark, other] = this.rules.escape ? ["\u2581", "[^\u2581]"] : [" ", "[^ ]"];
    const pattern = this.rules.suffix ? `${other}*${mark}+|${other}+` : `${mark}+${other}*|${other}+`;
    return text.match(new RegExp(pattern, "g")) ?? [];
  }

  /** The word in which token `place` of a text stands. */
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

  /** What to type so that a word of the normalised text comes out. */
  asTyped(word) {
    const { dummyPrefix, suffix, escape } = this.rules;
    const mark = escape ? "\u2581" : " ";
    let bare = word;
    if (dummyPrefix && !suffix && bare.startsWith(mark)) bare = bare.slice(1);
    if (dummyPrefix && suffix && bare.endsWith(mark)) bare = bare.slice(0, -1);
    const spaced = bare.replaceAll(mark, " ");
    return [spaced, bare].find((typed) => this.normalized(typed) === word) ?? spaced;
  }

  /** The parts of a word before the first merge and after each one: { parts, rank, at, ids }. */
  steps(word) {
    shortEnough(this.encoder.encode(word));
    const ids = (parts) => parts.map((part) => Math.max(this.knownId(part), this.unknown));
    return this.way.steps(this.normalized(word)).map(({ parts, rank, at }) => ({ parts, rank, at, ids: ids(parts) }));
  }

  /** The id of a piece that text may become, -1 for an unused one and for what is no piece. */
  knownId(part) {
    const id = this.ids.get(part) ?? -1;
    return id >= 0 && this.kinds[id] !== UNUSED ? id : -1;
  }

  /** Cut normalised text into user-defined pieces and characters: calls take(begin, end, frozen) for each. */
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
