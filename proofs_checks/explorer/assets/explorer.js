/* What the page does by itself: it gathers the controls, sends them to the server one at a time, and keeps the link. */
(function () {
  "use strict";
  const NOTHING = () => window.dash_clientside.no_update;
  const PATIENCE = 4000; // ms after which an unanswered question is given up
  const CALM = 200; // ms without a change after which the slower parts are asked for
  let dragging = false;
  let underway = null; // the timer of the question that the server works on; null if it works on none
  let waiting = null; // the newest question that waits for its turn
  let calm = null; // the timer of the slower parts

  /* Sets a store by hand: Dash drops what a callback returns once the same callback has been called again. */
  function send(store, state, more) {
    const data = Object.assign({ serial: performance.now() }, more, state);
    window.dash_clientside.set_props(store, { data: data });
  }

  function ask(state) {
    underway = setTimeout(next, PATIENCE);
    send("asked", state, { draft: dragging });
  }

  function next() {
    clearTimeout(underway);
    underway = null;
    if (!waiting) return;
    const state = waiting;
    waiting = null;
    ask(state);
  }

  function number(value) {
    return typeof value === "number" && isFinite(value) ? value : null;
  }

  function choose(choices, key, value) {
    const chosen = Object.assign({}, choices);
    if (key === "policies") {
      const all = chosen.policies.includes(value)
        ? chosen.policies.filter((each) => each !== value)
        : chosen.policies.concat([value]);
      chosen.policies = all;
    } else if (key === "theme") {
      chosen.theme = chosen.theme === "dark" ? "light" : "dark";
      try { window.localStorage.setItem("costproof-theme", chosen.theme); } catch (error) { /* private window */ }
    } else {
      chosen[key] = key === "provider" ? Number(value) : value;
    }
    return chosen;
  }

  window.dash_clientside = Object.assign({}, window.dash_clientside, {
    explorer: {
      /* A slider and its box hold one number. */
      together: function (slid, typed) {
        const from = window.dash_clientside.callback_context.triggered_id;
        if (!from) return [NOTHING(), NOTHING()];
        return from.part === "range" ? [NOTHING(), Number(slid)] : [typed === null || typed === undefined ? NOTHING() : typed, NOTHING()];
      },

      choose: function (clicks, picked, begun, choices) {
        const triggered = window.dash_clientside.callback_context.triggered;
        const has = (store) => triggered.some((each) => each.prop_id === store + ".data");
        // Controls that are made anew come with buttons that nobody has pressed yet: look at what begins first.
        if (has("begun") && begun) {
          let theme = choices.begun ? choices.theme : null;
          try { theme = theme || window.localStorage.getItem("costproof-theme"); } catch (error) { /* private window */ }
          if (!theme) theme = window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
          return Object.assign({}, choices, begun, { theme: theme, begun: true });
        }
        if (has("picked") && picked) return choose(choices, picked.key, picked.value);
        const pressed = triggered.find((each) => each.value && each.prop_id.endsWith(".n_clicks"));
        if (!pressed) return NOTHING();
        const from = JSON.parse(pressed.prop_id.slice(0, -".n_clicks".length));
        return choose(choices, from.choice, from.value);
      },

      /* Buttons say whether they are pressed; the style sheet does the rest. */
      show: function (choices, ids) {
        document.documentElement.dataset.view = choices.view;
        document.documentElement.dataset.theme = choices.theme;
        return ids.map((id) => {
          const chosen = choices[id.choice];
          if (id.choice === "theme") return null; // its words say what it does
          const pressed = Array.isArray(chosen) ? chosen.includes(id.value) : String(chosen) === String(id.value);
          return pressed ? "true" : "false";
        });
      },

      /* Everything that can be turned, as one table: what the server calls the state of the page. */
      gather: function (boxes, lone, choices, base, boxIds, loneIds) {
        if (!base || !choices || !choices.view || !boxIds.length) return NOTHING();
        const tables = { platform: {}, market: {}, focus: {} };
        const providers = [];
        const put = (id, value) => {
          const table = id.of in tables ? tables[id.of] : (providers[Number(id.of)] = providers[Number(id.of)] || {});
          table[id.knob] = id.knob === "name" ? value || "" : number(value);
        };
        boxIds.forEach((id, at) => put(id, boxes[at]));
        loneIds.forEach((id, at) => put(id, lone[at]));
        if (providers.length !== base.providers || providers.includes(undefined)) return NOTHING();
        const market = Object.assign({ policies: choices.policies, bidders: choices.bidders }, tables.market);
        const focus = Object.assign({ view: choices.view, metric: choices.metric, provider: choices.provider }, tables.focus);
        focus.step = Math.max(1, Math.min(focus.step || market.horizon, market.horizon));
        focus.run = Math.max(0, Math.min(focus.run || 0, market.runs - 1));
        focus.provider = Math.min(focus.provider, providers.length - 1);
        return {
          setting: { name: base.name, platform: tables.platform, provider: providers },
          market: market, focus: focus, theme: choices.theme, verdict: choices.verdict,
        };
      },

      /* The slider of the steps ends at the horizon. */
      reach: function (state) {
        return state ? state.market.horizon : NOTHING();
      },

      /* One question at a time; of those that come meanwhile only the newest is asked. */
      gate: function (state, released) {
        if (state && underway !== null) waiting = state;
        else if (state) ask(state);
        return NOTHING();
      },

      answered: function () {
        next();
        return NOTHING();
      },

      /* The slower parts follow when nothing has moved for a moment. */
      settle: function (state) {
        if (!state) return NOTHING();
        clearTimeout(calm);
        const look = () => {
          if (dragging) calm = setTimeout(look, CALM);
          else send("settled", state);
        };
        calm = setTimeout(look, CALM);
        return NOTHING();
      },

      link: function (query) {
        if (typeof query === "string") window.history.replaceState(null, "", query ? "?" + query : window.location.pathname);
        return NOTHING();
      },
    },
  });

  document.addEventListener("pointerdown", (event) => {
    if (event.target.matches && event.target.matches("input[type=range]")) dragging = true;
  });
  ["pointerup", "pointercancel"].forEach((name) => document.addEventListener(name, () => {
    if (!dragging) return;
    dragging = false;
    window.dash_clientside.set_props("released", { data: performance.now() });
  }));
  /* Copies a text of the page; where the browser allows no clipboard, it is selected for the reader to copy. */
  function copy(button, text) {
    const range = document.createRange();
    range.selectNodeContents(text);
    const selection = window.getSelection();
    selection.removeAllRanges();
    selection.addRange(range);
    const done = document.execCommand("copy");
    if (done) selection.removeAllRanges();
    button.textContent = done ? "Copied" : "Selected: copy it";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  }

  /* Marks the tables that are wider than their box, and those whose last columns are still out of sight. */
  function hint() {
    document.querySelectorAll(".scroll").forEach((box) => {
      const hidden = box.scrollWidth - box.clientWidth;
      box.parentElement.toggleAttribute("data-wide", hidden > 1);
      box.toggleAttribute("data-more", hidden - box.scrollLeft > 1);
    });
  }
  document.addEventListener("scroll", hint, { capture: true, passive: true });
  const sizes = new ResizeObserver(hint);
  const watched = new WeakSet();
  new MutationObserver(() => document.querySelectorAll(".scroll, .scroll > table").forEach((each) => {
    if (watched.has(each)) return;
    watched.add(each);
    sizes.observe(each);
  })).observe(document.documentElement, { childList: true, subtree: true });

  document.addEventListener("click", (event) => {
    const button = event.target.closest ? event.target.closest("button") : null;
    if (!button) return;
    if (button.dataset.zero) {
      ["underbid", "overbid"].forEach((knob) =>
        window.dash_clientside.set_props({ knob: knob, of: "platform", part: "box" }, { value: 0 }));
    }
    if (button.dataset.copy) copy(button, document.getElementById(button.dataset.copy));
    if (button.id === "save") window.dash_clientside.set_props("saving", { data: performance.now() });
    if (button.id === "sheet") {
      const open = document.documentElement.dataset.sheet === "open";
      document.documentElement.dataset.sheet = open ? "closed" : "open";
      button.setAttribute("aria-expanded", open ? "false" : "true");
      button.textContent = open ? "Sliders" : "Close";
      const picture = document.querySelector(".of-" + document.documentElement.dataset.view + " figure");
      if (!open && picture) picture.scrollIntoView({ block: "start" });
    }
  });
  document.addEventListener("change", (event) => {
    const key = event.target.dataset && event.target.dataset.choice;
    if (key) window.dash_clientside.set_props("picked", { data: { key: key, value: event.target.value, at: performance.now() } });
  });
})();
