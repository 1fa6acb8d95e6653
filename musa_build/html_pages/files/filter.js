"use strict";
// The address has the filter, so that a view can be shared.
const rows = [...document.querySelectorAll(".row")];
const buttons = [...document.querySelectorAll("button[data-state]")];
const text = document.getElementById("filter");
const nothing = document.getElementById("nothing");  // readers without style sheets see no text in it
const opened = new Set();  // folders that the text filter has opened
const texts = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));

function show() {
  const states = new Set(buttons.filter((each) => each.classList.contains("on")).map((each) => each.dataset.state));
  const wanted = text.value.toLowerCase();
  let shown = 0;
  for (const row of rows) {
    const fits = [...states].some((state) => row.classList.contains(state)) && texts.get(row).includes(wanted);
    row.hidden = !fits;
    shown += fits;
  }
  for (const group of document.querySelectorAll(".group")) {
    group.hidden = !group.querySelector(".row:not([hidden])");
    if (!group.matches("details")) continue;
    if (wanted && !group.open) opened.add(group);
    if (wanted || opened.delete(group)) group.open = Boolean(wanted);
  }
  document.getElementById("shown").textContent = shown === rows.length ? `${shown} rows` : `${shown} of ${rows.length} rows`;
  nothing.hidden = shown > 0;
  nothing.textContent = shown ? "" : "No row fits: choose more states, or shorten the text.";
  const address = new URLSearchParams();
  if (states.size < buttons.length) address.set("states", [...states].join(" "));
  if (wanted) address.set("text", text.value);
  history.replaceState(null, "", address.toString() ? "#" + address : location.pathname + location.search);
}

function choose(button, on) {
  button.classList.toggle("on", on);
  button.setAttribute("aria-pressed", on);
}

for (const button of buttons) button.onclick = () => { choose(button, !button.classList.contains("on")); show(); };
text.oninput = show;
for (const button of document.querySelectorAll("button[data-find]")) button.onclick = () => { text.value = button.dataset.find; show(); text.scrollIntoView(); };
const address = new URLSearchParams(location.hash.slice(1));
const named = document.getElementById(location.hash.slice(1));
if (named) { named.open = true; named.scrollIntoView(); }
else {
  if (address.has("states")) for (const button of buttons) choose(button, address.get("states").split(" ").includes(button.dataset.state));
  text.value = address.get("text") ?? "";
  show();
}
window.onbeforeprint = () => { for (const row of [...rows, ...document.querySelectorAll("details.group")]) row.open = true; };
