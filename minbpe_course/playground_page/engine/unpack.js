// Unpacking data: { "zlib": "eJxLBAAAYgBi" } becomes the bytes that page_data.py compressed.
//
// DecompressionStream does the work. Chrome and Edge have it from version 80 on, Firefox from 113, Safari from 16.4.

async function inflate(text) {
  const packed = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Return a promise of plain data in which bytes take the place of everything packed. Damaged data rejects it. */
export async function unpack(data) {
  if (typeof data !== "object" || data === null) return data;
  if (Array.isArray(data)) return Promise.all(data.map(unpack));
  if (!("zlib" in data)) {
    const entries = await Promise.all(Object.entries(data).map(async ([key, value]) => [key, await unpack(value)]));
    return Object.fromEntries(entries);
  }
  if (typeof DecompressionStream === "undefined") {
    throw new Error(
      "this browser cannot unpack the vocabularies: it has no DecompressionStream. Open the page in Chrome or Edge 80, " +
        "Firefox 113, Safari 16.4 or newer.",
    );
  }
  return inflate(data.zlib);
}
