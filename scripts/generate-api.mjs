// Writes packages/api/src/generated/ and the generated part of the front door from what a Kubernetes API server
// publishes about itself (schemas, discovery, protobuf fields). Usage: generate-api.mjs [directory of those facts]
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { loadKubeFacts } from "./generate-api/kube-facts.mjs";
import { planModules, printBuiltinResources, printExports, printModule } from "./generate-api/modules.mjs";
import { printDiscoveryTable, printProtobufTable, printSchemaTable } from "./generate-api/tables.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const source = resolve(process.argv[2] ?? join(root, "..", "shared", "kube"));
const api = join(root, "packages", "api", "src");

const facts = loadKubeFacts(source);
const modules = planModules(facts);

const files = new Map(modules.map((module) => [`${module.module}.ts`, printModule(module)]));
files.set("builtin-resources.ts", printBuiltinResources(modules));
files.set("schema-table.ts", printSchemaTable(facts));
files.set("protobuf-table.ts", printProtobufTable(facts));
files.set("discovery-table.ts", printDiscoveryTable(facts));

rmSync(join(api, "generated"), { recursive: true, force: true });
mkdirSync(join(api, "generated"), { recursive: true });
for (const [name, text] of files) writeFileSync(join(api, "generated", name), text);
rewriteFrontDoor(join(api, "index.ts"), printExports(modules));

/** Replaces the export lines that come from generated/; all others are written by hand. Biome sorts them in. */
function rewriteFrontDoor(path, exports) {
  const handWritten = readFileSync(path, "utf8").replace(
    /export (?:type )?\{[^}]*\} from "\.\/generated\/[^"]*";\n/g,
    "",
  );
  writeFileSync(path, handWritten + exports);
  const biome = join(root, "node_modules", "@biomejs", "biome", "bin", "biome");
  const result = spawnSync(process.execPath, [biome, "check", "--write", path], { encoding: "utf8" });
  if (result.status !== 0) throw new Error(result.stderr);
}
