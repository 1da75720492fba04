// The columns of a table: what each is for, and at once who is exposed by those that go out.
{
  const columns = document.getElementById("columns");
  const form = document.getElementById("question");
  let turn = 0;
  // Puts other choices in place where there are any: of a column that goes out generalized, its generalizations.
  const offer = (choices) => {
    const [before, after] = [columns, choices].map((each) => [...each.querySelectorAll(".role")]);
    before.forEach((role, place) => {
      if (role.textContent === after[place].textContent) return;
      const { id } = document.activeElement;
      role.replaceWith(after[place]);
      if (id) document.getElementById(id)?.focus();
    });
  };
  // Shows who is exposed by the columns of an address. The choices stay in place, and the keyboard with them, unless
  // all is to be shown anew; the address becomes that of the options which the choices come to.
  const show = async (query, anew) => {
    const mine = ++turn;
    const now = () => document.getElementById("at-once");
    now().classList.add("stale");
    for (;;) {
      let response;
      try {
        response = await fetch("/columns" + query, { headers: { "X-Part": "answer" } });
      } catch {
        if (mine === turn) now().innerHTML = '<p class="advice problem" role="alert">The server does not answer; start it again.</p>';
        break;
      }
      const text = await response.text();
      if (mine !== turn) return;
      if (response.redirected) {
        query = new URL(response.url).search;
        history.replaceState(history.state, "", "/table" + query);
      }
      if (response.status === 202) {
        const step = now().querySelector(".step");
        if (step) step.textContent = text;
        continue;
      }
      const part = document.createElement("template");
      part.innerHTML = text;
      const choices = part.content.querySelector(".roles");
      if (choices && (anew || !columns.querySelector(".roles"))) columns.replaceChildren(part.content);
      else {
        now().replaceChildren(...part.content.querySelector("#at-once").childNodes);
        if (choices) offer(choices);
      }
      break;
    }
    now().classList.remove("stale");
  };
  if (columns) {
    document.addEventListener("change", ({ target }) => {
      if (target.form !== form) return;
      const about = form.elements.about.value;
      if (target === form.elements.about) return location.assign("/table" + (about ? "?" + new URLSearchParams({ about }) : ""));
      const given = new URLSearchParams();
      for (const [name, value] of new FormData(form)) if (value.trim()) given.append(name, value);
      history.pushState({ depth: (history.state?.depth ?? 0) + 1, asked: false }, "", "/table?" + given);
      dispatchEvent(new Event("unasked"));
      show("?" + given, false);
    });
    addEventListener("popstate", () => show(location.search, true));
    if (columns.querySelector(".working")) show(location.search, false);
  }
}
