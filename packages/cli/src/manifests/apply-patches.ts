// Applies the user's own patches to objects as kustomize does: one without a target is for the object that it names.
import { ApiError, isObject } from "@kubewright/api";
import { kindTypeInfo } from "@kubewright/api/type-info";
import { applyJsonPatch, applyMergePatch, applyStrategicMergePatch } from "@kubewright/machinery";
import { UsageError } from "../command.js";
import type { Manifest } from "./operator.js";
import type { OwnPatch, PatchTarget } from "./own-patches.js";

export interface Patched<T> {
  readonly objects: readonly T[];
  /** Patches that were for none of the objects. */
  readonly unused: readonly OwnPatch[];
}

/** As much of an object as decides on which patches are for it. */
export interface Patchable {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly metadata?:
    | {
        readonly name?: string | undefined;
        readonly namespace?: string | undefined;
        readonly labels?: Readonly<Record<string, string>> | undefined;
      }
    | undefined;
}

/** The objects with the patches, in their order; those that a patch deletes are left out. */
export function applyPatches<T extends Patchable>(
  objects: readonly T[],
  patches: readonly OwnPatch[],
): Patched<T> {
  let patched = objects;
  const unused: OwnPatch[] = [];
  for (const patch of patches) {
    const isMeant = (object: T) =>
      patch.target ? matches(object, patch.target) : isNamed(object, patch.body);
    if (!patched.some(isMeant)) unused.push(patch);
    patched = patched.flatMap((object) => (isMeant(object) ? applied(object, patch) : [object]));
  }
  return { objects: patched, unused };
}

/** kustomize refuses such a patch; one with a target may be for nothing. */
export function refuseUnnamed({ unused }: Patched<unknown>, objects: readonly Patchable[]): void {
  const [patch] = unused.filter(({ target }) => target === undefined);
  if (!patch) return;
  const { kind, metadata } = patch.body as unknown as Manifest;
  const near = objects.find((object) => object.kind === kind && object.metadata?.name === metadata.name);
  const hint = near
    ? `add metadata.namespace: ${near.metadata?.namespace}`
    : `there are ${names(objects.filter((object) => object.kind === kind)) || `no objects of kind ${kind}`}`;
  throw new UsageError(
    `${patch.source}: there is no ${kind} ${metadata.namespace ? `${metadata.namespace}/` : ""}${metadata.name}; ${hint}`,
  );
}

const names = (objects: readonly Patchable[]): string =>
  objects
    .map(({ metadata = {} }) => `${metadata.namespace ? `${metadata.namespace}/` : ""}${metadata.name}`)
    .join(", ");

function isNamed({ apiVersion, kind, metadata = {} }: Patchable, body: unknown): boolean {
  const named = body as Manifest;
  return (
    named.apiVersion === apiVersion &&
    named.kind === kind &&
    named.metadata.name === metadata.name &&
    (named.metadata.namespace ?? "default") === (metadata.namespace ?? "default")
  );
}

function matches(object: Patchable, target: PatchTarget): boolean {
  const { kind, metadata: { name, namespace = "", labels = {} } = {} } = object;
  const { labelSelector, ...fields } = target;
  const actual: Readonly<Record<string, string | undefined>> = {
    ...groupVersion(object),
    kind,
    name,
    namespace,
  };
  return (
    Object.entries(fields).every(([field, pattern]) =>
      new RegExp(`^(?:${pattern})$`).test(actual[field] ?? ""),
    ) &&
    (labelSelector ?? "")
      .split(",")
      .filter(Boolean)
      .every((term) => hasLabel(labels, term))
  );
}

/** `key=value`, `key!=value`, `key` or `!key`. */
function hasLabel(labels: Readonly<Record<string, string>>, term: string): boolean {
  const [, isAbsent, key = "", operator, value = ""] =
    /^\s*(!?)([^=!\s]+)\s*(!=|==?)?\s*(\S*)\s*$/.exec(term) ?? [];
  if (key === "") throw new UsageError(`config/patches: the label selector ${term} is not understood`);
  if (operator === undefined) return Object.hasOwn(labels, key) === (isAbsent === "");
  return (labels[key] === value) === (operator !== "!=");
}

function applied<T extends Patchable>(object: T, { source, body }: OwnPatch): readonly T[] {
  try {
    if (Array.isArray(body)) return [applyJsonPatch(object, body) as T];
    const patch = body as Readonly<Record<string, unknown>>;
    if (patch["$patch"] === "delete") return [];
    const { apiVersion: _version, kind: _kind, metadata, ...fields } = patch;
    const { name: _name, namespace: _namespace, ...rest } = isObject(metadata) ? metadata : {};
    return [merged(object, { ...fields, ...(metadata === undefined ? {} : { metadata: rest }) })];
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new UsageError(
      `${source} does not apply to ${object.kind} ${object.metadata?.name}: ${error.message}`,
    );
  }
}

/** Lists of built-in kinds merge by their keys; of other kinds nobody knows the keys, and lists are replaced. */
function merged<T extends Patchable>(object: T, patch: Readonly<Record<string, unknown>>): T {
  const { kind = "" } = object;
  const typeInfo = kindTypeInfo({ ...groupVersion(object), kind });
  const document = object as unknown as Readonly<Record<string, unknown>>;
  return (typeInfo
    ? applyStrategicMergePatch(document, patch, typeInfo)
    : applyMergePatch(document, patch)) as unknown as T;
}

function groupVersion({ apiVersion = "" }: Patchable): { readonly group: string; readonly version: string } {
  const [group = "", version = ""] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion];
  return { group, version };
}
