// Special tokens: strings with ids outside the merges, looked for before any word is cut.
//
// Twin of tokenizers/special_tokens.py: the leftmost comes first, and the longest where several begin at one place.

/** Finds the special tokens of one vocabulary. */
export class SpecialTokens {
  /** ids: text -> id. */
  constructor(ids) {
    this.ids = new Map(ids);
    this.names = new Map();
    for (const name of this.ids.keys()) {
      const lengths = this.names.get(name[0]) ?? [];
      if (!lengths.includes(name.length)) lengths.push(name.length);
      this.names.set(name[0], lengths.sort((a, b) => b - a));
    }
    this.prefix = commonPrefix([...this.ids.keys()]);
  }

  /** Return the next special token at `start` or behind it as { at, name, id }, or null. */
  next(text, start) {
    if (!this.ids.size) return null;
    for (let at = start; at < text.length; at++) {
      if (this.prefix) {
        at = text.indexOf(this.prefix, at);
        if (at < 0) return null;
      }
      for (const length of this.names.get(text[at]) ?? []) {
        const name = text.slice(at, at + length);
        if (this.ids.has(name)) return { at, name, id: this.ids.get(name) };
      }
    }
    return null;
  }
}

/** What all names begin with. */
function commonPrefix(names) {
  let prefix = names[0] ?? "";
  for (const name of names) {
    let same = 0;
    while (same < prefix.length && prefix[same] === name[same]) same += 1;
    prefix = prefix.slice(0, same);
  }
  return prefix;
}
