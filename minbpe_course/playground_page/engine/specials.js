// Special tokens: strings with ids outside the merges, looked for before any word is cut.
//
// Twin of text/special_places.py: the leftmost comes first, and the longest where several begin at one place.

/** Finds the special tokens of one vocabulary. */
export class SpecialTokens {
  /** ids: text -> id. */
  constructor(ids) {
    this.ids = new Map(ids);
    this.ids.delete("");
    // A tree of the names: a node leads from the next character to the next node, and knows whether a name ends there.
    this.tree = { next: new Map(), ends: false };
    for (const name of this.ids.keys()) {
      let node = this.tree;
      for (let at = 0; at < name.length; at++) {
        const unit = name.charCodeAt(at);
        if (!node.next.has(unit)) node.next.set(unit, { next: new Map(), ends: false });
        node = node.next.get(unit);
      }
      node.ends = true;
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
      let end = at;
      for (let node = this.tree, to = at; node; node = node.next.get(text.charCodeAt(to++))) {
        if (node.ends) end = to;
      }
      if (end > at) {
        const name = text.slice(at, end);
        return { at, name, id: this.ids.get(name) };
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
