// SentencePiece's normaliser: text becomes the characters of which pieces consist.
//
//     " Hello  world"    spaces become ▁ (U+2581), one more comes first            "▁▁Hello▁▁world"
//
// text/normalize.py explains each rule. This works on UTF-8 bytes, with the table from the model's file.

import { LongestMatch } from "./trie.js";

const SPACE_BYTE = 0x20;
const MARK_BYTES = [0xe2, 0x96, 0x81];
const REPLACEMENT_BYTES = [0xef, 0xbf, 0xbd];
const NOTHING = new Uint8Array(0);
const MOST_NESTED_RULES = 32;
const LONGEST_RULE = 2048;
const LONGEST_WHOLE_CLUSTER = 5; // bytes: longer clusters are looked up character by character
// Marks that are newer than the tables of tokenizers 0.23, in which they join no cluster.
const LATEST_MARKS = /([\u05c8\u05c9\u0b53\u0b54\u1ade\u1adf\u1aec-\u1af0]+)/;

/** Throw if the rules of a model make a text of `size` where they may make one of `most`. */
export function checkLength(size, most) {
  if (size > most) throw new Error(`the rules of this model make a text longer than ${most} characters, which is the most here.`);
}

export class Normalizer {
  /** rules: the switches and the table of a PieceModel's normaliser. users: its user-defined pieces. limits: as in
   * page_data.py, for a model from a file. */
  constructor(rules, users, limits = { bytes: Infinity, growth: Infinity }) {
    this.rules = rules;
    this.limits = limits;
    this.encoder = new TextEncoder();
    this.decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    this.users = new LongestMatch(users.map((piece) => this.encoder.encode(piece)));
    this.units = rules.units ? littleEndian(rules.units) : new Uint32Array(0);
    this.strings = rules.strings ?? NOTHING;
  }

  /** Return the normalised text. */
  normalize(text) {
    const { dummyPrefix, removeExtra, escape, suffix } = this.rules;
    const bytes = this.encoder.encode(text);
    const space = escape ? MARK_BYTES : [SPACE_BYTE];
    const out = new Output(bytes.length * 3 + 16, Math.max(this.limits.bytes, this.limits.growth * bytes.length));
    const step = { end: 0, from: NOTHING, begin: 0, stop: 0 };
    let at = 0;
    // Skip steps at the beginning that produce a single space.
    while (at < bytes.length) {
      this.step(bytes, at, step);
      if (!removeExtra || step.stop - step.begin !== 1 || step.from[step.begin] !== SPACE_BYTE) break;
      at = step.end;
    }
    if (at === bytes.length) return "";
    if (dummyPrefix && !suffix) out.put(space, 0, space.length);
    let afterSpace = removeExtra;
    while (at < bytes.length) {
      this.step(bytes, at, step);
      let { begin } = step;
      const { from, stop } = step;
      while (afterSpace && begin < stop && from[begin] === SPACE_BYTE) begin += 1;
      for (let place = begin; place < stop; place++) {
        if (from[place] === SPACE_BYTE) out.put(space, 0, space.length);
        else out.byte(from[place]);
      }
      if (removeExtra && begin < stop) afterSpace = from[stop - 1] === SPACE_BYTE;
      at = step.end;
    }
    while (removeExtra && out.endsWith(space)) out.size -= space.length;
    if (dummyPrefix && suffix) out.put(space, 0, space.length);
    return this.decoder.decode(out.bytes.subarray(0, out.size));
  }

  /** Store in `step` the replacement of the text that begins at `at`, from[begin:stop], and where that text ends. */
  step(bytes, at, step) {
    const copied = this.users.length((place) => bytes[place], at, bytes.length);
    const length = copied || (this.rule(bytes, at, step) ? 0 : characterLength(bytes, at));
    if (copied || length) {
      step.end = step.stop = at + length;
      step.from = bytes;
      step.begin = at;
    } else if (!step.found) {
      step.end = at + 1;
      step.from = REPLACEMENT_BYTES;
      step.begin = 0;
      step.stop = REPLACEMENT_BYTES.length;
    }
  }

