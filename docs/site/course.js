// A page that is read from a disk may not fetch its neighbours, so found pages are listed without an excerpt there.
if (location.protocol === "file:") {
  DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
}

// The boxes of a text in a lesson lead to the same text in the playground: each box says its bytes.
function textOf(list) {
  const bytes = [...list.querySelectorAll("[role=listitem]")].map(
    (box) => /bytes ((?:[0-9a-f]{2} ?)+)/.exec(box.title)?.[1].trim().split(" ") ?? null,
  );
  if (bytes.length === 0 || bytes.includes(null)) return null;
  try {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    return decoder.decode(Uint8Array.from(bytes.flat(), (byte) => parseInt(byte, 16)));
  } catch {
    return null; // not a text, or cut within a character
  }
}

document.addEventListener("DOMContentLoaded", () => {
  for (const output of document.querySelectorAll(".cell_output")) {
    const list = output.querySelector("[role=list]");
    const text = list && textOf(list);
    if (!text) continue;
    const link = document.createElement("a");
    const root = document.documentElement.dataset.content_root;
    link.href = `${root}playground/index.html#${new URLSearchParams({ text })}`;
    link.textContent = "Try this text in the playground";
    link.className = "try-text";
    output.append(link);
  }
});

// The playground in a frame is a page of its own, so each frame is told the theme that the reader chose here.
document.addEventListener("DOMContentLoaded", () => {
  const root = document.documentElement;
  const frames = [...document.querySelectorAll("iframe.playground")];
  const tell = () => frames.forEach((frame) => frame.contentWindow.postMessage({ theme: root.dataset.theme }, "*"));
  frames.forEach((frame) => frame.addEventListener("load", tell));
  new MutationObserver(tell).observe(root, { attributeFilter: ["data-theme"] });
  tell();
  // The button for it gives the focus away, so a second press of Enter would do nothing.
  for (const button of document.querySelectorAll("button.theme-switch-button")) {
    button.addEventListener("click", () => setTimeout(() => button.focus()));
  }
});

// A picture that is wider than a phone scrolls, with the keyboard, too.
window.addEventListener("load", () => {
  const boxes = [...document.querySelectorAll(".bd-article :is(.cell_output, p):has(> img)")];
  const reach = () => boxes.forEach((box) => {
      if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
    });
  boxes.forEach((box) => new ResizeObserver(reach).observe(box));
});
