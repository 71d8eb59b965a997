// Changes what was decided when a project was made: whether every group has a folder of its own, which namespaces the manager watches,
// and what it has beyond what every project has.
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join, posix } from "node:path";
import { UsageError } from "../command.js";
import { type FeatureName, planFeatures } from "./features.js";
import { FilePlan } from "./file-plan.js";
import { importPath, kindFiles } from "./kind-files.js";
import { checkNamespace } from "./names.js";
import { type FoundProject, formatProject, type Project } from "./project-file.js";
import { removeProperty } from "./removed-source.js";
import type { Scaffolded } from "./scaffolded.js";
import { addProperty, importsOf } from "./source-edit.js";
import { tokenize } from "./tokens.js";

export interface EditOptions {
  readonly multigroup?: boolean | undefined;
  /** The namespaces that the manager watches; none for all of them, undefined to leave that as it is. */
  readonly namespaces?: readonly string[] | undefined;
  readonly features?: readonly FeatureName[] | undefined;
  readonly force?: boolean | undefined;
}

const main = "src/main.ts";

/** Edits a project, all of it or nothing. */
export function editProject({ directory, project }: FoundProject, options: EditOptions): Scaffolded {
  const { multigroup = project.multigroup ?? false, namespaces, features = [], force } = options;
  const plan = new FilePlan(directory);
  const changed: Project = { ...project, multigroup };
  const moved = movedFiles(project, changed);
  moveSources(plan, directory, moved);
  const manual = namespaces === undefined ? [] : watch(plan, namespaces);
  planFeatures(plan, features, { projectName: project.projectName, existing: force ? "replace" : "refuse" });
  if (multigroup !== (project.multigroup ?? false)) plan.edit("PROJECT", formatProject(changed));
  const changes = plan.write().filter(({ change }) => change !== "unchanged");
  for (const path of moved.keys()) rmSync(join(directory, path));
  return { changes, manual };
}

/** Where the definitions of kinds go that are somewhere else now. */
function movedFiles(before: Project, after: Project): ReadonlyMap<string, string> {
  const moves = before.resources
    .filter(({ api }) => api)
    .map((kind) => [kindFiles(before, kind).resource, kindFiles(after, kind).resource] as const);
  return new Map(moves.filter(([from, to]) => from !== to));
}

/** Plans files in their new places, and imports of them, everywhere under src, as they are then. */
function moveSources(plan: FilePlan, directory: string, moved: ReadonlyMap<string, string>): void {
  if (moved.size === 0) return;
  const paths = readdirSync(join(directory, "src"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => `src/${path.split("\\").join("/")}`);
  for (const path of paths) {
    const source = readFileSync(join(directory, path), "utf8");
    const target = moved.get(path);
    const text = withImports(source, path, moved);
    if (target !== undefined) plan.add(target, text, "refuse");
    else if (text !== source) plan.edit(path, text);
  }
}

function withImports(source: string, path: string, moved: ReadonlyMap<string, string>): string {
  const here = moved.get(path) ?? path;
  let text = source;
  for (const { start, end, module } of importsOf(tokenize(source)).toReversed()) {
    if (!module.startsWith(".")) continue;
    const target = posix.join(posix.dirname(path), module).replace(/\.js$/, ".ts");
    const statement = text
      .slice(start, end)
      .replace(JSON.stringify(module), JSON.stringify(importPath(here, moved.get(target) ?? target)));
    text = text.slice(0, start) + statement + text.slice(end);
  }
  return text;
}

/** States the namespaces in defineManager, or takes them out. */
function watch(plan: FilePlan, namespaces: readonly string[]): readonly string[] {
  const source = plan.read(main);
  if (source === undefined) throw new UsageError(`${main} is not there`);
  for (const name of namespaces) checkNamespace(name);
  const cleared = removeProperty(source, "defineManager", ["namespaces"]);
  const list = `[${namespaces.map((name) => JSON.stringify(name)).join(", ")}]`;
  const edited =
    cleared !== undefined && namespaces.length > 0
      ? addProperty(cleared, "defineManager", "namespaces", list)
      : cleared;
  if (edited === undefined)
    return [
      namespaces.length > 0
        ? `in ${main}, add namespaces: ${list} to defineManager`
        : `in ${main}, take namespaces out of defineManager`,
    ];
  plan.edit(main, edited);
  return [];
}
