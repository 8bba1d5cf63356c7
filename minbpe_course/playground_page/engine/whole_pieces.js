// SentencePiece's two plain kinds of model: the text is cut, every part is looked up, and nothing merges.
//
//     char    ▁ h e l l o     each character is a part; a user-defined piece is one part
//     word    ▁hello ▁world   each part begins at a ▁

/** The way of a model of characters. */
export function cutCharacters(model) {
  return lookedUp(model, (text) => {
    const parts = [];
    model.eachSymbol(text, (begin, end) => parts.push(text.slice(begin, end)));
    return parts;
  });
}

/** The way of a model of words. */
export function cutWords(model) {
  return lookedUp(model, (text) => text.match(/^[^\u2581]+|\u2581[^\u2581]*/g) ?? []);
}

function lookedUp(model, cut) {
  return {
    parts: (text) => cut(text).map((part) => [part, model.knownId(part)]),
    steps() {
      throw new Error("this model has no merges: it looks up whole words or characters.");
    },
  };
}
