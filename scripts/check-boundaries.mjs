// Imports point down the layers, never up or sideways; no cycles between files; nothing undeclared in package.json.
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
  client: ["api"],
  runtime: ["api", "schema", "client"],
  apiserver: ["api", "cel", "machinery", "schema"],
  cluster: ["api", "machinery", "schema", "client", "runtime", "apiserver"],
  testing: ["api", "schema", "client", "runtime", "apiserver", "cluster"],
  dashboard: ["api", "schema", "client", "runtime", "apiserver", "cluster", "testing"],
  cli: [
    "api",
    "cel",
    "machinery",
    "schema",
    "client",
    "runtime",
    "apiserver",
    "cluster",
    "testing",
    "dashboard",
  ],
};
/** Operators and examples use what a user's project would: the libraries, and the harness in their tests. */
const forOperators = ["api", "schema", "client", "runtime", "testing"];
const builtins = new Set([...builtinModules, ...builtinModules.map((name) => `node:${name}`)]);
const importPattern =
  /(?:^|[\n;])\s*(?:import|export)\s+(?:type\s+)?(?:[\w*\s{},$]+\s+from\s+)?["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']\s*\)/g;

const problems = [];
const files = workspaces().flatMap((workspace) =>
  sourcesUnder(join(workspace.directory, "src")).map((path) => ({ path, workspace })),
);
const graph = new Map();
for (const file of files) graph.set(file.path, checkFile(file));
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
  for (const match of source.matchAll(importPattern)) {
    const specifier = match[1] ?? match[2] ?? "";
    const typeOnly = /^\s*[\n;]?\s*(import|export)\s+type\b/.test(match[0]);
    if (specifier.startsWith(".")) {
      const target = resolve(dirname(path), specifier.replace(/\.js$/, ".ts"));
      if (relative(workspace.directory, target).startsWith(".."))
        complain(path, `reaches into another package: ${specifier}`);
      if (!test && isForTests(target)) complain(path, `needs what is there for tests: ${specifier}`);
      if (!typeOnly) needed.push(target);
    } else checkPackage(path, workspace, specifier, test);
  }
  return needed;
}

function isForTests(path) {
  return /\.(test|bench)\.tsx?$|[\\/]fixtures[\\/]/.test(path);
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
