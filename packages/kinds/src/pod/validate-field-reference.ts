// References to fields of the pod itself, in environment variables and downward API volumes.
import {
  Amount,
  type FieldError,
  fieldError,
  type ObjectFieldSelector,
  type ResourceFieldSelector,
  validateQualifiedName,
} from "@kubewright/api";
import { invalidBecause } from "../field-rules.js";

/** The fields that environment variables may refer to. */
export const environmentFields = [
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.serviceAccountName",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
];
/** The fields that files of a downward API volume may refer to. */
export const volumeFields = [
  "metadata.annotations",
  "metadata.labels",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
];
const knownFields = new Set([
  ...environmentFields,
  ...volumeFields,
  "spec.restartPolicy",
  "spec.schedulerName",
  "spec.host",
  "status.phase",
]);
const resources = [
  "limits.cpu",
  "limits.ephemeral-storage",
  "limits.memory",
  "requests.cpu",
  "requests.ephemeral-storage",
  "requests.memory",
];
const sizes = ["1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"];

/** A field of the pod, or one label or annotation (`metadata.labels['app']`). */
export function validateFieldReference(
  { apiVersion, fieldPath }: ObjectFieldSelector,
  allowed: readonly string[],
  field: string,
): FieldError[] {
  if (!apiVersion) return [fieldError.required(`${field}.apiVersion`)];
  if (!fieldPath) return [fieldError.required(`${field}.fieldPath`)];
  const wrong = conversionError(apiVersion, fieldPath);
  if (wrong) {
    return [fieldError.invalid(`${field}.fieldPath`, fieldPath, `error converting fieldPath: ${wrong}`)];
  }
  const subscript = /^(.*)\['(.*)'\]$/s.exec(fieldPath);
  if (subscript) return subscriptErrors(subscript[1] ?? "", subscript[2] ?? "", field);
  return allowed.includes(fieldPath)
    ? []
    : [fieldError.notSupported(`${field}.fieldPath`, fieldPath, allowed)];
}

function conversionError(apiVersion: string, fieldPath: string): string | undefined {
  if (apiVersion !== "v1") return `unsupported pod version: ${apiVersion}`;
  const base = /^(metadata\.(?:annotations|labels))\['.*'\]$/s.exec(fieldPath)?.[1] ?? fieldPath;
  return knownFields.has(base) ? undefined : `field label not supported: ${fieldPath}`;
}

function subscriptErrors(path: string, key: string, field: string): FieldError[] {
  const name = path === "metadata.annotations" ? key.toLowerCase() : key;
  return invalidBecause(validateQualifiedName(name), name, field);
}

/** A request or limit of a container; volumes must say of which. */
export function validateResourceReference(
  reference: ResourceFieldSelector,
  field: string,
  inVolume: boolean,
): FieldError[] {
  const { containerName, resource } = reference;
  const errors: FieldError[] = [];
  const isHugePages = /^(?:requests|limits)\.hugepages-/.test(resource);
  if (inVolume && !containerName) errors.push(fieldError.required(`${field}.containerName`));
  else if (!resource) errors.push(fieldError.required(`${field}.resource`));
  else if (!resources.includes(resource) && !isHugePages)
    errors.push(fieldError.notSupported(`${field}.resource`, resource, resources));
  return [...errors, ...divisorErrors(reference, field)];
}

function divisorErrors({ resource, divisor }: ResourceFieldSelector, field: string): FieldError[] {
  const amount = divisor === undefined ? undefined : Amount.parse(divisor);
  if (!amount || amount.sign() === 0) return [];
  const [, name = ""] = /^(?:limits|requests)\.(.*)$/.exec(resource) ?? [];
  const refuse = (allowed: readonly string[], list: string, what: string): FieldError[] => {
    if (allowed.includes(amount.toString())) return [];
    const text = `only divisor's values ${list} are supported with the ${what} resource`;
    return [fieldError.invalid(`${field}.divisor`, resource, text)];
  };
  if (name === "cpu") return refuse(["1m", "1"], "1m and 1", "cpu");
  if (name === "memory") return refuse(sizes, sizes.join(", "), "memory");
  if (name === "ephemeral-storage") return refuse(sizes, sizes.join(", "), "local ephemeral storage");
  return name.startsWith("hugepages-") ? refuse(sizes, sizes.join(", "), "hugepages") : [];
}
