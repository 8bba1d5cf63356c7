// The course in JupyterLab: links to the neighboring lessons above a notebook, and a Check button under each answer.
//
// This file is served as it is written, without a build step. JupyterLab loads it as a module-federation container (the
// last lines) and activates the plugin, which extends every notebook that is opened. A notebook's file stays the same.

(() => {
  const styleSheet = new URL("style.css", document.currentScript.src).href;
  let shared; // JupyterLab's own modules, by name and version

  async function sharedModule(name) {
    const [version] = Object.values(shared[name]);
    return (await version.get())();
  }

  // ---- Links between lessons

  const LESSON = /^(\d\d)_\w+\.ipynb$/;
  const KINDS = { notebooks: ["Lesson", "exercises"], exercises: ["Exercises", "notebooks"] };

  /** Return the lessons of a folder as {number, path}, in order. */
  async function lessonsIn(contents, folder) {
    const { content } = await contents.get(folder);
    return content
      .filter((file) => file.type === "notebook" && LESSON.test(file.name))
      .map((file) => ({ number: file.name.slice(0, 2), path: file.path }))
      .sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  /** Return the links of a notebook as {label, title, path}: the lesson before, the exercises, the lesson after. */
  async function linksFrom(contents, path) {
    const parts = path.split("/");
    const number = parts.pop().slice(0, 2);
    const folder = parts.join("/");
    const [kind, otherFolder] = KINDS[parts.pop()] ?? KINDS.notebooks;
    // A lesson may have two notebooks, so neighbors are found by their places, not by their numbers.
    const lessons = await lessonsIn(contents, folder);
    const previous = lessons.filter((lesson) => lesson.path < path).pop();
    const next = lessons.find((lesson) => lesson.path > path);

    // The parent is asked first, because the browser reports a missing folder as an error.
    const beside = folder ? (await contents.get(parts.join("/"))).content : [];
    const other = beside.find((entry) => entry.type === "directory" && entry.name === otherFolder);
    const same = other && (await lessonsIn(contents, other.path)).find((lesson) => lesson.number === number);

    return [
      previous && { label: `← ${kind} ${previous.number}`, title: "previous", path: previous.path },
      same && { label: `${KINDS[otherFolder][0]} ${number}`, title: "same lesson", path: same.path },
      next && { label: `${kind} ${next.number} →`, title: "next", path: next.path },
    ].filter(Boolean);
  }

  function linkTo(app, { label, title, path }) {
    const link = document.createElement("a");
    link.textContent = label;
    link.title = `${title}: ${path.split("/").pop()}`;
    link.classList.toggle("mbc-next", title === "next");
    // An address of its own, so that a lesson can be opened in a new tab of the browser.
    const encoded = path.split("/").map(encodeURIComponent).join("/");
    link.href = `${app.serviceManager.serverSettings.baseUrl}lab/tree/${encoded}`;
    link.onclick = (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      app.commands.execute("docmanager:open", { path });
    };
    return link;
  }

  async function addLinks(app, panel, Widget) {
    const path = app.serviceManager.contents.localPath(panel.context.path);
    const nav = document.createElement("nav");
    nav.className = "mbc-lessons";
    nav.setAttribute("aria-label", "Lessons");
    nav.append(...(await linksFrom(app.serviceManager.contents, path)).map((link) => linkTo(app, link)));
    if (nav.childElementCount && !panel.isDisposed) panel.contentHeader.addWidget(new Widget({ node: nav }));
  }

  /** Tell whether a notebook belongs to the course: its name has a number, and its code imports the package. */
  function isOfCourse(panel) {
    const cells = [...panel.content.model.cells];
    return (
      /^\d\d_.*\.ipynb$/.test(panel.context.path.split("/").pop()) &&
      cells.some((cell) => cell.type === "code" && cell.sharedModel.source.includes("minbpe_course"))
    );
  }

  // ---- The Check button

  /** Return the cells to run when `cell` is checked, the check last; null if it is neither an answer nor a blank. */
  function checkedTogether(cells, cell) {
    const gradeId = (other) => other.model.getMetadata("nbgrader")?.grade_id ?? "";
    const code = cells.filter((other) => other.model.type === "code");

    // An exercise: the import of `check`, code that is given, parts of the learner's file, the answer, its check.
    if (gradeId(cell) && cell.model.getMetadata("tags")?.includes("answer")) {
      const check = code.find((other) => gradeId(other) === `${gradeId(cell)}-check`);
      const above = code.slice(0, code.indexOf(cell));
      const parts = above.filter((other) => /\bmine\("/.test(other.model.sharedModel.source));
      const given = [...parts, ...code.filter((other) => gradeId(other).startsWith(`${gradeId(cell)}-given`))];
      return check ? [...new Set([code[0], ...given, cell, check])] : null;
    }
    // A blank of a lesson, by its id, and the cell below it that checks it.
    if (/^\d\d-\w+$/.test(cell.model.id)) {
      const key = cell.model.id.replace("-", ".");
      const check = code.slice(code.indexOf(cell) + 1).find((other) => checks(other, key));
      return check ? [cell, check] : null;
    }
    return null;
  }

  function checks(cell, key) {
    return cell.model.sharedModel.source.startsWith(`check("${key}"`);
  }

  /** Return how a check ended, in a few words: the state of an exercise or of each method, or the first sentence. */
  function resultOf(check) {
    const [output] = check.model.outputs.toJSON();
    const text = [output?.data?.["text/plain"] ?? output?.text ?? ""].flat().join("");
    const [line] = text.split("\n");
    return /^[✓✗○] \w+ · [✓✗○] /.test(line) ? line : text.split(/ · |\.\s/)[0];
  }

  /** Say that an error stopped the check, and what to do if a name of the cells above is missing. */
  function stoppedBy(cells) {
    const [error] = cells.flatMap((cell) => cell.model.outputs.toJSON().filter((each) => each.output_type === "error"));
    const missing = error?.ename === "NameError" && /'(\w+)'/.exec(error.evalue);
    return missing ? `${missing[1]} is not defined: have you run the cells above?` : "stopped by an error";
  }

  /** Give the keyboard to the cell below the check, as Shift+Enter does. */
  function moveBelow(notebook, check) {
    const at = notebook.widgets.indexOf(check) + 1;
    notebook.deselectAll();
    notebook.activeCellIndex = Math.min(at, notebook.widgets.length - 1);
    notebook.mode = "command";
    notebook.activeCell.node.focus({ preventScroll: true });
    check.node.scrollIntoView({ block: "nearest" });
  }

  /** Let Ctrl+A, if it is the next thing that the learner does, select the code of this cell and not all cells. */
  function selectCodeOnce(notebook, cell) {
    const stop = new AbortController();
    const heard = (event) => {
      if (event.key === "Control" || event.key === "Meta") return;
      stop.abort();
      if (!(event.ctrlKey || event.metaKey) || event.key !== "a" || cell.isDisposed) return;
      event.preventDefault();
      event.stopPropagation();
      notebook.activeCellIndex = notebook.widgets.indexOf(cell);
      notebook.mode = "edit";
      const last = cell.editor.lineCount - 1;
      const end = { line: last, column: cell.editor.getLine(last).length };
      cell.editor.setSelection({ start: { line: 0, column: 0 }, end });
    };
    // The window hears a key before JupyterLab's shortcuts do.
    for (const kind of ["keydown", "pointerdown"]) {
      window.addEventListener(kind, heard, { capture: true, signal: stop.signal });
    }
  }

  async function addButton(panel, cell, Widget, NotebookActions) {
    await cell.ready; // its input and output come first
    if (cell.isDisposed) return;
    const node = document.createElement("div");
    const button = document.createElement("button");
    const status = document.createElement("span");
    node.className = "mbc-check";
    node.append(button, status);
    // Otherwise Enter on the button would start to edit the cell.
    node.dataset.lmSuppressShortcuts = "true";
    button.textContent = "Check";
    button.title = "Run this answer and its check";
    status.setAttribute("role", "status");
    cell.model.contentChanged.connect(() => {
      status.textContent = "";
    });
    button.onclick = async () => {
      const together = checkedTogether(panel.content.widgets, cell);
      if (!together) return;
      const check = together[together.length - 1];
      status.textContent = "checking …";
      const ran = await NotebookActions.runCells(panel.content, together, panel.sessionContext);
      status.textContent = ran ? resultOf(check) : stoppedBy(together);
      moveBelow(panel.content, check);
      selectCodeOnce(panel.content, cell);
    };
    cell.layout.addWidget(new Widget({ node }));
  }

  // ---- What JupyterLab asks for

  async function extendNotebook(app, panel) {
    const { Widget } = await sharedModule("@lumino/widgets");
    const { NotebookActions } = await sharedModule("@jupyterlab/notebook");
    await panel.context.ready;
    if (panel.isDisposed) return;

    const seen = new WeakSet();
    const addButtons = () => {
      for (const cell of panel.content.widgets) {
        if (seen.has(cell) || !checkedTogether(panel.content.widgets, cell)) continue;
        seen.add(cell);
        addButton(panel, cell, Widget, NotebookActions);
      }
    };
    addButtons();
    panel.content.model.cells.changed.connect(addButtons);

    if (isOfCourse(panel)) {
      panel.addClass("mbc-course");
      await addLinks(app, panel, Widget);
    }
  }

  const plugin = {
    id: "minbpe-course:lessons",
    description: "Links between the lessons of minbpe_course, and Check buttons.",
    autoStart: true,
    activate: (app) => {
      const link = document.createElement("link");
      link.rel = "stylesheet";
      link.href = styleSheet;
      document.head.append(link);
      app.docRegistry.addWidgetExtension("Notebook", {
        createNew: (panel) => {
          extendNotebook(app, panel).catch((error) => console.warn("minbpe-course:", error));
        },
      });
    },
  };

  window._JUPYTERLAB ??= {};
  window._JUPYTERLAB["minbpe-course"] = {
    init: (scope) => {
      shared = scope;
    },
    get: async () => () => ({ __esModule: true, default: plugin }),
  };
})();
