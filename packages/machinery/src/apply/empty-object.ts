// The object a create starts from. The server compares a new native object with Go's zero value of its type, which
// prints some fields (`"spec":{}`) before anyone set them; they have no manager for merely being there.
import type { FieldInfo, TypeInfo } from "@kubewright/api";
import type { AnyObject } from "./apply-types.js";

/** The object as Go prints it before any field is set. */
export function emptyObject(typeInfo: TypeInfo): AnyObject {
  return typeInfo.kind === "struct" ? emptyStruct(typeInfo.fields) : {};
}

function emptyStruct(fields: ReadonlyMap<string, FieldInfo>): AnyObject {
  const object: Record<string, unknown> = {};
  for (const field of fields.values()) {
    const value = zeroOf(field);
    if (value !== undefined) object[field.name] = value;
  }
  return object;
}

function zeroOf({ presence, type }: FieldInfo): unknown {
  if (presence === "pointer!" || presence === "collection!") return null;
  if (presence !== "value" && presence !== "value!") return undefined;
  if (type.kind === "struct") return emptyStruct(type.fields);
  if (isTime(type)) return null;
  return presence === "value!" ? zeroScalar(type) : undefined;
}

const isTime = (type: TypeInfo) =>
  type.kind === "scalar" && (type.format === "date-time" || type.format === "micro-time");

function zeroScalar(type: TypeInfo): unknown {
  if (type.kind !== "scalar") return null;
  if (type.type === "string") return "";
  if (type.type === "boolean") return false;
  return type.format === "quantity" ? "0" : 0;
}
