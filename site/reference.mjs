// The pages of the reference: one for each entry point of a package, and one for each group version of the built-in kinds.
import { escapeHtml } from "./html.mjs";
import { inline, paragraphs } from "./markdown.mjs";

const repository = "https://github.com/kubewright/kubewright/blob/main/";
const order = ["function", "class", "const", "kind", "interface", "type", "namespace", "re-export"];
const headings = {
  function: "Functions",
  class: "Classes",
  const: "Values",
  kind: "Kinds",
  interface: "Interfaces",
  type: "Types",
  namespace: "Namespaces",
  "re-export": "Exports of other packages",
};

/** Pages with their HTML, and where each exported name is explained. */
export function referencePages(entries) {
  const pages = entries.flatMap(pagesOf);
  const places = new Map();
  for (const page of pages)
    for (const { name } of page.exports)
      if (!places.has(name)) places.set(name, { path: page.path, entry: page.title });
  return pages.map((page) => ({ ...page, html: htmlOf(page, places) }));
}

/** Where the exports of an entry point are: `@kubewright/runtime/main` → `reference/runtime-main.html`. */
const pathOf = (entry) => `reference/${entry.replace("@kubewright/", "").replaceAll("/", "-")}.html`;

/** The generated kinds of a package have pages by group version, as they are looked up. */
function pagesOf({ entry, description, exports }) {
  const own = exports.filter(({ source }) => !groupVersionOf(source));
  const groups = groupBy(exports, ({ source }) => groupVersionOf(source));
  groups.delete(undefined);
  const generated = [...groups].map(([name, members]) => ({
    title: name,
    path: `reference/kinds/${name}.html`,
    lead: `Kinds and types of the API group version ${name}, exported by \`${entry}\`.`,
    importedFrom: entry,
    group: "Built-in kinds",
    exports: members,
  }));
  const lead = `${description}.`;
  return [
    { title: entry, path: pathOf(entry), lead, importedFrom: entry, group: "Packages", exports: own },
    ...generated,
  ];
}

function groupBy(items, keyOf) {
  const groups = new Map();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

const groupVersionOf = (source) => /api\/src\/generated\/([\w-]+-v\d\w*)\.ts$/.exec(source ?? "")?.[1];

function htmlOf(page, places) {
  const groups = order
    .map((kind) => ({ kind, members: page.exports.filter((each) => each.kind === kind) }))
    .filter(({ members }) => members.length > 0);
  const first =
    page.exports.find(({ kind }) => kind !== "interface" && kind !== "type")?.name ?? page.exports[0]?.name;
  const isType = !page.exports.some(
    ({ name, kind }) => name === first && kind !== "interface" && kind !== "type",
  );
  return [
    `<h1>${escapeHtml(page.title)}</h1>`,
    `<p>${inline(page.lead)}</p>`,
    `<pre><code>import ${isType ? "type " : ""}{ ${first} } from "${page.importedFrom}";</code></pre>`,
    ...groups.flatMap(({ kind, members }) => [
      `<h2 id="${headings[kind].toLowerCase().replaceAll(" ", "-")}">${headings[kind]}</h2>`,
      `<p class="names">${members.map(({ name }) => `<a href="#${name}">${name}</a>`).join(" ")}</p>`,
      ...members.map((each) => exportHtml(each, page, places)),
    ]),
  ].join("\n");
}

function exportHtml({ name, kind, doc, code, members, source, from }, page, places) {
  if (kind === "re-export") return `<h3 id="${name}">${name}</h3><p>As ${escapeHtml(from)} exports it.</p>`;
  return [
    `<section class="export"><h3 id="${name}">${name} <small>${kind}</small></h3>`,
    paragraphs(doc),
    `<pre><code>${linked(code, page.path, places, name)}</code></pre>`,
    members.length > 0
      ? `<dl>${members.map((each) => memberHtml(each, page.path, places)).join("\n")}</dl>`
      : "",
    `<p class="source"><a href="${repository}${source}">${source}</a></p></section>`,
  ].join("\n");
}

const memberHtml = ({ code, doc }, path, places) =>
  `<dt><code>${linked(code, path, places)}</code></dt><dd>${doc === "" ? "" : inline(doc)}</dd>`;

/** Code with links from the names of exported types to their explanation; its own type parameters are no such names. */
function linked(code, path, places, self) {
  const [, parameters = ""] = /^[\w ]*<([^(]*)>\(|^[\w ]*<([^=({]*)>/.exec(code) ?? [];
  const own = new Set([self, ...[...parameters.matchAll(/(?:^|,)\s*(\w+)/g)].map(([, name]) => name)]);
  return escapeHtml(code).replaceAll(/\b[A-Z]\w+\b/g, (name) => {
    const place = own.has(name) ? undefined : places.get(name);
    return place ? `<a href="${relativeUrl(path, place.path)}#${name}">${name}</a>` : name;
  });
}

/** The address of a page as seen from another. */
export function relativeUrl(from, to) {
  if (from === to) return "";
  return "../".repeat(from.split("/").length - 1) + to;
}
