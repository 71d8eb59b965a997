// Names of Go types and fields, for messages that clients know by heart.
import type { TypeInfo } from "@kubewright/api";
import { protobufMessage } from "@kubewright/api/type-info";
import { goTypeName } from "./go-type-names.js";

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
      return goStrings[typeInfo.format ?? ""] ?? "string";
  }
}

/** Types that JSON has strings for. */
const goStrings: Readonly<Record<string, string>> = {
  byte: "[]uint8",
  "date-time": "v1.Time",
  "micro-time": "v1.MicroTime",
  quantity: "resource.Quantity",
};

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
export const goField = (root: TypeInfo, path: readonly (string | number)[]): string =>
  fieldAt(root, path).text;

/** The Go type of a value at the path: the name that the struct gives to the type of the field, or that of its own kind. */
export function goTypeAt(root: TypeInfo, path: readonly (string | number)[], typeInfo: TypeInfo): string {
  const { holder, field, type } = fieldAt(root, path);
  const [struct = "", version = "v1"] = holder.split(".").reverse();
  const name = goTypeName(struct, version, field);
  if (name === undefined || type === undefined) return goType(typeInfo);
  if (type === typeInfo) return type.kind === "list" ? `[]${name}` : name;
  return type.kind === "list" && type.item === typeInfo ? name : goType(typeInfo);
}

/** The last named field on a path, the struct that holds it, and its type. */
interface FieldAt {
  readonly text: string;
  readonly holder: string;
  readonly field: string;
  readonly type: TypeInfo | undefined;
}

function fieldAt(root: TypeInfo, path: readonly (string | number)[]): FieldAt {
  let typeInfo: TypeInfo | undefined = root;
  let holder = "";
  let field = "";
  let type: TypeInfo | undefined;
  const names: string[] = [];
  for (const step of path) {
    if (typeInfo?.kind === "struct") {
      const embedded = embeddedIn(typeInfo.name, String(step));
      if (embedded !== undefined) names.push(embedded);
      names.push(String(step));
      holder = typeInfo.name ?? "";
      field = String(step);
      type = typeInfo.fields.get(field)?.type;
      typeInfo = type;
    } else if (typeInfo?.kind === "list") typeInfo = typeInfo.item;
    else if (typeInfo?.kind === "map") typeInfo = typeInfo.value;
  }
  const struct = holder.slice(holder.lastIndexOf(".") + 1);
  return { text: `${struct}.${names.join(".")}`, holder, field, type };
}

/** The Go names of the embedded structs down to the one that declares a field, where it is not declared by the struct itself. */
function embeddedIn(schemaName: string | undefined, field: string): string | undefined {
  if (schemaName === undefined) return undefined;
  const message = schemaName.replace(/^io\.k8s\./, "k8s.io.").replaceAll("-", "_");
  for (const { presence, type } of protobufMessage(message) ?? []) {
    if (presence !== "inline") continue;
    const name = type.slice(type.lastIndexOf(".") + 1);
    if (protobufMessage(type)?.some(({ jsonName }) => jsonName === field)) return name;
    const deeper = embeddedIn(type, field);
    if (deeper !== undefined) return `${name}.${deeper}`;
  }
  return undefined;
}
