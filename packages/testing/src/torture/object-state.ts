// The state of a cluster as far as an operator is answerable for it, without what differs from run to run: times, uids, versions and
// generated names.
import { isObject } from "@kubewright/api";
import type { StorageContents } from "@kubewright/apiserver";
import { clientNames, type ManagerDefinition } from "@kubewright/runtime";
import { appliedFields, valueAt } from "./applied-fields.js";
import { isElectionLease } from "./election-lease.js";
import {
  scrubbed,
  withoutBookkeeping,
  withoutDrawn,
  withoutNumbers,
  withoutRecoveries,
} from "./run-dependent.js";
import { scenarioManager } from "./scenario.js";

/** Which objects count, and what of them does not. */
export interface StateOptions {
  /** The operator, and the uids of what it wrote: what has its field manager, or was written, counts. */
  readonly definition: ManagerDefinition;
  readonly written: ReadonlySet<string>;
  /** What this field manager has written does not count, unless it is being deleted. */
  readonly except?: string | undefined;
  /** `Kind.group` of its custom kinds, all of whose objects count. */
  readonly kinds: ReadonlySet<string>;
  /**
   * Of objects of built-in kinds only those count that people did not apply, and of them only the fields that the operator applies, not those
   * that were defaulted when they were made.
   */
  readonly onlyApplied?: boolean | undefined;
  /** Fields that may differ: `status.lastRun`, those of one kind as in `Secret.data`, those of a name at any depth as in `*.lastRun`; all of a kind. */
  readonly ignore: readonly string[];
}

/** By `Kind namespace/name`; several where the names are generated. */
export type ObjectStates = ReadonlyMap<string, readonly unknown[]>;

type Fields = Readonly<Record<string, unknown>>;

/** Kept by the runtime and the API server for themselves. */
const notCounted = new Set(["Event", "CustomResourceDefinition"]);

export function statesOf({ rows }: StorageContents, options: StateOptions): ObjectStates {
  const objects = [...rows].map(({ object }) => object as unknown as Fields);
  const names = generatedNames(objects);
  const states = new Map<string, unknown[]>();
  for (const object of objects) {
    if (!counts(object, options)) continue;
    const id = idOf(object, names);
    const known = states.get(id) ?? [];
    states.set(id, [
      ...known,
      withoutIgnored(String(object["kind"]), stateOf(object, names, options), options.ignore),
    ]);
  }
  return states;
}

/** `Kind namespace/name`, with a star for what the server generated. */
function idOf(object: Fields, names: ReadonlyMap<string, string>): string {
  const { name, namespace } = metadataOf(object);
  const shown = names.get(String(name)) ?? String(name);
  return `${String(object["kind"])} ${namespace === undefined ? "" : `${String(namespace)}/`}${shown}`;
}

function counts(
  object: Fields,
  { definition, written, kinds, except, ignore, onlyApplied }: StateOptions,
): boolean {
  const kind = String(object["kind"]);
  if (notCounted.has(kind) || ignore.includes(kind)) return false;
  const group = String(object["apiVersion"]).split("/").slice(0, -1).join("/");
  const { managedFields, name, uid, deletionTimestamp } = metadataOf(object);
  if (kind === "Lease" && isElectionLease(definition, String(name))) return false;
  const managers = (Array.isArray(managedFields) ? managedFields.filter(isObject) : []).map(
    (entry) => entry["manager"],
  );
  const isExcepted = except !== undefined && managers.includes(except) && deletionTimestamp === undefined;
  if (isExcepted) return false;
  const isWritten = managers.includes(clientNames(definition).fieldManager);
  if (kinds.has(`${kind}.${group}`)) return true;
  return !(onlyApplied && managers.includes(scenarioManager)) && (isWritten || written.has(String(uid)));
}

function stateOf(object: Fields, names: ReadonlyMap<string, string>, options: StateOptions): Fields {
  const { kinds } = options;
  const { metadata: _, status, apiVersion, ...rest } = object;
  const { labels, annotations, ownerReferences, finalizers, deletionTimestamp } = metadataOf(object);
  const group = String(apiVersion).split("/").slice(0, -1).join("/");
  const isCustom = kinds.has(`${String(object["kind"])}.${group}`);
  if (!isCustom && options.onlyApplied)
    return scrubbed(appliedState(object, clientNames(options.definition).fieldManager), names) as Fields;
  const owners = Array.isArray(ownerReferences) ? ownerReferences.filter(isObject) : [];
  const { spec } = rest;
  const kept = {
    labels,
    annotations: withoutBookkeeping(annotations),
    owners: owners.map(({ kind, name, controller }) => ({ kind, name, controller })),
    finalizers,
    isBeingDeleted: deletionTimestamp !== undefined,
    ...rest,
    ...(spec !== undefined && { spec: withoutDrawn(object["kind"], spec) }),
    // The status of built-in kinds is the business of their own controllers.
    ...(isCustom && { status: withoutNumbers(withoutRecoveries(status), metadataOf(object)["generation"]) }),
  };
  return scrubbed(kept, names) as Fields;
}

/** By path. */
function appliedState(object: Fields, manager: string): Fields {
  const paths = appliedFields(object, manager);
  return Object.fromEntries(paths.map((path) => [path.join("."), valueAt(object, path)]));
}

/** The end of a name that the runtime makes from the uid of its owner, for a child that is made once. */
const onceName = /^(.*-)[bcdfghjklmnpqrstvwxz2456789]{10}$/;

/** From each name that the server or the runtime generated to its prefix and a star. */
function generatedNames(objects: readonly Fields[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const object of objects) {
    const { name, generateName } = metadataOf(object);
    const prefix = generateName || onceName.exec(String(name))?.[1];
    if (typeof prefix === "string") names.set(String(name), `${prefix}*`);
  }
  return names;
}

function withoutIgnored(kind: string, state: unknown, ignore: readonly string[]): unknown {
  return ignore.reduce((value, path) => {
    const [first = "", ...rest] = path.split(".");
    if (first === "*") return withoutAnywhere(value, rest.join("."));
    if (!/^[A-Z]/.test(first)) return without(value, path);
    return first === kind ? without(value, rest.join(".")) : value;
  }, state);
}

/** Keys may have dots themselves, as annotations do, and paths of applied fields. */
function without(value: unknown, path: string): unknown {
  if (!isObject(value)) return value;
  const isGone = (key: string): boolean => key === path || key.startsWith(`${path}.`);
  const field = Object.keys(value).find((key) => path.startsWith(`${key}.`));
  const entries = Object.entries(value)
    .filter(([key]) => !isGone(key))
    .map(([key, inner]) => [key, key === field ? without(inner, path.slice(key.length + 1)) : inner]);
  return Object.fromEntries(entries);
}

function withoutAnywhere(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutAnywhere(item, name));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([key]) => key !== name);
  return Object.fromEntries(entries.map(([key, inner]) => [key, withoutAnywhere(inner, name)]));
}

const metadataOf = (object: Fields): Fields => (isObject(object["metadata"]) ? object["metadata"] : {});
