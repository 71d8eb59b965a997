// The user's own patches: config/patches/kustomization.yaml is a kustomize Component that config/default takes in, and nothing of ours
// writes to it. What does not run kustomize (dist/install.yaml, deploy, the chart, the bundle) obeys the same file through this reader.
import { existsSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { isObject } from "@kubewright/api";
import { parseAllDocuments } from "yaml";
import { UsageError } from "../command.js";
import type { Manifest } from "./operator.js";

export const patchesFolder = "config/patches";
const componentFile = `${patchesFolder}/kustomization.yaml`;

/** Which objects a patch is for; texts are regular expressions that match as a whole, as kustomize takes them. */
export type PatchTarget = Readonly<Partial<Record<(typeof targetFields)[number], string>>>;

const targetFields = ["group", "version", "kind", "name", "namespace", "labelSelector"] as const;

/** A strategic merge patch, or with a list of operations a JSON patch. */
export interface OwnPatch {
  /** Where it is written, for messages. */
  readonly source: string;
  readonly target?: PatchTarget | undefined;
  readonly body: Readonly<Record<string, unknown>> | readonly unknown[];
}

export interface OwnPatches {
  readonly patches: readonly OwnPatch[];
  /** Further objects that belong to the operator. */
  readonly resources: readonly Manifest[];
}

export const noPatches: OwnPatches = { patches: [], resources: [] };

/** Throws a UsageError for what kustomize would do and the other outputs would not. */
export function readPatches(root: string): OwnPatches {
  if (!existsSync(join(root, componentFile))) return noPatches;
  const [component, ...more] = documentsOf(root, componentFile);
  if (component === undefined && more.length === 0) return noPatches;
  if (!isObject(component) || component["kind"] !== "Component" || more.length > 0)
    throw wrong(componentFile, "one document of kind Component is needed");
  const { apiVersion: _version, kind: _kind, metadata: _metadata, patches, resources, ...others } = component;
  const [other] = Object.keys(others);
  if (other !== undefined)
    throw wrong(
      componentFile,
      `only kustomize would obey ${other}, but dist/install.yaml and deploy would not; use patches and resources`,
    );
  return {
    patches: listOf(patches, "patches").flatMap((entry, index) => patchesOf(root, entry, index)),
    resources: listOf(resources, "resources").flatMap((entry) => resourcesOf(root, entry)),
  };
}

function listOf(value: unknown, field: string): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw wrong(componentFile, `${field} must be a list`);
  return value;
}

function patchesOf(root: string, entry: unknown, index: number): readonly OwnPatch[] {
  const place = `patches[${index}]`;
  if (!isObject(entry)) throw wrong(componentFile, `${place} must be an object with path or patch`);
  const { path, patch, target, ...others } = entry;
  const [other] = Object.keys(others);
  if (other !== undefined) throw wrong(componentFile, `${place}.${other} is not supported`);
  if ((typeof path === "string") === (typeof patch === "string"))
    throw wrong(componentFile, `${place} needs one of path and patch`);
  const source = typeof path === "string" ? pathOf(path) : `${componentFile}: ${place}`;
  const bodies =
    typeof path === "string"
      ? documentsOf(root, source)
      : documentsIn(String(patch), `${componentFile}: ${place}`);
  return bodies.map((body) => checkedPatch({ source, target: targetOf(target, place), body }));
}

function checkedPatch({
  source,
  target,
  body,
}: {
  source: string;
  target?: PatchTarget | undefined;
  body: unknown;
}): OwnPatch {
  if (Array.isArray(body)) {
    if (!target) throw wrong(source, "a JSON patch needs a target in config/patches/kustomization.yaml");
    return { source, target, body };
  }
  if (!isObject(body)) throw wrong(source, "an object or a list of operations is needed");
  if (!target && !isManifest(body)) throw wrong(source, "apiVersion, kind and metadata.name are needed");
  return { source, target, body };
}

function targetOf(target: unknown, place: string): PatchTarget | undefined {
  if (target === undefined) return undefined;
  if (!isObject(target)) throw wrong(componentFile, `${place}.target must be an object`);
  for (const [field, value] of Object.entries(target)) {
    if (!targetFields.some((known) => known === field))
      throw wrong(
        componentFile,
        `${place}.target.${field} is not supported; there are ${targetFields.join(", ")}`,
      );
    if (typeof value !== "string") throw wrong(componentFile, `${place}.target.${field} must be a text`);
  }
  return target as PatchTarget;
}

function resourcesOf(root: string, entry: unknown): readonly Manifest[] {
  if (typeof entry !== "string" || !/\.ya?ml$/.test(entry))
    throw wrong(componentFile, `resources: ${String(entry)} is not a YAML file of ${patchesFolder}`);
  const path = pathOf(entry);
  return documentsOf(root, path).map((object) => {
    if (!isManifest(object)) throw wrong(path, "apiVersion, kind and metadata.name are needed");
    return object;
  });
}

/** kustomize reads nothing outside of the folder, either. */
function pathOf(path: string): string {
  const inside = posix.normalize(posix.join(patchesFolder, path));
  if (!inside.startsWith(`${patchesFolder}/`))
    throw wrong(componentFile, `${path} is outside of ${patchesFolder}`);
  return inside;
}

const isManifest = (value: unknown): value is Manifest =>
  isObject(value) &&
  typeof value["apiVersion"] === "string" &&
  typeof value["kind"] === "string" &&
  isObject(value["metadata"]) &&
  typeof value["metadata"]["name"] === "string";

function documentsOf(root: string, path: string): readonly unknown[] {
  const file = join(root, path);
  if (!existsSync(file)) throw wrong(componentFile, `there is no ${path}`);
  return documentsIn(readFileSync(file, "utf8"), path);
}

/** The documents of a YAML text, read as kubectl reads it; throws a UsageError that names the place. */
export function documentsIn(text: string, place: string): readonly unknown[] {
  const documents = parseAllDocuments(text, { version: "1.1" });
  return [...documents].flatMap((document) => {
    const [problem] = document.errors;
    if (problem) throw wrong(place, problem.message.split("\n")[0] ?? problem.message);
    const value: unknown = document.toJS();
    return value === null ? [] : [value];
  });
}

const wrong = (place: string, what: string): UsageError => new UsageError(`${place}: ${what}`);
