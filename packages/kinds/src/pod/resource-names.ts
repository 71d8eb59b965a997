// Resource names: which resources containers may request, and which of them can be overcommitted.
import { type FieldError, fieldError, validateQualifiedName } from "@kubewright/api";
import { invalidBecause } from "../field-rules.js";

const forContainers = new Set(["cpu", "memory", "ephemeral-storage"]);
const standard = new Set([
  "cpu",
  "memory",
  "ephemeral-storage",
  "requests.cpu",
  "requests.memory",
  "requests.ephemeral-storage",
  "limits.cpu",
  "limits.memory",
  "limits.ephemeral-storage",
  "pods",
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "storage",
  "requests.storage",
  "services.nodeports",
  "services.loadbalancers",
]);
const integers = new Set([
  "pods",
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "services.nodeports",
  "services.loadbalancers",
]);

/** Memory in pages of a fixed size. */
export const isHugePages = (name: string): boolean => name.startsWith("hugepages-");

/** Resources Kubernetes itself knows: no domain, or its own. */
export const isNative = (name: string): boolean => !name.includes("/") || isPrefixedNative(name);

const isPrefixedNative = (name: string): boolean => name.includes("kubernetes.io/");

/** Extended resources: counted in whole numbers, named with a domain. */
export const isExtended = (name: string): boolean =>
  !isNative(name) && !name.startsWith("requests.") && validateQualifiedName(`requests.${name}`).length === 0;

/** Limits may exceed requests. */
export const allowsOvercommit = (name: string): boolean => isNative(name) && !isHugePages(name);

/** Only whole numbers make sense. */
export const isWhole = (name: string): boolean => integers.has(name) || isExtended(name);

/** Pods may set these for all containers together. */
export const isPodLevel = (name: string): boolean => name === "cpu" || name === "memory" || isHugePages(name);

/** The rules for resource names in general. */
export function validateResourceName(name: string, field: string): FieldError[] {
  const errors = invalidBecause(validateQualifiedName(name), name, field);
  if (errors.length > 0 || name.includes("/")) return errors;
  if (standard.has(name) || isHugePages(name) || name.startsWith("requests.hugepages-")) return [];
  return [fieldError.invalid(field, name, "must be a standard resource type or fully qualified")];
}

/** The rules for resources of a container. */
export function validateContainerResourceName(name: string, field: string): FieldError[] {
  const errors = validateResourceName(name, field);
  if (!name.includes("/")) {
    const known = forContainers.has(name) || isHugePages(name);
    return known
      ? errors
      : [...errors, fieldError.invalid(field, name, "must be a standard resource for containers")];
  }
  if (!isNative(name) && !isExtended(name)) {
    return [...errors, fieldError.invalid(field, name, "doesn't follow extended resource name standard")];
  }
  return errors;
}

/** The rules for resources of a pod as a whole. */
export function validatePodResourceName(name: string, field: string): FieldError[] {
  const errors = validateResourceName(name, field);
  if (errors.length > 0 || isPodLevel(name)) return errors;
  return [fieldError.notSupported(field, name, ["cpu", "hugepages-", "memory"])];
}
