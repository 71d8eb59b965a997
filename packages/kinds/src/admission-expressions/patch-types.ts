// CEL types of mutating policies: `Object{…}` with its parts by path, and `JSONPatch{…}`.
import { type CelStruct, dynType, type FindStruct, objectType, stringType } from "@kubewright/cel";

const noFields = new Map<string, never>();
const typeOf = (name: string) => objectType(name, () => noFields);

/** The type of an apply configuration. */
export const configurationType = typeOf("Object");

/** One operation of a JSON patch. */
export const operationType = typeOf("JSONPatch");

const operation: CelStruct = {
  type: operationType,
  field: (name) => {
    if (name === "value") return dynType;
    return ["op", "path", "from"].includes(name) ? stringType : undefined;
  },
};

/** `Object` and all that starts with it may have any fields; whether the names fit is seen when they are put together. */
export const patchTypes: FindStruct = (name) => {
  if (name === operationType.name) return operation;
  const isPart = name === configurationType.name || name.startsWith(`${configurationType.name}.`);
  return isPart ? { type: typeOf(name), field: () => dynType } : undefined;
};
