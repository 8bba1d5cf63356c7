// A tokenizer's file, dropped onto the page: what it is, and the tokenizer in it.
//
//     openFile("tokenizer.json", bytes, tables, {})      { tokenizer, note, patterns }
//
// formats/ reads more, in Python. A file with a setting that the page cannot run throws, and the message says which.

import { ByteLevelTokenizer } from "./byte_level.js";
import { Merges } from "./merging.js";
import { Patterns, runsOf } from "./patterns.js";
import { readPieceFile } from "./piece_file.js";
import { PieceTokenizer } from "./piece_model.js";
import { splitAtEnds, splitByPattern } from "./split.js";
import { asRust, readTokenizerJson } from "./tokenizer_json.js";

const ELSEWHERE = "In a notebook, playground() and show() take more files than this page.";
const FORMS = { NFC: ["composing"], NFD: ["composing"], NFKC: ["composing", "compatible"], NFKD: ["composing", "compatible"] };
// What mistral-common assumes of a tekken.json that lists no special tokens.
const UNLISTED = ("<unk> <s> </s> [INST] [/INST] [AVAILABLE_TOOLS] [/AVAILABLE_TOOLS] [TOOL_RESULTS] [/TOOL_RESULTS] " +
  "[TOOL_CALLS] [IMG] <pad> [IMG_BREAK] [IMG_END] [PREFIX] [MIDDLE] [SUFFIX] [SYSTEM_PROMPT] [/SYSTEM_PROMPT] " +
  "[TOOL_CONTENT]").split(" ");

/** name: of the file. bytes: Uint8Array. data: "opening" of page_data.py, unpacked. pattern: a name in data.patterns, for
 * a file that has no split pattern. Return the tokenizer, perhaps a note, and for such a file the names of patterns. */
export function openFile(name, bytes, data, { pattern } = {}) {
  const patterns = new Patterns(data.categories, data.limits.parts);
  try {
    return readerFor(bytes)(bytes, { patterns, pattern, data, splitting: (text) => patternSplit(text, patterns) });
  } catch (problem) {
    throw new Error(`${name} cannot be opened: ${problem.message}\n${ELSEWHERE}`);
  }
}

function readerFor(bytes) {
  const start = new TextDecoder().decode(bytes.subarray(0, 400)).trimStart();
  if (start.startsWith("{")) return readJson;
  if (/^minbpe(_course)? v1\n/.test(start)) return readMinbpe;
  if (/^[A-Za-z0-9+/]+={0,2} \d+\r?(\n|$)/.test(start)) return readTiktoken;
  if (/^version \S+git-lfs/.test(start)) throw new Error("it is a Git LFS pointer: the real file was not downloaded.");
  if (start.startsWith("#version:")) throw new Error("merges.txt needs its vocab.json. Drop the tokenizer.json of that folder.");
  if (bytes[0] === 0x0a) return (file, { data }) => ({ tokenizer: new PieceTokenizer(readPieceFile(file), data.limits) });
  throw new Error(
    "it is not a tokenizer that this page knows: tokenizer.json, tekken.json, .tiktoken, a .model of SentencePiece or minbpe.",
  );
}

function readJson(bytes, context) {
  let document;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    document = JSON.parse(text);
    if (document.model?.type === "Unigram") document = JSON.parse(text, asRust);
  } catch (problem) {
    throw new Error(`it is not complete JSON in UTF-8 (${problem.message}).`);
  }
  if (Array.isArray(document.vocab) && document.config) return readTekken(document, context);
  if (typeof document.model !== "object" || document.model === null) {
    throw new Error("it is JSON, but neither a tokenizer.json nor a tekken.json.");
  }
  const parts = readTokenizerJson(document, context.patterns, (form) => normalForm(form, context.data), context.data.limits);
  return { tokenizer: new ByteLevelTokenizer(parts), note: parts.note };
}

