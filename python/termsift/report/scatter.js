"use strict";
// Draw the terms by their frequency in one class and in another, or in all others.
{
  const find = (id) => document.getElementById(id);
  const data = JSON.parse(find("frequencies").textContent);
  const [chart, ours, theirs, query, said] =
    ["scatter", "ours", "theirs", "query", "said"].map(find);
  const LEFT = 88, RIGHT = 640, TOP = 16, BOTTOM = 572; // the area within the axes
  const ZERO = 24; // how far the terms that do not occur stand from the others
  const NEAR = 14; // how far the pointer may be from a term that it points at
  const ROOM = 80; // for a name beside a point
  const LABELS = 24, LISTED = 8; // names in the chart, and in the line above it
  let points = [];

  function draw(tag, attributes, text) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    if (text !== undefined) made.textContent = text;
    chart.append(made);
    return made;
  }

  // Return the occurrences per million tokens in a class, or, for -1, in all classes but another.
  function frequencies(c, without) {
    const own = data.classes[c] ?? data.all;
    const less = c < 0 ? data.classes[without] : { tokens: 0, counts: [] };
    const tokens = own.tokens - less.tokens;
    return own.counts.map((n, i) => (tokens > 0 ? (1e6 * (n - (less.counts[i] ?? 0))) / tokens : 0));
  }

  const shown = (x) => x.toLocaleString("en", { maximumSignificantDigits: 4 });

  function redraw() {
    const a = Number(ours.value), b = Number(theirs.value);
    const [fa, fb] = [frequencies(a, -1), frequencies(b, a)];
    const all = [...fa, ...fb].filter((x) => x > 0);
    const low = Math.log10(Math.min(...all, 1e6)), high = Math.log10(Math.max(...all, 1));
    const part = (x) => (Math.log10(x) - low) / (high - low || 1);
    const x = (f) => (f > 0 ? LEFT + ZERO + part(f) * (RIGHT - LEFT - ZERO) : LEFT);
    const y = (f) => (f > 0 ? BOTTOM - ZERO - part(f) * (BOTTOM - TOP - ZERO) : BOTTOM);
    chart.replaceChildren();
    draw("line", { x1: LEFT + ZERO, y1: BOTTOM - ZERO, x2: RIGHT, y2: TOP, class: "grid" });
    for (let p = Math.ceil(low); p <= high; p++) {
      const f = 10 ** p;
      draw("line", { x1: x(f), x2: x(f), y1: TOP, y2: BOTTOM, class: "grid" });
      draw("line", { x1: LEFT, x2: RIGHT, y1: y(f), y2: y(f), class: "grid" });
      draw("text", { x: x(f), y: BOTTOM + 20, "text-anchor": "middle" }, shown(f));
      draw("text", { x: LEFT - 10, y: y(f), "text-anchor": "end" }, shown(f));
    }
    draw("text", { x: LEFT, y: BOTTOM + 20, "text-anchor": "middle" }, "0");
    draw("text", { x: LEFT - 10, y: BOTTOM, "text-anchor": "end" }, "0");
    draw("text", { x: (LEFT + RIGHT) / 2, y: BOTTOM + 44, "text-anchor": "middle" },
      "per million tokens in " + theirs.selectedOptions[0].textContent);
    draw("text", { x: 12, y: BOTTOM / 2, "text-anchor": "middle", transform: `rotate(-90 12 ${BOTTOM / 2})` },
      "per million tokens in " + ours.selectedOptions[0].textContent);
    points = data.terms
      .map((term, i) => ({ term, fa: fa[i], fb: fb[i], x: x(fb[i]), y: y(fa[i]) }))
      .filter(({ fa, fb }) => fa > 0 || fb > 0);
    for (const point of points) {
      const side = point.fa >= point.fb ? "point" : "point less";
      point.mark = draw("circle", { cx: point.x, cy: point.y, r: 3.5, class: side });
    }
    search();
  }

  // Write names beside points where they cover no other name; the first points come first.
  function label(chosen) {
    for (const old of chart.querySelectorAll(".label, .hover")) old.remove();
    const taken = [];
    for (const { term, fa, fb, x, y } of chosen.slice(0, 4 * LABELS)) {
      if (taken.length === LABELS) break;
      const after = fa < fb ? x < RIGHT - ROOM : x < LEFT + ROOM; // away from the diagonal
      const text = draw("text", { x: after ? x + 6 : x - 6, y, class: "label",
        "text-anchor": after ? "start" : "end" }, term);
      const box = text.getBBox();
      const covers = taken.some((other) =>
        box.x < other.x + other.width && other.x < box.x + box.width &&
        box.y < other.y + other.height && other.y < box.y + box.height);
      if (covers || box.x < 0 || box.x + box.width > RIGHT + 20) text.remove();
      else taken.push(box);
    }
  }

  // Return how much a term stands out: its frequency in a class times the logarithm of the ratio.
  const weight = ({ fa, fb }) => Math.max(fa, fb) * Math.abs(Math.log((fa + 1) / (fb + 1)));

  // Return the terms of both sides in turns, those that stand out first.
  function inTurns(some) {
    const sorted = [...some].sort((one, other) => weight(other) - weight(one));
    const sides = [true, false].map((more) => sorted.filter(({ fa, fb }) => fa >= fb === more));
    const longest = sides[0].length > sides[1].length ? sides[0] : sides[1];
    return longest.flatMap((_, turn) => sides.flatMap((side) => side.slice(turn, turn + 1)));
  }

  function search() {
    const wanted = query.value.trim().toLowerCase();
    const found = points.filter(({ term }) => wanted && term.toLowerCase().includes(wanted));
    for (const { mark } of points) mark.classList.remove("found");
    for (const { mark } of found) mark.classList.add("found");
    label(inTurns(wanted ? found : points));
    said.textContent = wanted
      ? `${found.length} of ${shown(points.length)} terms contain “${query.value.trim()}”.`
      : `${shown(points.length)} terms. Point at one for its name.`;
  }

  function point(event) {
    const at = chart.getScreenCTM().inverse();
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(at);
    const far = (one) => Math.hypot(one.x - x, one.y - y);
    const nearest = points.reduce((best, one) => (best && far(best) <= far(one) ? best : one), null);
    if (!nearest || far(nearest) > NEAR) return;
    const same = points.filter((one) => one.x === nearest.x && one.y === nearest.y);
    const listed = same.slice(0, LISTED).map(({ term }) => `\u2068${term}\u2069`);
    const names = listed.join(", ");
    const more = same.length > LISTED ? ` and ${same.length - LISTED} more` : "";
    for (const old of chart.querySelectorAll(".hover")) old.remove();
    const after = nearest.x < (LEFT + RIGHT) / 2;
    draw("circle", { cx: nearest.x, cy: nearest.y, r: 5, class: "point found hover" });
    draw("text", { x: nearest.x + (after ? 9 : -9), y: nearest.y - 12, class: "hover",
      "text-anchor": after ? "start" : "end" }, listed.slice(0, 3).join(", "));
    said.textContent =
      `${names}${more}: ${shown(nearest.fa)} and ${shown(nearest.fb)} per million tokens.`;
  }

  for (const choice of [ours, theirs]) choice.addEventListener("change", redraw);
  query.addEventListener("input", search);
  for (const kind of ["pointermove", "pointerdown"]) chart.addEventListener(kind, point);
  find("compared").hidden = false;
  redraw();
}
