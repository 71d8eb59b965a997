// ConfigMaps: text and bytes under keys that can be file names.
import {
  type ConfigMap,
  type Draft,
  type FieldError,
  fieldError,
  utf8Length,
  validateConfigMapKey,
} from "@kubewright/api";
import type { BuiltInKind } from "../built-in-kind.js";
import { maxErrors } from "../check-each.js";
import { invalidBecause } from "../field-rules.js";
import { draftAs, storedAs } from "../objects.js";
import { checkBytes, maxDataBytes } from "./data-keys.js";
import { validateFrozenData } from "./frozen-data.js";

export const configMaps: BuiltInKind = {
  resource: "configmaps",
  strategy: {
    metadata: { onUpdate: ["update", "object"] },
    validateCreate: (object) => validateConfigMap(draftAs<ConfigMap>(object)),
    validateUpdate(object, old) {
      const map = draftAs<ConfigMap>(object);
      const frozen = validateFrozenData<ConfigMap>(map, storedAs<ConfigMap>(old), ["data", "binaryData"]);
      return [...frozen, ...validateConfigMap(map)];
    },
  },
};

function validateConfigMap({ data = {}, binaryData = {} }: Draft<ConfigMap>): FieldError[] {
  const errors: FieldError[] = [];
  let size = 0;
  for (const key of Object.keys(data)) {
    const wrong = errors.length < maxErrors ? validateConfigMapKey(key) : [];
    if (wrong.length > 0) errors.push(...invalidBecause(wrong, key, `data[${key}]`));
    if (Object.hasOwn(binaryData, key)) errors.push(inBoth(key));
    size += utf8Length(data[key] ?? "");
  }
  const bytes = checkBytes(binaryData, "binaryData");
  for (const error of bytes.errors) errors.push(error);
  size += bytes.size;
  // The object as a whole is too long, and Go prints the path to a whole object like this.
  if (size > maxDataBytes) errors.push(fieldError.tooLong("[]", maxDataBytes));
  return errors;
}

const inBoth = (key: string): FieldError =>
  fieldError.invalid(`data[${key}]`, key, "duplicate of key present in binaryData");
