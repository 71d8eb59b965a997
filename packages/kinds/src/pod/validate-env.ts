// Environment variables: names, and where their values come from.
import {
  type EnvFromSource,
  type EnvVar,
  type FieldError,
  fieldError,
  validateConfigMapKey,
  validateDns1123Label,
  validateDns1123Subdomain,
  validateEnvVarName,
} from "@kubewright/api";
import { checkEach } from "../check-each.js";
import { invalidBecause } from "../field-rules.js";
import {
  environmentFields,
  validateFieldReference,
  validateResourceReference,
} from "./validate-field-reference.js";
import { validateNoBacksteps } from "./validate-path.js";

const sourceNames = "`fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`";

/** The variables of a container. */
export function validateEnv(variables: readonly EnvVar[] | undefined, field: string): FieldError[] {
  return checkEach(variables ?? [], (variable, index) => {
    const at = `${field}[${index}]`;
    const name = variable.name
      ? invalidBecause(validateEnvVarName(variable.name), variable.name, `${at}.name`)
      : [fieldError.required(`${at}.name`)];
    return [...name, ...valueFromErrors(variable, `${at}.valueFrom`)];
  });
}

function valueFromErrors({ value, valueFrom }: EnvVar, field: string): FieldError[] {
  if (!valueFrom) return [];
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = valueFrom;
  const errors: FieldError[] = [];
  if (fieldRef) errors.push(...validateFieldReference(fieldRef, environmentFields, `${field}.fieldRef`));
  if (resourceFieldRef)
    errors.push(...validateResourceReference(resourceFieldRef, `${field}.resourceFieldRef`, false));
  if (configMapKeyRef) errors.push(...keyErrors(configMapKeyRef, `${field}.configMapKeyRef`));
  if (secretKeyRef) errors.push(...keyErrors(secretKeyRef, `${field}.secretKeyRef`));
  if (fileKeyRef) errors.push(...fileKeyErrors(fileKeyRef, `${field}.fileKeyRef`));
  const count = [fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef].filter(
    Boolean,
  ).length;
  if (count === 0) errors.push(fieldError.invalid(field, "", `must specify one of: ${sourceNames}`));
  else if (value)
    errors.push(fieldError.invalid(field, "", "may not be specified when `value` is not empty"));
  else if (count > 1)
    errors.push(fieldError.invalid(field, "", "may not have more than one field specified at a time"));
  return errors;
}

function keyErrors({ name, key }: { name?: string | undefined; key: string }, field: string): FieldError[] {
  const errors = invalidBecause(validateDns1123Subdomain(name ?? ""), name ?? "", `${field}.name`);
  if (!key) return [...errors, fieldError.required(`${field}.key`)];
  return [...errors, ...invalidBecause(validateConfigMapKey(key), key, `${field}.key`)];
}

function fileKeyErrors(
  reference: { key: string; path: string; volumeName: string },
  field: string,
): FieldError[] {
  const { key, path, volumeName } = reference;
  return [
    ...(key
      ? invalidBecause(validateEnvVarName(key), key, `${field}.key`)
      : [fieldError.required(`${field}.key`)]),
    ...(volumeName
      ? invalidBecause(validateDns1123Label(volumeName), volumeName, `${field}.volumeName`)
      : [fieldError.required(`${field}.volumeName`)]),
    ...(path ? validateNoBacksteps(path, `${field}.path`) : [fieldError.required(`${field}.path`)]),
  ];
}

/** Config maps and secrets whose keys all become variables. */
export function validateEnvFrom(sources: readonly EnvFromSource[] | undefined, field: string): FieldError[] {
  return checkEach(sources ?? [], ({ prefix, configMapRef, secretRef }, index) => {
    const at = `${field}[${index}]`;
    const errors = prefix ? invalidBecause(validateEnvVarName(prefix), prefix, `${at}.prefix`) : [];
    if (configMapRef) errors.push(...referenceErrors(configMapRef.name, `${at}.configMapRef.name`));
    if (secretRef) errors.push(...referenceErrors(secretRef.name, `${at}.secretRef.name`));
    if (!configMapRef && !secretRef)
      errors.push(fieldError.invalid(field, "", "must specify one of: `configMapRef` or `secretRef`"));
    if (configMapRef && secretRef)
      errors.push(fieldError.invalid(field, "", "may not have more than one field specified at a time"));
    return errors;
  });
}

const referenceErrors = (name: string | undefined, field: string): FieldError[] =>
  name
    ? invalidBecause(validateDns1123Subdomain(name, { prefix: true }), name, field)
    : [fieldError.required(field)];
