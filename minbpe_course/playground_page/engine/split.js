// Cutting text into words, as the split patterns of GPT-2, GPT-4 and GPT-4o do, without a regular expression.
//
// kernels/splitting/split.py draws the decision tree; here it runs on the UTF-16 units of a string.
// A table in the page says what is a letter, because each browser has another version of Unicode.

const UPPER = 1, LOWER = 2, EITHER = 3, MARK = 4, NUMBER = 5, SPACE = 6, NEWLINE = 7;

// The families of text.patterns.
const GPT2_FAMILY = 0, CL100K_FAMILY = 1, O200K_FAMILY = 3;

// Sets of classes: bit k is class k. Class 0 is everything else.
const LETTERS = 1 << UPPER | 1 << LOWER | 1 << EITHER;
const UPPERS = 1 << UPPER | 1 << EITHER | 1 << MARK;
const LOWERS = 1 << LOWER | 1 << EITHER | 1 << MARK;
const NUMBERS = 1 << NUMBER;
const OTHERS = 1 | 1 << MARK;
const PREFIXES = OTHERS | 1 << SPACE;
const SPACES = 1 << SPACE | 1 << NEWLINE;

const SPACE_UNIT = 0x20, APOSTROPHE = 0x27, SLASH = 0x2f, CARRIAGE_RETURN = 0x0d, LINE_FEED = 0x0a, LONG_S = 0x17f;

/** Return the class of every code point, Uint8Array(0x110000), from runs (length << 3 | class) of four bytes each. */
export function classesOfRuns(bytes) {
  const runs = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const classes = new Uint8Array(0x110000);
  let at = 0;
  for (let place = 0; place < runs.byteLength; place += 4) {
    const run = runs.getUint32(place, true);
    classes.fill(run & 7, at, at + (run >>> 3));
    at += run >>> 3;
  }
  return classes;
}

/** Return the function that calls take(word) for each word of a text, until it says true, and returns that word.
 * wordEnd: (text, at) -> the end of the word that begins at `at`. */
export function splitAtEnds(wordEnd) {
  return (text, take) => {
    for (let at = 0; at < text.length;) {
      const end = wordEnd(text, at);
      const word = text.slice(at, end);
      if (take(word)) return word;
      at = end;
    }
    return null;
  };
}

/** Return the function that finds the end of the word that begins at `at`: (text, at) -> end. */
export function familySplitter(family, classes) {
  return (text, at) => wordEnd(text, at, family, classes);
}

/** Return the same for a pattern that pattern_writing.py translated; it throws where the pattern matches nothing. */
export function patternSplitter({ parts, sets }) {
  return splitByPattern(new RegExp(parts.map((part) => typeof part === "number" ? sets[part] : part).join(""), "uy"));
}

/** Return the same for a sticky regular expression. */
export function splitByPattern(pattern) {
  return (text, at) => {
    pattern.lastIndex = at;
    if (!pattern.test(text)) {
      throw new Error(`the split pattern matches nothing at position ${at}: ${text.slice(at, at + 40)} would be lost.`);
    }
    return pattern.lastIndex;
  };
}

/** Return the same, but text between two matches is a word too. */
export function gapsToo(pattern) {
  const anywhere = new RegExp(pattern.source, "ug");
  return (text, at) => {
    pattern.lastIndex = anywhere.lastIndex = at;
    if (pattern.test(text)) return pattern.lastIndex;
    return anywhere.exec(text)?.index ?? text.length;
  };
}

/** Return class << 2 | units of the character at `at`. */
function kindAt(text, at, classes) {
  const unit = text.charCodeAt(at);
  if (unit < 0xd800 || unit > 0xdbff) return classes[unit] << 2 | 1;
  const code = text.codePointAt(at);
  return classes[code] << 2 | (code > 0xffff ? 2 : 1);
}

/** Return the end of the run of characters with classes in `wanted` that begins at `at`. */
function runEnd(text, at, classes, wanted) {
  while (at < text.length) {
    const found = kindAt(text, at, classes);
    if (!(wanted >> (found >> 2) & 1)) break;
    at += found & 3;
  }
  return at;
}

