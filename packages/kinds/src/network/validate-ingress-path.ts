// Paths of an ingress: absolute, and without parts that servers read differently.
import { type FieldError, fieldError, type HTTPIngressPath } from "@kubewright/api";
import { validateIngressBackend } from "./validate-ingress-backend.js";

const sequences = ["//", "/./", "/../", "%2f", "%2F"];
const suffixes = ["/..", "/."];

export function validateIngressPath(
  { path = "", pathType, backend }: HTTPIngressPath,
  field: string,
): FieldError[] {
  const type: string | null | undefined = pathType;
  if (type === undefined || type === null)
    return [fieldError.required(`${field}.pathType`, "pathType must be specified")];
  return [...pathErrors(path, type, field), ...validateIngressBackend(backend ?? {}, `${field}.backend`)];
}

function pathErrors(path: string, type: string, field: string): FieldError[] {
  const at = `${field}.path`;
  const absolute = path.startsWith("/") ? [] : [fieldError.invalid(at, path, "must be an absolute path")];
  switch (type) {
    case "Exact":
    case "Prefix":
      return [
        ...absolute,
        ...sequences
          .filter((sequence) => path.includes(sequence))
          .map((sequence) => fieldError.invalid(at, path, `must not contain '${sequence}'`)),
        ...suffixes
          .filter((suffix) => path.endsWith(suffix))
          .map((suffix) => fieldError.invalid(at, path, `cannot end with '${suffix}'`)),
      ];
    case "ImplementationSpecific":
      return path === "" ? [] : absolute;
    default:
      return [
        fieldError.notSupported(`${field}.pathType`, type, ["Exact", "ImplementationSpecific", "Prefix"]),
      ];
  }
}
