// What the page's engine answers, in a worker or, where none may be started, in the page itself.

const SPECIAL = "this is a special token: it has an id of its own, and no merges make it.";

// The word in which a token of a byte-level tokenizer stands: words begin anew behind each special token.
function wordAt(engine, { name, text, place, specials }) {
  const { tokens, special } = engine.cut(name, text, { specials });
  if (special.includes(place)) throw new Error(SPECIAL);
  const isSpecial = new Set(special);
  let begin = place;
  let end = place + 1;
  while (begin > 0 && !isSpecial.has(begin - 1)) begin -= 1;
  while (end < tokens.length && !isSpecial.has(end)) end += 1;
  let size = 0;
  let wanted = 0;
  for (let at = begin; at < end; at += 1) {
    if (at === place) wanted = size;
    size += tokens[at].length;
  }
  const joined = new Uint8Array(size);
  for (let at = begin, put = 0; at < end; at += 1) {
    joined.set(tokens[at], put);
    put += tokens[at].length;
  }
  const encoder = new TextEncoder();
  let reached = 0;
  for (const word of engine.words(name, new TextDecoder("utf-8", { ignoreBOM: true }).decode(joined))) {
    reached += encoder.encode(word).length;
    if (reached > wanted) return word;
  }
  throw new Error("this token stands in no word.");
}

// Thousands of small arrays are slow to send; one large one is not.
function flat(tokens) {
  if (tokens.length === 0 || typeof tokens[0] === "string") return { tokens };
  const lengths = Uint32Array.from(tokens, (token) => token.length);
  const bytes = new Uint8Array(lengths.reduce((sum, length) => sum + length, 0));
  let put = 0;
  for (const token of tokens) {
    bytes.set(token, put);
    put += token.length;
  }
  return { lengths, bytes };
}

// The tokens that `flat` made flat.
export function unflat({ tokens, lengths, bytes }) {
  if (tokens) return tokens;
  let begin = 0;
  return Array.from(lengths, (length) => bytes.subarray(begin, (begin += length)));
}

export function answer(engine, question) {
  const { kind, name, text, specials, most } = question;
  if (kind === "cut") {
    const { ids, tokens, special } = engine.cut(name, text, { specials });
    return { ids, ...flat(tokens.slice(0, most)), special: special.filter((place) => place < most) };
  }
  if (kind === "words") return engine.words(name, text);
  if (kind === "wordAt") return engine.wordAt ? engine.wordAt(name, text, question.place, { specials }) : wordAt(engine, question);
  return engine.steps(name, text).map(({ parts, rank, at }) => ({ parts, rank, at }));
}
