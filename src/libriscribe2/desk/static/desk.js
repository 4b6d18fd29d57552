// The desk works without this file; it saves in place, follows a run, drags, copies, and grows fields.
import "./live.js";
import { startEditing } from "./edit.js";

document.documentElement.classList.add("scripted");

export const csrf = document.querySelector('meta[name="csrf"]').content;

// Fields that grow with their text.
function grow(field) {
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight + 2}px`;
}
document.addEventListener("input", (event) => { if (event.target.matches("[data-grows]")) grow(event.target); });
const growIn = (place) => place.querySelectorAll?.("[data-grows]").forEach(grow);
document.addEventListener("toggle", (event) => growIn(event.target), true);
document.addEventListener("swapped", () => growIn(document));
growIn(document);

// Copy.
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const place = document.getElementById(button.dataset.copy);
  try {
    await navigator.clipboard.writeText(place.textContent);
    button.textContent = "Copied";
    document.getElementById("answer")?.focus();
  } catch {
    getSelection().selectAllChildren(place);
    button.textContent = "Marked: press Ctrl-C";
  }
});

// A kind of book sets the fields that it suits; what is typed afterwards stays.
document.addEventListener("change", (event) => {
  if (event.target.name === "preset") {
    const form = event.target.form;
    for (const [name, value] of Object.entries(event.target.dataset)) {
      const field = form.elements[name.replace(/[A-Z]/g, (one) => `_${one.toLowerCase()}`)];
      if (field) field.value = value;
    }
    if (!event.target.dataset.bookKind) form.elements.book_kind.value = "";
  }
  // An estimate is good for what it was asked for.
  if (event.target.closest("#new-book")) document.querySelector('[formaction="/new/start"]')?.setAttribute("disabled", "");
});

// A form that takes a while says so, and is sent once.
document.addEventListener("submit", (event) => {
  const button = event.submitter;
  if (event.defaultPrevented || !button || event.target.matches("[data-edit]")) return;
  if (event.target.dataset.sent) { event.preventDefault(); return; }
  event.target.dataset.sent = "yes";
  const waits = event.target.dataset.waits ?? (button.formAction.endsWith("quote") ? "Working it out …" : "");
  if (waits) button.textContent = waits;
});
addEventListener("pageshow", () => document.querySelectorAll("[data-sent]").forEach((form) => delete form.dataset.sent));

// Files are sent as they are, with the word that only this desk knows.
for (const form of document.querySelectorAll("[data-upload]")) {
  const file = form.querySelector("input[type=file]"), said = form.querySelector(".said");
  const offer = () => { form.querySelector("button").disabled = !file.files.length; };
  file.addEventListener("change", offer);
  offer();  // A file may have been chosen before this ran, or be restored by the browser.
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    said.textContent = "Reading …";
    const [one] = file.files;
    const answer = await fetch(`${form.action}?${new URLSearchParams({ name: one.name })}`, {
      method: "POST", body: one, headers: { "Content-Type": "application/octet-stream", "X-CSRF": csrf },
    });
    const told = await answer.json().catch(() => ({ fault: "That did not work." }));
    if (told.go) location.assign(told.go);
    else said.textContent = told.fault;
    delete form.dataset.sent;
  });
}

if (document.querySelector("[data-again]")) setTimeout(() => location.reload(), 1500);

startEditing(csrf, grow);
