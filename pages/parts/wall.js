// Draws the gauges. Everything that comes from the log is set as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";
const START = 150, SWEEP = 240;      // degrees, clockwise from the right: the arc is open at the bottom
const CX = 100, CY = 96, R = 78;

const ICONS = {
  closed: "M18 8h-1V6A5 5 0 0 0 7 6v2H6a2 2 0 0 0-2 2v10c0 1.1.9 2 2 2h12a2 2 0 0 0 2-2V10a2 2 0 0 0-2-2ZM9 6a3 3 0 0 1 6 0v2H9V6Z",
  ok: "M12 2a10 10 0 1 0 0 20 10 10 0 0 0 0-20Zm-1.4 14.6-4.2-4.2 1.4-1.4 2.8 2.8 5.6-5.6 1.4 1.4-7 7Z",
  warning: "M12 3 1 21h22L12 3Zm1 14.5h-2v-2h2v2Zm0-3.5h-2v-4.5h2V14Z",
  critical: "M12 2a10 10 0 1 0 0 20 10 10 0 0 0 0-20Zm1 15h-2v-2h2v2Zm0-4h-2V7h2v6Z",
  exhausted: "M12 2a10 10 0 1 0 0 20 10 10 0 0 0 0-20ZM4 12a8 8 0 0 1 12.9-6.3L5.7 16.9A8 8 0 0 1 4 12Zm8 8a8 8 0 0 1-4.9-1.7L18.3 7.1A8 8 0 0 1 12 20Z",
  exceeded: "M8.3 2 2 8.3v7.4L8.3 22h7.4l6.3-6.3V8.3L15.7 2H8.3Zm7.5 12.4-1.4 1.4-2.4-2.4-2.4 2.4-1.4-1.4 2.4-2.4-2.4-2.4 1.4-1.4 2.4 2.4 2.4-2.4 1.4 1.4-2.4 2.4 2.4 2.4Z",
};

function svg(name, attributes, title) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (title) {
    const tip = document.createElementNS(SVG, "title");
    tip.textContent = title;
    node.appendChild(tip);
  }
  return node;
}

function div(className, text) {
  const node = document.createElement("div");
  node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}

function at(share, radius) {
  const angle = (START + SWEEP * Math.min(Math.max(share, 0), 1)) * Math.PI / 180;
  return [CX + radius * Math.cos(angle), CY + radius * Math.sin(angle)];
}

function path(from, to) {
  const [x0, y0] = at(from, R), [x1, y1] = at(to, R);
  const large = (Math.min(to, 1) - from) * SWEEP > 180 ? 1 : 0;
  return `M${x0} ${y0}A${R} ${R} 0 ${large} 1 ${x1} ${y1}`;
}

function mark(share, title) {
  const [x0, y0] = at(share, R - 6), [x1, y1] = at(share, R + 10);
  const ends = { x1: x0, y1: y0, x2: x1, y2: y1 };
  const both = svg("g", {}, title);
  both.append(svg("line", { class: "halo", ...ends }), svg("line", { class: "mark", ...ends }));
  return both;
}

function tick(entry) {
  const angle = START + SWEEP * Math.min(entry.share, 1);
  const [x, y] = at(entry.share, R - 9);
  return svg("path", { class: "tick", d: "M0 0L-7 -3.5L-7 3.5Z", transform: `translate(${x} ${y}) rotate(${angle})` }, entry.title);
}

function gauge(entry, open) {
  const card = document.createElement("a");
  card.className = `gauge ${entry.state}`;
  card.href = entry.href;
  card.title = entry.label;
  card.setAttribute("aria-label", entry.label);
  card.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    open(entry.pool);
  });

  const dial = div("dial");
  const arc = svg("svg", { class: "arc", viewBox: "0 0 200 148", "aria-hidden": "true" });
  arc.append(svg("path", { class: "track", d: path(0, 1) }));
  if (entry.share > 0) arc.append(svg("path", { class: "spent", d: path(0, Math.max(Math.min(entry.share, 1), 0.004)) }));
  arc.append(mark(entry.warn, `warning from ${Math.round(entry.warn * 100)} %`));
  arc.append(mark(entry.critical, `critical from ${Math.round(entry.critical * 100)} %`));
  for (const other of entry.ticks) arc.append(tick(other));

  const middle = div("middle");
  middle.append(div(entry.big.length > 7 ? "big long" : "big", entry.big), div("unit", entry.unit));
  dial.append(arc, middle, div("consumed", entry.consumed));

  const state = div("state");
  const icon = svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" });
  icon.append(svg("path", { d: ICONS[entry.state] }));
  const word = document.createElement("span");
  word.textContent = entry.word;
  state.append(icon, word);
  if (entry.flag) {
    const flag = document.createElement("span");
    flag.className = "flag";
    flag.textContent = entry.flag;
    state.append(flag);
  }

  card.append(div("name", entry.pool), div("dataset", entry.dataset), dial, state, div("line", entry.outlook));
  if (entry.typical) card.append(div("line basis", entry.typical));
  card.append(div("line basis", entry.basis));
  return card;
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const wall = parentElement.querySelector(".wall");
  wall.open = (pool) => setTriggerValue("open", pool);
  const drawn = JSON.stringify(data);
  if (wall.dataset.drawn === drawn) return;     // a rerun that changes nothing keeps the focus where it is
  wall.dataset.drawn = drawn;
  wall.replaceChildren(...data.groups.map((group) => {
    const section = document.createElement("section");
    section.className = "group";
    if (group.title) {
      const title = document.createElement("h3");
      title.textContent = group.title;
      section.append(title);
    }
    const gauges = div("gauges");
    gauges.append(...group.gauges.map((entry) => gauge(entry, (pool) => wall.open(pool))));
    section.append(gauges);
    return section;
  }));
}
