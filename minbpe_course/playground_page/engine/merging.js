// Byte-level BPE inside one word: merge the neighbours with the lowest rank until no pair merges.
//
//     h e l l o    (h,e) 3   (l,l) 7   (l,o) 1         a pair's rank is its position in the list of merges
//     h e l lo     ...
//
// reference/encoding.py is the same algorithm. Short words are searched for the lowest rank after each merge; long words
// use a heap, so that a hundred thousand equal letters take no longer than a hundred thousand different ones.

const SHORT = 96;
// A key of the heap is rank * PLACES + place: smallest rank first, leftmost of equals; whole and below 2**53.
export const PLACES = 2 ** 27;

/** The merges of one vocabulary: which pairs merge into which id, and the bytes of each id. */
export class Merges {
  /** idOfByte: the ids of the 256 bytes. lefts, rights: the pairs. ranks: the rank of each pair; without it, its place.
   * made: the id that the merge of a rank makes. tokens: id -> bytes, if they are known.
   * whole: words that are one token whatever the merges say, as strings of bytes -> id. */
  constructor({ idOfByte, lefts, rights, ranks = null, made, tokens = [], whole = null }) {
    Object.assign(this, { idOfByte, lefts, rights, ranks, made, tokens, whole });
    idOfByte.forEach((id, byte) => { tokens[id] ??= Uint8Array.of(byte); });
    this.longestWhole = whole ? [...whole.keys()].reduce((most, token) => Math.max(most, token.length), 0) : 0;
    this.rankOfId = new Map();
    if (!ranks) made.forEach((id, rank) => this.rankOfId.set(id, rank));
    this.enter();
  }

  /** table: 256 bytes in the order of their ids, then the pairs as six planes of bytes (vocabularies/bundle.py).
   * more: pairs after those. skipped: ids that no merge makes. */
  static ofTable(table, more, skipped) {
    const stored = (table.length - 256) / 6;
    const count = stored + more.length;
    const lefts = new Int32Array(count);
    const rights = new Int32Array(count);
    for (let k = 0, at = 256; k < stored; k++, at++) {
      lefts[k] = table[at] | table[at + 2 * stored] << 8 | table[at + 4 * stored] << 16;
      rights[k] = table[at + stored] | table[at + 3 * stored] << 8 | table[at + 5 * stored] << 16;
    }
    more.forEach(([left, right], k) => {
      lefts[stored + k] = left;
      rights[stored + k] = right;
    });
    const idOfByte = new Int32Array(256);
    table.subarray(0, 256).forEach((byte, id) => { idOfByte[byte] = id; });
    return new Merges({ idOfByte, lefts, rights, made: idsMade(count, skipped) });
  }

  /** Merge neighbours whose joined bytes are a token, the lowest id first, and keep words that are tokens, as tiktoken
   * does. tokens: [string of bytes, id] pairs. */
  static ofRanks(tokens) {
    const ordered = tokens.slice().sort((a, b) => a[1] - b[1]);
    const whole = new Map(ordered);
    const [lefts, rights, ranks] = [[], [], []];
    ordered.forEach(([token], rank) => {
      for (let cut = 1; cut < token.length; cut++) {
        const left = whole.get(token.slice(0, cut));
        const right = left === undefined ? undefined : whole.get(token.slice(cut));
        if (right === undefined) continue;
        lefts.push(left);
        rights.push(right);
        ranks.push(rank);
      }
    });
    const made = ordered.map(([, id]) => id);
    const pairs = { lefts: Int32Array.from(lefts), rights: Int32Array.from(rights), ranks: Int32Array.from(ranks) };
    return new Merges({ idOfByte: byteIdsIn(whole), ...pairs, made, tokens: bytesById(ordered), whole });
  }

  /** Listed merges. ids: string of bytes -> id. pairs: { lefts, rights, made }, ids. keepWords: whether a word that is a
   * token stays whole. */
  static ofList(ids, pairs, keepWords) {
    return new Merges({ idOfByte: byteIdsIn(ids), ...pairs, tokens: bytesById(ids), whole: keepWords ? ids : null });
  }

  /** Fill the hash table: a slot has the place of a pair + 1, or 0 if it is free. */
  enter() {
    const count = this.lefts.length;
    let room = 64;
    while (room < 2 * count) room *= 2;
    this.slots = new Int32Array(room);
    this.mask = room - 1;
    for (let place = 0; place < count; place++) {
      let slot = hash(this.lefts[place], this.rights[place]) & this.mask;
      // Of two merges of the same pair the later one counts, as in a dictionary.
      while (this.slots[slot] && !this.same(this.slots[slot] - 1, place)) slot = slot + 1 & this.mask;
      this.slots[slot] = place + 1;
    }
  }

