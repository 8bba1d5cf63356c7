// The merges of one word, step by step: what stands there, which pair is joined next, and its rank.

import { bytesOf, directionOf, fill, harmless, make, visible } from "./drawing.js";
import { createLatest } from "./latest.js";

const LONGEST = 200; // bytes of a word whose steps are shown; each step draws all its parts

const INVITATION = "Choose a token above, or type a word.";

const plural = (many, one) => `${many} ${one}${many === 1 ? "" : "s"}`;

// backend: names, words(name, text) and steps(name, word), as in ui.js. heading: the tag of its title.
export function createMerges(backend, heading, unique) {
  const section = make("section", "mbp-merges");
  const title = make(heading, "mbp-title", "The merges of one word");
  title.id = unique("merges");
  section.setAttribute("aria-labelledby", title.id);
  section.append(title);

  const controls = make("div", "mbp-controls");
  const chooser = make("select", "mbp-select");
  function add(name) {
    const option = make("option", "", harmless(name));
    option.value = name;
    chooser.append(option);
  }
  backend.names.forEach(add);
  const word = make("input", "mbp-word");
  word.type = "text";
  word.dir = "auto";
  word.spellcheck = false;
  word.setAttribute("autocomplete", "off");
  word.setAttribute("autocapitalize", "off");
  controls.append(labelled("Word", word), labelled("Tokenizer", chooser));
  const words = make("div", "mbp-words");
  words.setAttribute("role", "group");
  words.setAttribute("aria-label", "Words");

  const stage = make("div", "mbp-stage");
  stage.tabIndex = 0;
  stage.setAttribute("role", "group");
  stage.setAttribute("aria-label", "Parts of the word; the arrow keys step through the merges");
  const parts = make("div", "mbp-parts");
  const caption = make("p", "mbp-caption");
  caption.setAttribute("aria-live", "polite");
  const moves = make("div", "mbp-controls");
  const first = button("⏮", "First step", () => go(0));
  const back = button("◀", "Step back", () => go(at - 1));
  const forth = button("▶", "Step forth", () => go(at + 1));
  const last = button("⏭", "Last step", () => go(steps.length - 1));
  const slider = make("input", "mbp-slider");
  slider.type = "range";
  slider.min = "0";
  slider.setAttribute("aria-label", "Step");
  slider.addEventListener("input", () => go(Number(slider.value)));
  moves.append(first, back, forth, last, slider);
  stage.append(parts);
  const hint = make("p", "mbp-hint", INVITATION);
  section.append(controls, words, hint, moves, stage, caption);

  let text = "";
  let steps = [];
  let at = 0;

  function labelled(text, control) {
    const wrapped = make("span", "mbp-labelled");
    const label = make("label", "mbp-label", text);
    label.htmlFor = control.id = unique(text);
    wrapped.append(label, " ", control);
    return wrapped;
  }

  function button(sign, name, act) {
    const made = make("button", "mbp-button", sign);
    made.type = "button";
    made.setAttribute("aria-label", name);
    made.title = name;
    made.addEventListener("click", act);
    return made;
  }

  // Show these steps from the first one on. Without steps every control that moves is switched off.
  function load(now) {
    steps = now;
    at = 0;
    const none = steps.length === 0;
    moves.hidden = stage.hidden = caption.hidden = none;
    slider.max = String(Math.max(0, steps.length - 1));
    for (const control of [first, back, forth, last, slider]) control.disabled = none;
    if (none) parts.textContent = caption.textContent = "";
    else go(0);
  }

  function say(text) {
    load([]);
    hint.textContent = text;
    hint.hidden = !text;
  }

  function go(to) {
    if (steps.length === 0) return;
    at = Math.max(0, Math.min(steps.length - 1, to));
    const here = steps[at];
    const next = steps[at + 1] ?? null;
    parts.textContent = "";
    parts.dir = directionOf(text);
    let joining = null;
    here.parts.forEach((part, place) => {
      const box = make("span", place === here.at ? "mbp-part mbp-made" : "mbp-part");
      fill(box, part);
      if (next !== null && place === next.at) {
        joining = make("span", "mbp-next");
        parts.append(joining);
      }
      (next !== null && (place === next.at || place === next.at + 1) ? joining : parts).append(box);
    });
    const sentences = [`Step ${at} of ${steps.length - 1}: ${plural(here.parts.length, "part")}.`];
    if (at > 0) sentences.push(`“${visible(here.parts[here.at])}” was joined last.`);
    if (next === null) {
      sentences.push("No pair is left that has a merge.");
    } else {
      const [left, right] = [here.parts[next.at], here.parts[next.at + 1]].map(visible);
      sentences.push(`Next: “${left}” and “${right}”, rank ${next.rank}.`);
    }
    caption.textContent = sentences.join(" ");
    slider.value = String(at);
    slider.setAttribute("aria-valuetext", sentences[0]);
    first.disabled = back.disabled = at === 0;
    last.disabled = forth.disabled = at === steps.length - 1;
  }

  stage.addEventListener("keydown", (event) => {
    const rightward = parts.dir === "rtl" ? -1 : 1;
    const to = { ArrowLeft: at - rightward, ArrowRight: at + rightward, Home: 0, End: steps.length - 1 }[event.key];
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    go(to);
  });

  const latest = createLatest(
    async ({ name, text: asked, chosen }) => {
      const found = chosen === undefined ? await backend.words(name, asked) : null;
      const one = found === null ? chosen : (found[0] ?? "");
      return { found, one, steps: one === "" ? [] : await backend.steps(name, one) };
    },
    {
      done(question, { found, one, steps: got }) {
        if (found !== null) showWords(question, found);
        if (got.length === 0) {
          say(one === "" ? "No word yet." : `${harmless(question.name)} has no merges to show.`);
          return;
        }
        hint.hidden = true;
        load(got);
      },
      failed(_, problem) {
        words.textContent = "";
        say(String(problem?.message ?? problem));
      },
      slow(question) {
        say(`${harmless(question.name)} is still at work …`);
      },
    },
  );

  function showWords(question, found) {
    words.textContent = "";
    if (found.length < 2) return;
    words.append(`${harmless(question.name)} makes ${found.length} words of it, and no merge crosses from one to the next: `);
    found.forEach((each, place) => {
      const chip = make("button", "mbp-button mbp-chip");
      chip.type = "button";
      fill(chip, each);
      chip.setAttribute("aria-pressed", String(place === 0));
      chip.addEventListener("click", () => {
        for (const other of words.querySelectorAll("button")) other.setAttribute("aria-pressed", String(other === chip));
        latest.ask({ name: question.name, text: each, chosen: each });
      });
      words.append(chip, " ");
    });
  }

  // chosen: what is known to be one word, because it was found in a text.
  function ask(now, chosen) {
    text = now;
    words.textContent = "";
    const size = bytesOf(text).length;
    if (text !== "" && size <= LONGEST) {
      latest.ask({ name: chooser.value, text, chosen });
      return;
    }
    latest.forget();
    say(text === "" ? INVITATION : `This word has ${size} bytes; steps are shown for words of up to ${LONGEST} bytes.`);
  }

  word.addEventListener("input", () => ask(word.value));
  chooser.addEventListener("change", () => ask(text));
  say(INVITATION);
  return {
    section,
    add,
    isEmpty: () => text === "" && steps.length === 0,
    show(name, found) {
      chooser.value = name;
      word.value = found; // a line break is not shown there, but kept in `text`
      ask(found, found);
    },
    explain(name, reason) {
      latest.forget();
      chooser.value = name;
      words.textContent = "";
      say(reason);
    },
  };
}
