// The self-contained page: the interface is mounted at once, and the tokenizers are unpacked in the background.
//
// startPage(element, start) returns an object whose `launch` takes the engine's source and data as soon as they are parsed.
// They run in a worker, so that a long text does not freeze the page; if no worker can start, they run in the page.
//
// Each opened file has a worker of its own, because nobody knows how long a stranger's file takes: the worker is ended
// when an answer takes longer than LONGEST_ANSWER, and the next question starts another.

import { mountPlayground } from "./ui.js";
import { readAddress, writeAddress } from "./address.js";
import { answer, unflat } from "./answering.js";

const LONGEST_ANSWER = 10_000; // milliseconds

// alone: the engine has no tokenizers but those that it opens.
async function inWorker(sources, data, alone = false) {
  const program = [
    ...sources,
    "let engine; onmessage = async ({ data: [number, question] }) => { try {",
    `if (number === 0) { const data = JSON.parse(question); if (${alone}) data.tokenizers = [];`,
    "engine = await createEngine(data); postMessage([0, null, null]); }",
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
  ask.end = () => {
    worker.terminate();
    URL.revokeObjectURL(address);
  };
  await ask(data);
  return ask;
}

// Return the function that asks a file's own worker, one question at a time. file: the question that opens it.
function ownWorker(start, file) {
  let worker = null;
  let last = Promise.resolve();
  const inTime = (ask, question) => {
    let timer;
    const late = new Promise((resolve, reject) => {
      timer = setTimeout(() => {
        ask.end();
        worker = null;
        const seconds = LONGEST_ANSWER / 1000;
        reject(new Error(`${file.name} took longer than ${seconds} seconds and was stopped: its rules or this text are too much.`));
      }, LONGEST_ANSWER);
    });
    return Promise.race([ask(question), late]).finally(() => clearTimeout(timer));
  };
  const answerTo = async (question) => {
    if (worker === null) {
      const started = await start();
      worker = started;
      if (question !== file) await inTime(started, file);
    }
    return inTime(worker, question);
  };
  const ask = (question) => (last = last.catch(() => {}).then(() => answerTo(question)));
  ask.end = () => worker?.end();
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
  const opened = new Map(); // name of a file -> how to ask its worker
  const ask = async (question) => (opened.get(question.name) ?? (await ready).ask)(question);
  async function open(name, bytes, pattern) {
    const file = { kind: "open", name, bytes, pattern };
    const { start } = await ready;
    if (!start) return ask(file);
    const own = ownWorker(start, file);
    try {
      const facts = await own(file);
      opened.get(name)?.end();
      opened.set(name, own);
      return facts;
    } catch (problem) {
      own.end();
      throw problem;
    }
  }
  const backend = {
    names: start.names,
    async cut(name, text, { specials, most }) {
      const cut = await ask({ kind: "cut", name, text, specials, most });
      return { ...cut, tokens: unflat(cut) };
    },
    chat: true,
    open,
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
    launch: (makeEngine, sources, data) => {
      const workers = (first) => ({ ask: first, start: () => inWorker(sources, data, true) });
      const page = async () => ({ ask: await inPage(makeEngine, data), start: null });
      launch(inWorker(sources, data).then(workers, page));
    },
  };
}
