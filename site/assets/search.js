// The search field: loads the index when it is first used, and shows the best matches while one types.
(() => {
  const { root } = document.currentScript.dataset;
  const field = document.getElementById("search");
  const list = document.getElementById("results");
  const shown = 12;
  let loading;
  let selected = -1;

  /** The index is a script, so that it can be loaded where pages are opened as files. */
  function load() {
    loading ??= new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = `${root}search-index.js`;
      script.onload = () =>
        resolve(
          globalThis.searchIndex.map(([title, page, address, words]) => ({
            title,
            page,
            address,
            words,
            lower: [title.toLowerCase(), `${page} ${words}`.toLowerCase()],
          })),
        );
      script.onerror = () => reject(new Error("the index could not be loaded"));
      document.head.append(script);
    });
    return loading;
  }

  /** Every word has to be found; titles count most, and whole ones more than parts. */
  function score({ lower: [title, words] }, terms) {
    let sum = 0;
    for (const term of terms) {
      const points = pointsOf(title, words, term);
      if (points === 0) return 0;
      sum += points;
    }
    return title === terms.join(" ") ? sum + 200 : sum;
  }

  function pointsOf(title, words, term) {
    if (title === term) return 100;
    const at = title.indexOf(term);
    if (at === 0) return 60 - Math.min(20, title.length - term.length);
    if (at > 0) return /[^\p{L}\p{N}]/u.test(title[at - 1]) ? 40 : 20;
    const inText = words.indexOf(term);
    if (inText < 0) return 0;
    return inText === 0 || /[^\p{L}\p{N}]/u.test(words[inText - 1]) ? 10 : 4;
  }

  function excerpt({ words }, terms) {
    const at = Math.max(0, words.toLowerCase().indexOf(terms[0]) - 40);
    return `${at > 0 ? "…" : ""}${words.slice(at, at + 130)}${words.length > at + 130 ? "…" : ""}`;
  }

  async function search() {
    const terms = field.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    if (terms.length === 0) return show([]);
    let entries;
    try {
      entries = await load();
    } catch (error) {
      return show([{ text: error.message }]);
    }
    const best = entries
      .map((entry) => ({ entry, points: score(entry, terms) }))
      .filter(({ points }) => points > 0)
      .sort((a, b) => b.points - a.points || a.entry.title.length - b.entry.title.length)
      .slice(0, shown);
    show(
      best.length > 0
        ? best.map(({ entry }) => ({ ...entry, text: excerpt(entry, terms) }))
        : [{ text: "Nothing found" }],
    );
  }

  function show(results) {
    selected = -1;
    field.removeAttribute("aria-activedescendant");
    list.replaceChildren(...results.map(itemOf));
    list.hidden = results.length === 0;
    field.setAttribute("aria-expanded", String(results.length > 0));
  }

  function itemOf({ title, page, address, text }, index) {
    const item = document.createElement("li");
    item.id = `result-${index}`;
    item.setAttribute("role", "option");
    const link = document.createElement(address ? "a" : "span");
    if (address) link.href = root + address;
    if (title) link.append(element("strong", title), " ", element("small", page));
    link.append(element("span", text));
    item.append(link);
    return item;
  }

  function element(tag, text) {
    const made = document.createElement(tag);
    made.textContent = text;
    return made;
  }

  function select(next) {
    const items = [...list.children];
    if (items.length === 0) return;
    selected = (next + items.length) % items.length;
    for (const [index, item] of items.entries())
      item.setAttribute("aria-selected", String(index === selected));
    field.setAttribute("aria-activedescendant", items[selected].id);
    items[selected].scrollIntoView({ block: "nearest" });
  }

  field.addEventListener("focus", () => void load().catch(() => {}));
  field.addEventListener("input", () => void search());
  field.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") select(selected + 1);
    else if (event.key === "ArrowUp") select(selected - 1);
    else if (event.key === "Enter") list.children[Math.max(0, selected)]?.querySelector("a")?.click();
    else if (event.key === "Escape") show([]);
    else return;
    event.preventDefault();
  });
  addEventListener("keydown", (event) => {
    if (event.key !== "/" || /^(INPUT|TEXTAREA)$/.test(document.activeElement?.tagName ?? "")) return;
    event.preventDefault();
    field.focus();
  });
  addEventListener("click", (event) => {
    if (!event.target.closest(".search")) show([]);
  });
})();
