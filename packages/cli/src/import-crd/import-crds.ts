// Writes the modules that define kinds, where the project's own kinds are or where the user says.
import type { CustomResourceDefinition } from "@kubewright/api";
import { UsageError } from "../command.js";
import { type FileChange, FilePlan } from "../scaffold/file-plan.js";
import { kebabCase } from "../scaffold/names.js";
import {
  type FoundProject,
  formatProject,
  fullGroup,
  type Project,
  type ProjectResource,
} from "../scaffold/project-file.js";
import { type CheckedCrd, checkedCrd } from "./checked-crd.js";
import { definitionSource } from "./definition-source.js";

/** A definition and where it came from. */
export interface ImportedCrd {
  /** As it was read: nothing about it is certain. */
  readonly crd: unknown;
  readonly from: string;
}

/** What was written, what of the definitions could not be said, and what is worth knowing besides. */
export interface ImportResult {
  readonly changes: readonly FileChange[];
  readonly losses: readonly string[];
  readonly notes: readonly string[];
}

/** Where to write, and whether over what is there. */
export interface ImportOptions {
  /** The folder that paths are relative to: of the project, where there is one. */
  readonly directory: string;
  /** The project that the kinds are recorded in, where there is one. */
  readonly project?: FoundProject | undefined;
  /** The folder below the directory. Default: by group and version. */
  readonly folder?: string | undefined;
  readonly force?: boolean | undefined;
}

/** Writes a module for each definition, `src/api/<group>/<version>/<kind>.ts`, or flat into a folder, and records them in PROJECT. */
export function importCrds(
  imported: readonly ImportedCrd[],
  { directory, project: found, folder, force = false }: ImportOptions,
): ImportResult {
  const plan = new FilePlan(directory);
  const losses: string[] = [];
  const notes: string[] = [];
  const written = new Map<string, string>();
  let project = found?.project;
  for (const { crd: read, from } of imported) {
    const checked = check(read, from);
    const { crd } = checked;
    const path = pathOf(crd, folder);
    project &&= recorded(project, crd, path);
    const name = `${crd.spec.names.plural}.${crd.spec.group}`;
    const other = written.get(path);
    if (other !== undefined)
      throw new UsageError(
        `${name} and ${other} would both be ${path}; import one of them elsewhere with --out`,
      );
    written.set(path, name);
    const definition = definitionSource(checked, from);
    plan.add(path, definition.source, force ? "replace" : "refuse");
    losses.push(...definition.losses.map((loss) => `${path}: ${loss}`));
    notes.push(...definition.notes.map((note) => `${path}: ${note}`));
  }
  if (project) plan.edit("PROJECT", formatProject(project));
  return { changes: plan.write(), losses, notes };
}

function check(read: unknown, from: string): CheckedCrd {
  try {
    return checkedCrd(read);
  } catch (error) {
    throw error instanceof UsageError ? new UsageError(`${from}: ${error.message}`) : error;
  }
}

/** A kind that the project defines itself is not somebody else's. */
function recorded(project: Project, { spec }: CustomResourceDefinition, path: string): Project {
  const stored = spec.versions.find(({ storage }) => storage) ?? spec.versions[0];
  const dot = spec.group.indexOf(".");
  const kind: ProjectResource = {
    group: dot < 0 ? spec.group : spec.group.slice(0, dot),
    domain: dot < 0 ? undefined : spec.group.slice(dot + 1),
    version: stored?.name ?? "",
    kind: spec.names.kind,
    external: true,
    path,
  };
  const isSame = (other: ProjectResource): boolean =>
    fullGroup(other) === spec.group && other.kind === kind.kind;
  const before = project.resources.find(isSame);
  if (before && !before.external)
    throw new UsageError(
      `${kind.kind} of ${spec.group} is a kind of this project already; import it elsewhere with --out`,
    );
  const others = project.resources.filter((other) => other !== before);
  return { ...project, resources: [...others, { ...before, ...kind }] };
}

/** Names come from a file somebody gave us, so they are checked before they become a path. */
function pathOf({ spec }: CustomResourceDefinition, folder: string | undefined): string {
  const stored = spec.versions.find(({ storage }) => storage) ?? spec.versions[0];
  for (const part of [spec.group, stored?.name ?? "", spec.names.kind])
    if (!/^[A-Za-z0-9]([-.A-Za-z0-9]*[A-Za-z0-9])?$/.test(part) || part.includes(".."))
      throw new UsageError(`${JSON.stringify(part)} is not a valid Kubernetes name`);
  if (!/^[A-Z][A-Za-z0-9]*$/.test(spec.names.kind))
    throw new UsageError(`the kind ${spec.names.kind} is not a name for TypeScript`);
  return `${folder ?? `src/api/${spec.group}/${stored?.name}`}/${kebabCase(spec.names.kind)}.ts`;
}
