// The playground in a notebook: the kernel answers, over the messages of anywidget.

import { mountPlayground } from "./ui.js";

const received = (token) =>
  token[0] === "s" ? token.slice(1) : Uint8Array.from(token.slice(1), (character) => character.charCodeAt(0));

function kernelBackend(model, { names, chosen }) {
  // Several views of one widget hear all answers; each knows its own by this.
  const view = `${Date.now()}-${Math.random()}`;
  const asked = new Map();
  let number = 0;

  function heard(message) {
    if (message.view !== view || !asked.has(message.number)) return;
    const { resolve, reject } = asked.get(message.number);
    asked.delete(message.number);
    // JSON in JSON: a lone surrogate passes through no encoder on its way.
    const answer = JSON.parse(message.answer);
    if (answer !== null && answer.problem !== undefined) reject(new Error(answer.problem));
    else resolve(answer);
  }

  function ask(question) {
    return new Promise((resolve, reject) => {
      number += 1;
      asked.set(number, { resolve, reject });
      model.send({ view, number, name: question.name, question: JSON.stringify(question) });
    });
  }

  model.on("msg:custom", heard);
  return {
    names,
    chosen,
    close: () => model.off("msg:custom", heard),
    async cut(name, text, { specials, most }) {
      const cut = await ask({ kind: "cut", name, text, specials, most });
      return { ...cut, tokens: cut.tokens.map(received) };
    },
    words: (name, text) => ask({ kind: "words", name, text }),
    wordAt: (name, text, place, { specials }) => ask({ kind: "wordAt", name, text, place, specials }),
    async steps(name, word) {
      const steps = await ask({ kind: "steps", name, text: word });
      return steps.map((step) => ({ ...step, parts: step.parts.map(received) }));
    },
  };
}

function render({ model, el }) {
  const start = JSON.parse(model.get("setup"));
  const backend = kernelBackend(model, start);
  const playground = mountPlayground(el, backend, start);
  return () => {
    backend.close();
    playground.close();
  };
}

export default { render };
