// Sorts and filters the table of cells; without it the table stands in the order of the race.
for (const table of document.querySelectorAll(".cells table")) {
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  // Numbers without their marks and separators; a dash is as good as nothing.
  const value = (row, column) => {
    const text = row.cells[column].textContent.trim();
    const bare = text.replace(/^≥ |,|\?$|^–$/g, "");
    return bare !== text && (bare === "" || !Number.isNaN(Number(bare))) ? bare : text;
  };
  const compare = (a, b) => {
    const [x, y] = [Number(a), Number(b)];
    if (a === "" || b === "") return (a === "") - (b === "");
    return Number.isNaN(x) || Number.isNaN(y) ? a.localeCompare(b) : x - y;
  };
  heads.forEach((head, column) => {
    head.firstElementChild.addEventListener("click", () => {
      const up = head.ariaSort !== "ascending";
      heads.forEach((other) => { other.ariaSort = "none"; });
      head.ariaSort = up ? "ascending" : "descending";
      const sorted = [...body.rows].sort((a, b) => {
        const [x, y] = [value(a, column), value(b, column)];
        const order = compare(x, y);
        return up || x === "" || y === "" ? order : -order;
      });
      body.append(...sorted);
    });
  });
  const filter = document.querySelector("#filter");
  const count = document.querySelector("#count");
  filter.addEventListener("input", () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of body.rows) {
      const text = row.textContent.toLowerCase() + " " + (row.title || "").toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
      shown += !row.hidden;
    }
    count.textContent = shown.toLocaleString("en") + " of " + body.rows.length.toLocaleString("en") + " cells";
  });
}
