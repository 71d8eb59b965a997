// How kube-apiserver says that a value, which it has as maps and lists, cannot be had as a Go type: after strategic merges and server-side apply.
import type { TypeInfo } from "@kubewright/api";
import { goType } from "./go-type.js";

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
      const to = goType(typeInfo);
      if (to.startsWith("[]")) return `cannot restore slice from ${from}`;
      // Go would take a whole number for a character, and numbers for each other.
      const isConvertible =
        to === "string" ? from === "int64" : to !== "bool" && /^(?:int|float)64$/.test(from);
      return isConvertible ? `cannot convert ${from} to ${named}` : `unrecognized type: ${to}`;
    }
  }
}

function reflectKind(value: unknown): string {
  if (Array.isArray(value)) return "slice";
  switch (typeof value) {
    case "string":
      return "string";
    case "boolean":
      return "bool";
    case "bigint":
      return "int64";
    case "number":
      return Number.isInteger(value) ? "int64" : "float64";
    default:
      return "map";
  }
}
