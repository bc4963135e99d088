/* What the page does by itself: it gathers the controls, sends them to the server one at a time, and keeps the link. */
(function () {
  "use strict";
  const NOTHING = () => window.dash_clientside.no_update;
  // ms after which a newer question is asked though the last one is not answered; a slider that moves asks more often
  const PATIENCE = 1000, PATIENCE_WHILE_DRAGGING = 4000;
  const SLOW = 250; // ms of work, or without any, after which the sign of work comes or goes
  const NO_NUMBER = "no number"; // what the server receives for a box that holds something else
  const CALM = 200; // ms without a change after which the slower parts are asked for
  const SOON = 60; // ms after which the guarantees are asked for: each moment has one question at most
  let dragging = false;
  let underway = null; // the timer of the question that the server works on; null if it works on none
  let waiting = null; // the newest question that waits for its turn
  let working = 0; // requests that the server has not answered yet
  let sign = null; // the timer of the sign of work
  let calm = null; // the timer of the slower parts
  let soon = null; // the timer of the guarantees
  let ends = { step: Infinity, run: Infinity }; // the last step and the last run that there are
  let latest = null; // the newest state of the page
  let asking = null; // the question that was asked last: its state, and the number by which its answer is known
  let reached = null; // the market that answered last: its state, and the stages that there are
  let drawn = null; // the state whose market is on the page, whole and without complaint
  const wrong = {}; // which of the two a reader has typed beyond its end

  /* A move that takes long shows that it is worked on: in a corner of the page, and to screen readers. */
  const fetched = window.fetch;
  window.fetch = function () {
    work(1);
    return fetched.apply(this, arguments).finally(() => work(-1));
  };

  function work(more) {
    working += more;
    clearTimeout(sign);
    sign = setTimeout(() => {
      document.documentElement.toggleAttribute("data-busy", working > 0);
      const views = document.getElementById("views");
      if (views) views.setAttribute("aria-busy", working > 0 ? "true" : "false");
    }, SLOW);
  }

  /* Sets a store by hand: Dash drops what a callback returns once the same callback has been called again. */
  function send(store, state, more) {
    const data = Object.assign({ serial: performance.now() }, more, state);
    window.dash_clientside.set_props(store, { data: data });
    return data.serial;
  }

  /* Asks for a market: a few of its runs first, then more of them, until all are there. */
  function ask(state, more) {
    underway = setTimeout(next, dragging ? PATIENCE_WHILE_DRAGGING : PATIENCE);
    const there = reached && sameMarket(reached.state, state) ? Math.max(1, reached.stages) : 1;
    drawn = null;
    asking = { state: state, draft: dragging, serial: send("asked", state, { draft: dragging, stages: more || there }) };
  }

  function sameMarket(one, other) {
    return JSON.stringify([one.setting, one.market]) === JSON.stringify([other.setting, other.market]);
  }

  /* Whether the pictures of the market are those of a state already: it differs in what only other views show. */
  function isDrawn(state) {
    const seen = (each) => JSON.stringify(each, (key, value) => (key === "view" ? 0 : value));
    return drawn !== null && seen(drawn) === seen(state) && document.getElementById("message").textContent === "";
  }

  /* A market has answered with some of its runs: asks for more, and returns true, unless something newer waits. */
  function grows(served) {
    if (!asking || served.serial !== asking.serial) return false;
    reached = { state: asking.state, stages: served.next };
    if (latest) promise();
    if (asking.draft) return false;
    if (served.next > 0 && served.next === served.total) drawn = asking.state;
    if (waiting || dragging || served.next >= served.total) return false;
    ask(asking.state, served.next + 1);
    return true;
  }

  /* Asks for the guarantees of the newest state, which wait for no run; beside them stand the runs that there are. */
  function promise() {
    if (soon !== null || latest.focus.view !== "guarantees") return;
    soon = setTimeout(() => {
      soon = null;
      send("promised", latest);
    }, SOON);
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

  /* What a box holds: a number, null if it is empty, and a text that is not a number where something else stands in it. */
  function held(id, value) {
    const box = boxOf(id.knob, id.of, id.part);
    return number(value) === null && box && box.validity.badInput ? NO_NUMBER : number(value);
  }

  /* Bidders as the market takes them: the name of their kind, and its numbers. */
  function named(kind, numbers) {
    const said = { bayesian: ["prior_share", "prior_strength"], biased: ["bias"] }[kind] || [];
    const empty = (value) => value === null || value === undefined;
    return [kind].concat(said.map((each) => (empty(numbers[each]) ? "" : numbers[each]))).join(":");
  }

  function whole(value, least) {
    return Number.isInteger(value) && value >= least;
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
    } else if (typeof chosen[key] === "boolean") {
      chosen[key] = !chosen[key]; // a switch
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
        // A slider cannot be empty: given something else, it takes the middle of its range, and the box would follow.
        if (from.part === "box") return [number(typed) === null ? NOTHING() : typed, NOTHING()];
        return [NOTHING(), slid === "" || number(Number(slid)) === null ? NOTHING() : Number(slid)];
      },

      /* The line of a provider says what its boxes hold, as the server wrote it first. */
      line: function (quality, cost) {
        const short = (value) => (number(value) === null ? "–" : String(Number(value.toPrecision(3))));
        return " q " + short(quality) + ", cost " + short(cost);
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
        document.documentElement.dataset.bidders = choices.bidders;
        document.getElementById("metric").value = choices.metric;
        return ids.map((id) => {
          const chosen = choices[id.choice];
          if (id.choice === "theme") return null; // its words say what it does
          if (typeof chosen === "boolean") return String(chosen); // a switch
          const pressed = Array.isArray(chosen) ? chosen.includes(id.value) : String(chosen) === String(id.value);
          return pressed ? "true" : "false";
        });
      },

      /* Everything that can be turned, as one table: what the server calls the state of the page. */
      gather: function (boxes, lone, choices, base, mistyped, boxIds, loneIds) {
        if (!base || !choices || !choices.view || !boxIds.length) return NOTHING();
        const tables = { platform: {}, market: {}, focus: {}, bidders: {} };
        const providers = [];
        const put = (id, value) => {
          const table = id.of in tables ? tables[id.of] : (providers[Number(id.of)] = providers[Number(id.of)] || {});
          table[id.knob] = id.knob === "name" ? value || "" : held(id, value);
        };
        boxIds.forEach((id, at) => put(id, boxes[at]));
        loneIds.forEach((id, at) => put(id, lone[at]));
        if (providers.length !== base.providers || providers.includes(undefined)) return NOTHING();
        const market = Object.assign({
          policies: choices.policies, bidders: named(choices.bidders, tables.bidders),
          keep_gamma: choices.keep_gamma === true,
        }, tables.market);
        const seen = { view: choices.view, metric: choices.metric, provider: choices.provider };
        const focus = Object.assign(seen, tables.focus);
        const moved = window.dash_clientside.callback_context.triggered.map((each) => each.prop_id);
        for (const [knob, most] of [["step", market.horizon], ["run", market.runs - 1]]) {
          // What a reader typed is judged by the server; what the end of a shorter run has overtaken goes along.
          if (moved.some((each) => each.includes('"knob":"' + knob + '"'))) wrong[knob] = !(focus[knob] <= most);
          if (!wrong[knob] && whole(most, 0) && number(focus[knob]) !== null) focus[knob] = Math.min(focus[knob], most);
        }
        // A number that breaks a rule moves nothing else.
        if (whole(market.horizon, providers.length)) ends.step = market.horizon;
        if (whole(market.runs, 1)) ends.run = market.runs - 1;
        focus.provider = Math.min(focus.provider, providers.length - 1);
        return {
          setting: { name: base.name, platform: tables.platform, provider: providers },
          market: market, focus: focus, theme: choices.theme, log: choices.log === true,
        };
      },

      /* The slider of the steps ends at the horizon. */
      reach: function (state) {
        return state && whole(state.market.horizon, state.setting.provider.length) ? state.market.horizon : NOTHING();
      },

      /* One question at a time; of those that come meanwhile only the newest is asked. */
      gate: function (state, released) {
        if (state) latest = state;
        if (state) promise();
        if (state && underway !== null) waiting = state;
        else if (state && !isDrawn(state)) ask(state);
        return NOTHING();
      },

      answered: function (served) {
        clearTimeout(underway);
        if (!served || !grows(served)) next();
        return NOTHING();
      },

      /* The slower parts follow when nothing has moved for a moment. */
      settle: function (state) {
        if (!state) return NOTHING();
        clearTimeout(calm);
        const look = () => {
          if (dragging || waiting) calm = setTimeout(look, CALM);
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

  /* Marks the tables that are wider than their box, and those whose last columns are still out of sight. The panel of
     sliders ends with the window, and says so where it goes on below. */
  function hint() {
    const panel = document.querySelector("aside");
    if (panel) {
      panel.style.setProperty("--above", Math.max(12, panel.getBoundingClientRect().top) + "px");
      panel.toggleAttribute("data-more", panel.scrollHeight - panel.clientHeight - panel.scrollTop > 24);
    }
    document.querySelectorAll(".scroll").forEach((box) => {
      const hidden = box.scrollWidth - box.clientWidth;
      box.parentElement.toggleAttribute("data-wide", hidden > 1);
      box.toggleAttribute("data-more", hidden - box.scrollLeft > 1);
    });
  }
  document.addEventListener("scroll", hint, { capture: true, passive: true });
  const sizes = new ResizeObserver(hint);
  const watched = new WeakSet();
  new MutationObserver(() => document.querySelectorAll(".scroll, .scroll > table, aside, aside > div").forEach((each) => {
    if (watched.has(each)) return;
    watched.add(each);
    sizes.observe(each);
  })).observe(document.documentElement, { childList: true, subtree: true });

  /* Parts that nobody names come as data and are built here: Dash goes through all parts of its own at every change. */
  function built(part) {
    if (typeof part === "string") return part;
    const [tag, properties, inside] = part;
    return window.React.createElement(tag, properties, ...inside.map(built));
  }

  // What was opened or chosen inside stays while the data stay; other data make other parts.
  window.costproof_explorer = {
    Plain: (given) => window.React.createElement(window.React.Fragment, { key: given.parts }, ...JSON.parse(given.parts).map(built)),
  };

  function boxOf(knob, of, part) {
    return document.getElementById(JSON.stringify({ knob: knob, of: of, part: part || "box" }));
  }

  function put(knob, of, part, value) {
    window.dash_clientside.set_props({ knob: knob, of: of, part: part }, { value: value });
  }

  /* Dash tells an empty box from one that holds no number by nothing: the page asks the browser. */
  document.addEventListener("input", (event) => {
    const box = event.target;
    if (!box.matches || !box.matches("input[type=number]") || (box.dataset.bad === "true") === box.validity.badInput) return;
    box.dataset.bad = String(box.validity.badInput);
    window.dash_clientside.set_props("mistyped", { data: performance.now() });
  });

  /* A shorter run or fewer of them: the boxes of a step and a run follow once the number is typed. */
  document.addEventListener("change", (event) => {
    if (!/"knob":"(horizon|runs)"/.test(event.target.id || "")) return;
    setTimeout(() => [["step", "box"], ["run", "lone"]].forEach(([knob, part]) => {
      const box = boxOf(knob, "focus", part);
      if (box && !wrong[knob] && Number(box.value) > ends[knob] && ends[knob] >= 0) put(knob, "focus", part, ends[knob]);
    }), 300);
  });

  function pick(key, value) {
    window.dash_clientside.set_props("picked", { data: { key: key, value: value, at: performance.now() } });
  }

  function sheet(open) {
    const button = document.getElementById("sheet");
    document.documentElement.dataset.sheet = open ? "open" : "closed";
    button.setAttribute("aria-expanded", open ? "true" : "false");
    button.textContent = open ? "Close the controls" : "Controls";
    const picture = document.querySelector(".of-" + document.documentElement.dataset.view + " figure");
    if (open && picture) picture.scrollIntoView({ block: "start" });
  }
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || document.documentElement.dataset.sheet !== "open") return;
    sheet(false);
    document.getElementById("sheet").focus();
  });

  document.addEventListener("click", (event) => {
    const button = event.target.closest ? event.target.closest("button") : null;
    if (!button) return;
    if (button.dataset.copy) copy(button, document.getElementById(button.dataset.copy));
    if (button.id === "reset") pick("preset", document.getElementById("preset").value);
    if (button.id === "add") pick("add", null);
    if (button.dataset.remove) pick("remove", Number(button.dataset.remove));
    if (button.id === "sheet") sheet(document.documentElement.dataset.sheet !== "open");
  });
  document.addEventListener("change", (event) => {
    const key = event.target.dataset && event.target.dataset.choice;
    if (key) pick(key, event.target.value);
  });
})();
