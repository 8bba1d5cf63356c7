// The tokenizers of the page: the same ids as Python's, with no server and no network.
//
//     const engine = createEngine(data);                    data is what page_data.py made
//     engine.names                                          ["gpt2", "cl100k_base", "o200k_base", "mine"]
//     engine.cut("gpt2", "hello world", { specials: false })
//         { ids: [31373, 995], tokens: [Uint8Array, Uint8Array], special: [] }
//     engine.words("gpt2", "hello world")                   ["hello", " world"]: no merge crosses from one to the next
//     engine.wordAt("gpt2", "hello world", 1)               " world": the word in which token 1 stands
//     engine.steps("gpt2", "hello")                         [{ parts, rank, at, ids }, ...]: the word before the first
//                                                           merge and after each one, its rank, and which part it made
//
// A vocabulary is unpacked when it is first asked for, or before, by `prepare(name)`.

import { ByteLevelTokenizer } from "./byte_level.js";
import { PieceTokenizer } from "./piece_model.js";

const KINDS = { merges: ByteLevelTokenizer, pieces: PieceTokenizer };

export function createEngine(data) {
  const entries = new Map(data.tokenizers.map((entry) => [entry.name, entry]));
  const tokenizers = new Map();

  function tokenizer(name) {
    if (!tokenizers.has(name)) {
      const entry = entries.get(name);
      if (!entry) throw new Error(`no tokenizer is called ${name}; there are ${[...entries.keys()].join(", ")}`);
      tokenizers.set(name, new KINDS[entry.kind](entry, data));
    }
    return tokenizers.get(name);
  }

  return {
    names: [...entries.keys()],
    cut: (name, text, options = {}) => tokenizer(name).cut(text, Boolean(options.specials)),
    words: (name, text) => tokenizer(name).words(text),
    wordAt: (name, text, place, options = {}) => tokenizer(name).wordAt(text, place, Boolean(options.specials)),
    steps: (name, word) => tokenizer(name).steps(word),
    prepare: (name) => { tokenizer(name); },
  };
}
