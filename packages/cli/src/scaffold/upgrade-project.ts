// Moves an older project forward: its packages and tools to the versions of this command, PROJECT to its newest form, and the files
// that are still as an earlier version wrote them to how they would be written now. What people wrote stays as it is.
import { isObject } from "@kubewright/api";
import { UsageError } from "../command.js";
import { FilePlan } from "./file-plan.js";
import { lineDiff } from "./line-diff.js";
import { packageSource } from "./package-source.js";
import { type FoundProject, formatProject, projectVersion } from "./project-file.js";
import { type History, pathOfTemplate, renewalOf, templateHistory } from "./template-history.js";
import { toolVersions } from "./tool-versions.js";

/** A file that an upgrade changes. */
export interface UpgradedFile {
  readonly path: string;
  readonly change: "created" | "changed";
  /** Line by line. */
  readonly diff: string;
}

/** What an upgrade changes, and what it leaves alone. */
export interface Upgrade {
  readonly changes: readonly UpgradedFile[];
  /** Files that were edited since they were scaffolded, and would be others by now. */
  readonly kept: readonly string[];
}

/** How to upgrade. */
export interface UpgradeOptions {
  /** Only says what would change. */
  readonly dryRun?: boolean | undefined;
  /** Overwrites files that were edited, too. */
  readonly force?: boolean | undefined;
  /** What templates there have been. Default: those of this command. */
  readonly history?: History | undefined;
}

/** Changes of PROJECT from one form to the next; the first form is the newest, so there are none yet. */
const steps: Readonly<Record<string, string>> = {};

const tools: Readonly<Record<string, string>> = {
  "@biomejs/biome": toolVersions.biomeVersion,
  "@types/node": toolVersions.nodeTypesVersion,
  typescript: toolVersions.typescriptVersion,
  vitest: toolVersions.vitestVersion,
};

/** Upgrades a project, all of it or nothing. */
export function upgradeProject(
  found: FoundProject,
  { dryRun, force = false, history = templateHistory() }: UpgradeOptions = {},
): Upgrade {
  const { directory, project } = found;
  if (project.version !== projectVersion && !Object.hasOwn(steps, project.version))
    throw new UsageError(
      `PROJECT has version ${project.version}, which this kubewright does not know; use a newer one: npm install --save-dev kubewright@latest`,
    );
  const { version, specifier } = packageSource(directory);
  const plan = new FilePlan(directory);
  const text = plan.read("package.json");
  if (text === undefined) throw new UsageError(`${directory} has no package.json`);
  const before = parseManifest(text);
  const after = withVersions(before, specifier);
  if (JSON.stringify(after) !== JSON.stringify(before))
    plan.edit("package.json", `${JSON.stringify(after, undefined, 2)}\n`);
  const edited = planTemplates(plan, project.projectName, { force, history });
  if (project.cliVersion !== version)
    plan.edit("PROJECT", formatProject({ ...project, cliVersion: version }));
  const changes = plan.edits().map(({ path, before: old = "", after: now }) => ({
    path,
    change: old === "" ? ("created" as const) : ("changed" as const),
    diff: lineDiff(old, now),
  }));
  if (!dryRun) plan.write();
  // Somebody who is up to date was told before.
  return { changes, kept: changes.length > 0 ? edited : [] };
}

/** Plans what can be renewed; returns what was edited. A template that never changed has nothing new to offer. */
function planTemplates(
  plan: FilePlan,
  projectName: string,
  { force, history }: { readonly force: boolean; readonly history: History },
): readonly string[] {
  const edited: string[] = [];
  for (const [template, known] of Object.entries(history)) {
    const path = pathOfTemplate(template);
    const { text, state } = renewalOf(template, plan.read(path), projectName, known);
    if (state === "older" || (state === "edited" && force)) plan.add(path, text, "replace");
    else if (state === "edited" && known.length > 1) edited.push(path);
  }
  return edited;
}

type Manifest = Readonly<Record<string, unknown>>;

function parseManifest(text: string): Manifest {
  try {
    const manifest: unknown = JSON.parse(text);
    if (isObject(manifest)) return manifest;
  } catch {
    // Said below, as for what is JSON but no object.
  }
  throw new UsageError("package.json cannot be read; fix it first");
}

function withVersions(manifest: Manifest, specifier: (name: string) => string): Manifest {
  const updated: Record<string, unknown> = { ...manifest };
  for (const list of ["dependencies", "devDependencies"]) {
    const before = manifest[list];
    if (isObject(before)) updated[list] = Object.fromEntries(Object.entries(before).map(newest(specifier)));
  }
  return updated;
}

/** Tools that are newer than ours, or given in another way than by a version, are the user's choice. */
function newest(specifier: (name: string) => string) {
  return ([name, version]: [string, unknown]): [string, unknown] => {
    const isOurs = name === "kubewright" || name.startsWith("@kubewright/");
    const tool = Object.hasOwn(tools, name) ? tools[name] : undefined;
    const wanted = isOurs ? specifier(name) : tool;
    if (wanted === undefined || wanted === version) return [name, version];
    if (!isOurs && !isOlder(String(version), wanted)) return [name, version];
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
