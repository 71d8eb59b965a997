// Validates the provisioner of a StorageClass: a qualified name, in any case.
import { type FieldError, fieldError, validateQualifiedName } from "@kubewright/api";
import { invalidBecause } from "../field-rules.js";

export function validateProvisioner(name: string, field: string): FieldError[] {
  if (name === "") return [fieldError.required(field)];
  const lower = name.toLowerCase();
  return invalidBecause(validateQualifiedName(lower), lower, field);
}
