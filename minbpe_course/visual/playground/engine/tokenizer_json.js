// Hugging Face's tokenizer.json: BPE of bytes, as of GPT-2, Llama 3, Qwen and DeepSeek, and of characters, as of Llama 2,
// Mistral and Gemma.
//
// formats/huggingface_json.py says what each setting means, and reads files of other kinds too.

import { Merges, PieceMerges } from "./merging.js";
import { splitAtEnds, gapsToo } from "./split.js";

const GPT2 = "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";
const FORMS = ["NFC", "NFD", "NFKC", "NFKD"];

/** Return what ByteLevelTokenizer takes. normalForm: the name of a Unicode normal form -> its function. */
export function readTokenizerJson(document, patterns, normalForm) {
  const { model } = document;
  const kind = model.type ?? (model.merges ? "BPE" : "of an unknown type");
  if (kind !== "BPE") {
    const advice = kind === "Unigram" ? " Drop the SentencePiece .model of its folder instead (tokenizer.model, spiece.model)." : "";
    throw new Error(`its model is ${kind}, and of a tokenizer.json the page runs BPE.${advice}`);
  }
  for (const key of ["dropout", "continuing_subword_prefix", "end_of_word_suffix"]) {
    if (model[key]) throw new Error(`the page does not run a model with ${key}.`);
  }
  const splits = stepsOf(document.pre_tokenizer, "pretokenizers");
  const steps = stepsOf(document.normalizer, "normalizers").map((step) => normalizerStep(step, normalForm));
  const bytes = splits.some(({ type }) => type === "ByteLevel");
  return {
    ...(bytes ? { merges: mergesOf(model), split: splitOf(splits, patterns) } : piecesOf(model, splits)),
    specials: (document.added_tokens ?? []).map(addedToken),
    normalize: steps.length ? (text) => steps.reduce((now, step) => step(now), text) : null,
    note: noteOn(document),
  };
}

function normalizerStep({ type, prepend, pattern, content }, normalForm) {
  if (FORMS.includes(type)) return normalForm(type);
  if (type === "Prepend") return (text) => (text ? prepend + text : text);
  if (type === "Replace" && pattern.String) return (text) => text.split(pattern.String).join(content);
  throw new Error(`the page does not run the normalizer ${type}${pattern ? " with a Regex" : ""}.`);
}

/** Merges of characters, and the split at spaces, which are ▁ by now. */
function piecesOf(model, splits) {
  if (!model.byte_fallback || model.ignore_merges) throw new Error("the page runs merges of characters only with byte_fallback.");
  const ids = new Map(Object.entries(model.vocab));
  const pairs = pairsOf(model, ids, (text) => text);
  const merges = new PieceMerges(ids, pairs);
  // Where no piece has a space behind something else, each word can be merged by itself.
  const apart = [...ids.keys()].every((piece) => !/[^\u2581]\u2581/.test(piece));
  const cuts = apart ? [byPattern(/\u2581*[^\u2581]+|\u2581+/y)] : [];
  for (const step of splits) {
    // Gemma's: no space is left to split at.
    if (step.type === "Split" && step.pattern.String === " " && step.behavior === "MergedWithPrevious") continue;
    throw new Error(`the page does not run the step ${step.type} before merges of characters.`);
  }
  return { merges, split: splitInTurn(cuts) };
}

function byPattern(pattern) {
  return splitAtEnds((text, at) => {
    pattern.lastIndex = at;
    pattern.test(text);
    return pattern.lastIndex;
  });
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
  return Merges.ofList(ids, pairsOf(model, ids, spelled), Boolean(model.ignore_merges));
}

/** Return the ids of the pairs and of what they make. */
function pairsOf({ merges }, ids, spelled) {
  const [lefts, rights, made] = [0, 0, 0].map(() => new Int32Array(merges.length));
  merges.forEach((merge, rank) => {
    const [left, right] = (typeof merge === "string" ? merge.split(" ") : merge).map(spelled);
    const found = [ids.get(left), ids.get(right), ids.get(left + right)];
    if (found.includes(undefined)) throw new Error(`the merge ${JSON.stringify(merge)} is not of tokens in its vocabulary.`);
    [lefts[rank], rights[rank], made[rank]] = found;
  });
  return { lefts, rights, made };
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
const splitOf = (steps, patterns) => splitInTurn(steps.flatMap((step) => cutsOf(step, patterns)));

function splitInTurn(cuts) {
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
