"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const text = (number) => data.strings[number];
  const percent = (value) => (value === null ? "–" : `${Math.round(value * 100)} %`);
  const ROWS = 200; // lines of the table of ranks drawn at once

  /** An element with its class and children; strings become text, never markup. */
  function make(name, className, ...children) {
    const element = document.createElement(name);
    if (className) element.className = className;
    element.append(...children);
    return element;
  }

  const frame = { className: "chart", marginTop: 8, marginBottom: 22, marginLeft: 34, marginRight: 8 };
  const shares = { domain: [0, 1], ticks: [0, 0.5, 1], tickFormat: "%", label: null, grid: true };
  const known = (points) => points.filter((point) => point.value !== null);

  function curve(points, x, color, { opacity = 0.18, dash, dots = true } = {}) {
    const options = { x, y: "value", stroke: color, strokeWidth: dots ? 2 : 1.3, strokeDasharray: dash };
    const marks = [
      Plot.areaY(points, { x, y1: "low", y2: "high", fill: color, fillOpacity: opacity }),
      Plot.line(points, options),
    ];
    if (dots) marks.push(Plot.dot(points, { x, y: "value", fill: color, r: 3 }));
    return marks;
  }

  function tip(points, x, title) {
    return Plot.tip(points, Plot.pointerX({ x, y: "value", title, fontSize: 11, fontVariant: "tabular-nums" }));
  }

  function figure(name, aside, chart) {
    return make("figure", "", make("figcaption", "", make("b", "", name), make("span", "", aside)), chart);
  }

  const points = (series) =>
    known(series.points.map(([k, value, low, high, n]) => ({ k, value, low, high, n, name: series.label })));

  function drawExposure() {
    const box = byId("exposure-charts");
    const width = columnWidth(box, innerWidth <= 736 ? 150 : 216);
    const isHonest = (series) => series.label.split(":")[0] === "honest";
    const payload = (series) => series.label.split("+")[1]; // a pattern stands beside the controls that say the same
    const ks = [...new Set(data.curves.flatMap((series) => series.points.map((point) => point[0])))];
    box.replaceChildren(
      ...data.curves
        .filter((series) => !series.control)
        .map((series) => {
          const own = points(series);
          const atK = own.find((point) => point.k === data.k);
          const chart = Plot.plot({
            ...frame, width, height: Math.round(width * 0.62), x: { type: "point", domain: ks, label: null, padding: 0.2 },
            y: shares, ariaLabel: `exposure at k of ${series.label}`,
            marks: [
              ...data.curves.filter((other) => other.control && payload(other) === payload(series)).flatMap((control) =>
                curve(points(control), "k", isHonest(control) ? "var(--honest)" : "var(--control)", { opacity: 0.1, dash: "4 3", dots: false }),
              ),
              ...curve(own, "k", "var(--plant)"),
              tip(own, "k", (p) => `exposure@${p.k} ${percent(p.value)}\n${percent(p.low)} to ${percent(p.high)}, n = ${p.n}`),
            ],
          });
          return figure(series.label, atK ? percent(atK.value) : "could not tell", chart);
        }),
    );
  }

  function drawDoses() {
    byId("doses").hidden = !data.doses.length;
    document.querySelector("[data-for=doses]").hidden = !data.doses.length;
    const box = byId("dose-charts");
    const width = columnWidth(box, innerWidth <= 736 ? 280 : 288);
    const series = (dose, which) =>
      known(dose.points.map((p) => ({ dose: p[0], value: p[which][0], low: p[which][1], high: p[which][2], n: p[which][3] })));
    box.replaceChildren(
      ...data.doses.map((dose) => {
        const within = series(dose, 1);
        const chart = Plot.plot({
          ...frame, width, height: 170, y: shares, x: { type: "point", domain: dose.points.map((p) => p[0]), label: null },
          ariaLabel: `exposure by ${dose.axis} of ${dose.name}`,
          marks: [
            ...curve(series(dose, 2), "dose", "var(--own)", { opacity: 0.12 }),
            ...curve(within, "dose", "var(--plant)"),
            tip(within, "dose", (p) => `${dose.name}, ${dose.axis} ${p.dose}: exposure@${data.k} ${percent(p.value)}\n${percent(p.low)} to ${percent(p.high)}, n = ${p.n}`),
          ],
        });
        return figure(dose.name, dose.unit, chart);
      }),
    );
  }

  function drawFunnel() {
    const funnel = data.funnel[byId("funnel-of").value || 0];
    if (!funnel) return;
    const box = byId("funnel-chart");
    const bars = funnel.stages.map(([stage, count]) => ({ stage, count, share: count / Math.max(1, funnel.total) }));
    const narrow = box.clientWidth < 520; // no room beside the bars: names stand above them
    const name = narrow
      ? Plot.text(bars, { x: 0, y: "stage", text: "stage", textAnchor: "start", dy: -17, fontSize: 12.5, fill: "var(--ink)" })
      : Plot.axisY({ fontSize: 12.5, tickSize: 0, label: null, fill: "var(--ink)", textAnchor: "start", dx: -128 });
    box.replaceChildren(
      Plot.plot({
        className: "chart", width: box.clientWidth, height: bars.length * (narrow ? 50 : 38) + 4, marginLeft: narrow ? 0 : 140, marginRight: 96,
        marginTop: narrow ? 10 : 2, marginBottom: 2, ariaLabel: `funnel of ${funnel.name}`,
        x: { domain: [0, Math.max(1, funnel.total)], axis: null },
        y: { domain: bars.map((bar) => bar.stage), label: null, axis: null, padding: narrow ? 0.6 : 0.22 },
        marks: [
          Plot.barX(bars, { x: funnel.total, y: "stage", fill: "var(--hover)", rx: 3 }),
          Plot.barX(bars, { x: "count", y: "stage", fill: "var(--plant)", rx: 3 }),
          Plot.text(bars, { x: funnel.total, y: "stage", text: (bar) => `${bar.count.toLocaleString("en")}  ${percent(bar.share)}`, textAnchor: "start", dx: 8, fontSize: 12, fill: "var(--ink)", fontVariant: "tabular-nums" }),
          name,
        ],
      }),
    );
    byId("funnel-doubts").textContent = `Of ${funnel.total.toLocaleString("en")} plants, ${funnel.doubts.toLocaleString("en")} inconclusive.`;
  }

  function drawKept(id, which, color) {
    const box = byId(id);
    const rows = data.kept.map((row) => ({ label: row.label, control: row.control, value: row[which][0], low: row[which][1], high: row[which][2], n: row[which][3] }));
    if (!known(rows).length) {
      box.replaceChildren(make("p", "about", "Not measured: there is nothing to measure it by."));
      return;
    }
    const width = Math.max(260, box.clientWidth);
    const letter = 7; // px across, of the names' 11.5
    const room = Math.max(92, Math.min(width * 0.5, Math.max(...rows.map((row) => row.label.length)) * letter + 8));
    box.replaceChildren(
      Plot.plot({
        className: "chart", width, height: rows.length * 19 + 26, marginLeft: room, marginRight: 14, marginTop: 4, marginBottom: 22,
        ariaLabel: `${which} by pattern`, x: { ...shares, ticks: [0, 0.25, 0.5, 0.75, 1] }, y: { type: "point", domain: rows.map((row) => row.label), label: null },
        marks: [
          Plot.axisY({ fontSize: 11.5, tickSize: 0, label: null, fill: "var(--ink)", lineWidth: (room - 8) / 14, textOverflow: "ellipsis-middle" }),
          Plot.ruleY(known(rows), { y: "label", x1: "low", x2: "high", stroke: color, strokeOpacity: 0.35, strokeWidth: 6, strokeLinecap: "round" }),
          Plot.dot(known(rows), { y: "label", x: "value", fill: (row) => (row.control ? "var(--control)" : color), r: 3.5 }),
          Plot.tip(known(rows), { ...Plot.pointerX({ x: "value", y: "label", title: (row) => `${row.label} ${percent(row.value)}\n${percent(row.low)} to ${percent(row.high)}, n = ${row.n}` }) }),
        ],
      }),
    );
  }

  function columnWidth(box, least) {
    const gap = 20;
    const columns = Math.max(1, Math.floor((box.clientWidth + gap) / (least + gap)));
    return Math.floor((box.clientWidth - gap * (columns - 1)) / columns);
  }

  // The table of ranks.
  const filters = { question: byId("by-question"), pattern: byId("by-pattern"), outcome: byId("by-outcome") };
  let most = ROWS;

  function heat(rank) {
    if (rank === 1) return "h5";
    if (rank <= Math.min(3, data.k)) return "h4";
    if (rank <= data.k) return "h3";
    return rank <= 2 * data.k ? "h2" : "h1";
  }

  function cell(pattern, query) {
    const found = data.cells[pattern][query];
    const name = data.patterns[pattern].label;
    const button = make("button", "cell none", "");
    button.type = "button";
    button.dataset.pattern = pattern;
    button.dataset.query = query;
    if (!found) {
      button.disabled = true;
      button.title = `${name}: not run`;
      return button;
    }
    const [rank, doubts] = found;
    button.className = `cell ${rank ? heat(rank) : doubts ? "doubt" : "h0"}`;
    button.textContent = rank ? String(rank) : doubts ? "?" : "·";
    button.title = `${name}: ${outcome(found)}`;
    button.setAttribute("aria-label", `${name}, ${text(data.queries[query][0])}: ${outcome(found)}`);
    return button;
  }

  function outcome([rank, doubts]) {
    const doubt = doubts ? `, ${doubts} could not be told` : "";
    if (rank) return `rank ${rank}${doubt}`;
    return doubts ? "could not tell" : `not in the first ${data.depth}`;
  }

  function keeps(query) {
    const [id, question] = data.queries[query];
    const words = filters.question.value.toLocaleLowerCase().split(/\s+/).filter(Boolean);
    const haystack = `${text(id)} ${text(question)}`.toLocaleLowerCase();
    return words.every((word) => haystack.includes(word));
  }

  function matches(query, columns) {
    const wanted = filters.outcome.value;
    if (wanted === "all") return true;
    return columns.some((pattern) => {
      const found = data.cells[pattern][query];
      if (!found || (data.patterns[pattern].control && wanted !== "doubt")) return false;
      const [rank, doubts] = found;
      return wanted === "doubt" ? doubts > 0 : rank > 0 && rank <= (wanted === "top" ? 1 : data.k);
    });
  }

  function drawRanks() {
    const sought = filters.pattern.value.trim().toLocaleLowerCase();
    const columns = [...data.patterns.keys()].filter((p) => data.patterns[p].label.toLocaleLowerCase().includes(sought));
    const rows = [...data.queries.keys()].filter((query) => keeps(query) && matches(query, columns));
    const heads = columns.map((pattern) => {
      const head = make("th", data.patterns[pattern].control ? "control" : "", make("span", "", data.patterns[pattern].label));
      head.scope = "col";
      head.title = data.patterns[pattern].label;
      return head;
    });
    const lines = rows.slice(0, most).map((query) => {
      const [id, question] = data.queries[query];
      const head = make("th", "", make("small", "", text(id)), text(question));
      head.scope = "row";
      head.title = text(question);
      return make("tr", "", head, ...columns.map((pattern) => make("td", "", cell(pattern, query))));
    });
    const corner = make("th", "", "question");
    byId("heat").replaceChildren(make("thead", "", make("tr", "", corner, ...heads)), make("tbody", "", ...lines));
    byId("filtered").textContent = `${rows.length} of ${data.queries.length} questions, ${columns.length} of ${data.patterns.length} patterns`;
    byId("more").hidden = rows.length <= most;
    byId("more").textContent = `Show ${Math.min(ROWS, rows.length - most)} more of ${rows.length - most}`;
  }

  // The list behind a cell.
  function setIn(baseline, places) {
    const rest = baseline.values();
    const length = Math.min(data.depth, baseline.length + places.size);
    return Array.from({ length }, (_, i) => (places.has(i + 1) ? -1 : rest.next().value));
  }

  function item(place, shown, className, note) {
    return make("li", className, make("b", "", String(place)), make("span", "", shown), ...(note ? [make("em", "", note)] : []));
  }

  function withCut(items) {
    if (items.length > data.k) items.splice(data.k, 0, make("li", "cut", `the application reads the first ${data.k}`));
    return make("ol", "", ...items);
  }

  function showDetail(pattern, query) {
    const [id, question, baseline, relevant, judged] = data.queries[query];
    const found = data.cells[pattern][query];
    const plants = found[3];
    const mine = new Map(plants.map((plant) => [plant[1], plant]));
    const after = data.returned[`${pattern},${query}`] || setIn(baseline, new Set(mine.keys()));
    const kept = new Set(after.slice(0, data.k));
    const isTrue = (record) => relevant.includes(record);
    const record = (number) => text(number) ?? "a record without an id";
    const before = baseline.map((number, i) => {
      const out = i < data.k && text(number) !== null && !kept.has(number);
      return item(i + 1, record(number), out ? "out" : "", [isTrue(number) ? "true answer" : "", out ? "pushed out" : ""].filter(Boolean).join(", "));
    });
    const now = after.map((number, i) => {
      const plant = mine.get(i + 1);
      if (plant) return item(i + 1, `planted: ${data.patterns[pattern].label}`, "plant", `known by its ${text(plant[2])}`);
      if (number === -1) return item(i + 1, data.together ? "another plant" : "a record without an id", data.together ? "plant" : "");
      return item(i + 1, record(number), "", isTrue(number) ? "true answer" : "");
    });
    const said = [`${outcome(found)[0].toUpperCase()}${outcome(found).slice(1)}; ${found[2]} planted, ${plants.length} retrieved.`];
    if (found[1]) said.push(`Why it could not be told: ${text(found[4])}.`);
    for (const plant of plants) if (text(plant[4])) said.push(`The plant at ${plant[1]} was dropped by ${text(plant[4])}.`);
    const furthest = [...new Set(plants.map((plant) => text(plant[3])))].filter((stage) => stage !== "retrieved");
    if (furthest.length) said.push(`Furthest stage: ${furthest.join(", ")}.`);
    if (!judged) said.push("No judgments for this question, so no true answer is marked.");
    const title = make("h2", "", `${data.patterns[pattern].label} × ${text(id)}`);
    title.id = "detail-title";
    byId("detail-body").replaceChildren(
      title, make("p", "", text(question)), make("p", "about", said.join(" ")),
      make("div", "lists", make("div", "", make("h3", "", "Nothing planted"), withCut(before)), make("div", "", make("h3", "", "With the plant"), withCut(now))),
    );
    byId("detail").showModal();
  }

  function drawCharts() {
    drawFunnel();
    drawExposure();
    drawDoses();
    drawKept("kept-chart", "kept", "var(--own)");
    drawKept("displaced-chart", "displaced", "var(--plant)");
  }

  byId("funnel-of").append(...data.funnel.map((funnel, i) => new Option(funnel.name, String(i))));
  byId("funnel-of").addEventListener("change", drawFunnel);
  for (const filter of Object.values(filters)) filter.addEventListener("input", () => { most = ROWS; drawRanks(); });
  document.querySelector(".filters").addEventListener("submit", (event) => event.preventDefault());
  byId("more").addEventListener("click", () => { most += ROWS; drawRanks(); });
  byId("heat").addEventListener("click", (event) => {
    const button = event.target.closest("button.cell");
    if (button) showDetail(Number(button.dataset.pattern), Number(button.dataset.query));
  });
  byId("detail").addEventListener("click", (event) => { if (event.target === byId("detail")) byId("detail").close(); });
  let waiting = 0;
  let width = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth === width) return; // a phone's address bar comes and goes
    width = innerWidth;
    clearTimeout(waiting);
    waiting = setTimeout(drawCharts, 120);
  });
  addEventListener("beforeprint", () => { most = data.queries.length; drawRanks(); for (const part of document.querySelectorAll("details")) part.open = true; });
  drawCharts();
  drawRanks();
})();
