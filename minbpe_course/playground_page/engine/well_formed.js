// Text as every tokenizer of the page sees it.

/** Replace lone surrogates by U+FFFD, as tiktoken does. */
export function wellFormed(text) {
  if (text.toWellFormed) return text.toWellFormed();
  const surrogates = /[\ud800-\udbff][\udc00-\udfff]|[\ud800-\udfff]/g;
  return text.replace(surrogates, (found) => found.length > 1 ? found : "\ufffd");
}

// Steps are shown of no longer words: each step is a row of parts.
const LONGEST_STEPPED = 200;

/** Return the UTF-8 of a word whose steps are asked for, if it is not too long. */
export function shortEnough(bytes) {
  if (bytes.length <= LONGEST_STEPPED) return bytes;
  const size = bytes.length.toLocaleString("en");
  throw new Error(`this word has ${size} bytes; steps are shown for words of up to ${LONGEST_STEPPED} bytes.`);
}
