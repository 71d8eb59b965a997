// How kube-apiserver says that a value, which it has as maps and lists, cannot be had as a Go type: after strategic merges and server-side apply.
import { goType, type TypeInfo } from "@kubewright/api";
import { goType as goTypeOf } from "./go-type.js";

/** `named` is the Go type of the field, with the name it has there. */
export function conversionProblem(value: unknown, typeInfo: TypeInfo, named: string): string {
  const from = reflectKind(value);
  switch (typeInfo.kind) {
    case "struct":
      return `cannot restore struct from: ${from}`;
    case "list":
      return `cannot restore slice from ${from}`;
    case "map":
      return `cannot restore map from ${from}`;
    default: {
      const to = goTypeOf(typeInfo);
      if (to.startsWith("[]")) return `cannot restore slice from ${from}`;
      // Go would take a whole number for a character, and numbers for each other.
      const isConvertible =
        to === "string" ? from === "int64" : to !== "bool" && /^(?:int|float)64$/.test(from);
      return isConvertible ? `cannot convert ${from} to ${named}` : `unrecognized type: ${to}`;
    }
  }
}

/** The kind of a value's Go type, as package reflect names it. */
function reflectKind(value: unknown): string {
  const type = goType(value);
  return type.startsWith("[]") ? "slice" : type.startsWith("map[") ? "map" : type;
}
