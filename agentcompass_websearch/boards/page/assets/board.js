"use strict";
// Tables: the button in a head sorts its column; unknown values stay last.
const tables = [...document.querySelectorAll("table")];
const sort = (table, place, falling) => {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((other) => other.removeAttribute("aria-sort"));
  heads[place].setAttribute("aria-sort", falling ? "descending" : "ascending");
  const body = table.tBodies[0];
  const rows = [...body.rows].map((row) => [row.cells[place].dataset.v ?? "", row]);
  const numbers = rows.every(([value]) => value === "" || !Number.isNaN(Number(value)));
  rows.sort(([a], [b]) => {
    if (a === "" || b === "") return (a === "") - (b === "");
    const order = numbers ? Number(a) - Number(b) : a.localeCompare(b);
    return falling ? -order : order;
  });
  body.append(...rows.map(([, row]) => row));
};
for (const table of tables) {
  [...table.tHead.rows[0].cells].forEach((head, place) => {
    const button = head.querySelector("button");
    button.addEventListener("click", () => {
      const was = head.getAttribute("aria-sort");
      sort(table, place, was ? was === "ascending" : button.hasAttribute("data-falling"));
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
// Served by this machine while a run goes on: when the board was made anew, show it, with the same parts open, sorted
// as before, and the keyboard where it was.
if (location.protocol === "http:" && ["127.0.0.1", "localhost"].includes(location.hostname)) {
  const parts = [...document.querySelectorAll("details")];
  const called = (part, title) => `${part.closest("section")?.id} ${title.textContent}`;
  const ofPart = (part) => called(part, part.querySelector("summary").firstChild);
  const ofHead = (table, head) => `${called(table, table.caption)} ${head.textContent}`;
  const stops = () => [...document.querySelectorAll("a,button,summary,[tabindex]")];
  const kept = JSON.parse(sessionStorage.getItem("kept") ?? "{}");
  sessionStorage.removeItem("kept");
  for (const part of parts) if (kept.open?.includes(ofPart(part))) part.open = true;
  for (const table of tables) {
    [...table.tHead.rows[0].cells].forEach((head, place) => {
      const order = kept.sorted?.[ofHead(table, head)];
      if (order) sort(table, place, order === "descending");
    });
  }
  stops()[kept.focus]?.focus({ preventScroll: true });
  const keep = () => {
    const heads = tables.flatMap((table) => [...table.tHead.rows[0].cells].map((head) => [ofHead(table, head), head]));
    const sorted = heads.map(([name, head]) => [name, head.getAttribute("aria-sort")]).filter(([, order]) => order);
    const open = parts.filter((part) => part.open).map(ofPart);
    const focus = stops().indexOf(document.activeElement);
    sessionStorage.setItem("kept", JSON.stringify({ open, focus, sorted: Object.fromEntries(sorted) }));
  };
  let seen = null;
  setInterval(async () => {
    const answer = await fetch("board.html", { method: "HEAD" }).catch(() => null);
    const made = answer?.ok ? answer.headers.get("Last-Modified") : null;
    if (made && seen && made !== seen) {
      keep();
      location.reload();
    }
    seen = made ?? seen;
  }, 2000);
}
