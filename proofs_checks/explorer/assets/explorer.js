/* What the page does by itself: it gathers the controls, sends them to the server one at a time, and keeps the link. */
(function () {
  "use strict";
  const NOTHING = () => window.dash_clientside.no_update;
  const PATIENCE = 4000; // ms after which an unanswered question is given up
  const SLOW = 250; // ms of work, or without any, after which the sign of work comes or goes
  const NO_NUMBER = "no number"; // what the server is told of a box that holds something else
  const CALM = 200; // ms without a change after which the slower parts are asked for
  let dragging = false;
  let underway = null; // the timer of the question that the server works on; null if it works on none
  let waiting = null; // the newest question that waits for its turn
  let working = 0; // requests that the server has not answered yet
  let sign = null; // the timer of the sign of work
  let lent = null; // the overbid that the page gave to deviating bidders
  let calm = null; // the timer of the slower parts
  let ends = { step: Infinity, run: Infinity }; // the last step and the last run that there are
  let latest = null; // the newest state of the page
  let growing = null; // the market whose runs are added stage by stage: its state, and the stages that there are
  let asking = null; // the question that was asked last: its state, and the number by which its answer is known
  let reached = null; // the market that answered last: its state, and the stages that there are
  let drawn = null; // the state whose market is on the page, whole and without complaint
  let halted = null; // the market whose runs a reader has stopped: its state, and the stages that there are
  let sweep = null; // the sweep that is under way: its state, and the number by which its answers are known
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

  /* Asks for a market: a few of its runs first, then more of them, until all are there or a reader stops them. */
  function ask(state, more) {
    underway = setTimeout(next, PATIENCE);
    if (halted && !sameMarket(halted.state, state)) halted = null;
    const there = reached && sameMarket(reached.state, state) ? Math.max(1, reached.stages) : 1;
    const stages = halted ? halted.stages : more || there;
    const early = Boolean(more && growing && growing.early);
    drawn = null;
    asking = { state: state, draft: dragging, serial: send("asked", state, { draft: dragging, stages: stages, stopped: halted !== null }) };
    growing = dragging || halted ? null : { state: state, stages: more ? more - 1 : 0, early: early };
    showRuns();
  }

  function sameMarket(one, other) {
    return JSON.stringify([one.setting, one.market]) === JSON.stringify([other.setting, other.market]);
  }

  /* Whether the pictures of the market are those of a state already: it differs in what only other views show. */
  function isDrawn(state) {
    const seen = (each) => JSON.stringify(each, (key, value) => (["view", "verdict", "sweep"].includes(key) ? 0 : value));
    return drawn !== null && seen(drawn) === seen(state) && document.getElementById("message").textContent === "";
  }

  /* A market has answered with some of its runs: asks for more, and returns true, unless something newer waits. */
  function grows(served) {
    if (!asking || served.serial !== asking.serial) return false;
    reached = { state: asking.state, stages: served.next };
    if (served.next > 0 && served.next === served.total && !asking.draft) drawn = asking.state;
    if (!growing) return false;
    growing.stages = served.next;
    if (!waiting && !dragging && served.next < served.total) {
      ask(growing.state, served.next + 1);
      return true;
    }
    if (!waiting && growing.early) send("settled", growing.state);
    growing = null;
    return false;
  }

  /* The sign with the buttons that stop the runs, and go on with them. */
  function showRuns() {
    const now = growing && growing.stages > 0 ? "growing" : halted ? "halted" : "whole";
    document.documentElement.dataset.runs = now;
  }

  function stopRuns() {
    if (!growing || growing.stages < 1) return;
    halted = { state: newest(growing.state), stages: growing.stages };
    // Asked anew, so that the answer that is still to come is dropped.
    ask(halted.state);
    send("settled", halted.state, { stages: halted.stages });
  }

  function goOn() {
    if (!halted) return;
    const from = halted;
    halted = null;
    ask(newest(from.state), from.stages);
    growing.early = true;
  }

  /* The newest state of the page where it is about the same market: another view of it may have been chosen. */
  function newest(state) {
    return latest && sameMarket(latest, state) ? latest : state;
  }

  function next() {
    clearTimeout(underway);
    underway = null;
    showRuns();
    if (!waiting) return;
    const state = waiting;
    waiting = null;
    ask(state);
  }

  function number(value) {
    return typeof value === "number" && isFinite(value) ? value : null;
  }

  /* What a box holds: a number, null if it is empty, and a text that is no number where something else stands in it. */
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
    } else if (key === "held") {
      // As many runs of them as are there: more would have to be simulated.
      const stages = reached && latest && sameMarket(reached.state, latest) ? reached.stages : 1;
      chosen.held = chosen.held || !latest ? null : { setting: latest.setting, market: latest.market, stages: stages };
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
        // A slider cannot be empty: given what is no number, it takes the middle of its range, and the box would follow.
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
        return ids.map((id) => {
          const chosen = choices[id.choice];
          if (id.choice === "theme") return null; // its words say what it does
          if (id.choice === "held") return String(Boolean(chosen));
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
          keep_gamma: choices.keep_gamma === true, pinned: choices.pinned === true,
        }, tables.market);
        const seen = { view: choices.view, metric: choices.metric, provider: choices.provider, policy: choices.policy || null };
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
          market: market, focus: focus, theme: choices.theme, verdict: choices.verdict, log: choices.log === true,
          held: choices.held || null,
          sweep: { mode: choices.sweep_mode, points: choices.sweep_points, runs: choices.sweep_runs },
        };
      },

      /* The slider of the steps ends at the horizon. */
      reach: function (state) {
        return state && whole(state.market.horizon, state.setting.provider.length) ? state.market.horizon : NOTHING();
      },

      /* One question at a time; of those that come meanwhile only the newest is asked. */
      gate: function (state, released) {
        if (state) latest = state;
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
          // Until the first runs are there, the slower parts would simulate them all.
          const open = growing !== null && underway !== null;
          if (dragging || waiting || (open && growing.stages < 1)) calm = setTimeout(look, CALM);
          else if (open) {
            growing.early = true;
            send("settled", state, { stages: growing.stages });
          } else send("settled", state, halted && sameMarket(halted.state, state) ? { stages: halted.stages } : {});
        };
        calm = setTimeout(look, CALM);
        return NOTHING();
      },

      /* The server has found where a number belongs. */
      placed: function (found) {
        if (found) put(found.key, "platform", "box", found.value);
        return NOTHING();
      },

      /* One threshold is done: the next one is asked for, unless the sweep has been stopped or begun anew. */
      swept: function (done) {
        if (!sweep || !done || done.serial !== sweep.serial) return NOTHING();
        if (done.next < done.total) askSweep(done.next);
        else endSweep();
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

  /* Deviating bidders need room to deviate: where there is none, they get some, and the page says so. Other bidders
     give back what nobody has changed since. */
  document.addEventListener("click", (event) => {
    const button = event.target.closest ? event.target.closest("button") : null;
    if (!button || !button.id.includes('"choice":"bidders"')) return;
    const said = document.getElementById("deviation");
    const boxes = ["underbid", "overbid"].map((knob) => boxOf(knob, "platform"));
    let text = "";
    if (button.id.includes('"value":"deviating"') && boxes.every((box) => box && Number(box.value) === 0)) {
      const most = Number(boxOf("cost_bound", "platform").value);
      const overbid = Number((most * Number(said.dataset.share)).toPrecision(2));
      if (overbid > 0) {
        put("overbid", "platform", "box", overbid);
        lent = overbid;
        text = "d₊ was 0, as d₋: it is now " + overbid + ", so that bidders can deviate.";
      }
    } else if (!button.id.includes('"value":"deviating"')) {
      if (lent !== null && boxes.every(Boolean) && Number(boxes[0].value) === 0 && Number(boxes[1].value) === lent) {
        put("overbid", "platform", "box", 0);
        text = "d₊ is 0 again: only deviating bidders needed it.";
      }
      lent = null;
    }
    window.dash_clientside.set_props("deviation", { children: text });
  }, true);

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
    if (key === "preset") lent = null;
    window.dash_clientside.set_props("picked", { data: { key: key, value: value, at: performance.now() } });
  }

  function askSweep(at) {
    send("sweep-asked", sweep.state, { serial: sweep.serial, at: at });
  }

  function startSweep() {
    if (!latest) return;
    sweep = { state: latest, serial: performance.now() };
    document.documentElement.dataset.sweep = "running";
    askSweep(0);
  }

  function endSweep() {
    sweep = null;
    document.documentElement.dataset.sweep = "ended";
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
    if (button.dataset.zero) {
      ["underbid", "overbid"].forEach((knob) =>
        window.dash_clientside.set_props({ knob: knob, of: "platform", part: "box" }, { value: 0 }));
    }
    if (button.dataset.copy) copy(button, document.getElementById(button.dataset.copy));
    if (button.id === "reset") pick("preset", button.value);
    if (button.dataset.place) {
      const asked = { way: button.dataset.place, at: performance.now() };
      window.dash_clientside.set_props("place", { data: asked });
    }
    if (button.dataset.remove) pick("remove", button.dataset.remove);
    if (button.id === "runs-stop") stopRuns();
    if (button.id === "runs-all") goOn();
    if (button.id === "sweep-run") startSweep();
    if (button.id === "sweep-stop") {
      endSweep();
      window.dash_clientside.set_props("sweep-status", { children: "Stopped." });
    }
    if (button.id === "save-results") window.dash_clientside.set_props("saving-results", { data: performance.now() });
    if (button.id === "save") window.dash_clientside.set_props("saving", { data: performance.now() });
    if (button.id === "sheet") sheet(document.documentElement.dataset.sheet !== "open");
  });
  document.addEventListener("change", (event) => {
    const key = event.target.dataset && event.target.dataset.choice;
    if (key) pick(key, event.target.value);
  });
})();
