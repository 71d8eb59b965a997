// Writes packages/api/src/generated/ and the generated part of the front door from what a Kubernetes API server
// publishes about itself (schemas, discovery, protobuf fields), and from our words on it in packages/api/descriptions/.
// Usage: generate-api.mjs [--check] [directory of those facts]; --check only says what is out of date.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { loadDescriptions } from "./generate-api/descriptions.mjs";
import { loadKubeFacts } from "./generate-api/kube-facts.mjs";
import { planModules, printBuiltinResources, printExports, printModule } from "./generate-api/modules.mjs";
import {
  printDescriptionTable,
  printDiscoveryTable,
  printProtobufTable,
  printSchemaTable,
} from "./generate-api/tables.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const frontDoor = join(root, "packages", "api", "src", "index.ts");
const descriptionFiles = join(root, "packages", "api", "descriptions");
const generated = join(root, "packages", "api", "src", "generated");

const [source = join(root, "..", "shared", "kube")] = process.argv
  .slice(2)
  .filter((arg) => arg !== "--check");
const files = generate(resolve(source));
const stray = existsSync(generated)
  ? readdirSync(generated)
      .map((name) => join(generated, name))
      .filter((path) => !files.has(path))
  : [];

if (process.argv.includes("--check")) check();
else write();

/** Path → text of everything this script is responsible for. */
function generate(directory) {
  const facts = loadKubeFacts(directory);
  const modules = planModules(facts);
  const descriptions = loadDescriptions(descriptionFiles);
  const strangers = descriptions.strangers(facts.schemas);
  if (strangers.length > 0) throw new Error(`described, but not in the schemas: ${strangers.join(", ")}`);
  const texts = [
    ...modules.map((module) => [`${module.module}.ts`, printModule(module, descriptions)]),
    ["builtin-resources.ts", printBuiltinResources(modules)],
    ["schema-table.ts", printSchemaTable(facts)],
    ["description-table.ts", printDescriptionTable(facts, descriptions)],
    ["protobuf-table.ts", printProtobufTable(facts)],
    ["discovery-table.ts", printDiscoveryTable(facts)],
  ];
  const result = new Map(texts.map(([name, text]) => [join(generated, name), text]));
  return result.set(frontDoor, withExports(printExports(modules)));
}

/** The front door with its lines from generated/ replaced; all others are written by hand. Biome sorts them in. */
function withExports(exports) {
  const current = readFileSync(frontDoor, "utf8");
  const handWritten = current.replace(/export (?:type )?\{[^}]*\} from "\.\/generated\/[^"]*";\n/g, "");
  const biome = join(root, "node_modules", "@biomejs", "biome", "bin", "biome");
  const path = relative(root, frontDoor);
  const args = [biome, "check", "--write", `--stdin-file-path=${path}`];
  const result = spawnSync(process.execPath, args, {
    cwd: root,
    input: handWritten + exports,
    encoding: "utf8",
  });
  if (result.status !== 0) throw new Error(result.stderr);
  return result.stdout;
}

function write() {
  mkdirSync(generated, { recursive: true });
  for (const path of stray) rmSync(path);
  for (const [path, text] of files) writeFileSync(path, text);
}

function check() {
  const isStale = ([path, text]) => !existsSync(path) || readFileSync(path, "utf8") !== text;
  const stale = [...files].filter(isStale).map(([path]) => path);
  for (const path of [...stale, ...stray]) console.error(`out of date: ${relative(root, path)}`);
  if (stale.length + stray.length > 0) process.exitCode = 1;
}
