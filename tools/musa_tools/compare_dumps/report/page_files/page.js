"use strict";
// The page keeps its state (section, filters, order, chosen call) in the address, so that a view can be shared.
const data = unpack(JSON.parse(document.getElementById("data").textContent));

// Undoes `compact` of report/files.py, which lists the names of the numbers; a call's rows are unpacked when somebody looks at them.
function unpack(packed) {
  const text = (index) => packed.texts[index];
  const list = (indices) => (indices.length ? indices.map(text) : undefined);
  const missing = (value) => (value === null ? undefined : value);
  const named = (names, numbers) => Object.fromEntries(names.map((name, index) => [name, numbers[index]]));
  const value = (each) => {
    if (!each) return undefined;
    if (each.length === 2) return { type: text(each[0]), value: text(each[1]) };
    return { dtype: text(each[0]), shape: text(each[1]), ...named(packed.statistics, each.slice(2)) };
  };
  const row = ([name, left, right, mark, reasons, error, ...facts]) => ({
    value: text(name), left: value(left), right: value(right), mark: text(mark), reasons: list(reasons), error: missing(error),
    elements: facts.length ? named(packed.elements, facts) : undefined,
  });
  for (const section of packed.sections) {
    section.calls = section.calls.map(([name, other, direction, module, mark, moved, inputs, result, stack, rows]) => ({
      name: missing(name), other: other === 1 ? name : missing(other), direction: text(direction), module: text(module),
      mark: text(mark), moved: moved === 1, inputs: missing(inputs), result: missing(result),
      get stack() { return list(stack); },
      get rows() { return rows.map(row); },
      get marks() { return rows.map((each) => text(each[3])); },
    }));
  }
  return packed;
}

const $ = (id) => document.getElementById(id);
const make = (tag, className, text) => {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
};
const MARKS = ["error", "warning", "unmatched", "pass"];
const ROW = 28;
const LOW = -8; // the chart's and the bars' scale: from 1e-8 to 1, with "same" below and "cannot be equal" above
const number = (value) => (typeof value === "string" ? (value === "inf" ? Infinity : value === "-inf" ? -Infinity : NaN) : value);
const short = (value) => {
  if (value === undefined || value === null) return "";
  const known = number(value);
  if (known === Infinity) return "∞";
  if (typeof known !== "number" || Number.isNaN(known)) return String(value);
  if (known === 0) return "0";
  const size = Math.abs(known);
  return size >= 1e-3 && size < 1e5 ? String(+known.toPrecision(5)) : known.toExponential(1);
};
const apart = (value) => {
  const known = number(value);
  if (known === undefined) return "";
  if (known === 0) return "same";
  if (known > 0 && known < 0.01) return known.toExponential(1);
  return known < 100 ? known.toFixed(2) : short(value);
};
const level = (value) => {
  // 0 for "same", 1 for a difference as large as the values
  const known = number(value);
  if (known === undefined || known === null || known === 0) return 0;
  if (known === Infinity) return 1;
  return Math.min(1, Math.max(0.02, (Math.log10(known) - LOW + 1) / (1 - LOW)));
};
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();

const state = { section: 0, text: "", marks: new Set(MARKS), direction: "", module: "", sort: "", down: false, call: -1 };
let order = []; // indices of the calls that the table shows

function readAddress() {
  const known = new URLSearchParams(location.hash.slice(1));
  const first = Math.max(0, data.sections.findIndex((each) => each.divergence.cause !== "none"));
  state.section = Math.min(+(known.get("section") ?? first) || 0, data.sections.length - 1);
  state.text = known.get("text") ?? "";
  state.direction = known.get("direction") ?? "";
  state.module = known.get("module") ?? "";
  state.sort = known.get("sort") ?? "";
  state.down = known.get("down") === "1";
  state.call = +(known.get("call") ?? -1);
  state.marks = new Set((known.get("marks") ?? MARKS.join()).split(",").filter((each) => MARKS.includes(each)));
}

