// The page around the text: head, menu, contents, search field.
import { escapeHtml } from "./html.mjs";

const english = { search: "Search (/)", contents: "On this page" };
const chinese = { search: "搜索（/）", contents: "本页目录" };

export function pageHtml(page, menu, relativeUrl) {
  const to = (path) => relativeUrl(page.path, path);
  const words = page.language === "zh-CN" ? chinese : english;
  const name = page.title === "Kubewright" ? "Kubewright" : `${page.title} · Kubewright`;
  return `<!doctype html>
<html lang="${page.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(name)}</title>
<link rel="icon" href="${to("icon.svg")}">
<link rel="stylesheet" href="${to("style.css")}">
<script src="${to("theme.js")}"></script>
<script defer src="${to("search.js")}" data-root="${"../".repeat(page.path.split("/").length - 1)}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header>
<input class="hidden" type="checkbox" id="menu" aria-label="Show the menu">
<label class="open-menu" for="menu">☰<span class="hidden"> Menu</span></label>
<a class="home" href="${to("index.html") || "#"}">Kubewright</a>
<div class="search" role="search">
<input type="search" id="search" placeholder="${words.search}" aria-label="Search guides and reference" autocomplete="off" role="combobox" aria-expanded="false" aria-controls="results">
<ul id="results" role="listbox" aria-label="Results" hidden></ul>
</div>
<button id="theme" type="button" aria-label="Light or dark">◐</button>
</header>
<div class="page">
<nav class="menu" aria-label="Pages">${menuHtml(page, menu, to)}</nav>
<main id="content">
${page.html}
${page.edit ? `<p class="source"><a href="${page.edit}">This page in the repository</a></p>` : ""}
</main>
${contentsHtml(page)}
</div>
</body>
</html>
`;
}

function menuHtml(page, menu, to) {
  return [...menu]
    .map(([group, pages]) => {
      const isHere = group === page.group;
      const links = pages.map(({ title, path }) => {
        const current = path === page.path ? ' aria-current="page"' : "";
        return `<li><a href="${to(path) || "#"}"${current}>${title}</a></li>`;
      });
      return `<details class="group"${isHere ? " open" : ""}><summary>${group}</summary><ul>${links.join("")}</ul></details>`;
    })
    .join("\n");
}

/** The headings of a page, beside it where there is room. */
function contentsHtml({ headings, isReference, language }) {
  const { contents } = language === "zh-CN" ? chinese : english;
  const shown = headings.filter(
    ({ depth, id }) => (isReference ? depth === 2 : depth === 2 || depth === 3) && id !== "",
  );
  if (shown.length < 2) return "";
  const items = shown.map(
    ({ id, title, depth }) => `<li class="d${depth}"><a href="#${id}">${escapeHtml(title)}</a></li>`,
  );
  return `<aside class="contents" aria-label="${contents}"><p>${contents}</p><ul>${items.join("")}</ul></aside>`;
}
