// Rules of kinds see no difference between a list or map that was sent empty and one that was not sent. The texts of kube-apiserver show it.
import type { FieldError, StructInfo, TypeInfo } from "@kubewright/api";
import type { DraftObject } from "@kubewright/kinds";
import { emptyFieldsOf } from "@kubewright/machinery";

/** The errors with `[]` or `{}` instead of `null` for fields that were sent empty. */
export function withEmptiesShown(
  errors: readonly FieldError[],
  object: DraftObject,
  typeInfo: () => StructInfo,
): readonly FieldError[] {
  const empty = emptyFieldsOf(object);
  if (empty.size === 0) return errors;
  return errors.map((error) => {
    const path = error.field.replace(/\[(\d+)\]/g, ".$1");
    if (!empty.has(path)) return error;
    const shown = typeAt(typeInfo(), path.split("."))?.kind === "map" ? "{}" : "[]";
    return { ...error, message: error.message.replace(/^(\w+ value): null:/, `$1: ${shown}:`) };
  });
}

function typeAt(typeInfo: TypeInfo | undefined, [key, ...rest]: readonly string[]): TypeInfo | undefined {
  if (typeInfo === undefined || key === undefined) return typeInfo;
  switch (typeInfo.kind) {
    case "struct":
      return typeAt(typeInfo.fields.get(key)?.type, rest);
    case "list":
      return typeAt(typeInfo.item, rest);
    case "map":
      return typeAt(typeInfo.value, rest);
    default:
      return undefined;
  }
}
