// The playground: a text, what each chosen tokenizer makes of it, and the merges of one word.
//
// mountPlayground(element, backend, start) draws into `element` and returns { close, setText, setState, state }. start:
// text, chosen, specials, ids, chat, which are a state as in address.js; heading, the tag of titles; and of a page, link(),
// the address of what is shown, changed(), called after every change, and preselect, whether a word is chosen at first.
// The backend may be the kernel or an engine in the page; every call may return a promise:
//
//   names: [..]                                     what can be chosen; `chosen`: those that are at the start
//   open(name, bytes, pattern)                      opens a file, if it can: { note?, patterns?, pattern? }
//   chat                                            whether a text may also be the parts of a chat (chat.js)
//   cut(name, text, { specials, most })             { ids, tokens, special, note? }; tokens: Uint8Array[] or string[],
//                                                   of which those after the first `most` may be left out
//   words(name, text)                               the words that no merge crosses: string[]
//   wordAt(name, text, place, { specials })         the word in which token `place` stands: string
//   steps(name, word)                               [{ parts, rank, at }]: the word before the first merge, and after
//                                                   each one: its rank, and which of the parts it made (null at first)
//
// Whatever goes wrong in a call is shown as text, in the panel that asked. Nothing is ever parsed as markup.

import { createChat, soundChat } from "./chat.js";
import { bytesOf, checkbox, directionOf, harmless, make } from "./drawing.js";
import { createLatest } from "./latest.js";
import { createOpener } from "./files.js";
import { createMerges } from "./merges.js";
import { createRow } from "./row.js";
import { charactersIn, copied, plural, written } from "./texts.js";

const MOST_SHOWN = 2000; // boxes in one panel
const MOST_TOGETHER = 6000; // boxes in all panels
const LEAST_SHOWN = 200;
const QUIET = 600; // milliseconds without typing before the counts are read out

