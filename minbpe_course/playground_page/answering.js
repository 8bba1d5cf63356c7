// What the page's engine answers, in a worker or, where none may be started, in the page itself.

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
    const { ids, tokens, special, note } = engine.cut(name, text, { specials });
    return { ids, ...flat(tokens.slice(0, most)), special: special.filter((place) => place < most), note };
  }
  if (kind === "open") return engine.open(name, question.bytes, { pattern: question.pattern });
  if (kind === "words") return engine.words(name, text);
  if (kind === "wordAt") return engine.wordAt(name, text, question.place, { specials });
  return engine.steps(name, text).map(({ parts, rank, at }) => ({ parts, rank, at }));
}
