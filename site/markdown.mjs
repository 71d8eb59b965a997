// Markdown as the pages of this repository use it, rendered with anchors and coloured code.
import { Marked } from "marked";
import { highlighted } from "./highlight.mjs";
import { escapeHtml, textOf } from "./html.mjs";

const codeHtml = (code, language) => `<pre tabindex="0"><code>${highlighted(code, language)}</code></pre>\n`;
const plain = new Marked({ renderer: { code: ({ text, lang = "" }) => codeHtml(text, lang) } });

const linksAsCode = (text) => text.replaceAll(/\{@link (\w+)\}/g, "`$1`");
/** The code behind `@example` in a doc comment, up to the next tag. */
const example = /(?:^|\s)@example\s+([\s\S]*?)(?=\n@\w|$(?![\s\S]))/g;

/** One line of Markdown; examples are code in it. */
export const inline = (text) =>
  plain.parseInline(linksAsCode(text).replaceAll(example, (_, code) => ` \`${code.trim()}\``));

/** Several paragraphs of Markdown, as in doc comments; examples are blocks of code. */
export const paragraphs = (text) =>
  plain.parse(linksAsCode(text).replaceAll(example, (_, code) => `\n\n\`\`\`ts\n${code.trim()}\n\`\`\`\n`));

/** The anchor of a heading, as GitHub makes it. */
export const anchorOf = (heading) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(/\s/g, "-");

const wide = "\\p{Script=Han}";
const fullWidth = "[\\u3001-\\u303f\\uff01-\\uff60]";
const brokenLine = new RegExp(
  `(?<=${wide})\\n(?=${wide}|[*_]*${fullWidth})|(?<=${fullWidth}[*_]*)\\n(?=${wide}|${fullWidth}|[*_\`\\[]|(?!\\d+\\.)\\w)`,
  "gu",
);

/** A line break within a Chinese sentence is no space. Code and lists keep theirs. */
const joinedLines = (text) =>
  text
    .split(/(^```[\s\S]*?^```$)/m)
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll(brokenLine, "")))
    .join("");

/** Renders a page. `link` gives the address that a link of the page leads to on the site. */
export function render(text, link) {
  const headings = [];
  const used = new Map();
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const html = this.parser.parseInline(tokens);
        const title = textOf(html);
        const anchor = anchorOf(title);
        const times = used.get(anchor) ?? 0;
        used.set(anchor, times + 1);
        const id = times === 0 ? anchor : `${anchor}-${times}`;
        headings.push({ depth, title, id });
        const own =
          depth === 1 ? "" : ` <a class="anchor" href="#${id}" aria-label="Link to this section">#</a>`;
        return `<h${depth} id="${id}">${html}${own}</h${depth}>\n`;
      },
      link({ href, title, tokens }) {
        const text = this.parser.parseInline(tokens);
        return `<a href="${escapeHtml(link(href))}"${title ? ` title="${escapeHtml(title)}"` : ""}>${text}</a>`;
      },
      image({ href, text: alt }) {
        return `<img src="${escapeHtml(link(href))}" alt="${escapeHtml(alt)}" loading="lazy">`;
      },
      code({ text: code, lang = "" }) {
        return codeHtml(code, lang.split(" ")[0]);
      },
      table(token) {
        const cellHtml = (cell, tag) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`;
        const row = (cells, tagOf) => `<tr>${cells.map((cell) => cellHtml(cell, tagOf(cell))).join("")}</tr>`;
        const headTag = ({ text: cell }) => (cell === "" ? "td" : "th"); // a header without a word is none
        const hasHead = token.header.some(({ text: cell }) => cell !== "");
        const head = hasHead ? `<thead>${row(token.header, headTag)}</thead>` : "";
        const body = token.rows.map((cells) => row(cells, () => "td")).join("\n");
        return `<div class="table" tabindex="0"><table>${head}<tbody>${body}</tbody></table></div>\n`;
      },
    },
  });
  return { html: marked.parse(joinedLines(text)), headings };
}
