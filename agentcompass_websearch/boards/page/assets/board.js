"use strict";
// Tables: the button in a head sorts its column; unknown values stay last.
for (const table of document.querySelectorAll("table")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, place) => {
    const button = head.querySelector("button");
    button.addEventListener("click", () => {
      const was = head.getAttribute("aria-sort");
      const falling = was ? was === "ascending" : button.hasAttribute("data-falling");
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", falling ? "descending" : "ascending");
      const body = table.tBodies[0];
      const rows = [...body.rows].map((row) => [row.cells[place].dataset.v ?? "", row]);
      const numbers = rows.every(([value]) => value === "" || !Number.isNaN(Number(value)));
      rows.sort(([a], [b]) => {
        if (a === "" || b === "") return (a === "") - (b === "");
        const order = numbers ? Number(a) - Number(b) : a.localeCompare(b);
        return falling ? -order : order;
      });
      body.append(...rows.map(([, row]) => row));
    });
  });
}
// Charts: what a mark stands for, beside the pointer or after a tap.
const tip = document.getElementById("tip");
for (const figure of document.querySelectorAll("figure")) {
  const tell = (event) => {
    const mark = event.target.closest("[aria-roledescription][aria-label]:not([aria-roledescription~=axis])");
    tip.hidden = !mark || !figure.contains(mark) || mark.getAttribute("role") !== "graphics-symbol";
    if (tip.hidden) return;
    tip.textContent = mark.getAttribute("aria-label");
    const left = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8);
    tip.style.left = Math.max(8, left) + "px";
    tip.style.top = Math.max(8, event.clientY - tip.offsetHeight - 12) + "px";
  };
  figure.addEventListener("pointermove", tell);
  figure.addEventListener("pointerdown", tell);
  figure.addEventListener("pointerleave", () => { tip.hidden = true; });
}
// Served by this machine while a run goes on: when the board was made anew, show it, with the same parts open.
if (location.protocol === "http:" && ["127.0.0.1", "localhost"].includes(location.hostname)) {
  const parts = [...document.querySelectorAll("details")];
  const name = (part) => `${part.closest("section")?.id} ${part.querySelector("summary").firstChild.textContent}`;
  const kept = JSON.parse(sessionStorage.getItem("open") ?? "[]");
  for (const part of parts) if (kept.includes(name(part))) part.open = true;
  let seen = null;
  setInterval(async () => {
    const answer = await fetch("board.html", { method: "HEAD" }).catch(() => null);
    const made = answer?.ok ? answer.headers.get("Last-Modified") : null;
    if (made && seen && made !== seen) {
      sessionStorage.setItem("open", JSON.stringify(parts.filter((part) => part.open).map(name)));
      location.reload();
    }
    seen = made ?? seen;
  }, 2000);
}
