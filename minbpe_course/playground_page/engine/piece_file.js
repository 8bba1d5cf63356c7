// SentencePiece's .model: a message of protocol buffers, read into what PieceTokenizer takes.
//
//     1 pieces: (1 text, 2 score, 3 kind)     2 trainer: (3 type, 24 spaces behind, 35 bytes)
//     3 normaliser: (2 table, 3 space in front, 4 no double spaces, 5 spaces as ▁)
//
// reference/wire.py is the readable reader of such messages.

const VARINT = 0, EIGHT_BYTES = 1, LENGTH = 2, FOUR_BYTES = 5;
const NORMAL_KIND = 1, UNKNOWN_KIND = 2, BYTE_KIND = 6;
const TYPES = { 1: "unigram", 2: "bpe", 3: "word", 4: "char" };
const BROKEN = "it is not a complete .model of SentencePiece.";

export function readPieceFile(bytes) {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const pieces = [];
  const scores = [];
  const kinds = [];
  const trainer = {};
  const normalizer = {};
  for (const [number, value] of fields(bytes)) {
    if (number === 1) {
      const { 1: text = new Uint8Array(0), 2: score, 3: kind = NORMAL_KIND } = Object.fromEntries(fields(value));
      pieces.push(textOrNothing(decoder, text));
      scores.push(score ? new DataView(score.buffer, score.byteOffset, 4).getFloat32(0, true) : 0);
      kinds.push(kind);
    } else if (number === 2) {
      Object.assign(trainer, Object.fromEntries(fields(value)));
    } else if (number === 3) {
      Object.assign(normalizer, Object.fromEntries(fields(value)));
    }
  }
  const type = TYPES[trainer[3] ?? 1];
  const unknown = kinds.indexOf(UNKNOWN_KIND);
  if (!pieces.length || !type || unknown < 0) throw new Error(BROKEN);
  return {
    type,
    pieces,
    kinds: Uint8Array.from(kinds),
    scores: Float32Array.from(scores),
    unknown,
    byteIds: trainer[35] ? byteIds(pieces, kinds) : null,
    normalizer: {
      ...rulesOf(normalizer[2]),
      dummyPrefix: Boolean(normalizer[3] ?? 1),
      removeExtra: Boolean(normalizer[4] ?? 1),
      escape: Boolean(normalizer[5] ?? 1),
      suffix: Boolean(trainer[24]),
    },
  };
}

function byteIds(pieces, kinds) {
  return Array.from({ length: 256 }, (_, byte) => {
    const name = `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`;
    const id = pieces.findIndex((piece, at) => kinds[at] === BYTE_KIND && piece === name);
    if (id < 0) throw new Error(`it has no piece ${name}.`);
    return id;
  });
}

/** The table of the normaliser: its trie and its strings, after the length of the first. */
export function rulesOf(table) {
  if (!table?.length) return { units: null, strings: null };
  const size = new DataView(table.buffer, table.byteOffset, 4).getUint32(0, true);
  const strings = table.slice(4 + size);
  if (size % 1024 || !size || strings[strings.length - 1] !== 0) throw new Error("the table of its normaliser is damaged.");
  if (textOrNothing(new TextDecoder("utf-8", { fatal: true }), strings) === "") {
    throw new Error("the replacements of its normaliser are not UTF-8.");
  }
  return { units: table.slice(4, 4 + size), strings };
}

function textOrNothing(decoder, bytes) {
  try {
    return decoder.decode(bytes);
  } catch {
    return "";
  }
}

/** Yield [number, value] of the fields of a message: a number, or the bytes. Of a field that occurs twice the last counts. */
function* fields(bytes) {
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = bytes[at++];
      if (byte === undefined) throw new Error(BROKEN);
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    throw new Error(BROKEN);
  };
  while (at < bytes.length) {
    const tag = varint();
    const kind = tag % 8;
    const number = Math.floor(tag / 8);
    if (kind === VARINT) {
      yield [number, varint()];
      continue;
    }
    const size = kind === LENGTH ? varint() : { [EIGHT_BYTES]: 8, [FOUR_BYTES]: 4 }[kind];
    if (!number || size === undefined || at + size > bytes.length) throw new Error(BROKEN);
    yield [number, bytes.subarray(at, at += size)];
  }
}
