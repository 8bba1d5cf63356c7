// A chat: messages with roles, and the template that makes one sequence of them.
//
//     parts()     [{ special: "<|im_start|>" }, "user\n", "Hi", { special: "<|im_end|>" }, "\n"]
//
// A special token is an object, so nothing that a person writes becomes one (lesson 05).

import { make } from "./drawing.js";

const special = (name) => ({ special: name });

// Each template: messages to parts. The last message's answer begins where the model would write it.
const TEMPLATES = {
  ChatML: (messages, answer) => [
    ...messages.flatMap(({ role, text }) => [special("<|im_start|>"), `${role}\n`, text, special("<|im_end|>"), "\n"]),
    ...(answer ? [special("<|im_start|>"), "assistant\n"] : []),
  ],
  "Llama 3": (messages, answer) => {
    const head = (role) => [special("<|start_header_id|>"), role, special("<|end_header_id|>"), "\n\n"];
    const turns = messages.flatMap(({ role, text }) => [...head(role), text.trim(), special("<|eot_id|>")]);
    return [special("<|begin_of_text|>"), ...turns, ...(answer ? head("assistant") : [])];
  },
  Mistral: (messages) => [
    special("<s>"),
    ...messages.flatMap(({ role, text }) => ({
      system: [special("[SYSTEM_PROMPT]"), text, special("[/SYSTEM_PROMPT]")],
      user: [special("[INST]"), text, special("[/INST]")],
      assistant: [text, special("</s>")],
    })[role]),
  ],
  harmony: (messages, answer) => [
    ...messages.flatMap(({ role, text }) => [
      special("<|start|>"), role, ...(role === "assistant" ? [special("<|channel|>"), "final"] : []),
      special("<|message|>"), text, special("<|end|>"),
    ]),
    ...(answer ? [special("<|start|>"), "assistant"] : []),
  ],
};
const ROLES = ["system", "user", "assistant"];
const FIRST = {
  template: "ChatML",
  messages: [{ role: "system", text: "Answer in one sentence." }, { role: "user", text: "What is a token?" }],
};

// What of a chat from an address can be shown, or null.
export function soundChat(given) {
  if (!given || !Object.keys(TEMPLATES).includes(given.template) || !Array.isArray(given.messages)) return null;
  const messages = given.messages.filter((each) => ROLES.includes(each?.role) && typeof each.text === "string");
  return { template: given.template, messages: messages.map(({ role, text }) => ({ role, text })) };
}

// changed(): called after every change.
export function createChat(changed, unique) {
  const section = make("div", "mbp-chat");
  const chooser = select(Object.keys(TEMPLATES), (template) => (chat.template = template));
  const label = make("label", "mbp-label", "Template");
  label.htmlFor = chooser.id = unique("template");
  const head = make("div", "mbp-controls");
  head.append(label, chooser);
  const list = make("ol", "mbp-messages");
  const add = make("button", "mbp-button", "Add a message");
  add.type = "button";
  const hint = make("p", "mbp-aside", "What you write is text: a special token in a message is one only where the switch below says so.");
  section.append(head, list, add, hint);
  let chat;
  const lastRole = () => chat.messages[chat.messages.length - 1]?.role;

  add.addEventListener("click", () => {
    chat.messages.push({ role: lastRole() === "user" ? "assistant" : "user", text: "" });
    draw();
    changed();
    list.querySelector("li:last-child textarea").focus();
  });

  function select(names, choose) {
    const made = make("select", "mbp-select");
    for (const name of names) made.append(make("option", "", name));
    made.addEventListener("change", () => {
      choose(made.value);
      changed();
    });
    return made;
  }

  function draw() {
    list.textContent = "";
    chat.messages.forEach((message, at) => {
      const item = make("li", "mbp-message");
      const role = select(ROLES, (chosen) => (message.role = chosen));
      role.value = message.role;
      role.setAttribute("aria-label", `Role of message ${at + 1}`);
      const area = make("textarea", "mbp-said");
      area.rows = 2;
      area.dir = "auto";
      area.spellcheck = false;
      area.value = message.text;
      area.setAttribute("aria-label", `Message ${at + 1}`);
      area.addEventListener("input", () => {
        message.text = area.value;
        changed();
      });
      const remove = make("button", "mbp-button", "Remove");
      remove.type = "button";
      remove.setAttribute("aria-label", `Remove message ${at + 1}`);
      remove.addEventListener("click", () => {
        chat.messages.splice(at, 1);
        draw();
        changed();
        add.focus();
      });
      item.append(role, remove, area);
      list.append(item);
    });
  }

  function set(given) {
    chat = JSON.parse(JSON.stringify(given ?? FIRST));
    chooser.value = chat.template;
    draw();
  }

  set(null);
  return {
    section,
    set,
    state: () => chat,
    parts: () => TEMPLATES[chat.template](chat.messages, lastRole() !== "assistant"),
  };
}
