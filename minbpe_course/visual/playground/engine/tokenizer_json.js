// Hugging Face's tokenizer.json: byte-level BPE, as of GPT-2, Llama 3, Qwen and DeepSeek.
//
// formats/huggingface_json.py says what each setting means, and reads files of other kinds too.

import { Merges } from "./merging.js";
import { splitAtEnds, gapsToo } from "./split.js";

const GPT2 = "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";
const FORMS = ["NFC", "NFD", "NFKC", "NFKD"];

/** Return what ByteLevelTokenizer takes; normalizer is the name of a Unicode normal form, or null. */
export function readTokenizerJson(document, patterns) {
  const { model } = document;
  const kind = model.type ?? (model.merges ? "BPE" : "of an unknown type");
  const splits = stepsOf(document.pre_tokenizer, "pretokenizers");
  if (kind !== "BPE") throw new Error(`its model is ${kind}, and the page runs byte-level BPE of a tokenizer.json. ${pieceAdvice(kind)}`);
  if (!splits.some(({ type }) => type === "ByteLevel")) {
    throw new Error(`its tokens are pieces of text, not of bytes. ${pieceAdvice("Unigram")}`);
  }
  for (const key of ["dropout", "continuing_subword_prefix", "end_of_word_suffix"]) {
    if (model[key]) throw new Error(`the page does not run a model with ${key}.`);
  }
  const forms = stepsOf(document.normalizer, "normalizers").map(({ type }) => type);
  if (forms.length > 1 || !forms.every((form) => FORMS.includes(form))) {
    throw new Error(`the page does not run the normalizer ${forms.join(", ")}; it knows ${FORMS.join(", ")}.`);
  }
  return {
    merges: mergesOf(model),
    split: splitOf(splits, patterns),
    specials: (document.added_tokens ?? []).map(addedToken),
    normalizer: forms[0] ?? null,
    note: noteOn(document),
  };
}

function pieceAdvice(kind) {
  return kind === "Unigram" ? "Drop the SentencePiece .model of the same folder instead (tokenizer.model, spiece.model)." : "";
}

function noteOn(document) {
  const ignored = ["truncation", "padding"].filter((key) => document[key]);
  return ignored.length ? `The ${ignored.join(" and ")} in this file is not applied.` : undefined;
}

function stepsOf(value, list) {
  if (!value) return [];
  return value.type === "Sequence" ? value[list].flatMap((step) => stepsOf(step, list)) : [value];
}

function addedToken({ content, id, special, normalized, lstrip, rstrip, single_word: alone }) {
  if (alone) throw new Error(`the added token ${content} counts only as a single word, which the page does not run.`);
  return [content, id, { always: !special, late: normalized, stripLeft: lstrip, stripRight: rstrip }];
}

function mergesOf(model) {
  const byteOf = byteAlphabet();
  const ids = new Map();
  const spelled = (text) => {
    let token = "";
    for (const character of text) {
      const byte = byteOf.get(character);
      if (byte === undefined) return null;
      token += byte;
    }
    return token;
  };
  for (const [text, id] of Object.entries(model.vocab)) {
    const token = spelled(text);
    if (token !== null) ids.set(token, id);
  }
  const pairs = model.merges.map((merge) => {
    const [left, right] = (typeof merge === "string" ? merge.split(" ") : merge).map(spelled);
    if (!ids.has(left) || !ids.has(right) || !ids.has(left + right)) {
      throw new Error(`the merge ${JSON.stringify(merge)} is not of tokens in its vocabulary.`);
    }
    return [left, right, left + right];
  });
  return Merges.ofList(ids, pairs, Boolean(model.ignore_merges));
}

/** GPT-2's printable characters for the 256 bytes: character -> the byte as a character. */
function byteAlphabet() {
  const found = new Map();
  let more = 0x100;
  for (let byte = 0; byte < 256; byte++) {
    const printable = (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad);
    found.set(String.fromCharCode(printable ? byte : more++), String.fromCharCode(byte));
  }
  return found;
}

/** Return the function that calls take(word) for each word: every step cuts what the step before it made. */
function splitOf(steps, patterns) {
  const cuts = steps.flatMap((step) => cutsOf(step, patterns));
  const cut = (text, at, take) => {
    if (at === cuts.length) return take(text) ? text : null;
    return cuts[at](text, (word) => (cut(word, at + 1, take) !== null)) === null ? null : text;
  };
  return (text, take) => {
    let found = null;
    if (text) cut(text, 0, (word) => { if (!take(word)) return false; found = word; return true; });
    return found;
  };
}

function cutsOf(step, patterns) {
  const isolated = (pattern) => splitAtEnds(gapsToo(patterns.compile(pattern, "oniguruma")));
  if (step.type === "ByteLevel") {
    const prefix = (text, take) => (take(text.startsWith(" ") ? text : ` ${text}`) ? text : null);
    return [...(step.add_prefix_space ? [prefix] : []), ...(step.use_regex === false ? [] : [isolated(GPT2)])];
  }
  if (step.type === "Digits") return [isolated(step.individual_digits ? "\\p{N}" : "\\p{N}+")];
  if (step.type === "Split" && step.behavior === "Isolated" && !step.invert) {
    const { Regex: regex, String: text } = step.pattern;
    return [isolated(regex ?? text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"))];
  }
  if (step.type === "Split" && step.behavior === "Removed" && step.invert) return [isolated(step.pattern.Regex)];
  throw new Error(`the page does not run the step ${step.type}${step.behavior ? ` (${step.behavior})` : ""} of its pre_tokenizer.`);
}
