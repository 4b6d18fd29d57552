"use strict";

// A classic script, which an exported page can load from the disk; pages of a server also have live.js.

// Enter: the token stands in the fragment, which browsers send to nobody; it buys a cookie.
function enter(place) {
  const token = location.hash.slice(1);
  history.replaceState(null, "", location.pathname);
  fetch(place.dataset.enter, { method: "POST", headers: { "X-Token": token } }).then((answer) => {
    if (answer.ok) location.replace("/");
    else place.textContent = "This address is not valid any more. Open the address that the program printed.";
  });
}

// Filter: rows are hidden, not fetched, so that it works in a folder too.
function filterRows() {
  const form = document.getElementById("filter");
  const table = document.getElementById("calls");
  if (!form || !table) return;
  const wanted = new FormData(form);
  let shown = 0;
  for (const row of table.tBodies[0].rows) {
    const fits = [...wanted].every(([name, value]) => {
      if (!value) return true;
      if (name === "text") return row.dataset.text.includes(value.toLowerCase());
      if (name === "issue") return row.dataset.issue.split(" ").includes(value);
      return row.dataset[name] === value;
    });
    row.hidden = !fits;
    if (fits) shown += 1;
  }
  document.getElementById("shown").textContent = `${shown} of ${table.tBodies[0].rows.length} calls`;
}

function startFilter(form) {
  const asked = new URLSearchParams(location.search);
  for (const field of form.elements) {
    if (field.name && asked.has(field.name)) field.value = asked.get(field.name);
  }
  const changed = () => {
    filterRows();
    const kept = new URLSearchParams([...new FormData(form)].filter(([, value]) => value));
    history.replaceState(null, "", location.pathname + (kept.size ? `?${kept}` : ""));
  };
  form.addEventListener("input", changed);
  form.addEventListener("submit", (event) => { event.preventDefault(); changed(); });
  document.addEventListener("swapped", filterRows);
  filterRows();
}

// Keys: single letters, never while something is typed, and they can be switched off.
function step(by) {
  const rows = [...document.querySelectorAll("[data-row]")].filter((link) => link.offsetParent);
  const here = rows.indexOf(document.activeElement);
  const next = here < 0 ? (by > 0 ? 0 : rows.length - 1) : here + by;
  if (rows[next]) rows[next].focus();
}

function startKeys(button) {
  let on = localStorage.getItem("keys") !== "off";
  const show = () => {
    button.textContent = on ? "Keys on" : "Keys off";
    button.setAttribute("aria-pressed", String(on));
  };
  button.hidden = false;
  button.addEventListener("click", () => {
    on = !on;
    localStorage.setItem("keys", on ? "on" : "off");
    show();
  });
  document.addEventListener("keydown", (event) => {
    if (!on || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches("input, select, textarea")) return;
    if (event.key === "j") step(1);
    else if (event.key === "k") step(-1);
    else {
      const link = [...document.querySelectorAll("[data-key]")].find((one) => one.dataset.key === event.key);
      if (link) link.click();
    }
  });
  show();
}

function startCopy(button) {
  if (!navigator.clipboard) return;
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    button.textContent = "Copied";
  });
}

const door = document.getElementById("enter");
if (door) enter(door);
const form = document.getElementById("filter");
if (form) startFilter(form);
const keys = document.getElementById("keys");
if (keys) startKeys(keys);
document.querySelectorAll("[data-copy]").forEach(startCopy);