function writeAddress() {
  const known = new URLSearchParams();
  if (data.sections.length > 1) known.set("section", state.section);
  for (const key of ["text", "direction", "module", "sort"]) if (state[key]) known.set(key, state[key]);
  if (state.down) known.set("down", "1");
  if (state.call >= 0) known.set("call", state.call);
  if (state.marks.size < MARKS.length) known.set("marks", [...state.marks].join());
  history.replaceState(null, "", "#" + known);
}

const section = () => data.sections[state.section];
const nameOf = (call) => call.name ?? call.other;
const messageOf = (call) => {
  const found = call.rows.filter((row) => row.reasons && row.mark === call.mark);
  return found.length ? found[0].value + ": " + found[0].reasons.join("; ") : "";
};

// ---- the verdict

function showVerdict() {
  const { divergence, calls } = section();
  const words = { made: "First divergence", received: "The runs differ before this call", accumulated: "Errors add up; usual bounds are first left here", none: "No divergence" };
  document.body.className = divergence.cause;
  $("eyebrow").textContent = words[divergence.cause];
  $("reasons").replaceChildren();
  $("crumbs").textContent = $("hint").textContent = "";
  $("jump").hidden = divergence.call < 0;
  if (divergence.call < 0) {
    const wrong = calls.some((call) => call.mark === "error");
    if (wrong) document.body.className = "wrong";
    $("culprit").textContent = wrong ? "Some values differ" : "The runs agree";
    return;
  }
  const call = calls[divergence.call];
  $("culprit").textContent = nameOf(call);
  $("crumbs").textContent = call.module ? "in " + call.module.split(".").join(" › ") : "";
  for (const index of divergence.rows) {
    const row = call.rows[index];
    $("reasons").append(make("li", "", row.value + ": " + (row.reasons ?? ["differs"]).join("; ")));
  }
  $("hint").textContent = divergence.hint;
  for (const side of ["inputs", "result"]) {
    $("bar-" + side).style.width = 100 * level(call[side]) + "%";
    $("text-" + side).textContent = call[side] === undefined ? "none" : apart(call[side]);
  }
}

function showSections() {
  $("sections").hidden = data.sections.length < 2;
  $("sections").replaceChildren(...data.sections.map((each, index) => {
    const button = make("button", index === state.section ? "on" : "");
    const worst = each.divergence.cause === "none" ? "pass" : each.divergence.cause === "accumulated" ? "warning" : "error";
    button.append(make("span", "dot " + worst), each.title || "run " + index);
    button.onclick = () => { Object.assign(state, { section: index, call: -1, module: "" }); showAll(); };
    return button;
  }));
}

// ---- the chart

