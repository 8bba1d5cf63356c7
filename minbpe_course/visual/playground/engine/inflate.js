// Unpacking: base64 to bytes, and bytes that zlib has compressed to what they were.
//
//     "eJxLBAAAYgBi"  ->  78 9c 4b 04 00 00 62 00 62  ->  "a"
//
// Browsers can inflate too (DecompressionStream), but only by promise, and a tokenizer that answers at once is simpler
// to use. RFC 1950 and 1951 say how it is done. Damaged data throws.

const LENGTH_BASES = [3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131,
  163, 195, 227, 258];
const LENGTH_BITS = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const CODE_LENGTH_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
const LONGEST_CODE = 15;

/** Return the bytes that a base64 text stands for. */
export function fromBase64(text) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** Return the bytes behind a base64 text of zlib's. */
export function unpackBytes(text) {
  return inflate(fromBase64(text));
}

/** Return the text behind a base64 text of zlib's. */
export function unpackText(text) {
  return new TextDecoder().decode(unpackBytes(text));
}

/** Undo zlib.compress: bytes to bytes. */
export function inflate(packed) {
  if ((packed[0] & 15) !== 8 || (packed[0] << 8 | packed[1]) % 31 || packed[1] & 32) throw new Error("not zlib data");
  const input = new BitReader(packed, 2);
  const output = new GrowingBytes(4 * packed.length + 64);
  let last = 0;
  while (!last) {
    last = input.take(1);
    const way = input.take(2);
    if (way === 0) copyStored(input, output);
    else if (way === 1) copyCoded(input, output, codeTable(fixedLengths()), codeTable(new Uint8Array(30).fill(5)));
    else if (way === 2) copyCoded(input, output, ...readTables(input));
    else throw new Error("damaged zlib data: no such kind of block");
  }
  const bytes = output.bytes.subarray(0, output.size);
  input.toNextByte();
  if (checksum(bytes) !== input.takeBigEndian()) throw new Error("damaged zlib data: the checksum is another");
  return bytes;
}

class BitReader {
  constructor(bytes, at) {
    this.bytes = bytes;
    this.at = at;
    this.held = 0;
    this.count = 0;
  }

  /** See that `wanted` bits are held, at most 16; behind the end of the data there are zeros. */
  fill(wanted) {
    while (this.count < wanted) {
      this.held |= (this.at < this.bytes.length ? this.bytes[this.at] : 0) << this.count;
      if (this.at > this.bytes.length + 4) throw new Error("damaged zlib data: it ends too early");
      this.at += 1;
      this.count += 8;
    }
  }

  take(wanted) {
    this.fill(wanted);
    const value = this.held & (1 << wanted) - 1;
    this.held >>>= wanted;
    this.count -= wanted;
    return value;
  }

  /** Read one code: the table gives symbol << 4 | length for the next 15 bits. */
  symbol(table) {
    this.fill(LONGEST_CODE);
    const entry = table[this.held & (1 << LONGEST_CODE) - 1];
    if (entry === 0) throw new Error("damaged zlib data: no such code");
    this.held >>>= entry & 15;
    this.count -= entry & 15;
    return entry >> 4;
  }

  toNextByte() {
    this.at -= this.count >> 3;
    this.held = this.count = 0;
  }

  takeBigEndian() {
    let value = 0;
    for (let i = 0; i < 4; i++) value = value * 256 + this.bytes[this.at++];
    return value;
  }
}

class GrowingBytes {
  constructor(room) {
    this.bytes = new Uint8Array(room);
    this.size = 0;
  }

  grow(more) {
    if (this.size + more <= this.bytes.length) return;
    const larger = new Uint8Array(2 * (this.size + more));
    larger.set(this.bytes.subarray(0, this.size));
    this.bytes = larger;
  }
}

/** Make the table that `symbol` reads from the length of each symbol's code, 0 for a symbol without one. */
function codeTable(lengths) {
  const table = new Uint16Array(1 << LONGEST_CODE);
  let code = 0;
  for (let length = 1; length <= LONGEST_CODE; length++) {
    for (let symbol = 0; symbol < lengths.length; symbol++) {
      if (lengths[symbol] !== length) continue;
      // Codes come first bit first, numbers last bit first.
      let reversed = 0;
      for (let bit = 0; bit < length; bit++) reversed |= (code >> bit & 1) << length - 1 - bit;
      for (let at = reversed; at < table.length; at += 1 << length) table[at] = symbol << 4 | length;
      code += 1;
    }
    code <<= 1;
  }
  return table;
}

function fixedLengths() {
  return new Uint8Array(288).fill(8, 0, 144).fill(9, 144, 256).fill(7, 256, 280).fill(8, 280);
}

function readTables(input) {
  const literals = input.take(5) + 257;
  const distances = input.take(5) + 1;
  const codes = input.take(4) + 4;
  const codeLengths = new Uint8Array(19);
  for (let i = 0; i < codes; i++) codeLengths[CODE_LENGTH_ORDER[i]] = input.take(3);
  const table = codeTable(codeLengths);
  const lengths = new Uint8Array(literals + distances);
  let at = 0;
  while (at < lengths.length) {
    const symbol = input.symbol(table);
    if (symbol < 16) lengths[at++] = symbol;
    else {
      const value = symbol === 16 ? lengths[at - 1] : 0;
      const times = symbol === 16 ? 3 + input.take(2) : symbol === 17 ? 3 + input.take(3) : 11 + input.take(7);
      lengths.fill(value, at, at + times);
      at += times;
    }
  }
  return [codeTable(lengths.subarray(0, literals)), codeTable(lengths.subarray(literals))];
}

function copyStored(input, output) {
  input.toNextByte();
  const size = input.bytes[input.at] | input.bytes[input.at + 1] << 8;
  const begin = input.at + 4;
  if (begin + size > input.bytes.length) throw new Error("damaged zlib data: it ends too early");
  output.grow(size);
  output.bytes.set(input.bytes.subarray(begin, begin + size), output.size);
  output.size += size;
  input.at = begin + size;
}

function copyCoded(input, output, literals, distances) {
  for (;;) {
    const symbol = input.symbol(literals);
    if (symbol === 256) return;
    output.grow(258);
    if (symbol < 256) {
      output.bytes[output.size++] = symbol;
      continue;
    }
    const length = LENGTH_BASES[symbol - 257] + input.take(LENGTH_BITS[symbol - 257]);
    const far = input.symbol(distances);
    const bits = far < 4 ? 0 : (far >> 1) - 1;
    const distance = (far < 4 ? far : (2 + (far & 1)) * 2 ** bits) + 1 + input.take(bits);
    if (distance > output.size) throw new Error("damaged zlib data: it points before its beginning");
    for (let i = 0; i < length; i++) output.bytes[output.size + i] = output.bytes[output.size + i - distance];
    output.size += length;
  }
}

/** Adler-32, with which zlib data ends. */
function checksum(bytes) {
  let low = 1;
  let high = 0;
  for (let at = 0; at < bytes.length;) {
    // So many steps fit into 31 bits before a remainder must be taken.
    const end = Math.min(at + 3800, bytes.length);
    for (; at < end; at++) {
      low += bytes[at];
      high += low;
    }
    low %= 65521;
    high %= 65521;
  }
  return high * 65536 + low;
}