function wordEnd(text, at, family, classes) {
  const gpt2 = family === GPT2_FAMILY;
  const o200k = family === O200K_FAMILY;
  const letters = o200k ? LETTERS | 1 << MARK : LETTERS;
  const first = text.charCodeAt(at);
  const found = kindAt(text, at, classes);
  let kind = found >> 2;
  let body = at;
  if (!o200k && first === APOSTROPHE) {
    const length = contractionLength(text, at, !gpt2);
    if (length > 0) return at + length;
  }

  // A prefix joins the letters that follow it; a space also joins others, and in gpt2 numbers.
  if (PREFIXES >> kind & 1 && !(letters >> kind & 1) && (!gpt2 || first === SPACE_UNIT)) {
    const after = at + (found & 3);
    if (after < text.length) {
      const next = kindAt(text, after, classes) >> 2;
      const joins = first !== SPACE_UNIT ? letters : letters | OTHERS | (gpt2 ? NUMBERS : 0);
      if (joins >> next & 1) {
        body = after;
        kind = next;
      }
    }
  }

  if (letters >> kind & 1) return o200k ? lettersEnd(text, body, classes) : runEnd(text, body, classes, LETTERS);
  if (kind === NUMBER) return gpt2 ? runEnd(text, body, classes, NUMBERS) : threeNumbersEnd(text, body, classes);
  if (OTHERS >> kind & 1) {
    const end = runEnd(text, body, classes, OTHERS);
    return gpt2 ? end : tailEnd(text, end, o200k);
  }
  return spacesEnd(text, at, family, classes);
}

function threeNumbersEnd(text, at, classes) {
  for (let count = 0; count < 3 && at < text.length; count++) {
    const found = kindAt(text, at, classes);
    if (found >> 2 !== NUMBER) break;
    at += found & 3;
  }
  return at;
}

/** Return the end of the line breaks (and in o200k the slashes) that belong to the signs before them. */
function tailEnd(text, at, slashes) {
  for (; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit !== LINE_FEED && unit !== CARRIAGE_RETURN && !(slashes && unit === SLASH)) break;
  }
  return at;
}

/** Return the number of units of the contraction that begins with the apostrophe at `at`, 0 if there is none. */
function contractionLength(text, at, anyCase) {
  const first = contractionLetter(text, at + 1, anyCase);
  if (first === "s" || first === "d" || first === "m" || first === "t") return 2;
  const two = first + contractionLetter(text, at + 2, anyCase);
  return two === "ll" || two === "ve" || two === "re" ? 3 : 0;
}

function contractionLetter(text, at, anyCase) {
  if (at >= text.length) return "";
  const unit = text.charCodeAt(at);
  if (anyCase && unit === LONG_S) return "s";
  return anyCase && unit >= 0x41 && unit <= 0x5a ? String.fromCharCode(unit + 0x20) : text[at];
}

/** Return the end of a word of letters that begins at `at` in o200k, including its contraction. */
function lettersEnd(text, at, classes) {
  const begin = at;
  let eitherEnd = at;
  let kind = -1;
  while (at < text.length) {
    const found = kindAt(text, at, classes);
    kind = found >> 2;
    if (!(UPPERS >> kind & 1)) break;
    at += found & 3;
    if (LOWERS >> kind & 1) eitherEnd = at;
  }
  if (at < text.length && kind === LOWER) at = runEnd(text, at, classes, LOWERS);
  else if (eitherEnd > begin) at = eitherEnd;
  if (at < text.length && text.charCodeAt(at) === APOSTROPHE) at += contractionLength(text, at, true);
  return at;
}

/** Return the end of a word of white space that begins at `at`. */
function spacesEnd(text, at, family, classes) {
  const begin = at;
  let last = at;
  let lineEnd = at;
  while (at < text.length) {
    const found = kindAt(text, at, classes);
    if (!(SPACES >> (found >> 2) & 1)) break;
    last = at;
    at += found & 3;
    if (found >> 2 === NEWLINE) lineEnd = at;
  }
  if (family === CL100K_FAMILY && at === text.length) return at;
  if (family !== GPT2_FAMILY && lineEnd > begin) return lineEnd;
  return at < text.length && last > begin ? last : at;
}
