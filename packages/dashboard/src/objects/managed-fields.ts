// Who set which field: the field managers of an object with the paths they own, from its managedFields.
import { isObject, type ManagedFieldsEntry } from "@kubewright/api";
import type { FieldOwner } from "../protocol.js";

export function fieldOwners(entries: readonly ManagedFieldsEntry[] = []): readonly FieldOwner[] {
  return entries.map(({ manager = "", operation = "", subresource, time, fieldsV1 }) => ({
    manager,
    operation,
    subresource,
    time,
    fields: pathsOf(fieldsV1),
  }));
}

/** The manager of a field, or of the nearest field around it; of several the one that wrote last. */
export function managerOf(owners: readonly FieldOwner[], path: string): string | undefined {
  const holds = ({ fields }: FieldOwner): boolean =>
    fields.some((field) => path === field || path.startsWith(`${field}.`) || path.startsWith(`${field}[`));
  const holders = owners.filter(holds);
  holders.sort((one, other) => (other.time ?? "").localeCompare(one.time ?? ""));
  return holders[0]?.manager;
}

/** `spec.containers[name=web].image`, from the keys `f:`, `k:` and `v:` of FieldsV1. Only leaves are listed. */
function pathsOf(fields: unknown): readonly string[] {
  const found: string[] = [];
  const look = (value: unknown, path: string): void => {
    const inner = isObject(value) ? Object.entries(value).filter(([key]) => key !== ".") : [];
    if (inner.length === 0 && path !== "") found.push(path);
    for (const [key, each] of inner) look(each, extended(path, key));
  };
  look(fields, "");
  return found;
}

function extended(path: string, key: string): string {
  const text = key.slice(2);
  if (key.startsWith("f:")) return path === "" ? text : `${path}.${text}`;
  if (key.startsWith("k:")) return `${path}[${keysIn(text)}]`;
  return `${path}[${text}]`;
}

function keysIn(text: string): string {
  try {
    const keys: unknown = JSON.parse(text);
    return isObject(keys)
      ? Object.entries(keys)
          .map(([name, value]) => `${name}=${value}`)
          .join(",")
      : text;
  } catch {
    return text;
  }
}
