// Changes in place: fields of the plan, paragraphs of a chapter, cards that are moved, passages.

let csrf = "", grow = () => {};

async function send(address, fields) {
  return fetch(address, { method: "POST", body: new URLSearchParams({ ...fields, csrf, by: "script" }) });
}

function tell(form, text, bad = false) {
  let said = form.querySelector(".told");
  if (!said) {
    said = document.createElement("span");
    said.className = "told";
    said.setAttribute("role", "status");
    form.append(said);
  }
  said.textContent = text;
  said.classList.toggle("bad", bad);
}

// A field: saved with Ctrl-Enter or its button. Where another version stands, the whole form is sent,
// so that the page with both texts comes.
async function saveField(form) {
  const fields = Object.fromEntries(new FormData(form));
  const answer = await send(form.action, fields);
  if (answer.status === 409) { form.classList.remove("changed", "open"); HTMLFormElement.prototype.submit.call(form); return; }
  if (!answer.ok) { tell(form, await faultOf(answer), true); return; }
  const { seen } = await answer.json();
  for (const one of document.querySelectorAll(`[data-edit] input[name=file]`)) {
    if (one.value === fields.file) one.form.elements.seen.value = seen;
  }
  form.elements.text.defaultValue = fields.text;
  form.classList.remove("changed");
  tell(form, "Saved");
}

async function faultOf(answer) {
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  return [...page.querySelectorAll(".fault p")].map((one) => one.textContent).join(" ") || "Not saved.";
}

function openBlock(block) {
  const form = block.querySelector("form"), shown = block.querySelector(".shown");
  if (form.hidden) {
    shown.hidden = true;
    form.hidden = false;
    form.classList.add("open");
    const field = form.elements.text;
    grow(field);
    field.focus();
  }
}

function closeBlock(block) {
  const form = block.querySelector("form");
  form.hidden = true;
  form.classList.remove("open");
  block.querySelector(".shown").hidden = false;
  block.querySelector(".pen").focus();
}

async function saveBlock(form) {
  const block = form.closest(".block"), fields = Object.fromEntries(new FormData(form));
  const answer = await send(form.action, fields);
  if (answer.status === 409) { form.classList.remove("changed", "open"); HTMLFormElement.prototype.submit.call(form); return; }
  if (!answer.ok) { tell(form, await faultOf(answer), true); return; }
  const { seen, html } = await answer.json();
  for (const one of document.querySelectorAll(".block input[name=seen]")) one.value = seen;
  if (!html) { location.reload(); return; }
  // The server has made this harmless; it is read as a document of its own, where nothing runs.
  const made = new DOMParser().parseFromString(html, "text/html");
  block.querySelector(".shown").replaceChildren(...[...made.body.childNodes].map((one) => document.adoptNode(one)));
  form.elements.text.defaultValue = fields.text;
  closeBlock(block);
}

async function moveCard(card, to) {
  const address = card.closest("[data-moves]").dataset.moves;
  const answer = await send(address, { chapter: card.dataset.number, to });
  if (answer.ok) {
    sessionStorage.setItem("moved", String(to));
    location.reload();
  } else tell(card, await faultOf(answer), true);
}

// Cards are listened to from outside: what changed on the disk puts others in their place.
function startCards() {
  let dragged = null;
  const cardAt = (event) => event.target.closest?.("[data-moves] > .card");
  const mark = (over) => {
    for (const one of document.querySelectorAll("[data-moves] > .card")) one.classList.toggle("over", one === over && one !== dragged);
  };
  document.addEventListener("dragstart", (event) => {
    const card = cardAt(event);
    if (!card) return;
    if (event.target.closest("textarea, input")) { event.preventDefault(); return; }
    dragged = card;
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", dragged.dataset.number);
    dragged.classList.add("dragged");
  });
  document.addEventListener("dragover", (event) => {
    const card = cardAt(event);
    if (!dragged || !card) return;
    event.preventDefault();
    mark(card);
  });
  document.addEventListener("drop", (event) => {
    const card = cardAt(event);
    if (!dragged || !card) return;
    event.preventDefault();
    if (card !== dragged) moveCard(dragged, card.dataset.number);
  });
  document.addEventListener("dragend", () => {
    mark(null);
    dragged?.classList.remove("dragged");
    dragged = null;
  });
  document.addEventListener("keydown", (event) => {
    const card = cardAt(event);
    if (!card || !event.altKey || !["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"].includes(event.key)) return;
    const to = Number(card.dataset.number) + (["ArrowLeft", "ArrowUp"].includes(event.key) ? -1 : 1);
    if (to < 1 || to > card.parentElement.children.length) return;
    event.preventDefault();
    moveCard(card, to);
  });
  const moved = sessionStorage.getItem("moved");
  if (moved) {
    sessionStorage.removeItem("moved");
    document.querySelector(`[data-number="${CSS.escape(moved)}"] .grip`)?.focus();
  }
}

// A passage that is selected goes into the wish, word for word.
function startPassages() {
  const form = document.getElementById("passage");
  if (!form) return;
  const show = () => {
    const chosen = getSelection(), text = document.querySelector("[data-passages]");
    const words = chosen.toString().trim();
    if (!words || chosen.isCollapsed || !text.contains(chosen.anchorNode)) return;
    form.querySelector("[data-passage]").textContent = words.length > 160 ? `${words.slice(0, 80)} … ${words.slice(-60)}` : words;
    form.dataset.words = words;
    form.closest("details").open = true;
  };
  document.addEventListener("mouseup", show);
  document.addEventListener("keyup", (event) => { if (event.shiftKey || event.key === "Shift") show(); });
  form.addEventListener("submit", () => {
    const words = form.dataset.words, wish = form.elements.wish;
    if (words && !wish.value.includes(words)) wish.value = `In the passage "${words}": ${wish.value}`;
  });
}

export function startEditing(word, grows) {
  csrf = word;
  grow = grows;
  document.addEventListener("submit", (event) => {
    if (!event.target.matches("[data-edit]")) return;
    event.preventDefault();
    if (event.target.closest(".block")) saveBlock(event.target);
    else saveField(event.target);
  });
  document.addEventListener("input", (event) => event.target.closest(".field")?.classList.add("changed"));
  document.addEventListener("keydown", (event) => {
    const form = event.target.closest?.("[data-edit]");
    if (form && event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); form.requestSubmit(); }
    if (form && event.key === "Escape" && form.closest(".block")) { form.reset(); closeBlock(form.closest(".block")); }
  });
  document.addEventListener("click", (event) => {
    if (event.target.closest(".pen")) openBlock(event.target.closest(".block"));
    if (event.target.closest(".leave")) { event.target.form.reset(); closeBlock(event.target.closest(".block")); }
  });
  document.addEventListener("dblclick", (event) => {
    const block = event.target.closest(".block");
    if (block?.querySelector(".pen")) openBlock(block);
  });
  startCards();
  startPassages();
  addEventListener("beforeunload", (event) => {
    if (document.querySelector(".field.changed, .block form.open")) event.preventDefault();
  });
}
