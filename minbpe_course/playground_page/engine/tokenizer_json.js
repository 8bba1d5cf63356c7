// Hugging Face's tokenizer.json: BPE of bytes, as of GPT-2, Llama 3, Qwen and DeepSeek, and of characters, as of Llama 2,
// Mistral and Gemma; Unigram, as of T5 and XLM-R.
//
// formats/huggingface_json.py says what each setting means, and reads files of other kinds too.

import { Merges, PieceMerges } from "./merging.js";
import { byClusters, checkLength } from "./normalize.js";
import { WHITE_SPACE } from "./patterns.js";
import { rulesOf } from "./piece_file.js";
import { splitAtEnds, gapsToo } from "./split.js";
import { UnigramWords } from "./unigram_words.js";

const GPT2 = "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";
const FORMS = ["NFC", "NFD", "NFKC", "NFKD"];

/** Return what ByteLevelTokenizer takes. normalForm: the name of a Unicode normal form -> its function. limits: see
 * page_data.py. */
export function readTokenizerJson(document, patterns, normalForm, limits) {
  const { model } = document;
  const kind = model.type ?? (model.merges ? "BPE" : "of an unknown type");
  if (kind !== "BPE" && kind !== "Unigram") {
    throw new Error(`its model is ${kind}, and of a tokenizer.json the page runs BPE and Unigram.`);
  }
  for (const key of ["dropout", "continuing_subword_prefix", "end_of_word_suffix"]) {
    if (model[key]) throw new Error(`the page does not run a model with ${key}.`);
  }
  const splits = stepsOf(document.pre_tokenizer, "pretokenizers", limits.steps);
  const changes = stepsOf(document.normalizer, "normalizers", limits.steps);
  const steps = changes.map((step) => normalizerStep(step, normalForm, patterns));
  const bytes = splits.some(({ type }) => type === "ByteLevel");
  return {
    ...(kind === "Unigram" ? { merges: new UnigramWords(model), split: splitInTurn(splits.flatMap(markingCuts)) }
      : bytes ? { merges: mergesOf(model), split: splitOf(splits, patterns) } : piecesOf(model, splits)),
    specials: (document.added_tokens ?? []).map(addedToken),
    normalize: steps.length ? normalizing(steps, limits) : null,
    note: noteOn(document),
  };
}

/** For JSON.parse: read numbers as Rust's serde_json does, which rounds twice. */
export function asRust(key, value, context) {
  if (typeof value !== "number" || !value) return value;
  // An older browser does not say how a number is written. Programs write the shortest form, as it does.
  const [, sign, whole, fraction = "", power = 0] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(context?.source ?? String(value));
  const digits = (whole + fraction).replace(/^0+/, "");
  let kept = digits.slice(0, 20);
  if (BigInt(kept) >= 2n ** 64n) kept = kept.slice(0, -1);
  let exponent = Number(power) - fraction.length + digits.length - kept.length;
  let read = Number(kept);
  for (; exponent < -308; exponent += 308) read /= 1e308;
  read = exponent < 0 ? read / Number(`1e${-exponent}`) : read * Number(`1e${exponent}`);
  return sign ? -read : read;
}

/** Return the function that applies steps in turn; it throws if they make a text too long (text/normalizer_steps.py). */
function normalizing(steps, { text: longest, growth }) {
  return (text) => {
    const most = Math.max(longest, growth * text.length);
    return steps.reduce((now, step) => {
      const next = step(now, most);
      checkLength(next.length, most);
      return next;
    }, text);
  };
}

/** Return the function that puts `content` in the place of each match, unless the text becomes too long. */
function replacing(matchesOf, content) {
  return (text, most) => {
    const parts = [];
    let done = 0;
    let size = text.length;
    for (const { index, 0: { length } } of matchesOf(text)) {
      size += content.length - length;
      parts.push(text.slice(done, index), content);
      done = index + length;
    }
    checkLength(size, most);
    return [...parts, text.slice(done)].join("");
  };
}

function normalizerStep({ type, prepend, pattern, content, ...rest }, normalForm, patterns) {
  if (FORMS.includes(type)) return normalForm(type);
  if (type === "Prepend") return (text) => (text ? prepend + text : text);
  if (type === "Replace" && pattern.String) {
    const sought = new RegExp(pattern.String.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"), "g");
    return replacing((text) => text.matchAll(sought), content);
  }
  if (type === "Replace") {
    const sought = new RegExp(patterns.compile(pattern.Regex, "oniguruma").source, "ug");
    return replacing((text) => text.matchAll(sought), content);
  }
  if (type === "Precompiled") {
    return byClusters(rulesOf(Uint8Array.from(atob(rest.precompiled_charsmap ?? ""), (byte) => byte.charCodeAt(0))));
  }
  if (type === "Strip") {
    const spaces = `${WHITE_SPACE.source}+`;
    const ends = [...(rest.strip_left ? [`^${spaces}`] : []), ...(rest.strip_right ? [`(?<!${WHITE_SPACE.source})${spaces}$`] : [])];
    return ends.length ? (text) => text.replace(new RegExp(ends.join("|"), "g"), "") : (text) => text;
  }
  throw new Error(`the page does not run the normalizer ${type}.`);
}

/** Return how a step before Unigram cuts: at white space, or before each space, which becomes ▁. */
function markingCuts(step) {
  if (step.type === "WhitespaceSplit") {
    const words = new RegExp(WHITE_SPACE.source.replace("[", "[^") + "+", "g");
    return [(text, take) => (text.match(words) ?? []).find((word) => take(word)) ?? null];
  }
  const scheme = step.prepend_scheme ?? (step.add_prefix_space === false ? "never" : "always");
  if (step.type !== "Metaspace" || step.replacement !== "\u2581" || !["always", "never"].includes(scheme)) {
    throw new Error(`the page does not run the step ${step.type}${step.prepend_scheme ? ` (${scheme})` : ""} before Unigram.`);
  }
  const marked = (text) => {
    const spaced = text.replaceAll(" ", "\u2581");
    return scheme === "never" || spaced.startsWith("\u2581") ? spaced : `\u2581${spaced}`;
  };
  const words = step.split === false ? /[^]+/g : /^[^\u2581]+|\u2581[^\u2581]*/g;
  return [(text, take) => marked(text).match(words).find((word) => take(word)) ?? null];
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

function stepsOf(value, list, most) {
  if (!value) return [];
  if (value.type !== "Sequence") return [value];
  const found = value[list].flatMap((step) => stepsOf(step, list, most));
  if (found.length > most) throw new Error(`it has more than ${most} ${list}.`);
  return found;
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
