// Names of Go types and fields, for messages that clients know by heart.
import type { TypeInfo } from "@kubewright/api";
import { protobufMessage } from "@kubewright/api/type-info";

/** `[]v1.Container`, `map[string]string`, `int32`. */
export function goType(typeInfo: TypeInfo): string {
  switch (typeInfo.kind) {
    case "list":
      return `[]${goType(typeInfo.item)}`;
    case "map":
      return `map[string]${goType(typeInfo.value)}`;
    case "struct":
      return goStruct(typeInfo.name);
    case "any":
      return "runtime.RawExtension";
    case "scalar":
      if (typeInfo.type === "integer") return typeInfo.format ?? "int64";
      if (typeInfo.type === "number") return "float64";
      if (typeInfo.type === "boolean") return "bool";
      if (typeInfo.type === "int-or-string") return "intstr.IntOrString";
      return typeInfo.format === "byte" ? "[]uint8" : "string";
  }
}

function goStruct(schemaName: string | undefined): string {
  const [name = "Object", version = "v1"] = schemaName?.split(".").reverse() ?? [];
  return `${version}.${name}`;
}

/** Go's name for a JSON value that has the wrong type. */
export function goKind(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "bigint") return "number";
  return typeof value === "boolean" ? "bool" : typeof value;
}

/**
 * `PodSpec.spec.containers` for the path to a value: the struct that holds the last named field, and all named fields on
 * the way. Keys of maps and indexes of lists do not count.
 */
export function goField(root: TypeInfo, path: readonly (string | number)[]): string {
  let typeInfo: TypeInfo | undefined = root;
  let holder = "";
  const names: string[] = [];
  for (const step of path) {
    if (typeInfo?.kind === "struct") {
      const embedded = embeddedIn(typeInfo.name, String(step));
      if (embedded !== undefined) names.push(embedded);
      names.push(String(step));
      holder = typeInfo.name?.slice(typeInfo.name.lastIndexOf(".") + 1) ?? "";
      typeInfo = typeInfo.fields.get(String(step))?.type;
    } else if (typeInfo?.kind === "list") typeInfo = typeInfo.item;
    else if (typeInfo?.kind === "map") typeInfo = typeInfo.value;
  }
  return `${holder}.${names.join(".")}`;
}

/** The Go name of the embedded struct that declares a field, where it is not declared by the struct itself. */
function embeddedIn(schemaName: string | undefined, field: string): string | undefined {
  if (schemaName === undefined) return undefined;
  const message = schemaName.replace(/^io\.k8s\./, "k8s.io.").replaceAll("-", "_");
  for (const { presence, type } of protobufMessage(message) ?? []) {
    if (presence !== "inline") continue;
    if (protobufMessage(type)?.some(({ jsonName }) => jsonName === field)) {
      return type.slice(type.lastIndexOf(".") + 1);
    }
  }
  return undefined;
}
