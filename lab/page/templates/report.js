"use strict";
// Without this script the page is a whole one; with it, the table is filtered and attempts open one
// at a time. Whatever a report holds arrives as nodes that are there already, never as markup.

const MOST_ROWS = 200;
const BLOCK = 100;

document.documentElement.classList.add("js");
document.addEventListener("DOMContentLoaded", () => {
  const table = new Attempts(document.querySelector("#attempts table"));
  const reader = new Reader(table);
  document.addEventListener("keydown", (event) => onKey(event, table, reader));
  window.addEventListener("hashchange", () => reader.follow());
  reader.follow();
});

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

class Attempts {
  constructor(table) {
    this.headings = [...table.tHead.rows[0].cells];
    this.body = table.tBodies[0];
    this.all = [...this.body.rows].map((row) => this.read(row));
    this.matching = this.all;
    this.page = 0;
    this.chosen = new Map();
    this.words = "";
    this.body.classList.add("taken");
    this.addFilters(document.querySelector("#filters"));
    this.headings.forEach((heading, column) => this.addSorting(heading, column));
    this.show();
  }

  read(row) {
    const values = [...row.cells].map((cell) =>
      cell.firstElementChild?.localName === "span"
        ? [...cell.children].map((span) => span.textContent)
        : [cell.textContent],
    );
    const text = [...values.flat(), row.dataset.said].join("\n").toLowerCase();
    return { row, values, text, attempt: Number(row.dataset.attempt) };
  }

  addFilters(place) {
    const search = element("input", { type: "search", id: "search" });
    search.addEventListener("input", () => {
      this.words = search.value.trim().toLowerCase();
      this.filter();
    });
    place.append(element("label", {}, "search", search));
    this.headings.forEach((heading, column) => {
      const values = new Set(this.all.flatMap((each) => each.values[column]));
      if (!("filter" in heading.dataset) || values.size < 2) return;
      const select = element("select");
      select.append(element("option", { value: "any" }, "any"));
      const sorted = [...values].sort();
      sorted.forEach((value, n) => select.append(element("option", { value: n }, value || "none")));
      select.addEventListener("change", () => {
        if (select.value === "any") this.chosen.delete(column);
        else this.chosen.set(column, sorted[Number(select.value)]);
        this.filter();
      });
      place.append(element("label", {}, heading.textContent, select));
    });
    place.hidden = document.querySelector("#keys").hidden = false;
  }

  addSorting(heading, column) {
    const button = element("button", { type: "button" }, heading.textContent);
    heading.replaceChildren(button);
    button.addEventListener("click", () => {
      const isUp = heading.getAttribute("aria-sort") !== "ascending";
      this.headings.forEach((each) => each.removeAttribute("aria-sort"));
      heading.setAttribute("aria-sort", isUp ? "ascending" : "descending");
      const compared = "number" in heading.dataset ? byNumber : byText;
      const sign = isUp ? 1 : -1;
      const known = ({ values }) => values[column][0] !== "unknown";
      this.all.sort(
        (a, b) =>
          known(b) - known(a) || sign * compared(a.values[column][0], b.values[column][0]),
      );
      this.filter();
    });
  }

  filter() {
    this.matching = this.all.filter(
      ({ values, text }) =>
        text.includes(this.words) &&
        [...this.chosen].every(([column, value]) => values[column].includes(value)),
    );
    this.page = 0;
    this.show();
  }

  show() {
    const first = this.page * MOST_ROWS;
    const shown = this.matching.slice(first, first + MOST_ROWS);
    this.body.replaceChildren(...shown.map(({ row }) => row));
    const told = `${this.matching.length} of ${this.all.length} attempts`;
    const part = shown.length < this.matching.length;
    say(part ? `${told}, here ${first + 1} to ${first + shown.length}` : told);
    const pages = document.querySelector("#pages");
    pages.hidden = !part;
    const turn = (by, name) => {
      const isOff = by < 0 ? first === 0 : first + MOST_ROWS >= this.matching.length;
      const button = element("button", { type: "button", disabled: isOff }, name);
      button.addEventListener("click", () => this.turn(by));
      return button;
    };
    if (part) pages.replaceChildren(turn(-1, "previous rows"), " ", turn(1, "next rows"));
  }