function showChart() {
  const canvas = $("chart"), { calls, divergence } = section();
  const ratio = window.devicePixelRatio || 1, width = canvas.clientWidth || 900, height = 210;
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  const pen = canvas.getContext("2d");
  pen.scale(ratio, ratio);
  const left = 46, right = width - 10, top = 14, bottom = height - 26;
  const x = (index) => left + (right - left) * (calls.length < 2 ? 0.5 : index / (calls.length - 1));
  const y = (value) => bottom - (bottom - top) * level(value);
  pen.font = "11px system-ui, sans-serif";
  pen.textAlign = "right";
  for (const [mark, text] of [[0, "same"], [1e-8, "1e-8"], [1e-6, "1e-6"], [1e-4, "1e-4"], [1e-2, "1e-2"], [1, "1, ∞"]]) {
    pen.strokeStyle = colour("line");
    pen.beginPath(); pen.moveTo(left, y(mark) + 0.5); pen.lineTo(right, y(mark) + 0.5); pen.stroke();
    pen.fillStyle = colour("faint");
    pen.fillText(text, left - 6, y(mark) + 4);
  }
  pen.textAlign = "center";
  pen.fillText("calls in the order of the run", (left + right) / 2, height - 6);
  if (divergence.call >= 0) {
    pen.strokeStyle = colour(divergence.cause === "accumulated" ? "warning" : "error");
    pen.lineWidth = 2;
    pen.beginPath(); pen.moveTo(x(divergence.call), top - 8); pen.lineTo(x(divergence.call), bottom + 6); pen.stroke();
    pen.lineWidth = 1;
  }
  const size = calls.length > 4000 ? 1.2 : calls.length > 400 ? 2 : 3.5;
  const draw = (index, value, ink, radius) => {
    pen.fillStyle = ink;
    pen.beginPath(); pen.arc(x(index), y(value), radius, 0, 7); pen.fill();
  };
  const inks = Object.fromEntries([...MARKS, "inputs"].map((each) => [each, colour(each)]));
  calls.forEach((call, index) => { if (call.inputs !== undefined) draw(index, call.inputs, inks.inputs, size * 0.8); });
  for (const mark of ["pass", "warning", "error"]) {
    calls.forEach((call, index) => { if (call.result !== undefined && call.mark === mark) draw(index, call.result, inks[mark], size); });
  }
  pen.fillStyle = inks.unmatched;
  calls.forEach((call, index) => { if (!call.name || !call.other) pen.fillRect(x(index) - 1, bottom + 3, 2, 7); });
  if (state.call >= 0) {
    pen.strokeStyle = colour("accent");
    pen.strokeRect(x(state.call) - 4.5, top - 6, 9, bottom - top + 12);
  }
  const nearest = (event) => {
    const at = (event.offsetX - left) / Math.max(1, right - left) * (calls.length - 1);
    return Math.max(0, Math.min(calls.length - 1, Math.round(at)));
  };
  canvas.onmousemove = (event) => {
    const call = calls[nearest(event)];
    $("tip").hidden = false;
    $("tip").textContent = nameOf(call) + "\ninputs " + (apart(call.inputs) || "–") + ", result " + (apart(call.result) || "–");
    $("tip").style.left = Math.min(event.offsetX + 26, width - 260) + "px";
    $("tip").style.top = event.offsetY + 40 + "px";
  };
  canvas.onmouseleave = () => { $("tip").hidden = true; };
  canvas.onclick = (event) => choose(nearest(event), true);
}

// ---- the model's tree

function branches() {
  const root = { name: "model", path: "", children: new Map(), errors: 0, warnings: 0, calls: 0, worst: 0, first: false };
  const { calls, divergence } = section();
  calls.forEach((call, index) => {
    let node = root;
    const visit = () => {
      node.calls += 1;
      if (call.mark === "error") node.errors += 1;
      if (call.mark === "warning") node.warnings += 1;
      if (call.name && call.other) node.worst = Math.max(node.worst, level(call.result));
    };
    visit();
    for (const part of call.module ? call.module.split(".") : []) {
      if (!node.children.has(part)) {
        const path = node.path ? node.path + "." + part : part;
        node.children.set(part, { ...root, name: part, path, children: new Map(), errors: 0, warnings: 0, calls: 0, worst: 0, first: false });
      }
      node = node.children.get(part);
      visit();
    }
    if (index === divergence.call) node.first = true;
  });
  return root;
}

function showTree() {
  const { calls, divergence } = section();
  const bad = divergence.call >= 0 ? calls[divergence.call].module ?? "" : null;
  const element = (node, depth) => {
    const line = make(node.children.size ? "summary" : "div", node.children.size ? "" : "leaf");
    line.dataset.path = node.path;
    if (node.first) line.classList.add("first-bad");
    if (node.path && state.module === node.path) line.classList.add("chosen");
    const heat = make("span", "heat");
    const ink = node.errors ? "error" : node.warnings ? "warning" : "pass";
    heat.style.background = `color-mix(in srgb, var(--${ink}) ${Math.round(25 + 75 * node.worst)}%, var(--soft))`;
    line.append(make("span", "name", node.name), heat);
    line.append(make("span", "many", node.errors ? node.errors + "✗" : node.calls));
    line.title = `${node.path || "all"}: ${node.calls} calls, ${node.errors} with errors, ${node.warnings} with warnings`;
    line.onclick = (event) => {
      if (event.offsetX < 16 && node.children.size) return; // the triangle only opens
      event.preventDefault();
      state.module = state.module === node.path ? "" : node.path;
      showTree(); showTable(true);
    };
    if (!node.children.size) return line;
    const details = make("details");
    details.open = depth === 0 || (bad !== null && (bad + ".").startsWith(node.path + ".")) || (node.children.size < 9 && depth < 2) || (state.module + ".").startsWith(node.path + ".");
    details.append(line, ...[...node.children.values()].map((each) => element(each, depth + 1)));
    return details;
  };
  $("tree").replaceChildren(element(branches(), 0));
}