  same(a, b) {
    return this.lefts[a] === this.lefts[b] && this.rights[a] === this.rights[b];
  }

  /** Return the rank of the merge of two ids, -1 if they do not merge. */
  rank(left, right) {
    let slot = hash(left, right) & this.mask;
    for (;;) {
      const place = this.slots[slot] - 1;
      if (place < 0) return -1;
      if (this.lefts[place] === left && this.rights[place] === right) return this.ranks ? this.ranks[place] : place;
      slot = slot + 1 & this.mask;
    }
  }

  /** Return the first id after those of bytes and merges. */
  nextId() {
    return this.made.reduce((next, id) => Math.max(next, id + 1), Math.max(...this.idOfByte) + 1);
  }

  /** Return the bytes of an id, the same array each time. */
  tokenBytes(id) {
    let bytes = this.tokens[id];
    if (!bytes) {
      // The leftmost branch of a token may be as long as the token: no recursion along it.
      const parts = [];
      const waiting = [id];
      while (waiting.length) {
        const at = waiting.pop();
        const known = this.tokens[at];
        const rank = known ? -1 : this.rankOfId.get(at);
        if (known) for (const byte of known) parts.push(byte);
        else waiting.push(this.rights[rank], this.lefts[rank]);
      }
      bytes = this.tokens[id] = Uint8Array.from(parts);
    }
    return bytes;
  }

  /** Return the ids of a word, Int32Array. bytes: its UTF-8. */
  encode(bytes) {
    const kept = this.wholeWord(bytes);
    if (kept !== undefined) return Int32Array.of(kept);
    const ids = this.start(bytes);
    if (ids.length < 2) return ids;
    if (ids.length >= PLACES) throw new RangeError("a word of more than 128 MB");
    return ids.subarray(0, ids.length <= SHORT ? this.mergeShort(ids) : this.mergeLong(ids));
  }

  /** Return the ids of a word before the first merge, Int32Array. */
  start(bytes) {
    return Int32Array.from(bytes, (byte) => this.idOfByte[byte]);
  }

  /** Return the id of a word that is a token whatever the merges say. */
  wholeWord(bytes) {
    return bytes.length <= this.longestWhole ? this.whole.get(String.fromCharCode(...bytes)) : undefined;
  }

  /** Merge in place and return how many ids are left. */
  mergeShort(ids) {
    let count = ids.length;
    const ranks = new Int32Array(count);
    for (let i = 0; i + 1 < count; i++) ranks[i] = this.rank(ids[i], ids[i + 1]);
    for (;;) {
      let at = -1;
      let best = -1;
      for (let i = 0; i + 1 < count; i++) {
        if (ranks[i] >= 0 && (best < 0 || ranks[i] < best)) {
          best = ranks[i];
          at = i;
        }
      }
      if (at < 0) return count;
      ids[at] = this.made[best];
      ids.copyWithin(at + 1, at + 2, count);
      ranks.copyWithin(at + 1, at + 2, count);
      count -= 1;
      if (at + 1 < count) ranks[at] = this.rank(ids[at], ids[at + 1]);
      if (at > 0) ranks[at - 1] = this.rank(ids[at - 1], ids[at]);
    }
  }

  mergeLong(ids) {
    const count = ids.length;
    const before = new Int32Array(count);
    const after = new Int32Array(count);
    const ranks = new Int32Array(count).fill(-1);
    const heap = new Heap(2 * count);
    for (let i = 0; i < count; i++) {
      before[i] = i - 1;
      after[i] = i + 1;
    }
    for (let i = 0; i + 1 < count; i++) {
      ranks[i] = this.rank(ids[i], ids[i + 1]);
      if (ranks[i] >= 0) heap.push(ranks[i] * PLACES + i);
    }
    const renew = (at) => {
      const next = at < 0 ? count : after[at];
      if (next >= count) return;
      ranks[at] = this.rank(ids[at], ids[next]);
      if (ranks[at] >= 0) heap.push(ranks[at] * PLACES + at);
    };
    while (heap.size) {
      const key = heap.pop();
      const at = key % PLACES;
      const rank = (key - at) / PLACES;
      // An outdated entry was queued before one of the two ids changed.
      if (ranks[at] !== rank) continue;
      const gone = after[at];
      ids[at] = this.made[rank];
      ranks[at] = ranks[gone] = -1;
      after[at] = after[gone];
      if (after[at] < count) before[after[at]] = at;
      renew(at);
      renew(before[at]);
    }
    let kept = 0;
    for (let at = 0; at < count; at = after[at]) ids[kept++] = ids[at];
    return kept;
  }

