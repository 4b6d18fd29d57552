// Follows a book: that its files changed, its prose piece by piece, and how far a run is.
// The page knows the files that it was made from, so that none changes unseen before its stream is open.

const said = document.getElementById("live");
const sheet = document.getElementById("arriving");
const calm = said?.textContent;
const parts = "[data-swap], [data-swap-when-new]";
const SHARE = 3;  // A page that takes long to make is fetched again only after so many times that.
let source = null, busy = false, again = false, made = -1;
let state = document.getElementById("stand")?.dataset.state;
let place = sheet?.dataset.from ?? "";

async function refresh() {
  if (!document.querySelector("main[data-swap], main [data-swap], main [data-swap-when-new]")) return;
  if (busy) { again = true; return; }
  busy = true;
  try {
    do {
      again = false;
      const begun = performance.now();
      const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
      if (answer.ok) swap(new DOMParser().parseFromString(await answer.text(), "text/html"));
      const pause = SHARE * (performance.now() - begun);
      await new Promise((go) => { setTimeout(go, pause); });
    } while (again);
  } catch {
    lost();
  } finally {
    busy = false;
  }
}

function lost() {
  said.textContent = "The program was closed; this is the last state.";
}

function piece(event) {
  const one = JSON.parse(event.data);
  place = one.place;
  if (sheet) append(sheet, one.step, one.text);
}

function told(event) {
  const now = JSON.parse(event.data);
  for (const [name, value] of Object.entries(now)) {
    const target = document.querySelector(`[data-told="${name}"]`);
    if (!target) continue;
    if (name === "share") target.value = value;
    else if (target.textContent !== value) target.textContent = value;
  }
  // A run may end before the stream is open: the page has the state that it was made with.
  if ((state !== undefined && now.state !== state) || (made >= 0 && now.made !== made)) refresh();
  state = now.state;
  made = now.made;
}

function open() {
  if (source) return;
  const { live, seen } = document.body.dataset;
  source = new EventSource(`${live}?${new URLSearchParams({ from: place, seen })}`);
  source.onopen = () => { said.textContent = calm; };
  source.onmessage = refresh;
  source.addEventListener("piece", piece);
  source.addEventListener("told", told);
  source.onerror = () => {
    lost();
    // The next stream begins with what this page shows, not with what it was first opened with.
    close();
    setTimeout(() => { if (!document.hidden) open(); }, 2000);
  };
}

function close() { source?.close(); source = null; }

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

// What somebody has typed and not saved, or is about to type, stays.
function isWrittenIn(part) {
  const active = document.activeElement;
  if (part.contains(active) && active.matches("textarea, input:not([type=checkbox]), select")) return true;
  return part.querySelector("form.open") || [...part.querySelectorAll("textarea, input")].some((one) => one.value !== one.defaultValue);
}

function focusTwin(part, other) {
  const active = document.activeElement;
  if (!part.contains(active)) return () => {};
  const link = active.getAttribute("href"), kinds = link === null ? "button, input, select, summary" : "a[href]";
  const place = [...part.querySelectorAll(kinds)].indexOf(active), twins = [...other.querySelectorAll(kinds)];
  return () => (twins.find((one) => link !== null && one.getAttribute("href") === link) ?? twins[place] ?? other).focus();
}

function swap(fresh) {
  document.body.dataset.seen = fresh.body.dataset.seen ?? "";
  for (const part of document.querySelectorAll(parts)) {
    const other = fresh.getElementById(part.id);
    if (!other || other.isEqualNode(part) || isWrittenIn(part)) continue;
    if (part.dataset.swapWhenNew !== undefined && part.dataset.swapWhenNew === other.dataset.swapWhenNew) continue;
    for (const one of [part, ...part.querySelectorAll("details[id]")]) {
      const twin = one === part ? other : other.querySelector(`#${CSS.escape(one.id)}`);
      if (twin?.matches("details")) twin.open = one.open;
    }
    const focus = focusTwin(part, other);
    part.replaceWith(document.adoptNode(other));
    focus();
  }
  document.dispatchEvent(new Event("swapped"));
}

if (document.body.dataset.live) {
  // A browser allows only few open streams: a page that nobody sees gives its own back.
  document.addEventListener("visibilitychange", () => { if (document.hidden) close(); else open(); });
  addEventListener("pagehide", close);
  if (!document.hidden) open();
}
