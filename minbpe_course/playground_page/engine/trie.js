// Which pieces begin at a place: a trie whose branches lie in one hash table.
//
// A piece is a sequence of units, bytes or those of a JavaScript string. Node 0 is the root; branch (node, unit) leads
// to another node, and `ids` says which piece ends there, -1 for none.

const UNITS = 1 << 16;

export class Trie {
  /** pieces: [sequence with .length and unit(at), id] pairs. units: how many there are in all, at most. */
  constructor(units) {
    let room = 16;
    while (room < 2 * units) room *= 2;
    this.mask = room - 1;
    // A node and a unit make one key; 0 is free, for no branch leads back to the root.
    this.keys = new Float64Array(room).fill(-1);
    this.nodes = new Int32Array(room);
    this.ids = [-1];
  }

  /** The node behind a branch, -1 for none. */
  child(node, unit) {
    const key = node * UNITS + unit;
    let slot = this.slotOf(node, unit);
    while (this.keys[slot] !== key) {
      if (this.keys[slot] < 0) return -1;
      slot = slot + 1 & this.mask;
    }
    return this.nodes[slot];
  }

  /** Enter a piece. The last one of two that are the same counts. */
  add(units, id) {
    let node = 0;
    for (const unit of units) {
      let next = this.child(node, unit);
      if (next < 0) {
        next = this.ids.push(-1) - 1;
        let slot = this.slotOf(node, unit);
        while (this.keys[slot] >= 0) slot = slot + 1 & this.mask;
        this.keys[slot] = node * UNITS + unit;
        this.nodes[slot] = next;
      }
      node = next;
    }
    this.ids[node] = id;
  }

  slotOf(node, unit) {
    const mixed = Math.imul(node, 0x9e3779b1) ^ Math.imul(unit + 1, 0x85ebca6b);
    return (mixed ^ mixed >>> 15) & this.mask;
  }
}

/** The units of a string. */
export function unitsOf(text) {
  return Uint16Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
}

/** Finds the longest of some pieces, cut out before anything else happens to the text (reference: LongestMatch). */
export class LongestMatch {
  /** pieces: arrays of units. */
  constructor(pieces) {
    this.empty = pieces.length === 0;
    this.trie = new Trie(pieces.reduce((sum, piece) => sum + piece.length, 0));
    for (const piece of pieces) this.trie.add(piece, 0);
  }

  /** How long the longest piece is that begins at `at`, 0 for none. unitAt: (place) -> unit. */
  length(unitAt, at, end) {
    if (this.empty) return 0;
    let node = 0;
    let longest = 0;
    let nested = 0;
    for (let place = at; place < end; place++) {
      node = this.trie.child(node, unitAt(place));
      if (node < 0) break;
      if (this.trie.ids[node] < 0) continue;
      longest = place + 1 - at;
      nested += 1;
      if (nested === MOST_NESTED_PIECES) break;
    }
    return longest;
  }
}

// sentencepiece looks no further than this many user-defined pieces that begin alike.
const MOST_NESTED_PIECES = 64;