  /** Return the ids of a word before the first merge and after each one: { ids, rank, at }, the last two null at first. */
  steps(bytes) {
    let ids = Array.from(this.start(bytes));
    const steps = [{ ids, rank: null, at: null }];
    for (;;) {
      let at = -1;
      let best = -1;
      for (let i = 0; i + 1 < ids.length; i++) {
        const rank = this.rank(ids[i], ids[i + 1]);
        if (rank >= 0 && (best < 0 || rank < best)) {
          best = rank;
          at = i;
        }
      }
      if (at < 0) break;
      ids = [...ids.slice(0, at), this.made[best], ...ids.slice(at + 2)];
      steps.push({ ids, rank: best, at });
    }
    if (ids.length > 1 && this.wholeWord(bytes) !== undefined) {
      throw new Error("this word is one token, and no merges make it: such words are looked up before any merge.");
    }
    return steps;
  }
}

/** Merges that begin with characters, of a tokenizer.json whose tokens are pieces of text. What has no piece becomes bytes. */
export class PieceMerges extends Merges {
  /** ids: piece -> id. pairs: { lefts, rights, made }, ids. */
  constructor(ids, pairs) {
    const encoder = new TextEncoder();
    const tokens = [];
    for (const [piece, id] of ids) tokens[id] = encoder.encode(piece);
    // A byte needs no token of its own where it is a character with one, or part of no text.
    const idOfByte = Int32Array.from({ length: 256 }, (_, byte) => {
      const other = byte < 0x80 ? ids.get(String.fromCharCode(byte)) : [0xc0, 0xc1].includes(byte) || byte > 0xf4 ? 0 : undefined;
      const id = ids.get(byteName(byte)) ?? other;
      if (id === undefined) throw new Error(`it has no token ${byteName(byte)}, and loses characters that it does not know.`);
      return id;
    });
    super({ idOfByte, ...pairs, tokens });
    this.ids = ids;
    this.decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    this.encoder = encoder;
  }

  start(bytes) {
    const found = [];
    for (const character of this.decoder.decode(bytes)) {
      const id = this.ids.get(character);
      if (id !== undefined) found.push(id);
      else for (const byte of this.encoder.encode(character)) found.push(this.idOfByte[byte]);
    }
    return Int32Array.from(found);
  }
}

const byteName = (byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`;

/** A heap of numbers, the smallest first. room: how many at most. */
export class Heap {
  constructor(room) {
    this.keys = new Float64Array(room + 1);
    this.size = 0;
  }

  push(key) {
    const keys = this.keys;
    let at = ++this.size;
    while (at > 1 && keys[at >> 1] > key) {
      keys[at] = keys[at >> 1];
      at >>= 1;
    }
    keys[at] = key;
  }

  pop() {
    const keys = this.keys;
    const top = keys[1];
    const key = keys[this.size];
    const size = --this.size;
    let at = 1;
    for (let child = 2; child <= size; child = 2 * at) {
      if (child < size && keys[child + 1] < keys[child]) child += 1;
      if (keys[child] >= key) break;
      keys[at] = keys[child];
      at = child;
    }
    keys[at] = key;
    return top;
  }
}

function byteIdsIn(ids) {
  return Int32Array.from({ length: 256 }, (_, byte) => {
    const id = ids.get(String.fromCharCode(byte));
    if (id === undefined) {
      throw new Error(`it has no token for the byte 0x${byte.toString(16).padStart(2, "0")}, so it would lose text.`);
    }
    return id;
  });
}

function bytesById(tokens) {
  const found = [];
  for (const [token, id] of tokens) found[id] = Uint8Array.from(token, (character) => character.charCodeAt(0));
  return found;
}

function hash(left, right) {
  const mixed = Math.imul(left, 0x9e3779b1) ^ Math.imul(right, 0x85ebca6b);
  return mixed ^ mixed >>> 15;
}

function idsMade(count, skipped) {
  const holes = new Set(skipped);
  const made = new Int32Array(count);
  for (let k = 0, id = 256; k < count; k++, id++) {
    while (holes.has(id)) id += 1;
    made[k] = id;
  }
  return made;
}
