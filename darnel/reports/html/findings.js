"use strict";
(() => {
  const rows = [...document.querySelectorAll(".findings tbody tr")];
  const form = document.querySelector(".filters");
  if (!form) return;
  const byId = (id) => document.getElementById(id);
  const words = rows.map((row) => row.textContent.toLowerCase());
  const chosen = (name) => (byId(`by-${name}`) ? byId(`by-${name}`).value : "");

  function draw() {
    const wanted = byId("by-text").value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    rows.forEach((row, i) => {
      const fits = ["severity", "detector", "state"].every((name) => !chosen(name) || row.dataset[name] === chosen(name));
      row.hidden = !(fits && wanted.every((word) => words[i].includes(word)));
      shown += row.hidden ? 0 : 1;
    });
    byId("filtered").textContent = `${shown} of ${rows.length} findings`;
  }

  form.hidden = false;
  form.addEventListener("input", draw);
  form.addEventListener("submit", (event) => event.preventDefault());
  addEventListener("beforeprint", () => { for (const part of document.querySelectorAll("details")) part.open = true; });
  draw();
})();
