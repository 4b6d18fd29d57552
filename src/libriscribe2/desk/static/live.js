// Follows a book: prose piece by piece, how far it is, and that files changed.

export function follow(address) {
  const said = document.getElementById("live");
  const sheet = document.getElementById("arriving");
  let source = null, busy = false, again = false, made = -1;
  // The state that the page was made with: a run may end before its stream is open.
  let state = document.getElementById("stand")?.dataset.state;
  let place = Number(sheet?.dataset.from ?? 0);

  async function refresh() {
    if (!document.querySelector("[data-swap], [data-swap-when-new]")) return;
    if (busy) { again = true; return; }
    busy = true;
    try {
      do {
        again = false;
        const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
        if (answer.ok) swap(new DOMParser().parseFromString(await answer.text(), "text/html"));
      } while (again);
    } catch {
      said.textContent = "The desk was closed; this is its last state.";
    } finally {
      busy = false;
    }
  }

  function piece(event) {
    const { step, text } = JSON.parse(event.data);
    place += 1;
    if (sheet) append(sheet, step, text);
  }

  function told(event) {
    const now = JSON.parse(event.data);
    for (const [name, value] of Object.entries(now)) {
      const target = document.querySelector(`[data-told="${name}"]`);
      if (!target) continue;
      if (name === "share") target.value = value;
      else if (target.textContent !== value) target.textContent = value;
    }
    if ((state !== undefined && now.state !== state) || (made >= 0 && now.made !== made)) refresh();
    state = now.state;
    made = now.made;
  }

  function open() {
    if (source) return;
    source = new EventSource(`${address}?from=${place}`);
    source.onopen = () => { said.textContent = ""; };
    source.onmessage = refresh;
    source.addEventListener("piece", piece);
    source.addEventListener("told", told);
    source.onerror = () => {
      said.textContent = "The desk was closed; this is its last state.";
      // The stream begins again where this page is, not where it was first opened.
      source?.close();
      source = null;
      setTimeout(() => { if (!document.hidden) { open(); refresh(); } }, 2000);
    };
  }

  function close() { source?.close(); source = null; }

  // A browser allows only few open streams: a page that nobody sees gives its own back.
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) close();
    else { open(); refresh(); }
  });
  addEventListener("pagehide", close);
  if (!document.hidden) open();
}

// A piece of prose changes the last text of the page and nothing else, unless a paragraph ends.
export function append(sheet, step, text) {
  const chapter = step.slice(0, step.lastIndexOf("/"));
  let part = sheet.lastElementChild;
  for (const one of sheet.children) if (one.dataset.step === step) part = one;
  if (!part || part.dataset.step !== step) {
    for (const one of [...sheet.children]) if (!one.dataset.step.startsWith(`${chapter}/`)) one.remove();
    part = document.createElement("section");
    part.dataset.step = step;
    sheet.append(part);
    sheet.hidden = false;
  }
  const [first, ...more] = text.split(/\n{2,}/);
  const last = part.lastElementChild ?? part.appendChild(document.createElement("p"));
  if (last.lastChild) last.lastChild.appendData(first);
  else last.append(first);
  for (const one of more) {
    const paragraph = document.createElement("p");
    paragraph.append(one);
    part.append(paragraph);
  }
}

function swap(fresh) {
  for (const part of document.querySelectorAll("[data-swap], [data-swap-when-new]")) {
    const other = fresh.getElementById(part.id);
    if (!other || other.isEqualNode(part)) continue;
    if (part.dataset.swapWhenNew !== undefined && part.dataset.swapWhenNew === other.dataset.swapWhenNew) continue;
    // What somebody is typing in stays until it is saved.
    const active = document.activeElement;
    if (part.contains(active) && active.matches("textarea, input:not([type=checkbox]), select")) continue;
    if (part.querySelector(".changed, form.open")) continue;
    for (const open of part.querySelectorAll("details[open][id]")) {
      const twin = other.querySelector(`#${CSS.escape(open.id)}`);
      if (twin) twin.open = true;
    }
    const id = part.contains(active) ? active.id : "";
    part.replaceWith(document.adoptNode(other));
    if (id) document.getElementById(id)?.focus();
  }
  const count = document.querySelector(".top nav"), other = fresh.querySelector(".top nav");
  if (count && other && !count.isEqualNode(other) && !count.contains(document.activeElement)) {
    count.replaceWith(document.adoptNode(other));
  }
}