/** Tokens in base64 and their ranks, one to a line. */
function readTiktoken(bytes, { pattern = null, data, splitting }) {
  const lines = new TextDecoder().decode(bytes).split(/\r?\n/).filter((line) => line.trim());
  const tokens = lines.map((line, at) => {
    const [token, rank] = line.trim().split(/\s+/);
    if (!/^\d+$/.test(rank)) throw new Error(`line ${at + 1} is not a token in base64, a space, and its rank.`);
    return [token === "=" ? "" : atob(token), Number(rank)];
  });
  // The published files differ in size; of another one the split pattern has to be guessed.
  const chosen = pattern ?? (tokens.length < 60000 ? "gpt2" : tokens.length < 180000 ? "cl100k_base" : "o200k_base");
  const split = splitting(data.patterns[chosen]);
  const note = "A .tiktoken file has neither a split pattern nor special tokens: choose the pattern that its program uses.";
  const tokenizer = new ByteLevelTokenizer({ merges: Merges.ofRanks(tokens), split, specials: [] });
  return { tokenizer, note, patterns: Object.keys(data.patterns), pattern: chosen };
}

/** mistral-common's file: the special tokens have the first ids, and a token's id is its rank plus their number. */
function readTekken({ config, vocab, special_tokens: listed }, { splitting, data: { limits } }) {
  const count = config.default_num_special_tokens;
  if (!(count >= 0 && count <= limits.specials)) {
    throw new Error(`it has ${count} special tokens; the page takes 0 to ${limits.specials}.`);
  }
  const tokens = vocab.slice(0, config.default_vocab_size - count).map((token) => [atob(token.token_bytes), token.rank + count]);
  const names = listed ? listed.map((token) => token.token_str) : [...UNLISTED];
  while (names.length < count) names.push(`<SPECIAL_${names.length}>`);
  const specials = names.map((name, id) => [name, id]);
  return { tokenizer: new ByteLevelTokenizer({ merges: Merges.ofRanks(tokens), split: splitting(config.pattern), specials }) };
}

/** minbpe's file: a pattern, special tokens and merges, one to a line. */
function readMinbpe(bytes, { splitting, data: { limits } }) {
  const lines = new TextDecoder("utf-8", { fatal: true }).decode(bytes).split("\n");
  lines.shift();
  const pattern = lines.shift();
  const specials = Array.from({ length: Number(lines.shift()) }, () => {
    const line = lines.shift();
    const space = line.lastIndexOf(" ");
    return [line.slice(0, space), Number(line.slice(space + 1))];
  });
  const pairs = lines.filter((line) => line.trim()).map((line) => line.trim().split(/\s+/).map(Number));
  if (pairs.some((pair) => pair.length !== 2 || pair.some(Number.isNaN))) throw new Error("a line is not the two ids of a merge.");
  checkSizes(pairs, Math.max(limits.vocabulary, limits.token * pairs.length));
  const merges = Merges.ofTable(Uint8Array.from({ length: 256 }, (_, byte) => byte), pairs, []);
  const split = pattern ? splitting(pattern) : splitAtEnds((text) => text.length);
  const note = pattern && "Letters and numbers are those of Unicode 16, as in tiktoken; minbpe takes those of its `regex`.";
  return { tokenizer: new ByteLevelTokenizer({ merges, split, specials }), note };
}

/** Refuse merges whose tokens have too many bytes together: each may double the length. */
function checkSizes(pairs, most) {
  const sizes = new Map();
  const sizeOf = (id) => sizes.get(id) ?? 1;
  let total = 256;
  let made = 256;
  for (const [left, right] of pairs) {
    const size = sizeOf(left) + sizeOf(right);
    sizes.set(made, size);
    made += 1;
    total += size;
    if (total > most) throw new Error(`its merges make tokens of more than ${most} bytes together.`);
  }
}

function patternSplit(text, patterns) {
  return splitAtEnds(splitByPattern(patterns.compile(text, "tiktoken")));
}

/** Return the function for a Unicode normal form, of the characters that `tokenizers` knows. */
function normalForm(form, data) {
  const runs = FORMS[form].flatMap((table) => runsOf(data[table], 3).filter(([, , value]) => value));
  const spelled = runs.map(([first, last]) => `\\u{${first.toString(16)}}-\\u{${last.toString(16)}}`);
  const known = new RegExp(`[${spelled.join("")}]+`, "gu");
  return (text) => text.replace(known, (run) => run.normalize(form));
}
