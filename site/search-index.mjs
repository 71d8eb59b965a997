// What the search field looks through: an entry for each section of a guide, each export, each command and each custom field.
import { commandAnchor } from "./commands.mjs";
import { textOf } from "./html.mjs";

/** Entries of [title, page, address, words]. */
export function searchIndex(pages) {
  return pages.flatMap((page) => {
    if (page.commands) return page.commands.map((command) => commandEntry(command, page));
    if (page.exports) return page.exports.flatMap((each) => exportEntries(each, page));
    if (page.fields) return [resourceEntry(page)];
    return sectionsOf(page);
  });
}

const commandEntry = (command, { path }) => [
  `kubewright ${command.name}`,
  "Command",
  `${path}#${commandAnchor(command)}`,
  `${command.summary} ${Object.entries(command.options)
    .map(([name, { description }]) => `--${name} ${description}`)
    .join(" ")}`,
];

/** An export, and its members that have a comment; the fields of built-in kinds are too many. */
function exportEntries({ name, doc = "", members }, page) {
  const address = `${page.path}#${name}`;
  const own = page.group === "Built-in kinds" ? [] : members.filter((member) => member.doc !== "");
  return [
    [name, page.title, address, oneLine(doc)],
    ...own.map((member) => [`${name}.${member.name}`, page.title, address, oneLine(member.doc)]),
  ];
}

const oneLine = (text) => text.replaceAll(/\s+/g, " ").trim();

const resourceEntry = ({ title, path, fields }) => [
  title,
  "Custom resource",
  path,
  [...new Set(fields.map((field) => `${field.path} ${field.description}`))].join(" "),
];

/** The text below each heading, down to the next. */
function sectionsOf({ title: pageTitle, path, html }) {
  return html
    .split(/(?=<h[1-3] )/)
    .map((part) => {
      const [, depth, id = "", heading = ""] = /^<h([1-3]) id="([^"]*)">([\s\S]*?)<\/h\1>/.exec(part) ?? [];
      if (!depth) return undefined;
      const words = textOf(part.replace(/^<h\d[\s\S]*?<\/h\d>/, "").replaceAll("</td>", " "));
      const address = depth === "1" ? path : `${path}#${id}`;
      return [textOf(heading).replace(/ #$/, ""), pageTitle, address, oneLine(words)];
    })
    .filter(Boolean);
}
