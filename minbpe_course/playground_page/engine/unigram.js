// SentencePiece Unigram: of all the ways to cut a text into pieces, the one with the best sum of scores.
//
// Twin of reference/unigram.py, where the search is drawn. The sums are float32, each of them rounded (Math.fround); those
// of a tokenizer.json are float64. Of equal sums the one that was found first stays.

import { NORMAL, UNUSED, USER_DEFINED } from "./piece_kinds.js";
import { Trie, unitsOf } from "./trie.js";

const UNKNOWN_PENALTY = 10;
const LARGEST_FLOAT32 = 3.4028234663852886e38;
const FARTHEST_SUM = 100000; // a place whose best sum is farther from 0 than this becomes the new 0

export class UnigramSearch {
  /** exact: whether the sums are float64, as in `tokenizers`. */
  constructor(model, exact = false) {
    this.model = model;
    this.Sums = exact ? Float64Array : Float32Array;
    this.rounded = exact ? (sum) => sum : Math.fround;
    this.farthestSum = exact ? Infinity : FARTHEST_SUM;
    this.scores = model.scores.slice();
    let lowest = exact ? Infinity : LARGEST_FLOAT32;
    let units = 0;
    for (const [piece, id] of model.ids) {
      units += piece.length;
      const bytes = model.kinds[id] === USER_DEFINED ? model.encoder.encode(piece).length : 0;
      if (bytes) this.scores[id] = 0.1 * (bytes - 1);
    }
    model.kinds.forEach((kind, id) => {
      if (kind === NORMAL) lowest = Math.min(lowest, model.scores[id]);
    });
    this.unknown = this.rounded(lowest - UNKNOWN_PENALTY);
    this.trie = new Trie(units);
    for (const [piece, id] of model.ids) if (model.kinds[id] !== UNUSED) this.trie.add(unitsOf(piece), id);
  }

  parts(text) {
    const count = text.length;
    const best = new this.Sums(count + 1);
    const from = new Int32Array(count + 1).fill(-1);
    const ids = new Int32Array(count + 1);
    let farthest = 0;
    const reach = (begin, end, id, candidate) => {
      if (from[end] >= 0 && !(candidate > best[end])) return;
      best[end] = candidate;
      from[end] = begin;
      ids[end] = id;
      if (end > farthest) farthest = end;
    };
    for (let begin = 0; begin < count;) {
      const character = text.codePointAt(begin) > 0xffff ? 2 : 1;
      if (Math.abs(best[begin]) > this.farthestSum) this.rebase(best, from, begin, farthest);
      const here = best[begin];
      let alone = false;
      let node = 0;
      for (let place = begin; place < count; place++) {
        node = this.trie.child(node, text.charCodeAt(place));
        if (node < 0) break;
        const id = this.trie.ids[node];
        if (id < 0) continue;
        alone = alone || place + 1 - begin === character;
        reach(begin, place + 1, id, this.rounded(this.scores[id] + here));
      }
      if (!alone) reach(begin, begin + character, this.model.unknown, this.rounded(this.unknown + here));
      begin += character;
    }
    const parts = [];
    for (let end = count; end > 0; end = from[end]) parts.push([text.slice(from[end], end), ids[end]]);
    return parts.reverse();
  }

  /** Move sums back to 0, so that long texts do not lose all their digits. */
  rebase(best, from, begin, farthest) {
    const here = best[begin];
    for (let place = begin; place <= farthest; place++) if (from[place] >= 0) best[place] = best[place] - here;
    best[begin] = 0;
  }

  steps() {
    throw new Error("a Unigram model has no merges: it takes the cut with the best sum of scores (lesson 13).");
  }
}
