// Imports point down the layers, never up or sideways; no cycles between files, nor between the folders of large packages; nothing
// undeclared in package.json. Rules are plain functions: no generators for control flow, no yielding to the event loop inside them.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** This repository, or the one given: node scripts/check-boundaries.mjs [ROOT] */
const root = resolve(process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), ".."));

/** What each package may import of the others. */
const layers = {
  api: [],
  cel: ["api"],
  machinery: ["api"],
  schema: ["api", "cel"],
  kinds: ["api", "cel", "machinery", "schema"],
  client: ["api"],
  runtime: ["api", "schema", "client"],
  apiserver: ["api", "cel", "machinery", "schema", "kinds"],
  cluster: ["api", "machinery", "schema", "client", "runtime", "apiserver"],
  testing: ["api", "schema", "client", "runtime", "apiserver", "cluster"],
  dashboard: ["api", "machinery", "schema", "client", "runtime", "apiserver", "cluster", "testing"],
  cli: [
    "api",
    "cel",
    "machinery",
    "schema",
    "kinds",
    "client",
    "runtime",
    "apiserver",
    "cluster",
    "testing",
    "dashboard",
  ],
};
/** Packages whose folders are layers of their own: no two of them import each other. */
const layered = ["apiserver", "runtime"];
/** Packages, and folders of the API server, that never pause: what yields to the event loop are handlers, around them. */
const plain = ["kinds", "machinery", "cel", "schema"];
const plainFolders = ["registry", "admission", "crds", "quota"];
/** Operators and examples use what a user's project would: the libraries, and the harness in their tests. */
const forOperators = ["api", "schema", "client", "runtime", "testing"];
const builtins = new Set([...builtinModules, ...builtinModules.map((name) => `node:${name}`)]);
const importPattern =
  /(?:^|[\n;])\s*(?:import|export)\s+(?:type\s+)?(?:[\w*\s{},$]+\s+from\s+)?["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']\s*\)/g;

const problems = [];
/** Imports between the folders of layered packages, by what they say. */
const folderImports = new Map();
const files = workspaces().flatMap((workspace) =>
  sourcesUnder(join(workspace.directory, "src")).map((path) => ({ path, workspace })),
);
const graph = new Map();
for (const file of files) graph.set(file.path, checkFile(file));
checkFolders();
for (const cycle of findCycles(graph)) {
  problems.push(`import cycle: ${cycle.map((path) => relative(root, path)).join(" → ")}`);
}

if (problems.length > 0) {
  for (const problem of problems) console.error(problem);
  console.error(`${problems.length} problems with imports`);
  process.exit(1);
}
console.log(`imports of ${files.length} files respect the layers`);

function workspaces() {
  return ["packages", "operators", "examples"].flatMap((kind) => {
    const parent = join(root, kind);
    if (!existsSync(parent)) return [];
    return readdirSync(parent)
      .map((name) => ({ kind, name, directory: join(parent, name) }))
      .filter(({ directory }) => existsSync(join(directory, "package.json")))
      .map((workspace) => ({
        ...workspace,
        manifest: JSON.parse(readFileSync(join(workspace.directory, "package.json"), "utf8")),
      }));
  });
}

function sourcesUnder(directory) {
  if (!existsSync(directory)) return [];
  return readdirSync(directory, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}

/** Checks one file's imports; returns the files of the same package it needs at run time. */
function checkFile({ path, workspace }) {
  const source = readFileSync(path, "utf8");
  const test = isForTests(path);
  const needed = [];
  if (!test && isPlain(path, workspace)) checkGenerators(path, source);
  for (const match of source.matchAll(importPattern)) {
    const specifier = match[1] ?? match[2] ?? "";
    const typeOnly = /^\s*[\n;]?\s*(import|export)\s+type\b/.test(match[0]);
    if (/(^|\/)time-slice(\.js)?$/.test(specifier) && isPlain(path, workspace))
      complain(path, `yields to the event loop: ${specifier}`);
    if (specifier.startsWith(".")) {
      noteFolders(path, workspace, specifier, test);
      const target = resolve(dirname(path), specifier.replace(/\.js$/, ".ts"));
      if (relative(workspace.directory, target).startsWith(".."))
        complain(path, `reaches into another package: ${specifier}`);
      if (!test && isForTests(target)) complain(path, `needs what is there for tests: ${specifier}`);
      if (!typeOnly) needed.push(target);
    } else checkPackage(path, workspace, specifier, test);
  }
  return needed;
}

function isPlain(path, { name, directory }) {
  if (plain.includes(name)) return true;
  const [folder] = relative(join(directory, "src"), path).split(/[\\/]/);
  return name === "apiserver" && plainFolders.includes(folder);
}

/** Generators may list things lazily, as iterables do; they may not stand for a function that pauses. */
function checkGenerators(path, source) {
  const generator =
    /(?:function\s*\*\s*(\w*)|^\s*(?:static\s+)?\*\s*(#?\w+|\[Symbol\.iterator\]))\s*(?:<[^>]*>)?\([^{]*?\)\s*(?::\s*([\w<>[\], |#.]+?))?\s*\{/gm;
  for (const [text, name, method, type = ""] of source.matchAll(generator)) {
    if (/^(?:Iterable|Iterator|IterableIterator|Generator<[^,]*>)/.test(type)) continue;
    complain(path, `a generator that is no iterable: ${name || method || text.trim()}`);
  }
}

/** Remembers which folder of a layered package imports which. Files beside the folders put them together. */
function noteFolders(path, { name, directory }, specifier, test) {
  if (test || !layered.includes(name)) return;
  const folderOf = (file) => relative(join(directory, "src"), file).split(/[\\/]/).slice(0, -1)[0];
  const from = folderOf(path);
  const to = folderOf(resolve(dirname(path), specifier));
  if (from === undefined || to === undefined || from === to) return;
  const key = `${name}: ${from} → ${to}`;
  if (!folderImports.has(key)) folderImports.set(key, { name, from, to, path });
}

function checkFolders() {
  for (const { name, from, to, path } of folderImports.values()) {
    const back = folderImports.get(`${name}: ${to} → ${from}`);
    if (back && from < to)
      problems.push(
        `folders import each other: ${relative(root, path)} needs ${to}, ${relative(root, back.path)} needs ${from}`,
      );
  }
}

function isForTests(path) {
  return /\.(test|bench)\.tsx?$|[\\/]fixtures[\\/]|[\\/]operators[\\/][^\\/]+[\\/]src[\\/]torture\.ts$/.test(
    path,
  );
}

function checkPackage(path, workspace, specifier, test) {
  if (builtins.has(specifier)) return;
  const name = specifier.startsWith("@")
    ? specifier.split("/").slice(0, 2).join("/")
    : specifier.split("/")[0];
  const own = /^@kubewright\/(.+)$/.exec(name)?.[1];
  if (own) {
    const allowed = workspace.kind === "packages" ? layers[workspace.name] : forOperators;
    if (!allowed) complain(path, `package "${workspace.name}" has no place among the layers`);
    else if (!allowed.includes(own)) complain(path, `${workspace.name} may not import ${name}`);
  }
  const { dependencies = {}, peerDependencies = {}, devDependencies = {} } = workspace.manifest;
  const declared = {
    ...dependencies,
    ...peerDependencies,
    ...(test ? { ...devDependencies, ...rootDevDependencies() } : {}),
  };
  if (!(name in declared)) complain(path, `${name} is not declared in package.json`);
}

function rootDevDependencies() {
  return JSON.parse(readFileSync(join(root, "package.json"), "utf8")).devDependencies ?? {};
}

function complain(path, text) {
  problems.push(`${relative(root, path)}: ${text}`);
}

function findCycles(edges) {
  const cycles = [];
  const state = new Map();
  const stack = [];
  const visit = (node) => {
    state.set(node, "open");
    stack.push(node);
    for (const next of edges.get(node) ?? []) {
      if (!edges.has(next)) continue;
      if (state.get(next) === "open") cycles.push([...stack.slice(stack.indexOf(next)), next]);
      else if (!state.has(next)) visit(next);
    }
    stack.pop();
    state.set(node, "done");
  };
  for (const node of edges.keys()) if (!state.has(node)) visit(node);
  return cycles;
}
