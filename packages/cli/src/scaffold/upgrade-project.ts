// Moves an older project forward: its packages and tools to the versions of this command, and PROJECT to its newest form. The
// logic of a project is in our libraries, so there is nothing else to move; what people wrote stays as it is.
import { UsageError } from "../command.js";
import { FilePlan } from "./file-plan.js";
import { packageSource } from "./package-source.js";
import { type FoundProject, formatProject, projectVersion } from "./project-file.js";
import { toolVersions } from "./tool-versions.js";

/** What an upgrade changes. */
export interface Upgrade {
  readonly changes: readonly string[];
}

/** Changes of PROJECT from one form to the next; the first form is the newest, so there are none yet. */
const steps: Readonly<Record<string, string>> = {};

const tools: Readonly<Record<string, string>> = {
  "@biomejs/biome": toolVersions.biomeVersion,
  "@types/node": toolVersions.nodeTypesVersion,
  typescript: toolVersions.typescriptVersion,
  vitest: toolVersions.vitestVersion,
};

/** Upgrades a project; with `dryRun`, only says what would change. */
export function upgradeProject({ directory, project }: FoundProject, dryRun: boolean): Upgrade {
  if (project.version !== projectVersion && !Object.hasOwn(steps, project.version))
    throw new UsageError(
      `PROJECT has version ${project.version}, which this kubewright does not know; use a newer one: npm install --save-dev kubewright@latest`,
    );
  const source = packageSource(directory);
  const plan = new FilePlan(directory);
  const text = plan.read("package.json");
  if (text === undefined) throw new UsageError(`${directory} has no package.json`);
  const changes: string[] = [];
  const manifest = withVersions(parseManifest(text), source.specifier, changes);
  if (changes.length > 0) plan.edit("package.json", `${JSON.stringify(manifest, undefined, 2)}\n`);
  if (project.cliVersion !== source.version) {
    changes.push(`PROJECT: cliVersion ${project.cliVersion ?? "(none)"} → ${source.version}`);
    plan.edit("PROJECT", formatProject({ ...project, cliVersion: source.version }));
  }
  if (!dryRun) plan.write();
  return { changes };
}

type Manifest = Readonly<Record<string, unknown>>;

function parseManifest(text: string): Manifest {
  try {
    const manifest: unknown = JSON.parse(text);
    if (isRecord(manifest)) return manifest;
  } catch {
    // Said below, as for what is JSON but no object.
  }
  throw new UsageError("package.json cannot be read; mend it first");
}

function withVersions(manifest: Manifest, specifier: (name: string) => string, changes: string[]): Manifest {
  const updated: Record<string, unknown> = { ...manifest };
  for (const list of ["dependencies", "devDependencies"]) {
    const before = manifest[list];
    if (isRecord(before))
      updated[list] = Object.fromEntries(Object.entries(before).map(newest(specifier, changes)));
  }
  return updated;
}

/** Tools that are newer than ours, or given in another way than by a version, are the user's choice. */
function newest(specifier: (name: string) => string, changes: string[]) {
  return ([name, version]: [string, unknown]): [string, unknown] => {
    const isOurs = name === "kubewright" || name.startsWith("@kubewright/");
    const tool = Object.hasOwn(tools, name) ? tools[name] : undefined;
    const wanted = isOurs ? specifier(name) : tool;
    if (wanted === undefined || wanted === version) return [name, version];
    if (!isOurs && !isOlder(String(version), wanted)) return [name, version];
    changes.push(`package.json: ${name} ${String(version)} → ${wanted}`);
    return [name, wanted];
  };
}

function isOlder(version: string, than: string): boolean {
  const numbers = (text: string) => /^[\^~]?(\d+)\.(\d+)\.(\d+)$/.exec(text)?.slice(1).map(Number);
  const [a, b] = [numbers(version), numbers(than)];
  if (!a || !b) return false;
  const at = a.findIndex((part, index) => part !== b[index]);
  return at >= 0 && (a[at] ?? 0) < (b[at] ?? 0);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
