// The address of the page says what it shows: #text=hello&with=gpt2&with=o200k_base&ids=off
//
// It is the part behind #, which no browser sends to a server.

const LONGEST = 8000; // characters; longer addresses are cut off by some programs

// The state in an address: { text, chat, chosen, ids, specials }, each only if the address says it.
export function readAddress(hash) {
  const said = new URLSearchParams(hash.slice(1));
  const state = {};
  if (said.has("text")) state.text = said.get("text");
  if (said.has("with")) state.chosen = said.getAll("with").filter((name) => name);
  for (const key of ["ids", "specials"]) if (said.has(key)) state[key] = said.get(key) !== "off";
  if (said.has("chat")) {
    try {
      const { template, messages } = JSON.parse(said.get("chat"));
      state.chat = { template, messages: messages.map(([role, text]) => ({ role, text })) };
    } catch {
      // Not a chat: the rest of the address still counts.
    }
  }
  return state;
}

// The part of an address that says a state, or null where the text is too long for one.
export function writeAddress({ text, chat, chosen, ids, specials }) {
  const said = new URLSearchParams();
  if (chat) {
    said.set("chat", JSON.stringify({ template: chat.template, messages: chat.messages.map(({ role, text: own }) => [role, own]) }));
  } else {
    said.set("text", text);
  }
  for (const name of chosen.length ? chosen : [""]) said.append("with", name);
  if (!ids) said.set("ids", "off");
  if (specials) said.set("specials", "on");
  const hash = `#${said}`;
  return hash.length > LONGEST ? null : hash;
}
