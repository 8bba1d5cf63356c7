// Split patterns of other programs as regular expressions of JavaScript, for files that are dropped onto the page.
//
//     \p{N}{1,3}+|\s+(?!\S)        [0-9\u{b2}-\u{b3}…]…
//
// Classes are written out as ranges from a table in the page: tiktoken and `tokenizers` have other versions of Unicode
// than browsers. pattern_writing.py does the same in Python for patterns of regex; what is not understood here throws.

const CATEGORIES = ("Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp Cc Cf Cs Co Cn").split(" ");
const CATEGORY_BITS = 5;
const LAST = 0x10ffff;

/** Unicode's white space, which is that of Rust and Oniguruma. */
export const WHITE_SPACE = /[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;
const SPACES = [[9, 13], [32, 32], [0x85, 0x85], [0xa0, 0xa0], [0x1680, 0x1680], [0x2000, 0x200a], [0x2028, 0x2029],
  [0x202f, 0x202f], [0x205f, 0x205f], [0x3000, 0x3000]];
const CONTROLS = { n: 10, r: 13, t: 9, f: 12, v: 11, a: 7, e: 27 };
// Beyond the other case, what ASCII letters equal where case does not count.
const ALSO = { s: "\u017f", k: "\u212a" };
const POSSESSIVE = { tiktoken: /^(?:[*+?]|\{\d+(?:,\d*)?\})\+/, oniguruma: /^[*+?]\+/ };
// In Oniguruma each line of a text has a beginning and an end; after the last line break there is no beginning.
const LINE_PLACES = { "^": "(?:^|(?<=\\n)(?=[\\s\\S]))", $: "(?:$|(?=\\n))" };
const QUANTIFIER = /^(?:[*+?]|\{\d+(?:,\d*)?\}|\{,\d+\})/;
const GROUP = /^\((?:\?(?:[:=!>]|<[=!]|P?<\w+>|i:))?/;
const SPELLED = /^\\(?:x\{([0-9a-fA-F]+)\}|u\{([0-9a-fA-F]+)\}|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))/;

/** Return the runs of a table of unicode_tables.py, [first, last, value] each. bits: of a value. */
export function runsOf(bytes, bits) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const runs = [];
  for (let place = 0, at = 0; place < view.byteLength; place += 4) {
    const run = view.getUint32(place, true);
    const next = at + Math.floor(run / 2 ** bits);
    runs.push([at, next - 1, run % 2 ** bits]);
    at = next;
  }
  return runs;
}

/** Translates patterns by the categories of one table. */
export class Patterns {
  constructor(categories, mostParts) {
    this.runs = runsOf(categories, CATEGORY_BITS);
    this.mostParts = mostParts;
  }

  /** Return a pattern as a sticky RegExp. dialect: "tiktoken" (fancy-regex) or "oniguruma". */
  compile(pattern, dialect) {
    const made = new RegExp(new Translation(pattern, dialect, this).result(), "uy");
    if (made.test("")) throw unsupported(pattern, "it may match nothing at all");
    return made;
  }

  /** Return the ranges of \p{name}. */
  property(name) {
    const wanted = new Set(CATEGORIES.map((each, k) => [each, k]).filter(([each]) => each.startsWith(name)).map(([, k]) => k));
    if (!/^[A-Z][a-z]?$/.test(name) || !wanted.size) return null;
    return this.runs.filter(([, , value]) => wanted.has(value));
  }
}

function unsupported(pattern, what) {
  const shown = pattern.slice(0, 1000);
  return new Error(`its split pattern has something that this page does not translate: ${what}.\nThe pattern: ${shown}`);
}

class Translation {
  constructor(pattern, dialect, tables) {
    // size: of the atom read last, with its counts written out (text/pattern_parts.py).
    Object.assign(this, { pattern, dialect, tables, at: 0, kept: 0, size: 0 });
  }

  refuse(what) {
    throw unsupported(this.pattern, `${what}, at position ${this.at}`);
  }

  rest() {
    return this.pattern.slice(this.at);
  }

  result() {
    const anyCase = this.rest().startsWith("(?i)");
    if (anyCase) this.at = 4;
    const source = this.alternatives(anyCase);
    if (this.at < this.pattern.length) this.refuse("a bracket that closes nothing");
    return source;
  }

  alternatives(anyCase) {
    const out = [];
    let size = 0;
    while (this.at < this.pattern.length && this.pattern[this.at] !== ")") {
      if (this.pattern[this.at] === "|") {
        out.push("|");
        this.at += 1;
      } else {
        out.push(this.repeated(this.atom(anyCase)));
        size += this.size;
      }
      if (size > this.tables.mostParts) {
        this.refuse(`more than ${this.tables.mostParts} parts once its counts are written out`);
      }
    }
    this.size = Math.max(1, size);
    return out.join("");
  }

  repeated(atom) {
    for (;;) {
      const keeps = POSSESSIVE[this.dialect].exec(this.rest());
      const found = QUANTIFIER.exec(this.rest());
      if (!found) return atom;
      this.at += found[0].length;
      this.size *= Math.max(1, ...(found[0].match(/\d+/g) ?? []).map(Number));
      const repeated = atom + found[0].replace("{,", "{0,");
      if (keeps) {
        this.at += 1;
        atom = this.keptWhole(repeated);
      } else if (this.pattern[this.at] === "?") {
        this.at += 1;
        atom = `(?:${repeated}?)`;
      } else {
        atom = `(?:${repeated})`;
      }
    }
  }