// ---- the table

const COLUMNS = [
  ["", "#", (call, index) => index],
  ["name", "call", nameOf],
  ["module", "module", (call) => call.module ?? ""],
  ["inputs", "inputs", (call) => number(call.inputs) ?? -1],
  ["result", "result", (call) => number(call.result) ?? -1],
  ["mark", "mark", (call) => -MARKS.indexOf(call.mark)],
  ["message", "why", messageOf],
];

function showHead() {
  $("head").replaceChildren(...COLUMNS.map(([key, title]) => {
    const cell = make("span", key && state.sort === key ? "sorted" + (state.down ? " down" : "") : "", title);
    cell.dataset.key = key;
    if (key === "inputs" || key === "result") cell.style.textAlign = "right";
    cell.onclick = () => {
      const numeric = ["inputs", "result", "mark"].includes(key);
      state.down = state.sort === key ? !state.down : numeric; // the worst first
      state.sort = key;
      showTable(true);
    };
    return cell;
  }));
}

function showTable(toTop) {
  showHead();
  const { calls } = section();
  const text = state.text.toLowerCase();
  order = [];
  calls.forEach((call, index) => {
    if (!state.marks.has(call.mark)) return;
    if (state.direction && call.direction !== state.direction) return;
    if (state.module && !((call.module ?? "") + ".").startsWith(state.module + ".")) return;
    if (text && ![call.name, call.other, call.module, messageOf(call)].some((each) => each && each.toLowerCase().includes(text))) return;
    order.push(index);
  });
  const column = COLUMNS.find(([key]) => key === state.sort);
  if (column) {
    const key = order.map((index) => column[2](calls[index], index));
    const indices = order.map((_, index) => index);
    indices.sort((a, b) => (key[a] < key[b] ? -1 : key[a] > key[b] ? 1 : a - b) * (state.down && key[a] !== key[b] ? -1 : 1));
    order = indices.map((index) => order[index]);
  }
  $("shown").textContent = order.length === calls.length ? `${calls.length} calls` : `${order.length} of ${calls.length} calls`;
  $("space").style.height = order.length * ROW + "px";
  if (toTop) $("scroll").scrollTop = 0;
  showRows();
  writeAddress();
}

function showRows() {
  $("head").style.paddingRight = $("scroll").offsetWidth - $("scroll").clientWidth + "px"; // its scroll bar
  const { calls, divergence } = section();
  const begin = Math.max(0, Math.floor($("scroll").scrollTop / ROW) - 5);
  const shown = order.slice(begin, begin + Math.ceil(($("scroll").clientHeight || 470) / ROW) + 10);
  $("rows").style.transform = `translateY(${begin * ROW}px)`;
  $("rows").replaceChildren(...shown.map((index) => {
    const call = calls[index];
    const row = make("div", "row " + call.mark + (index === divergence.call ? " first-bad" : "") + (index === state.call ? " chosen" : ""));
    row.dataset.call = index;
    const same = call.name === call.other || !call.name || !call.other;
    const name = make("span", "mono", nameOf(call) + (same ? "" : "  ↔ " + call.other));
    name.title = [call.name ?? "not in the first run", call.other ?? "not in the second run"].join("\n");
    const message = make("span", "", messageOf(call) + (call.moved ? " (moved)" : ""));
    message.title = message.textContent;
    row.append(make("span", "num", index), name, make("span", "", call.module ?? ""), make("span", "num", apart(call.inputs)),
      make("span", "num", apart(call.result)), make("span", "mark " + call.mark, call.mark), message);
    row.onclick = () => choose(index, false);
    return row;
  }));
}

