// Rules: operations on resources. A wildcard stands alone.
import { type FieldError, fieldError, type RuleWithOperations } from "@kubewright/api";
import { checkEach } from "../check-each.js";
import { oneOfIfSet } from "../field-rules.js";

const operations = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];

export function validateRule(rule: RuleWithOperations, field: string): FieldError[] {
  const named = rule.operations ?? [];
  return [
    ...listErrors(named, "operations", `${field}.operations`),
    ...checkEach(named, (operation, index) =>
      operations.includes(operation)
        ? []
        : [fieldError.notSupported(`${field}.operations[${index}]`, operation, operations)],
    ),
    ...listErrors(rule.apiGroups ?? [], "API groups", `${field}.apiGroups`),
    ...listErrors(rule.apiVersions ?? [], "API versions", `${field}.apiVersions`),
    ...emptyErrors(rule.apiVersions ?? [], `${field}.apiVersions`),
    ...resourceErrors(rule.resources ?? [], `${field}.resources`),
    ...oneOfIfSet(rule.scope, ["*", "Cluster", "Namespaced"], `${field}.scope`),
  ];
}

function listErrors(items: readonly string[], what: string, field: string): FieldError[] {
  if (items.length === 0) return [fieldError.required(field)];
  if (items.length === 1 || !items.includes("*")) return [];
  return [fieldError.invalid(field, items, `if '*' is present, must not specify other ${what}`)];
}

const emptyErrors = (items: readonly string[], field: string): FieldError[] =>
  checkEach(items, (item, index) => (item === "" ? [fieldError.required(`${field}[${index}]`)] : []));

function resourceErrors(resources: readonly string[], field: string): FieldError[] {
  if (resources.length === 0) return [fieldError.required(field)];
  const before = new Set<string>();
  const errors = checkEach(resources, (resource, index) => {
    if (resource === "") return [fieldError.required(`${field}[${index}]`)];
    const overlap = overlapErrors(resource, before, `${field}[${index}]`);
    before.add(resource);
    return overlap;
  });
  if (resources.length > 1 && resources.includes("*/*")) {
    const text = "if '*/*' is present, must not specify other resources";
    errors.push(fieldError.invalid(field, resources, text));
  }
  // Only the last resource without a subresource counts, as on kube-apiserver.
  const last = resources.filter((resource) => resource !== "" && !resource.includes("/")).at(-1);
  if (resources.includes("*") && last !== "*") {
    const text = "if '*' is present, must not specify other resources without subresources";
    errors.push(fieldError.invalid(field, resources, text));
  }
  return errors;
}

/** Errors for resources that an earlier wildcard already covers. */
function overlapErrors(resource: string, before: ReadonlySet<string>, field: string): FieldError[] {
  const slash = resource.indexOf("/");
  if (slash === -1) return [];
  return [`${resource.slice(0, slash)}/*`, `*/${resource.slice(slash + 1)}`]
    .filter((wildcard) => before.has(wildcard))
    .map((wildcard) =>
      fieldError.invalid(field, resource, `if '${wildcard}' is present, must not specify ${resource}`),
    );
}
