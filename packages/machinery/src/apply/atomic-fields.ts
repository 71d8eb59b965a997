// The parts of a configuration that would be replaced as a whole: who means to change a little of one would lose the rest.
import { isObject, type TypeFacts } from "@kubewright/api";
import { associative, isAtomicMap } from "./type-structure.js";

/** Their paths, as `.spec.selector` and `.spec.args[0]`. */
export function atomicFields(value: unknown, facts: TypeFacts, path = ""): string[] {
  if (isObject(value) && (facts.kind === "struct" || facts.kind === "map")) {
    const own = isAtomicMap(facts) ? [path] : [];
    if (facts.kind === "map") return own;
    const below = Object.entries(value).flatMap(([key, item]) => {
      const field = facts.fields.get(key);
      return field ? atomicFields(item, field.type, `${path}.${key}`) : [];
    });
    return [...own, ...below];
  }
  if (!Array.isArray(value) || facts.kind !== "list") return [];
  const own = associative(facts) ? [] : [path];
  return [...own, ...value.flatMap((item, index) => atomicFields(item, facts.item, `${path}[${index}]`))];
}
