"use strict";
(() => {
  const $$ = (query, root = document) => [...root.querySelectorAll(query)];

  // A link to a place inside closed parts opens them, and shows a claim from its own row on.
  const reveal = () => {
    const place = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!place) return;
    for (let at = place; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
    const shut = place.closest("details.claim");
    if (shut && shut.hidden) { reset(); }
    (shut || place).scrollIntoView({ block: "start" });
    const head = shut && shut.querySelector("summary");
    if (head) head.focus({ preventScroll: true });
  };

  // The claims: filter by verdict and words; sort.
  const tools = document.querySelector("form.tools");
  let reset = () => {};
  if (tools) {
    const list = document.getElementById(tools.querySelector("[data-open]").dataset.open);
    const rows = $$("details.claim", list);
    // Sections of the paper; a list that has none is its claims' only home.
    const homes = new Map(rows.map((row) => [row, row.parentElement]));
    let last = "order";
    const words = new Map(rows.map((row) => [row, row.querySelector("summary").textContent.toLowerCase()]));
    const status = tools.querySelector("[role=status]");
    // A number is meant whole: the 3 of "Theorem 3" is not in "Theorem 34".
    const standsIn = (word) => {
      if (!/^\d+$/.test(word)) return (text) => text.includes(word);
      const whole = new RegExp(`(?<!\\d)${word}(?!\\d)`);
      return (text) => whole.test(text);
    };
    const order = {
      order: (a, b) => a.dataset.order - b.dataset.order,
      rank: (a, b) => a.dataset.rank - b.dataset.rank || a.dataset.order - b.dataset.order,
      name: (a, b) => a.dataset.name.localeCompare(b.dataset.name),
      ratio: (a, b) => b.dataset.ratio - a.dataset.ratio,
      checked: (a, b) => b.dataset.checked - a.dataset.checked,
    };
    const update = () => {
      const given = new FormData(tools);
      const wanted = new Set(given.getAll("verdict"));
      const asked = given.get("words").toLowerCase().split(/\s+/).filter(Boolean).map(standsIn);
      let shown = 0;
      for (const row of rows) {
        const fits = wanted.has(row.dataset.verdict) && asked.every((word) => word(words.get(row)));
        row.hidden = !fits;
        shown += fits;
      }
      const by = given.get("sort");
      if (by !== last) for (const row of rows.slice().sort(order[by])) (by === "order" ? homes.get(row) : list).append(row);
      last = by;
      for (const part of $$("details.part", list)) {
        part.hidden = !part.querySelector("details.claim:not([hidden])");
        if (shown < rows.length) part.open = true;
      }
      status.textContent = shown === rows.length ? `All ${shown} are shown.` : `${shown} of ${rows.length} are shown.${shown ? "" : " Clear the words, or tick more verdicts."}`;
    };
    reset = () => { tools.reset(); update(); };
    tools.hidden = false;
    tools.addEventListener("submit", (event) => event.preventDefault());
    tools.addEventListener("input", update);
    for (const button of $$("button", tools)) {
      const open = "open" in button.dataset;
      button.addEventListener("click", () => { for (const row of [...rows, ...$$("details.part", list)]) if (!row.hidden) row.open = open; });
    }
    update();
  }

  // What scrolls sideways says so, and can be reached with the keyboard.
  for (const part of $$(".formula, .scroll")) {
    if (part.previousElementSibling && part.previousElementSibling.matches(".hint")) continue;
    const hint = document.createElement("p");
    hint.className = "hint";
    hint.hidden = true;
    hint.textContent = `The ${part.matches(".formula, dt *") ? "formula" : part.matches("p") ? "line" : "table"} goes on: scroll it sideways. →`;
    part.before(hint);
  }
  const mind = (roots) => {
    // What is closed has no width yet, and to ask for one lays it out; it is looked at when it opens.
    const inside = new Set(roots.flatMap((root) => $$(".formula, .scroll", root)));
    const parts = [...inside].filter((part) => !part.closest("details:not([open])"));
    // All are measured before any is changed: a page that changes in between is laid out again for each.
    const widths = parts.map((part) => part.scrollWidth > part.clientWidth + 1);
    for (const [i, part] of parts.entries()) {
      const wide = widths[i];
      const hint = part.previousElementSibling;
      if (hint && hint.matches(".hint")) hint.hidden = !wide;
      if (part.classList.contains("picture")) continue;
      if (wide) {
        part.tabIndex = 0;
        part.setAttribute("role", "group");
        part.setAttribute("aria-label", part.dataset.name || (part.matches(".formula") ? "Formula" : "Table"));
      } else part.removeAttribute("tabindex");
    }
  };
  addEventListener("resize", () => mind([document]));
  addEventListener("load", () => mind([document]));
  // Parts that open at once are looked at together, before they are painted: the page is laid out once for all of them.
  let toggled = [];
  document.addEventListener("toggle", (event) => {
    toggled.push(event.target);
    if (toggled.length === 1) requestAnimationFrame(() => mind(toggled.splice(0)));
  }, true);
  mind([document]);

  // Paper cannot be opened: what is open is printed with all that it holds, what is closed as its row alone.
  const PAPER = 640;
  let shut = [];
  addEventListener("beforeprint", () => {
    shut = $$("main details[open] details:not([open])");
    for (const part of shut) part.open = true;
    for (const formula of $$(".formula math")) {
      const needs = formula.getBoundingClientRect().width;
      const symbol = formula.closest("dd")?.previousElementSibling;
      const room = PAPER - (symbol ? symbol.getBoundingClientRect().width + 20 : 0);
      formula.style.setProperty("--fit", needs > room ? room / needs : 1);
    }
  });
  addEventListener("afterprint", () => { for (const part of shut) part.open = false; });

  addEventListener("hashchange", reveal);
  // The same link once more changes no address.
  addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#']");
    if (link && link.getAttribute("href") === location.hash) setTimeout(reveal);
  });
  // While it loads, the browser itself still moves the page to the place in its address.
  addEventListener("load", () => requestAnimationFrame(reveal));
  reveal();
})();