let mounted = 0;
export function mountPlayground(element, backend, start = {}) {
  mounted += 1;
  let counter = 0;
  const mine = mounted;
  const unique = (name) => `mbp-${mine}-${name}-${(counter += 1)}`;
  const root = make("div", "mbp");
  // JupyterLab would take arrow keys and letters for commands of the notebook.
  root.dataset.lmSuppressShortcuts = "true";
  const names = [...backend.names];
  const panels = new Map();
  const boxes = new Map();
  const chosen = new Set((start.chosen ?? backend.chosen ?? names).filter((name) => names.includes(name)));
  let mounting = true;
  let ids = start.ids ?? true;
  let specials = Boolean(start.specials);
  let text = "";
  let asked = 0;

  // ---- Text

  const area = make("textarea", "mbp-text");
  area.rows = 4;
  area.spellcheck = false;
  const label = make("label", "mbp-heading", "Text");
  label.htmlFor = area.id = unique("text");
  const typed = make("div", "");
  typed.append(label, area);
  const chat = createChat(() => askAll(), unique);
  const modes = make("fieldset", "mbp-choices mbp-modes");
  modes.append(make("legend", "mbp-hidden", "What is encoded"));
  const plain = radio("Plain text");
  const talk = radio("Chat with roles");
  function radio(title) {
    const wrapped = checkbox(title, false, () => setMode(talk.firstChild.checked));
    wrapped.firstChild.type = "radio";
    wrapped.firstChild.name = `mbp-${mine}-mode`;
    modes.append(wrapped);
    return wrapped;
  }
  function setMode(chatting) {
    talk.firstChild.checked = chatting;
    plain.firstChild.checked = !chatting;
    chat.section.hidden = !chatting;
    typed.hidden = chatting;
    askAll();
  }
  const content = () => (talk.firstChild.checked ? chat.parts() : text);
  modes.hidden = !backend.chat;
  root.append(modes, typed, chat.section);

  // ---- Choices

  const choices = make("fieldset", "mbp-choices");
  choices.append(make("legend", "mbp-heading", "Tokenizers"));
  const special = checkbox("special tokens count as special", specials, (on) => {
    specials = on;
    askAll();
  });
  special.classList.add("mbp-apart");
  const shownIds = checkbox("ids under the tokens", ids, (on) => {
    ids = on;
    root.classList.toggle("mbp-ids", on);
    changed();
  });
  root.classList.toggle("mbp-ids", ids);
  choices.append(special, shownIds);
  names.forEach(addChoice);
  const tools = make("div", "mbp-controls");
  root.append(choices, tools);
  const opener = backend.open && createOpener({ backend, tool, root, target: start.dropTarget ?? root, names, add, done: arrange });
  if (opener) root.append(opener.trouble);
  if (start.link) {
    const button = tool("Copy link", async () => {
      const address = start.link();
      const done = address !== null && (await copied(address));
      spoken.textContent = done ? "link copied" : "";
      button.textContent = done ? "Copied" : address === null ? "Too long for a link" : "Not copied";
      setTimeout(() => (button.textContent = "Copy link"), 1500);
    });
  }

  function add(name) {
    names.push(name);
    chosen.add(name);
    addChoice(name);
    merges.add(name);
  }

  function tool(title, act) {
    const button = make("button", "mbp-button", title);
    button.type = "button";
    button.addEventListener("click", act);
    tools.append(button);
    return button;
  }

  function addChoice(name) {
    const box = checkbox(name, chosen.has(name), (on) => {
      if (on) chosen.add(name);
      else chosen.delete(name);
      arrange();
    });
    boxes.set(name, box.firstChild);
    special.before(box);
  }

  // ---- Panels

  const shelf = make("div", "mbp-panels");
  const spoken = make("p", "mbp-hidden");
  spoken.setAttribute("role", "status");
  const heading = start.heading ?? "h3";
  const merges = createMerges(backend, heading, unique);
  // The word around the token that was chosen last, in whichever panel.
  const found = createLatest(({ name, text: on, place, specials }) => backend.wordAt(name, on, place, { specials }), {
    done: ({ name }, word) => merges.show(name, word),
    failed: ({ name }, reason) => merges.explain(name, String(reason?.message ?? reason)),
    slow() {},
  });
  const tip = make("div", "mbp-tip");
  tip.id = unique("tip");
  tip.setAttribute("role", "tooltip");
  tip.hidden = true;
  root.append(shelf, merges.section, spoken, tip);

  const most = () => Math.max(LEAST_SHOWN, Math.min(MOST_SHOWN, Math.floor(MOST_TOGETHER / Math.max(1, chosen.size))));

  function createPanel(name) {
    const section = make("section", "mbp-panel");
    const title = make(heading, "mbp-title", harmless(name));
    title.dir = "auto";
    title.id = unique("panel");
    section.setAttribute("aria-labelledby", title.id);
    const counts = make("p", "mbp-counts");
    const copy = make("button", "mbp-button", "Copy ids");
    copy.type = "button";
    copy.setAttribute("aria-label", `Copy ids of ${harmless(name)}`);
    const head = make("div", "mbp-head");
    head.append(title, counts, copy);
    const list = make("div", "mbp-list");
    list.setAttribute("role", "listbox");
    list.setAttribute("aria-orientation", "horizontal");
    list.setAttribute("aria-label", `Tokens of ${harmless(name)}`);
    const more = make("p", "mbp-more");
    const note = make("p", "mbp-note");
    const problem = make("pre", "mbp-problem");
    problem.setAttribute("role", "status");
    more.hidden = note.hidden = problem.hidden = true;
    section.append(head, list, more, note, problem);
    const row = createRow(list);
    const facts = opener?.factsOf(name) ?? {};
    if (facts.patterns) head.append(opener.patternChooser(name, facts));
    let shown = { ids: [], text: "", specials: false };

    copy.addEventListener("click", async () => {
      const done = await copied(`[${shown.ids.join(", ")}]`);
      spoken.textContent = done ? `${plural(shown.ids.length, "id")} copied` : "this browser does not let pages copy";
      copy.textContent = done ? "Copied" : "Not copied";
      setTimeout(() => (copy.textContent = "Copy ids"), 1500);
    });

    const latest = createLatest(
      (question) => backend.cut(name, question.text, { specials: question.specials, most: question.most }),
      {
        done(question, cut) {
          settle(question);
          shown = { ids: cut.ids, text: question.text, specials: question.specials };
          section.removeAttribute("aria-busy");
          problem.hidden = true;
          list.hidden = cut.tokens.length === 0;
          const drawn = row.update(cut, question.most);
          tell(question.text, cut.ids.length);
          more.hidden = drawn >= cut.ids.length;
          more.textContent = more.hidden ? "" : `… and ${plural(cut.ids.length - drawn, "token")} more`;
          note.textContent = [facts.note, cut.note].filter(Boolean).join(" ");
          note.hidden = !note.textContent;
        },
        failed(question, reason) {
          settle(question);
          shown = { ids: [], text: question.text, specials: question.specials };
          row.clear();
          fail(String(reason?.message ?? reason));
        },
        slow() {
          section.setAttribute("aria-busy", "true");
          counts.textContent = "still at work …";
        },
      },
    );

    function settle({ number }) {
      section.dataset.answered = String(number);
    }

    function tell(parts, many) {
      const of = written(parts);
      const size = bytesOf(of).length;
      const each = many ? `${(size / many).toFixed(2)} bytes per token` : "";
      const facts = [plural(many, "token"), plural(size, "byte"), plural(charactersIn(of), "character"), each];
      counts.textContent = facts.filter(Boolean).join(" · ");
    }

    function fail(reason) {
      section.removeAttribute("aria-busy");
      counts.textContent = "";
      list.hidden = more.hidden = note.hidden = true;
      problem.hidden = false;
      problem.textContent = reason;
    }

    attend(list, row, (place) => found.ask({ name, place, text: shown.text, specials: shown.specials }));
    return { section, row, counts, ask: () => latest.ask({ number: asked, text: content(), specials, most: most() }) };
  }

  // ---- Pointer and keyboard on tokens

  function attend(list, row, choose) {
    const placeOf = (event) => row.placeOf(event.target);
    list.addEventListener("pointerover", (event) => explain(row, placeOf(event)));
    list.addEventListener("pointerleave", () => (tip.hidden = true));
    list.addEventListener("focusin", (event) => explain(row, placeOf(event)));
    list.addEventListener("focusout", () => (tip.hidden = true));
    list.addEventListener("scroll", () => (tip.hidden = true));
    list.addEventListener("click", (event) => pick(list, row, placeOf(event), choose));
    list.addEventListener("keydown", (event) => {
      const place = placeOf(event);
      if (place < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "Escape") tip.hidden = true;
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        pick(list, row, place, choose);
      }
      const step = row.boxAt(place).parentNode.dir === "rtl" ? -1 : 1;
      const to = {
        ArrowLeft: place - step,
        ArrowRight: place + step,
        ArrowUp: place - 1,
        ArrowDown: place + 1,
        Home: 0,
        End: row.size() - 1,
      }[event.key];
      if (to === undefined || to < 0 || to >= row.size()) return;
      event.preventDefault();
      row.moveStop(to);
      row.boxAt(to).focus();
    });
  }

  function pick(list, row, place, choose) {
    if (place < 0) return;
    row.moveStop(place);
    for (const other of root.querySelectorAll('[aria-selected="true"]')) other.setAttribute("aria-selected", "false");
    row.boxAt(place).setAttribute("aria-selected", "true");
    choose(place);
  }

  function explain(row, place) {
    tip.hidden = place < 0;
    if (place < 0) return;
    tip.textContent = row.factsAt(place);
    const box = row.boxAt(place).getBoundingClientRect();
    const frame = root.getBoundingClientRect();
    const left = Math.min(box.left - frame.left, frame.width - tip.offsetWidth - 4);
    tip.style.left = `${Math.max(0, left)}px`;
    tip.style.top = `${box.bottom - frame.top + 4}px`;
  }

  // ---- Asking

  let quiet;
  function changed() {
    if (!mounting) start.changed?.();
  }

  function askAll() {
    if (mounting) return;
    changed();
    tip.hidden = true;
    asked += 1;
    // Not dir="auto": Chromium needs seconds for it where a text has many line breaks.
    const direction = directionOf(text);
    if (area.dir !== direction) area.dir = direction;
    root.dataset.asked = String(asked); // a panel whose data-answered is the same shows this text
    for (const name of chosen) panels.get(name).ask();
    clearTimeout(quiet);
    quiet = setTimeout(() => {
      // Not of all that are chosen: a file that was just opened may have no panel yet.
      spoken.textContent = [...panels].map(([name, { counts }]) => `${harmless(name)}: ${counts.textContent}`).join(". ");
    }, QUIET);
  }

  function arrange() {
    for (const name of names) {
      if (!chosen.has(name)) {
        panels.get(name)?.section.remove();
        panels.delete(name);
      } else if (!panels.has(name)) {
        panels.set(name, createPanel(name));
      }
    }
    shelf.append(...names.filter((name) => panels.has(name)).map((name) => panels.get(name).section));
    askAll();
  }

  function setText(now) {
    text = now;
    area.value = now; // which turns \r\n into \n on show; `text` keeps what was given
    askAll();
  }

  area.addEventListener("input", () => {
    text = area.value;
    askAll();
  });

  // state: as in address.js; what it does not say stays as it is.
  function setState(state) {
    if (state.text !== undefined) {
      text = state.text;
      area.value = text;
    }
    if (state.chosen) {
      chosen.clear();
      for (const name of state.chosen) if (names.includes(name)) chosen.add(name);
      for (const [name, box] of boxes) box.checked = chosen.has(name);
    }
    specials = special.firstChild.checked = state.specials ?? specials;
    ids = shownIds.firstChild.checked = state.ids ?? ids;
    root.classList.toggle("mbp-ids", ids);
    const talked = backend.chat ? soundChat(state.chat) : null;
    if (talked) chat.set(talked);
    setMode(Boolean(talked));
    arrange();
  }

  const state = () => ({
    text,
    chat: talk.firstChild.checked ? chat.state() : null,
    chosen: names.filter((name) => chosen.has(name)),
    ids,
    specials,
  });

  // The first word of letters, so that the merges show something before anything was chosen.
  async function preselect() {
    const name = names.find((each) => chosen.has(each));
    const said = (talk.firstChild.checked ? chat.state().messages.map((message) => message.text).join(" ") : text).slice(0, 200);
    if (name === undefined || said === "") return;
    try {
      const words = await backend.words(name, said);
      const word = words.find((each) => /\p{L}{3}/u.test(each)) ?? words[0];
      if (word && merges.isEmpty()) merges.show(name, word);
    } catch {
      // A tokenizer without words or merges says so when it is asked for them.
    }
  }

  element.append(root);
  setState({ text: "", ...start });
  mounting = false;
  arrange();
  if (start.preselect) preselect();
  return { setText, setState, state, root, close: () => (clearTimeout(quiet), root.remove()) };
}
