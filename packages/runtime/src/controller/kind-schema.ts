// The parts of a kind's schema that the runtime needs: whether its status has fields for what the runtime adds.
import { isObject, type ResourceDescriptor, type StructInfo, type TypeInfo } from "@kubewright/api";
import { kindTypeInfo, typeInfoFromSchema } from "@kubewright/api/type-info";

/** The type info of a kind: from its own schema if it brings one, else from the tables of built-in kinds. */
export function typeInfoOf(resource: ResourceDescriptor): StructInfo | undefined {
  if ("schema" in resource && isObject(resource.schema)) return typeInfoFromSchema(resource.schema);
  return kindTypeInfo(resource);
}

/** The type info at a place; steps into lists are numbers or names alike. */
export function typeInfoAt(
  root: TypeInfo | undefined,
  place: readonly (string | number)[],
): TypeInfo | undefined {
  let typeInfo = root;
  for (const step of place) {
    if (typeInfo?.kind === "list") typeInfo = typeInfo.item;
    else if (typeInfo?.kind === "map") typeInfo = typeInfo.value;
    else if (typeInfo?.kind === "struct") typeInfo = typeInfo.fields.get(String(step))?.type;
    else return undefined;
  }
  return typeInfo;
}
