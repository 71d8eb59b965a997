// Writes the modules that define kinds, where the project's own kinds are or where the user says.
import type { CustomResourceDefinition } from "@kubewright/api";
import { UsageError } from "../command.js";
import { type FileChange, FilePlan } from "../scaffold/file-plan.js";
import { kebabCase } from "../scaffold/names.js";
import { definitionSource } from "./definition-source.js";

/** A definition and where it came from. */
export interface ImportedCrd {
  readonly crd: CustomResourceDefinition;
  readonly from: string;
}

/** What was written, and what of the definitions could not be said. */
export interface ImportResult {
  readonly changes: readonly FileChange[];
  readonly losses: readonly string[];
}

/** Writes a module for each definition: `src/api/<group>/<version>/<kind>.ts`, or flat into a folder. */
export function importCrds(
  directory: string,
  imported: readonly ImportedCrd[],
  { folder, force = false }: { readonly folder?: string | undefined; readonly force?: boolean | undefined },
): ImportResult {
  const plan = new FilePlan(directory);
  const losses: string[] = [];
  const written = new Map<string, string>();
  for (const { crd, from } of imported) {
    const path = pathOf(crd, folder);
    const name = `${crd.spec.names.plural}.${crd.spec.group}`;
    const other = written.get(path);
    if (other !== undefined)
      throw new UsageError(
        `${name} and ${other} would both be ${path}; import one of them elsewhere with --out`,
      );
    written.set(path, name);
    const definition = definitionSource(crd, from);
    plan.add(path, definition.source, force ? "replace" : "refuse");
    losses.push(...definition.losses.map((loss) => `${path}: ${loss}`));
  }
  return { changes: plan.write(), losses };
}

/** Names come from a file somebody gave us, so they are checked before they become a path. */
function pathOf({ spec }: CustomResourceDefinition, folder: string | undefined): string {
  const stored = spec.versions.find(({ storage }) => storage) ?? spec.versions[0];
  for (const part of [spec.group, stored?.name ?? "", spec.names.kind])
    if (!/^[A-Za-z0-9]([-.A-Za-z0-9]*[A-Za-z0-9])?$/.test(part) || part.includes(".."))
      throw new UsageError(`${JSON.stringify(part)} is not a name that Kubernetes takes`);
  if (!/^[A-Z][A-Za-z0-9]*$/.test(spec.names.kind))
    throw new UsageError(`the kind ${spec.names.kind} is not a name for TypeScript`);
  return `${folder ?? `src/api/${spec.group}/${stored?.name}`}/${kebabCase(spec.names.kind)}.ts`;
}
