// Opening files of tokenizers: with a button, or dropped.

import { harmless, make } from "./drawing.js";
import { grouped } from "./texts.js";

const LARGEST_FILE = 200e6; // bytes; the weights of a network are larger

// tool(title, act) makes the button. root: what is marked while a file is dragged over `target`.
// names: all names in use. add(name): called for each opened tokenizer; done(): after a change.
export function createOpener({ backend, tool, root, target, names, add, done }) {
  const opened = new Map(); // name of a file -> what was said of it
  const trouble = make("pre", "mbp-problem");
  trouble.setAttribute("role", "status");
  trouble.hidden = true;
  const input = make("input", "mbp-hidden");
  input.type = "file";
  input.multiple = true;
  input.tabIndex = -1;
  input.setAttribute("aria-label", "Files of tokenizers");
  const button = tool("Open a tokenizer’s file …", () => input.click());
  button.after(input, make("span", "mbp-aside", "or drop it here: tokenizer.json, .model, .tiktoken, tekken.json"));
  input.addEventListener("change", async () => {
    await openFiles([...input.files]);
    input.value = "";
  });
  const over = (event, on) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault(); // or the browser would show the file in place of the page
    root.classList.toggle("mbp-over", on);
  };
  target.addEventListener("dragover", (event) => over(event, true));
  target.addEventListener("dragleave", (event) => event.relatedTarget === null && over(event, false));
  target.addEventListener("drop", (event) => {
    over(event, false);
    openFiles([...(event.dataTransfer?.files ?? [])]);
  });

  async function openFiles(files) {
    const problems = [];
    for (const file of files) {
      trouble.hidden = false;
      trouble.textContent = `Opening ${harmless(file.name)} …`;
      let name = file.name;
      for (let many = 2; names.includes(name); many += 1) name = `${file.name} (${many})`;
      try {
        if (file.size > LARGEST_FILE) throw new Error(`${file.name} has ${grouped(file.size)} bytes, too many for a tokenizer.`);
        const bytes = new Uint8Array(await file.arrayBuffer());
        const facts = await backend.open(name, bytes, undefined);
        opened.set(name, facts.patterns ? { ...facts, bytes } : facts);
        add(name);
      } catch (problem) {
        problems.push(String(problem?.message ?? problem));
      }
    }
    trouble.textContent = problems.join("\n");
    trouble.hidden = problems.length === 0;
    done();
  }

  function patternChooser(name, facts) {
    const chooser = make("select", "mbp-select");
    chooser.setAttribute("aria-label", `Split pattern of ${harmless(name)}`);
    for (const pattern of facts.patterns) chooser.append(make("option", "", pattern));
    chooser.value = facts.pattern;
    chooser.addEventListener("change", async () => {
      await backend.open(name, facts.bytes, chooser.value);
      done();
    });
    return chooser;
  }

  return { trouble, factsOf: (name) => opened.get(name) ?? {}, patternChooser };
}
