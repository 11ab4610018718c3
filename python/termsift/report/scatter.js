"use strict";
// Draw the terms by their frequency in one class and in another class, or in all other classes.
{
  const find = (id) => document.getElementById(id);
  const data = JSON.parse(find("frequencies").textContent);
  const [chart, ours, theirs, query, said] =
    ["scatter", "ours", "theirs", "query", "said"].map(find);
  const LEFT = 60, TOP = 32; // the left and top edges of the area within the axes
  const NEAR = 14; // the largest distance from the pointer to a term that the pointer selects
  const ROOM = 80; // the width for a name beside a point
  const LABEL = 32; // the pixels of chart width per name
  let points = [], right = 0;

  function draw(tag, attributes, text) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    if (text !== undefined) made.textContent = text;
    chart.append(made);
    return made;
  }

  // Return the frequency of each term per million tokens in class c, and the frequency of a single
  // occurrence. If c is -1, use all classes except `without`.
  function frequencies(c, without) {
    const own = data.classes[c] ?? data.all;
    const less = c < 0 ? data.classes[without] : { tokens: 0, counts: [] };
    const tokens = own.tokens - less.tokens;
    const unit = tokens > 0 ? 1e6 / tokens : 0;
    return [own.counts.map((n, i) => unit * (n - (less.counts[i] ?? 0))), unit];
  }

  const shown = (f) => f.toLocaleString("en", { maximumSignificantDigits: 4 });

  // Return a logarithmic axis that begins with a strip for terms that are absent from the class.
  // Many rare terms occur equally often, so u in [0, 1] moves a term by up to half an occurrence.
  function axis(values, one, from, to) {
    const positive = values.filter((f) => f > 0);
    const low = Math.log10(Math.min(...positive, 1e6) / 2), high = Math.log10(Math.max(...positive, 1));
    const strip = (to - from) * (0.4 - (0.32 * positive.length) / values.length);
    const at = (f) => from + strip + ((Math.log10(f) - low) / (high - low || 1)) * (to - from - strip);
    const move = (f, u) => (f > 0 ? at(f + (u - 0.5) * Math.min(f, one)) : from + 0.85 * u * strip);
    return { low, high, at, move, zero: from + strip / 2 };
  }

  function redraw() {
    const a = Number(ours.value), b = Number(theirs.value);
    const [fa, oneA] = frequencies(a, -1), [fb, oneB] = frequencies(b, a);
    const width = Math.max(chart.clientWidth, 240);
    const height = Math.min(640, Math.max(420, 0.8 * width));
    const step = width < 480 ? 2 : 1, r = width < 480 ? 2.5 : 3.5;
    chart.setAttribute("viewBox", `0 0 ${width} ${height}`); // one unit is one pixel
    chart.replaceChildren();
    right = width - 16;
    const bottom = height - 48;
    points = data.terms
      .map((term, i) => ({ term, fa: fa[i], fb: fb[i] }))
      .filter(({ fa, fb }) => fa > 0 || fb > 0);
    const across = axis(points.map(({ fb }) => fb), oneB, LEFT, right);
    const up = axis(points.map(({ fa }) => fa), oneA, bottom, TOP);
    const grid = (x1, x2, y1, y2) => draw("line", { x1, x2, y1, y2, class: "grid" });
    const mark = (x, y, text, anchor) => draw("text", { x, y, "text-anchor": anchor }, text);
    const powers = ({ low, high }) =>
      Array.from({ length: 12 }, (_, p) => p - 3).filter((p) => low < p && p <= high && p % step === 0);
    for (const f of powers(across).map((p) => 10 ** p)) {
      grid(across.at(f), across.at(f), TOP, bottom);
      mark(across.at(f), bottom + 16, shown(f), "middle");
    }
    for (const f of powers(up).map((p) => 10 ** p)) {
      grid(LEFT, right, up.at(f), up.at(f));
      mark(LEFT - 8, up.at(f), shown(f), "end");
    }
    const equal = [Math.max(across.low, up.low), Math.min(across.high, up.high)].map((p) => 10 ** p);
    grid(...equal.map(across.at), ...equal.map(up.at));
    mark(across.zero, bottom + 16, "0", "middle");
    mark(LEFT - 8, up.zero, "0", "end");
    mark(right, bottom + 38, `per million tokens in ${theirs.selectedOptions[0].textContent}`, "end");
    mark(0, 10, `per million tokens in ${ours.selectedOptions[0].textContent}`, "start");
    points.forEach((point, i) => {
      // The multiples of these constants fill a square evenly (the R2 sequence).
      point.x = across.move(point.fb, (i * 0.7548776662) % 1);
      point.y = up.move(point.fa, (i * 0.5698402910) % 1);
      const side = point.fa >= point.fb ? "point" : "point less";
      point.mark = draw("circle", { cx: point.x, cy: point.y, r, class: side });
    });
    search();
  }

  // Write names beside points, the first points first. Skip names that would cover another name.
  function label(chosen) {
    for (const old of chart.querySelectorAll(".label, .hover")) old.remove();
    const taken = [];
    const most = Math.round(right / LABEL);
    for (const { term, fa, fb, x, y } of chosen.slice(0, 4 * most)) {
      if (taken.length === most) break;
      const after = fa < fb ? x < right - ROOM : x < LEFT + ROOM; // the side away from the line
      const text = draw("text", { x: after ? x + 6 : x - 6, y, class: "label",
        "text-anchor": after ? "start" : "end" }, term);
      const box = text.getBBox();
      const covers = taken.some((other) =>
        box.x < other.x + other.width && other.x < box.x + box.width &&
        box.y < other.y + other.height && other.y < box.y + box.height);
      if (covers || box.x < 0 || box.x + box.width > right + 16) text.remove();
      else taken.push(box);
    }
  }

  // Return the larger frequency of a term times the logarithm of the ratio of its frequencies.
  const weight = ({ fa, fb }) => Math.max(fa, fb) * Math.abs(Math.log((fa + 1) / (fb + 1)));

  // Return terms from the two sides of the line alternately, each side by decreasing weight.
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
    const name = `\u2068${nearest.term}\u2069`;
    for (const old of chart.querySelectorAll(".hover")) old.remove();
    const after = nearest.x < (LEFT + right) / 2;
    draw("circle", { cx: nearest.x, cy: nearest.y, r: 5, class: "point found hover" });
    draw("text", { x: nearest.x + (after ? 9 : -9), y: nearest.y - 12, class: "hover",
      "text-anchor": after ? "start" : "end" }, name);
    said.textContent =
      `${name}: ${shown(nearest.fa)} and ${shown(nearest.fb)} per million tokens.`;
  }

  for (const choice of [ours, theirs]) choice.addEventListener("change", redraw);
  query.addEventListener("input", search);
  for (const kind of ["pointermove", "pointerdown"]) chart.addEventListener(kind, point);
  addEventListener("resize", redraw);
  find("compared").hidden = false;
  redraw();
}
