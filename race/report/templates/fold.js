// Chapters fold; on a phone they begin folded. A link opens what it leads to, paper shows it all.
const folds = [...document.querySelectorAll("details.chapter, details.comparison")];
if (matchMedia("(max-width: 760px)").matches) {
  for (const fold of folds) if (!("first" in fold.dataset)) fold.open = false;
}
const reveal = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  const own = target.querySelector(":scope > details");
  for (let one = own ?? target; one; one = one.parentElement) if (one.localName === "details") one.open = true;
  target.scrollIntoView();
};
addEventListener("hashchange", reveal);
addEventListener("click", (event) => {
  if (event.target.closest("a")?.hash === location.hash && location.hash) reveal();
});
addEventListener("beforeprint", () => {
  for (const one of document.querySelectorAll("details")) one.open = true;
});
// Tables that are wider than the screen say so.
const measure = () => {
  for (const one of document.querySelectorAll(".scroll, .cells")) {
    one.toggleAttribute("data-scrolls", one.scrollWidth > one.clientWidth + 1);
  }
};
addEventListener("resize", measure);
document.addEventListener("toggle", measure, true);
reveal();
measure();
