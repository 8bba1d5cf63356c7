// The tokenizers of the page: the same ids as Python's, with no server and no network.
//
//     const engine = await createEngine(data);              data from page_data.py
//     engine.names                                          ["gpt2", "cl100k_base", "o200k_base", "mine"]
//     engine.cut("gpt2", "hello world", { specials: false })
//         { ids: [31373, 995], tokens: [Uint8Array, Uint8Array], special: [] }
//         or of a list of texts and { special: name }, as of a chat
//     engine.open("mine.json", bytes, {})                   a tokenizer more, from a file: { note, patterns, pattern }
//     engine.words("gpt2", "hello world")                   ["hello", " world"]: no merge crosses from one to the next
//     engine.wordAt("gpt2", "hello world", 1)               " world": the word that contains token 1
//     engine.steps("gpt2", "hello")                         [{ parts, rank, at, ids }, ...]: the word before the first
//                                                           merge and after each one, its rank, and which part it made
//
// A tokenizer is built on its first call.

import { ByteLevelTokenizer } from "./byte_level.js";
import { cutParts, partAt } from "./chat_parts.js";
import { openFile } from "./open_file.js";
import { PieceTokenizer } from "./piece_model.js";
import { unpack } from "./unpack.js";

const KINDS = {
  merges: (entry, data) => ByteLevelTokenizer.ofPage(entry, data),
  pieces: (entry) => new PieceTokenizer(entry),
};

export async function createEngine(packed) {
  const data = await unpack(packed);
  const entries = new Map(data.tokenizers.map((entry) => [entry.name, entry]));
  const tokenizers = new Map();

  function tokenizer(name) {
    if (!tokenizers.has(name)) {
      const entry = entries.get(name);
      if (!entry) throw new Error(`no tokenizer is called ${name}; there are ${[...entries.keys()].join(", ")}`);
      tokenizers.set(name, KINDS[entry.kind](entry, data));
    }
    return tokenizers.get(name);
  }

  function cut(name, text, { specials } = {}) {
    const parts = typeof text !== "string";
    return parts ? cutParts(tokenizer(name), text, Boolean(specials)) : tokenizer(name).cut(text, Boolean(specials));
  }

  function wordAt(name, text, place, { specials } = {}) {
    const here = typeof text === "string" ? { text, place } : partAt(tokenizer(name), text, place, Boolean(specials));
    return tokenizer(name).wordAt(here.text, here.place, Boolean(specials));
  }

  function open(name, bytes, options) {
    const { tokenizer: opened, ...facts } = openFile(name, bytes, data.opening, options);
    tokenizers.set(name, opened);
    return facts;
  }

  return {
    names: [...entries.keys()],
    cut,
    open,
    words: (name, text) => tokenizer(name).words(text),
    wordAt,
    steps: (name, word) => tokenizer(name).steps(word),
  };
}
