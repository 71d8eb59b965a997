// The parts of a configuration that would be replaced as a whole: who means to change a little of one would lose the rest.
import { isObject, type TypeInfo } from "@kubewright/api";
import { associative, isAtomicMap } from "./type-structure.js";

/** Their paths, as `.spec.selector` and `.spec.args[0]`. */
export function atomicFields(value: unknown, typeInfo: TypeInfo, path = ""): string[] {
  if (isObject(value) && (typeInfo.kind === "struct" || typeInfo.kind === "map")) {
    const own = isAtomicMap(typeInfo) ? [path] : [];
    if (typeInfo.kind === "map") return own;
    const below = Object.entries(value).flatMap(([key, item]) => {
      const field = typeInfo.fields.get(key);
      return field ? atomicFields(item, field.type, `${path}.${key}`) : [];
    });
    return [...own, ...below];
  }
  if (!Array.isArray(value) || typeInfo.kind !== "list") return [];
  const own = associative(typeInfo) ? [] : [path];
  return [...own, ...value.flatMap((item, index) => atomicFields(item, typeInfo.item, `${path}[${index}]`))];
}