function choose(index, scroll) {
  state.call = index;
  if (scroll) {
    if (!order.includes(index)) { Object.assign(state, { text: "", direction: "", module: "", marks: new Set(MARKS) }); showControls(); showTree(); showTable(); }
    $("scroll").scrollTop = Math.max(0, order.indexOf(index) * ROW - 150);
  }
  showRows(); showChart(); showDetail(); writeAddress();
}

function showDetail() {
  const call = section().calls[state.call >= 0 ? state.call : section().divergence.call];
  $("detail").hidden = !call;
  if (!call) return;
  const table = make("table"), head = make("tr");
  for (const title of ["value", "", "dtype", "shape", ...data.statistics, "error", "cosine", "max abs", "max rel", "< 1‰"]) head.append(make("th", "", title));
  head.append(make("th", "words", "judgement"));
  table.append(head);
  for (const row of call.rows) {
    [["run", row.left], ["reference", row.right]].forEach(([side, value], which) => {
      const line = make("tr", which ? "other" : "");
      line.append(make("td", "", which ? "" : row.value), make("td", "", side));
      const known = value ?? {};
      line.append(make("td", "", known.dtype ? known.dtype.replace("torch.", "") : known.type ?? (value ? "" : "missing")));
      line.append(make("td", "", known.shape !== undefined ? "[" + known.shape + "]" : known.value === undefined ? "" : String(known.value)));
      for (const key of data.statistics) line.append(make("td", "", short(known[key])));
      const facts = which ? {} : { error: row.error, ...(row.elements ?? {}) };
      for (const key of ["error", ...data.elements]) line.append(make("td", "", short(facts[key])));
      const words = make("td", "words", which ? "" : (row.reasons ?? []).join("; "));
      if (!which) words.prepend(make("span", "mark " + row.mark, row.mark));
      line.append(words);
      table.append(line);
    });
  }
  $("detail").replaceChildren(make("h4", "", nameOf(call) + (call.other && call.other !== call.name && call.name ? "  ↔  " + call.other : "")), table);
  if (call.stack) $("detail").append(make("pre", "", call.stack.join("\n")));
}

function counted(calls) {
  const counts = Object.fromEntries(MARKS.map((mark) => [mark, { calls: 0, rows: 0 }]));
  for (const call of calls) {
    counts[call.mark].calls += 1;
    for (const mark of call.marks) counts[mark].rows += 1;
  }
  return counts;
}

function showControls() {
  $("filter").value = state.text;
  $("direction").value = state.direction;
  // a call has the mark of its worst row; the terminal shows both numbers, too
  const counts = section().counts ??= counted(section().calls);
  $("marks").replaceChildren(...MARKS.map((mark) => {
    const button = make("button", state.marks.has(mark) ? "on" : "");
    button.dataset.mark = mark;
    button.append(make("span", "dot " + mark), `${mark} ${counts[mark].calls}, ${counts[mark].rows}`);
    button.title = `${counts[mark].calls} calls whose worst row is: ${mark}; ${counts[mark].rows} rows of this mark`;
    button.onclick = () => {
      if (state.marks.has(mark)) state.marks.delete(mark); else state.marks.add(mark);
      showControls(); showTable(true);
    };
    return button;
  }));
}

function showAll() {
  showVerdict(); showSections(); showControls(); showTree(); showTable(true); showDetail(); showChart();
  const { divergence, notes } = section();
  $("notes").replaceChildren(...[...data.notes, ...notes].map((note) => make("p", "", note)));
  const target = state.call >= 0 ? state.call : divergence.call;
  if (target >= 0 && order.includes(target) && !state.sort) { $("scroll").scrollTop = Math.max(0, order.indexOf(target) * ROW - 150); showRows(); }
}

$("filter").oninput = (event) => { state.text = event.target.value; showTable(true); };
$("direction").onchange = (event) => { state.direction = event.target.value; showTable(true); };
$("scroll").onscroll = showRows;
$("scroll").onkeydown = (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step || !order.length) return;
  event.preventDefault();
  const at = order.indexOf(state.call) + step;
  choose(order[Math.max(0, Math.min(order.length - 1, at))], true);
};
window.onresize = () => { showChart(); showRows(); };
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", showChart);
window.onhashchange = () => { readAddress(); showAll(); };
readAddress();
showAll();
