// Text as every tokenizer of the page sees it.

/** Replace lone surrogates by U+FFFD, as tiktoken does. */
export function wellFormed(text) {
  if (text.toWellFormed) return text.toWellFormed();
  return text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd");
}
