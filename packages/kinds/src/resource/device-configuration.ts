// Validates device configuration: opaque parameters that only drivers understand.
import {
  type DeviceClassConfiguration,
  type FieldError,
  fieldError,
  isObject,
  stringifyJson,
} from "@kubewright/api";
import { validateDriverName } from "./device-names.js";

/** In bytes of JSON. */
const longestParameters = 10 * 1024;

/** Problems with a configuration; what was stored once may be longer. */
export function validateDeviceConfiguration(
  { opaque }: Pick<DeviceClassConfiguration, "opaque">,
  field: string,
  stored = false,
): FieldError[] {
  const at = `${field}.opaque`;
  if (!opaque) return [fieldError.required(at)];
  return [
    ...validateDriverName(opaque.driver ?? "", `${at}.driver`),
    ...validateRawObject(opaque.parameters, `${at}.parameters`, stored ? Infinity : longestParameters),
  ];
}

/** Anything, as long as it is an object. */
export function validateRawObject(value: unknown, field: string, most = longestParameters): FieldError[] {
  if (value === undefined || value === null) return [fieldError.required(field)];
  if (Buffer.byteLength(stringifyJson(value)) > most) return [fieldError.tooLong(field, most)];
  return isObject(value) ? [] : [fieldError.invalid(field, "<value omitted>", "must be a valid JSON object")];
}
