// The type names in an ApplyConfiguration (`Object.spec.template`): each must match the field it stands in.
import { StructMap } from "@kubewright/cel";

/** The message about the first object whose type name does not match its field; undefined when all do. */
export function misplacedStruct(value: unknown, path: string): string | undefined {
  if (Array.isArray(value)) return first(value, (item) => misplacedStruct(item, path));
  if (!(value instanceof StructMap)) return undefined;
  if (value.typeName !== path) {
    return `unexpected type name "${value.typeName}", expected "${path}", which matches field name path from root Object type`;
  }
  return first(value.keys(), (key) => misplacedStruct(value.get(key), `${path}.${String(key)}`));
}

function first<T>(items: readonly T[], find: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
