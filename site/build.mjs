// Builds the documentation as a static site: every guide, and the reference made from doc comments, commands and CRDs. It needs no
// server and requests nothing from elsewhere. Usage: node site/build.mjs [folder]
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, posix, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { buildTypes } from "../scripts/build-types.mjs";
import { commandsPage, readCommands } from "./commands.mjs";
import { builtInTypes, crdPage, readCrds } from "./crds.mjs";
import { readExports } from "./exports.mjs";
import { escapeHtml, textOf } from "./html.mjs";
import { render } from "./markdown.mjs";
import { pathOf, sourceGroups } from "./pages.mjs";
import { referencePages, relativeUrl } from "./reference.mjs";
import { searchIndex } from "./search-index.mjs";
import { pageHtml } from "./template.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const repository = "https://github.com/kubewright/kubewright";
const target = resolve(process.argv[2] ?? join(root, "dist", "site"));

if (buildTypes(root) !== 0) process.exit(1);
rmSync(target, { recursive: true, force: true });
cpSync(join(root, "site", "assets"), target, { recursive: true });

const images = new Set();
const groups = sourceGroups(root);
const known = new Set(groups.flatMap(({ files }) => files));
const guides = groups.flatMap(({ title, files }) => files.map((file) => guidePage(file, title)));
const reference = await referenceOf();
const pages = [...guides, ...reference];
for (const page of pages) write(page.path, pageHtml(page, menuOf(pages), relativeUrl));
for (const image of images) {
  mkdirSync(dirname(join(target, pathOf(image))), { recursive: true });
  cpSync(join(root, image), join(target, pathOf(image)));
}
const index = searchIndex(pages);
write("search-index.js", `globalThis.searchIndex = ${JSON.stringify(index)};\n`);
console.log(
  `${pages.length} pages, ${index.length} entries to search, in ${target}; open ${join(target, "index.html")}`,
);

function write(path, text) {
  mkdirSync(dirname(join(target, path)), { recursive: true });
  writeFileSync(join(target, path), text);
}

function guidePage(file, group) {
  const path = pathOf(file);
  const { html, headings } = render(readFileSync(join(root, file), "utf8"), (href) =>
    siteLink(href, file, path),
  );
  const title = headings.find(({ depth }) => depth === 1)?.title ?? file;
  const language = file.startsWith("docs/zh/") ? "zh-CN" : "en";
  return { title, path, group, html, headings, language, edit: `${repository}/blob/main/${file}` };
}

/** Links between files become links between pages; other files of the repository are shown where it is hosted. */
function siteLink(href, file, path) {
  if (/^[a-z]+:/.test(href) || href.startsWith("#")) return href;
  const [linked, anchor] = href.split("#");
  const found = posix.join(posix.dirname(file), linked).replace(/\/$/, "");
  const isFolder = (each) => each.startsWith(`${found}/`) && each.startsWith("docs/");
  const page = [found, `${found}/README.md`].find((each) => known.has(each)) ?? [...known].find(isFolder);
  const suffix = anchor ? `#${anchor}` : "";
  if (page) return `${relativeUrl(path, pathOf(page))}${suffix}` || "#";
  if (/\.(png|svg)$/.test(found)) {
    images.add(found);
    return relativeUrl(path, pathOf(found));
  }
  return `${repository}/tree/main/${found}${suffix}`;
}

async function referenceOf() {
  const exported = referencePages(readExports(root));
  const builtIn = builtInTypes(exported);
  const commands = commandsPage(await readCommands(root));
  const crds = readCrds(root).map((crd) => crdPage(crd, builtIn));
  const made = [commands, ...exported.filter(({ exports }) => exports.length > 0), ...crds];
  return made.map((page) => ({
    ...page,
    isReference: true,
    headings: headingsIn(page.html),
    language: "en",
  }));
}

function headingsIn(html) {
  const found = html.matchAll(/<h([1-6])(?: id="([^"]*)")?>([\s\S]*?)<\/h\1>/g);
  return [...found].map(([, depth, id = "", text]) => ({ depth: Number(depth), id, title: textOf(text) }));
}

/** The menu: groups of guides, then those of the reference. */
function menuOf(all) {
  const menu = new Map();
  for (const { group, title, path } of all)
    menu.set(group, [...(menu.get(group) ?? []), { title: escapeHtml(title), path }]);
  return menu;
}
