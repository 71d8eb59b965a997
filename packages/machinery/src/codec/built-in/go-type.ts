// Names of Go types and fields, for messages that clients know by heart.
import type { TypeFacts } from "@kubewright/api";
import { protobufMessage } from "@kubewright/api/facts";

/** `[]v1.Container`, `map[string]string`, `int32`. */
export function goType(facts: TypeFacts): string {
  switch (facts.kind) {
    case "list":
      return `[]${goType(facts.item)}`;
    case "map":
      return `map[string]${goType(facts.value)}`;
    case "struct":
      return goStruct(facts.name);
    case "any":
      return "runtime.RawExtension";
    case "scalar":
      if (facts.type === "integer") return facts.format ?? "int64";
      if (facts.type === "number") return "float64";
      if (facts.type === "boolean") return "bool";
      if (facts.type === "int-or-string") return "intstr.IntOrString";
      return facts.format === "byte" ? "[]uint8" : "string";
  }
}

function goStruct(schemaName: string | undefined): string {
  const [name = "Object", version = "v1"] = schemaName?.split(".").reverse() ?? [];
  return `${version}.${name}`;
}

/** What Go calls a JSON value that has the wrong type. */
export function goKind(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "bigint") return "number";
  return typeof value === "boolean" ? "bool" : typeof value;
}

/**
 * `PodSpec.spec.containers` for the path to a value: the struct that holds the last named field, and all named fields on
 * the way. Keys of maps and indexes of lists do not count.
 */
export function goField(root: TypeFacts, path: readonly (string | number)[]): string {
  let facts: TypeFacts | undefined = root;
  let holder = "";
  const names: string[] = [];
  for (const step of path) {
    if (facts?.kind === "struct") {
      const embedded = embeddedIn(facts.name, String(step));
      if (embedded !== undefined) names.push(embedded);
      names.push(String(step));
      holder = facts.name?.slice(facts.name.lastIndexOf(".") + 1) ?? "";
      facts = facts.fields.get(String(step))?.type;
    } else if (facts?.kind === "list") facts = facts.item;
    else if (facts?.kind === "map") facts = facts.value;
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
