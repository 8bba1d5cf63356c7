// The words of a Unigram model from a tokenizer.json, each cut by itself, in place of Merges.

import { NORMAL } from "./piece_kinds.js";
import { UnigramSearch } from "./unigram.js";

export class UnigramWords {
  /** vocab: [piece, score] pairs. unk_id, byte_fallback: as in the file. */
  constructor({ vocab, unk_id: unknown, byte_fallback: bytes }) {
    if (!Number.isInteger(unknown) || unknown >= vocab.length) {
      throw new Error("its model has no unknown token, and loses characters that it does not know.");
    }
    this.encoder = new TextEncoder();
    this.decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    this.ids = new Map(vocab.map(([piece], id) => [piece, id]));
    this.tokens = vocab.map(([piece]) => this.encoder.encode(piece));
    this.unknown = unknown;
    this.bytes = bytes;
    const scores = Float64Array.from(vocab, ([, score]) => score);
    const model = { ids: this.ids, scores, kinds: vocab.map(() => NORMAL), unknown };
    this.search = new UnigramSearch(model, true);
  }

  nextId() {
    return this.tokens.length;
  }

  tokenBytes(id) {
    return this.tokens[id];
  }

  /** Return the ids of a word. bytes: its UTF-8. */
  encode(bytes) {
    const found = [];
    let strange = ""; // unknown characters, which are one token together
    const parts = this.search.parts(this.decoder.decode(bytes));
    for (const [part, id] of [...parts, ["", -1]]) {
      if (id === this.unknown) {
        strange += part;
        continue;
      }
      if (strange) found.push(...this.idsOfStrange(strange));
      strange = "";
      if (id >= 0) found.push(id);
    }
    return Int32Array.from(found);
  }

  idsOfStrange(text) {
    if (this.ids.has(text)) return [this.ids.get(text)];
    const names = Array.from(this.encoder.encode(text), (byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`);
    const ids = this.bytes ? names.map((name) => this.ids.get(name)) : [undefined];
    return ids.includes(undefined) ? [this.unknown] : ids;
  }

  steps() {
    return this.search.steps();
  }
}