  /** A lookahead does not backtrack into its match. */
  keptWhole(source) {
    this.kept += 1;
    return `(?:(?=(?<k${this.kept}>${source}))\\k<k${this.kept}>)`;
  }

  atom(anyCase) {
    const character = String.fromCodePoint(this.pattern.codePointAt(this.at));
    this.size = 1;
    if (character === "(") return this.group(anyCase);
    if (character === "[") return this.set(anyCase);
    if (character === "\\") return written(this.escape(), false);
    if (character === "." ) {
      this.at += 1;
      return "[^\\n]";
    }
    if (character === "^" || character === "$") {
      this.at += 1;
      return this.dialect === "oniguruma" ? LINE_PLACES[character] : `(?:${character})`;
    }
    if ("*+?{".includes(character)) this.refuse("a repetition of nothing");
    this.at += character.length;
    return written(this.cased([[character.codePointAt(0), character.codePointAt(0)]], anyCase), false);
  }

  group(anyCase) {
    const sign = GROUP.exec(this.rest())[0];
    if (sign === "(" && /^\([?*]/.test(this.rest())) this.refuse("a bracket of an unusual kind");
    this.at += sign.length;
    const inside = this.alternatives(anyCase || sign === "(?i:");
    if (this.pattern[this.at] !== ")") this.refuse("a bracket that is not closed");
    this.at += 1;
    if (sign === "(?>") return this.keptWhole(`(?:${inside})`);
    return /^\(\?<?[=!]/.test(sign) ? `(?:${sign}${inside}))` : `(?:${inside})`;
  }

  /** Return the ranges of the characters that an escape stands for. */
  escape() {
    const spelled = SPELLED.exec(this.rest());
    if (spelled) {
      this.at += spelled[0].length;
      const code = parseInt(spelled.slice(1).find((digits) => digits), 16);
      return [[code, code]];
    }
    const named = /^\\([pP])(?:\{(\^?)(\w+)\}|(\w))/.exec(this.rest());
    if (named) {
      const ranges = this.tables.property(named[3] ?? named[4]);
      if (!ranges) this.refuse(named[0]);
      this.at += named[0].length;
      return (named[1] === "P") !== (named[2] === "^") ? others(ranges) : ranges;
    }
    const letter = this.pattern[this.at + 1] ?? "";
    const ranges = {
      s: () => SPACES,
      S: () => others(SPACES),
      d: () => this.tables.property("Nd"),
      D: () => others(this.tables.property("Nd")),
    }[letter]?.();
    if (!ranges && !(letter in CONTROLS) && (/[0-9A-Za-z_]/.test(letter) || !letter)) this.refuse(`\\${letter}`);
    const code = CONTROLS[letter] ?? this.pattern.codePointAt(this.at + 1);
    this.at += 1 + (code > 0xffff ? 2 : 1);
    return ranges ?? [[code, code]];
  }

  set(anyCase) {
    const inverted = this.pattern[this.at + 1] === "^";
    this.at += inverted ? 2 : 1;
    const ranges = [];
    for (let first = true; first || this.pattern[this.at] !== "]"; first = false) {
      if (this.at >= this.pattern.length) this.refuse("brackets that are not closed");
      if (this.pattern[this.at] === "[" || this.rest().startsWith("&&")) this.refuse("brackets inside brackets");
      const begin = this.one();
      const to = this.pattern[this.at] === "-" && this.pattern[this.at + 1] !== "]";
      if (!to) {
        ranges.push(...begin);
        continue;
      }
      this.at += 1;
      const end = this.one();
      if (begin.length !== 1 || end.length !== 1 || begin[0][0] > end[0][1]) this.refuse("a range without two ends");
      ranges.push([begin[0][0], end[0][1]]);
    }
    this.at += 1;
    return written(this.cased(ranges, anyCase), inverted);
  }

  one() {
    if (this.pattern[this.at] === "\\") return this.escape();
    const code = this.pattern.codePointAt(this.at);
    this.at += code > 0xffff ? 2 : 1;
    return [[code, code]];
  }

  /** Add the other case of ASCII letters; of other letters it is not known here. */
  cased(ranges, anyCase) {
    if (!anyCase) return ranges;
    const more = [];
    for (const [first, last] of ranges) {
      if (last > 0x7f) this.refuse("(?i) of letters beyond ASCII");
      for (let code = first; code <= last; code++) {
        const letter = String.fromCharCode(code).toLowerCase();
        if (!/[a-z]/.test(letter)) continue;
        for (const each of letter + letter.toUpperCase() + (ALSO[letter] ?? "")) more.push([each.charCodeAt(0), each.charCodeAt(0)]);
      }
    }
    return [...ranges, ...more];
  }
}

function others(ranges) {
  const sorted = [...ranges].sort((a, b) => a[0] - b[0]);
  const found = [];
  let next = 0;
  for (const [first, last] of sorted) {
    if (first > next) found.push([next, first - 1]);
    next = Math.max(next, last + 1);
  }
  if (next <= LAST) found.push([next, LAST]);
  return found;
}

function written(ranges, inverted) {
  const spelled = (code) => `\\u{${code.toString(16)}}`;
  const inside = ranges.map(([a, b]) => a === b ? spelled(a) : `${spelled(a)}-${spelled(b)}`).join("");
  return `[${inverted ? "^" : ""}${inside}]`;
}
