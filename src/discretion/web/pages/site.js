// The page to work on: asks without leaving the page, shows how far an answer is, and sends files.
{
  const reply = document.getElementById("reply");
  const form = document.getElementById("question");
  for (const each of document.querySelectorAll(".needs-script")) each.hidden = false;

  let turn = 0;
  const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
  // Puts the answer of an address into the page, once it is there; a newer question takes the place of an older one.
  const answer = async (address) => {
    const mine = ++turn;
    reply.classList.add("stale");
    setTimeout(() => mine === turn && reply.classList.contains("stale") && show(address, "asking"), 200);
    for (;;) {
      let response;
      try {
        response = await fetch(address, { headers: { "X-Part": "answer" } });
      } catch {
        if (mine !== turn) return;
        reply.innerHTML = '<p class="advice problem" role="alert">The server does not answer; start it again.</p>';
        break;
      }
      const text = await response.text();
      if (mine !== turn) return;
      if (response.redirected) { // to the options that a form's choices come to
        const { pathname, search } = new URL(response.url);
        address = pathname + search;
        history.replaceState(null, "", address);
      }
      if (response.status !== 202) {
        reply.innerHTML = text;
        break;
      }
      show(address, text);
    }
    reply.classList.remove("stale");
    dispatchEvent(new Event("answered"));
  };
  const show = (address, step) => {
    let working = reply.querySelector(".working");
    if (!working) {
      reply.insertAdjacentHTML("afterbegin", '<div class="working"><p><span class="turning" aria-hidden="true"></span> Working: <span class="step"></span></p><button type="button">Cancel</button></div>');
      working = reply.querySelector(".working");
    }
    working.dataset.address = address;
    working.querySelector(".step").textContent = step;
  };
  const asked = () => {
    const given = new URLSearchParams();
    for (const [name, value] of new FormData(form)) if (value.trim()) given.append(name, value);
    const query = given.toString();
    return form.getAttribute("action") + (query ? "?" + query : "");
  };
  const ask = (address) => {
    if (address !== location.pathname + location.search) history.pushState(null, "", address);
    if (address.includes("?")) answer(address);
  };
  const cancel = async (address) => {
    ++turn;
    const body = new URLSearchParams({ address });
    await fetch("/cancel", { method: "POST", body, redirect: "manual" });
    reply.innerHTML = "<p>Cancelled.</p>";
    reply.classList.remove("stale");
  };
  // Sets the fields by the address, as back and forward do.
  const fill = () => {
    const given = new URLSearchParams(location.search);
    for (const field of form.elements) {
      if (field.name && !field.name.startsWith("as:") && field.name !== "rows") {
        const same = [...form.elements].filter((each) => each.name === field.name);
        const values = given.getAll(field.name);
        field.value = (same.length > 1 ? values[same.indexOf(field)] : values.join("\n")) ?? "";
      }
      if (field.dataset.sets) field.value = document.getElementById(field.dataset.sets).value || field.min;
    }
  };

  if (form) {
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      ask(asked());
    });
    let waiting;
    for (const slider of form.querySelectorAll("[data-sets]")) {
      slider.addEventListener("input", () => {
        document.getElementById(slider.dataset.sets).value = slider.value;
        clearTimeout(waiting);
        waiting = setTimeout(() => ask(asked()), 60);
      });
    }
    document.getElementById("undo").addEventListener("click", () => history.back());
    addEventListener("popstate", (event) => {
      fill();
      if (location.search && event.state?.asked !== false) answer(location.pathname + location.search);
      else dispatchEvent(new Event("unasked"));
    });
    // The question has changed, and nobody has asked it yet: what is under way for the old one ends.
    addEventListener("unasked", async () => {
      const working = reply.querySelector(".working");
      if (working) await cancel(working.dataset.address);
      ++turn;
      reply.classList.remove("stale");
      reply.innerHTML = location.search ? "<p class=\"advice\">The question has changed. Press “Answer” to ask it.</p>" : "";
    });
  }
  if (reply) {
    reply.addEventListener("submit", (event) => {
      if (event.target.getAttribute("action") !== "/cancel") return;
      event.preventDefault();
      cancel(event.target.elements.address.value);
    });
    reply.addEventListener("click", (event) => {
      const working = event.target.closest(".working");
      if (working && event.target.type === "button") cancel(working.dataset.address);
    });
    const working = reply.querySelector(".working");
    if (working) answer(working.dataset.address);
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
    bar.hidden = false;
    problem.hidden = true;
    request.send(file);
  });
}
