// SentencePiece BPE: characters join, one pair at a time, always the pair whose piece has the best score.
//
// Twin of reference/pieces.py. A symbol is a stretch text[begins[k]:ends[k]] of the normalised text; symbol k and its
// neighbours are linked, and a heap holds the pairs that may merge, the best score first and the leftmost of equals.

import { Heap, PLACES } from "./merging.js";
import { UNUSED } from "./piece_kinds.js";

const DEEPEST_UNUSED = 100; // sentencepiece takes an unused piece apart to this depth and no further

// Stretches of text are remembered with their pieces: typing changes one of them.
const MOST_STRETCHES = 1 << 15;
const LONGEST_STRETCH = 128;

export class PieceMerger {
  constructor(model) {
    this.model = model;
    this.ranks = scoreRanks(model.scores);
    this.mark = model.rules.escape ? "\u2581" : " ";
    this.longest = 0;
    // Where no piece has a space behind something else, nothing merges over the beginning of a word, and each can be
    // looked at by itself.
    this.apart = true;
    for (const piece of model.ids.keys()) {
      this.longest = Math.max(this.longest, piece.length);
      if (spaceBehind(piece, this.mark)) this.apart = false;
    }
    this.remembered = new Map();
  }

  /** Cut normalised text into pieces: [text, id] each, the id -1 for what is no piece. */
  parts(text) {
    if (!this.apart) return this.merge(text);
    const parts = [];
    for (let at = 0; at < text.length;) {
      const end = this.stretchEnd(text, at);
      for (const part of this.stretch(text.slice(at, end))) parts.push(part);
      at = end;
    }
    return parts;
  }

  /** Where the next space begins that stands behind something else. */
  stretchEnd(text, at) {
    while (text[at] === this.mark) at += 1;
    const end = text.indexOf(this.mark, at);
    return end < 0 ? text.length : end;
  }

  stretch(text) {
    if (text.length > LONGEST_STRETCH) return this.merge(text);
    let parts = this.remembered.get(text);
    if (!parts) {
      parts = this.merge(text);
      if (this.remembered.size >= MOST_STRETCHES) this.remembered.clear();
      this.remembered.set(text, parts);
    }
    return parts;
  }

  merge(text) {
    const merging = new Merging(this, text);
    while (merging.next() >= 0);
    return merging.symbols().flatMap((symbol) => this.takeApart(symbol, merging.cuts, 0));
  }

  steps(text) {
    const merging = new Merging(this, text);
    const steps = [{ parts: merging.symbols(), rank: null, at: null }];
    for (let made = merging.next(); made >= 0; made = merging.next()) {
      const { id, place } = merging.last;
      // The score of a merge is its rank with a minus sign.
      steps.push({ parts: merging.symbols(), rank: Math.abs(this.model.scores[id]), at: place() });
    }
    return steps;
  }

  /** The piece and its id, or those that an unused one was joined from; -1 for what is no piece in the end. */
  takeApart(piece, cuts, depth) {
    const id = this.model.ids.get(piece) ?? -1;
    if (depth > DEEPEST_UNUSED) return [[piece, id]];
    // Only unused pieces are among the cuts.
    if (!cuts.has(piece)) return [[piece, this.model.knownId(piece)]];
    return cuts.get(piece).flatMap((part) => this.takeApart(part, cuts, depth + 1));
  }
}

/** One text on its way from characters to pieces. */
class Merging {
  constructor(merger, text) {
    this.merger = merger;
    this.text = text;
    this.begins = new Int32Array(text.length);
    this.ends = new Int32Array(text.length);
    this.frozen = new Uint8Array(text.length);
    let count = 0;
    merger.model.eachSymbol(text, (begin, end, frozen) => {
      this.begins[count] = begin;
      this.ends[count] = end;
      this.frozen[count++] = frozen ? 1 : 0;
    });
    this.count = count;
    this.before = Int32Array.from({ length: count }, (_, at) => at - 1);
    this.after = Int32Array.from({ length: count }, (_, at) => at + 1);
    // The id of the piece that a symbol and the next would become, -1 for none.
    this.offered = new Int32Array(count).fill(-1);
    this.cuts = new Map();
    this.heap = new Heap(3 * count);
    for (let left = 0; left + 1 < count; left++) this.offer(left);
  }

  /** Queue a symbol and the one after it if together they are a piece. */
  offer(left) {
    this.offered[left] = -1;
    const right = this.after[left];
    if (right >= this.count || this.frozen[left] || this.frozen[right]) return;
    if (this.ends[right] - this.begins[left] > this.merger.longest) return;
    const joined = this.text.slice(this.begins[left], this.ends[right]);
    const id = this.merger.model.ids.get(joined);
    if (id === undefined) return;
    if (this.merger.model.kinds[id] === UNUSED) {
      this.cuts.set(joined, [this.stretch(left), this.stretch(right)]);
    }
    this.offered[left] = id;
    this.heap.push(this.merger.ranks[id] * PLACES + left);
  }

  /** Do the best merge that is still possible; return the left symbol, or -1 at the end. */
  next() {
    while (this.heap.size) {
      const key = this.heap.pop();
      const left = key % PLACES;
      const id = this.offered[left];
      if (id < 0 || this.merger.ranks[id] !== (key - left) / PLACES) continue;
      const right = this.after[left];
      this.ends[left] = this.ends[right];
      this.offered[right] = -1;
      this.after[left] = this.after[right];
      if (this.after[left] < this.count) this.before[this.after[left]] = left;
      this.last = { id, place: () => this.placeOf(left) };
      if (this.before[left] >= 0) this.offer(this.before[left]);
      this.offer(left);
      return left;
    }
    return -1;
  }

  stretch(symbol) {
    return this.text.slice(this.begins[symbol], this.ends[symbol]);
  }

  /** The symbols as they stand. */
  symbols() {
    const found = [];
    for (let at = 0; at < this.count; at = this.after[at]) found.push(this.stretch(at));
    return found;
  }

  placeOf(symbol) {
    let place = 0;
    for (let at = 0; at < symbol; at = this.after[at]) place += 1;
    return place;
  }
}

/** Whether a piece has a space behind something that is none. */
function spaceBehind(piece, mark) {
  for (let at = 1; at < piece.length; at++) if (piece[at] === mark && piece[at - 1] !== mark) return true;
  return false;
}

/** 0 for the best score, equal numbers for equal scores. The order is that of the bits: -0.0 comes after 0.0. */
function scoreRanks(scores) {
  const bits = new Int32Array(scores.slice().buffer);
  const orders = Array.from(bits, (value) => value >= 0 ? value : -(value & 0x7fffffff) - 1);
  const places = new Map([...new Set(orders)].sort((a, b) => b - a).map((order, place) => [order, place]));
  return Int32Array.from(orders, (order) => places.get(order));
}