  turn(by) {
    this.page += by;
    this.show();
    this.body.rows[0].querySelector("a").focus();
  }

  beside(attempt, by) {
    const place = this.matching.findIndex((each) => each.attempt === attempt);
    return place < 0 ? undefined : this.matching[place + by]?.attempt;
  }

  focus(attempt) {
    const place = this.matching.findIndex((each) => each.attempt === attempt);
    if (place < 0) {
      this.show();
      this.step(1);
      return;
    }
    this.page = Math.floor(place / MOST_ROWS);
    this.show();
    this.matching[place].row.querySelector("a").focus();
  }

  step(by) {
    const links = [...this.body.querySelectorAll("a")];
    const place = links.indexOf(document.activeElement);
    const next = place < 0 ? links[0] : links[place + by];
    next?.focus();
  }
}

class Reader {
  constructor(table) {
    this.table = table;
    this.place = document.querySelector("#articles");
    this.blocks = [...document.querySelectorAll("script.block")];
    this.attempt = undefined;
  }

  async follow() {
    const named = /^#attempt-(\d+)$/.exec(location.hash);
    const wanted = named ? Number(named[1]) : undefined;
    const left = this.attempt;
    this.attempt = wanted;
    document.querySelector("article.opened")?.classList.remove("opened");
    const article = wanted === undefined ? undefined : await this.find(wanted);
    if (this.attempt !== wanted) return; // another one was asked for meanwhile
    if (article && article.ownerDocument !== document) this.place.replaceChildren(document.adoptNode(article));
    document.documentElement.classList.toggle("reading", Boolean(article));
    this.tell(article ? wanted : undefined);
    if (article) {
      article.classList.add("opened");
      window.scrollTo(0, 0);
      article.focus();
    } else if (wanted !== undefined) {
      const isThere = this.table.all.some((each) => each.attempt === wanted);
      const why = isThere ? "This browser cannot unpack attempts." : "There is no such attempt here.";
      say(why);
    } else if (left !== undefined) {
      this.table.focus(left);
    } else {
      this.table.show();
    }
  }

  async find(attempt) {
    const here = document.getElementById(`attempt-${attempt}`);
    const block = this.blocks[Math.floor((attempt - 1) / BLOCK)];
    if (here || !block) return here;
    try {
      return (await unpack(block.textContent)).getElementById(`attempt-${attempt}`);
    } catch {
      return null;
    }
  }

  tell(attempt) {
    const nav = document.querySelector("#reading");
    nav.hidden = attempt === undefined;
    if (nav.hidden) return;
    const links = [element("a", { href: "#attempts" }, "all attempts")];
    for (const [by, name] of [[-1, "previous"], [1, "next"]]) {
      const other = this.table.beside(attempt, by);
      if (other !== undefined) links.push(element("a", { href: `#attempt-${other}` }, name));
    }
    nav.replaceChildren(...links);
  }

  step(by) {
    const other = this.table.beside(this.attempt, by);
    if (other !== undefined) location.hash = `attempt-${other}`;
  }
}

async function unpack(text) {
  const packed = Uint8Array.from(atob(text.trim()), (character) => character.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new DOMParser().parseFromString(await new Response(stream).text(), "text/html");
}

function onKey(event, table, reader) {
  const isTyping = event.target.closest("input, select");
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape" && reader.attempt !== undefined) location.hash = "attempts";
  else if (event.key === "Escape" && isTyping) table.step(1);
  else if (isTyping) return;
  else if (event.key === "j" || event.key === "k") {
    (reader.attempt === undefined ? table : reader).step(event.key === "j" ? 1 : -1);
  } else if (event.key === "/" && reader.attempt === undefined) {
    event.preventDefault();
    document.querySelector("#search").focus();
  }
}

function say(words) {
  document.querySelector("#shown").textContent = words;
}

function byText(a, b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

function byNumber(a, b) {
  return parseFloat(a) - parseFloat(b);
}
