// The self-contained page: the interface is mounted at once, and the tokenizers are unpacked in the background.
//
// startPage(element, start) returns an object whose `launch` takes the engine's source and data as soon as they are parsed.
// They run in a worker, so that a long text does not freeze the page; if no worker can start, they run in the page.

import { mountPlayground } from "./ui.js";
import { readAddress, writeAddress } from "./address.js";
import { answer, unflat } from "./answering.js";

async function inWorker(sources, data) {
  const program = [
    ...sources,
    "let engine; onmessage = async ({ data: [number, question] }) => { try {",
    "if (number === 0) { engine = await createEngine(JSON.parse(question)); postMessage([0, null, null]); }",
    "else postMessage([number, answer(engine, question), null]);",
    "} catch (problem) { postMessage([number, null, String(problem?.message ?? problem)]); } };",
  ].join("\n");
  const address = URL.createObjectURL(new Blob([program], { type: "text/javascript" }));
  const asked = new Map();
  let number = 0;
  const worker = new Worker(address);
  const ask = (question) =>
    new Promise((resolve, reject) => {
      asked.set(number, { resolve, reject });
      worker.postMessage([number, question]);
      number += 1;
    });
  worker.onmessage = async ({ data: [which, result, problem] }) => {
    const { resolve, reject } = asked.get(which);
    asked.delete(which);
    if (problem === null) resolve(result);
    else reject(new Error(problem));
  };
  worker.onerror = (event) => {
    event.preventDefault();
    for (const { reject } of asked.values()) reject(new Error(event.message || "no worker here"));
    asked.clear();
  };
  await ask(data);
  return ask;
}

async function inPage(makeEngine, data) {
  // Let the page paint first: building a tokenizer takes longer than a frame.
  const later = () => new Promise((resolve) => setTimeout(resolve));
  await later();
  const engine = await makeEngine(JSON.parse(data));
  return async (question) => {
    await later();
    return answer(engine, question);
  };
}

const PAUSE = 400; // milliseconds without a change before the address follows: browsers limit how often it may

export function startPage(element, start) {
  let launch;
  const ready = new Promise((resolve) => (launch = resolve));
  const ask = async (question) => (await ready)(question);
  const backend = {
    names: start.names,
    async cut(name, text, { specials, most }) {
      const cut = await ask({ kind: "cut", name, text, specials, most });
      return { ...cut, tokens: unflat(cut) };
    },
    chat: true,
    open: (name, bytes, pattern) => ask({ kind: "open", name, bytes, pattern }),
    words: (name, text) => ask({ kind: "words", name, text }),
    wordAt: (name, text, place, { specials }) => ask({ kind: "wordAt", name, text, place, specials }),
    steps: (name, text) => ask({ kind: "steps", name, text }),
  };
  let timer;
  const follow = () => {
    const hash = writeAddress(playground.state());
    // Without the fragment where the text is too long: an old address would say something else.
    try {
      history.replaceState(null, "", hash ?? location.pathname + location.search);
    } catch {
      // A page inside another one may have no address of its own.
    }
  };
  const options = {
    preselect: true,
    dropTarget: window,
    link: () => {
      const hash = writeAddress(playground.state());
      return hash && location.href.replace(/#.*/s, "") + hash;
    },
    changed: () => {
      clearTimeout(timer);
      timer = setTimeout(follow, PAUSE);
    },
  };
  const playground = mountPlayground(element, backend, { ...start, ...options, ...readAddress(location.hash) });
  window.addEventListener("hashchange", () => playground.setState(readAddress(location.hash)));
  // A page that shows this one in a frame may say which theme its reader chose.
  window.addEventListener("message", ({ source, data }) => {
    if (source !== window.parent || !["light", "dark"].includes(data?.theme)) return;
    document.documentElement.style.colorScheme = data.theme;
    document.body.dataset.jpThemeLight = String(data.theme === "light");
  });
  return {
    playground,
    backend,
    launch: (makeEngine, sources, data) => launch(inWorker(sources, data).catch(() => inPage(makeEngine, data))),
  };
}
