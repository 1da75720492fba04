"use strict";
// The page to work on: asks without leaving the page, shows how far an answer is, and sends files.
{
  const form = document.getElementById("question");
  const reply = document.getElementById("reply"), state = document.getElementById("state");
  const undo = document.getElementById("undo"), stop = document.getElementById("cancel");
  for (const each of document.querySelectorAll(".needs-script")) each.hidden = false;

  // What draws figures is a megabyte: the first figure loads it, and it takes the place of this.
  let charts;
  globalThis.vegaEmbed = async (...figure) => {
    charts ??= new Promise((done, failed) => {
      const script = document.createElement("script");
      Object.assign(script, { src: document.body.dataset.charts, onload: done, onerror: failed });
      document.head.append(script);
    });
    await charts;
    return globalThis.vegaEmbed(...figure);
  };

  const say = (sentence) => { state.textContent = sentence; };
  const work = (step) => {
    say(`Working: ${step}`);
    stop.hidden = false;
  };
  // Marks the field that a sentence is about, and lets the keyboard reach figures, which may be wider than the screen.
  const mark = () => {
    for (const chart of reply.querySelectorAll(".chart")) chart.tabIndex = 0;
    const wrong = reply.querySelector("[data-field]")?.dataset.field;
    for (const field of form?.elements ?? []) {
      if (field.name && field.name === wrong) {
        field.setAttribute("aria-invalid", "true");
        field.setAttribute("aria-errormessage", "wrong");
      } else {
        field.removeAttribute("aria-invalid");
        field.removeAttribute("aria-errormessage");
      }
    }
  };
  // Puts an answer in the place of another: what was unfolded stays so, and what is in view stays there.
  const put = (markup) => {
    const headings = () => [...reply.querySelectorAll("summary")];
    const unfolded = new Set(headings().filter((each) => each.parentElement.open).map((each) => each.textContent));
    reply.style.minHeight = `${reply.offsetHeight}px`;
    reply.innerHTML = markup;
    reply.inert = false;
    for (const each of headings()) each.parentElement.open = unfolded.has(each.textContent);
    reply.classList.remove("stale");
    stop.hidden = true;
    mark();
    dispatchEvent(new Event("answered"));
    setTimeout(() => { reply.style.minHeight = ""; }, 500);
  };

  let shown = location.pathname + location.search, asking = new AbortController();
  // Puts the answer of an address into the page once it is there; a newer question takes the place of an older one.
  const answer = async (address, isOvertaken = () => false) => {
    asking.abort();
    const { signal } = asking = new AbortController();
    shown = address;
    reply.classList.add("stale");
    const slow = setTimeout(() => work("asking"), 300);
    signal.addEventListener("abort", () => clearTimeout(slow));
    for (;;) {
      let response, text;
      try {
        response = await fetch(address, { headers: { "X-Part": "answer" }, signal });
        text = await response.text();
      } catch {
        if (signal.aborted) return;
        [response, text] = [{}, '<p class="advice problem" role="alert"><b>Not answered:</b> the server has ended; start it again.</p>'];
      }
      clearTimeout(slow);
      if (response.redirected) {  // to the options that a form's choices come to
        const { pathname, search } = new URL(response.url);
        shown = address = pathname + search;
        history.replaceState(history.state, "", address);
      }
      if (response.status !== 202) {
        put(text);
        const title = reply.querySelector("[data-title]")?.dataset.title;
        say(title ? `Answered: ${title}` : "");
        return;
      }
      if (isOvertaken()) {
        await end(address);
        return;
      }
      work(text);
    }
  };
  const end = (address) => fetch("/cancel", { method: "POST", body: new URLSearchParams({ address }), headers: { "X-Part": "answer" } });
  const cancel = async () => {
    asking.abort();
    const response = await end(shown);
    put(await response.text());
    say("");
    form?.querySelector("button.main").focus();
  };

  const asked = () => {
    const given = new URLSearchParams();
    for (const [name, value] of new FormData(form)) if (value.trim()) given.append(name, value);
    return `${form.getAttribute("action")}?${given}`.replace(/\?$/, "");
  };
  // Notes an address, as a step that can be undone, or in the place of the last one.
  const note = (address, isStep) => {
    if (address === location.pathname + location.search) return;
    const depth = (history.state?.depth ?? 0) + (isStep ? 1 : 0);
    history[isStep ? "pushState" : "replaceState"]({ depth }, "", address);
    offer();
  };
  const offer = () => undo?.setAttribute("aria-disabled", String(!history.state?.depth));
  const empty = (sentence) => {
    asking.abort();
    shown = location.pathname + location.search;
    put("");
    say(sentence);
  };
  // Sets the fields by the address, as back and forward do.
  const fill = () => {
    const given = new URLSearchParams(location.search);
    for (const field of form.elements) {
      if (!field.name || /^(as|how):|^rows$/.test(field.name)) continue;  // the choices of columns
      const same = [...form.elements].filter((each) => each.name === field.name);
      const values = given.getAll(field.name);
      field.value = (same.length > 1 ? values[same.indexOf(field)] : values.join("\n")) ?? "";
    }
    const more = document.getElementById("more");
    if (more?.querySelector("[name]") && [...more.querySelectorAll("[name]")].some((field) => field.value)) more.open = true;
    sliders.forEach(follow);
  };

  const sliders = form ? [...form.querySelectorAll("[data-sets]")] : [];
  // A slider shows the number of its field, and says so where there is none.
  const follow = (slider) => {
    const { value } = document.getElementById(slider.dataset.sets);
    slider.value = value || slider.min;
    if (value) slider.removeAttribute("aria-valuetext");
    else slider.setAttribute("aria-valuetext", "not set");
  };

  if (form) {
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const address = asked();
      if (!address.includes("?")) {
        empty("Fill in a field first.");
        return;
      }
      note(address, true);
      answer(address);
    });
    // While a slider moves, one question at a time: the newest once the one before is answered, and one step to undo.
    let moved = -Infinity, isBusy = false, hasMoved = false;
    const move = async () => {
      hasMoved = true;
      if (isBusy) return;
      isBusy = true;
      while (hasMoved) {
        hasMoved = false;
        await answer(asked(), () => hasMoved);
      }
      isBusy = false;
    };
    for (const slider of sliders) {
      const field = document.getElementById(slider.dataset.sets);
      slider.addEventListener("input", ({ timeStamp }) => {
        field.value = slider.value;
        follow(slider);
        note(asked(), timeStamp - moved > 1500);
        moved = timeStamp;
        move();
      });
      field.addEventListener("input", () => follow(slider));
      follow(slider);
    }
    undo.addEventListener("click", () => history.state?.depth && history.back());
    // The question has changed, and nobody has asked it yet: what is under way for the old one ends.
    addEventListener("unasked", () => {
      if (!stop.hidden) end(shown);
      asking.abort();
      stop.hidden = true;
      offer();
      shown = location.pathname + location.search;
      reply.classList.add("stale");
      reply.inert = true;  // what stands there is the old one's answer
      say("The question has changed. Press “Answer” to ask it.");
    });
    addEventListener("popstate", () => {
      offer();
      if (history.state?.asked === false) {
        fill();
        dispatchEvent(new Event("unasked"));
        return;
      }
      const address = location.pathname + location.search;
      if (address === shown) return;  // it went to a part of the page
      fill();
      if (location.search) answer(address);
      else empty("Nothing is asked now.");
    });
    offer();
  }
  if (reply) {
    stop.addEventListener("click", cancel);
    mark();
    const working = reply.querySelector(".working");
    if (working) {
      const { address, step } = working.dataset;
      put("");
      work(step);
      answer(address);
    }
  }

  const sent = document.getElementById("sent");
  sent?.addEventListener("change", () => {
    const file = sent.files[0];
    if (!file) return;
    const bar = document.getElementById("sending"), problem = document.getElementById("sent-problem");
    const request = new XMLHttpRequest();
    request.open("POST", "/files?" + new URLSearchParams({ name: file.name }));
    request.upload.addEventListener("progress", (event) => { bar.value = event.loaded / event.total; });
    request.addEventListener("loadend", () => {
      bar.hidden = true;
      let told = {};
      try { told = JSON.parse(request.responseText); } catch { /* said below */ }
      if (told.name) location.assign("/" + sent.dataset.door + "?" + new URLSearchParams({ about: told.name }));
      problem.textContent = told.error ?? "the file was not taken";
      problem.hidden = Boolean(told.name);
    });
    request.setRequestHeader("X-Part", "file");
    bar.hidden = false;
    problem.hidden = true;
    request.send(file);
  });
}