  /** Store the longest rule that begins at `at` in `step`, or the shortest with `most` 1; return whether there is one. */
  rule(bytes, at, step, most = MOST_NESTED_RULES) {
    step.found = false;
    const units = this.units;
    if (!units.length) return false;
    let node = offset(units[0]);
    let nested = 0;
    const end = Math.min(bytes.length, at + LONGEST_RULE);
    for (let place = at; place < end; place++) {
      node ^= bytes[place];
      const unit = units[node];
      if ((unit & 0x800000ff) !== bytes[place]) break;
      node ^= offset(unit);
      if (!(unit >>> 8 & 1)) continue;
      const begin = units[node] & 0x7fffffff;
      // A rule must not end inside a character.
      if ((this.strings[begin] & 0xc0) === 0x80) continue;
      step.found = true;
      step.end = place + 1;
      step.from = this.strings;
      step.begin = begin;
      nested += 1;
      if (nested === most) break;
    }
    if (step.found) step.stop = this.strings.indexOf(0, step.begin);
    return step.found;
  }
}

/** Return the function that applies a table as `tokenizers` does (text/normalizer_steps.py): to clusters of characters. */
export function byClusters(rules) {
  if (!globalThis.Intl?.Segmenter) throw new Error("this browser is too old for its normalizer: it has no Intl.Segmenter.");
  const normalizer = new Normalizer(rules, []);
  const clusters = new Intl.Segmenter("en", { granularity: "grapheme" });
  const known = new Map();
  const ruleFor = (text) => {
    const step = { end: 0, from: NOTHING, begin: 0, stop: 0 };
    if (text === "\0" || !normalizer.rule(normalizer.encoder.encode(text), 0, step, 1)) return null;
    return normalizer.decoder.decode(step.from.subarray(step.begin, step.stop));
  };
  const rewritten = (cluster) => {
    const whole = normalizer.encoder.encode(cluster).length <= LONGEST_WHOLE_CLUSTER ? ruleFor(cluster) : null;
    return whole ?? Array.from(cluster, (character) => ruleFor(character) ?? character).join("");
  };
  const cached = (cluster) => {
    if (!known.has(cluster)) known.set(cluster, rewritten(cluster));
    return known.get(cluster);
  };
  return (text, most) => {
    let size = 0;
    const rewrite = (part) => Array.from(clusters.segment(part), ({ segment }) => {
      const now = cached(segment);
      checkLength(size += now.length, most);
      return now;
    }).join("");
    // Every second part is a run of marks.
    return text.split(LATEST_MARKS).map((part, at) => (at % 2 ? part : rewrite(part))).join("");
  };
}

class Output {
  constructor(room, most) {
    this.bytes = new Uint8Array(room);
    this.size = 0;
    this.most = most;
  }

  byte(value) {
    if (this.size === this.bytes.length) {
      checkLength(this.size + 1, this.most);
      const larger = new Uint8Array(2 * this.size);
      larger.set(this.bytes);
      this.bytes = larger;
    }
    this.bytes[this.size++] = value;
  }

  put(from, begin, end) {
    for (let at = begin; at < end; at++) this.byte(from[at]);
  }

  endsWith(what) {
    return this.size >= what.length && what.every((byte, at) => this.bytes[this.size - what.length + at] === byte);
  }
}

function littleEndian(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Uint32Array.from({ length: bytes.length / 4 }, (_, at) => view.getUint32(4 * at, true));
}

function offset(unit) {
  return (unit >>> 10) << ((unit & 0x200) >>> 6);
}

/** Return the number of bytes of the UTF-8 character at `at`, 0 for a continuation byte, which a rule that ends inside a
 * character leaves behind. Apart from that the text is well formed. */
function characterLength(bytes, at) {
  const lead = bytes[at];
  if (lead < 0x80) return 1;
  return lead < 0xc0 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}
