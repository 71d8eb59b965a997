// ResourceQuotas: how much a namespace may have. Counting is done elsewhere.
import {
  Amount,
  deepEqual,
  type FieldError,
  fieldError,
  type Quantity,
  type ResourceQuota,
  type ResourceQuotaSpec,
} from "@kubewright/api";
import type { BuiltInKind } from "../built-in-kind.js";
import { checkEach } from "../check-each.js";
import type { DraftObject } from "../objects.js";
import { draftAs, storedAs } from "../objects.js";
import { validateResourceName } from "../pod/resource-names.js";
import { validateQuantity } from "../pod/validate-resources.js";
import { roundResources } from "../resource-lists.js";
import { isQuotaResource, validateScopeSelector, validateScopes } from "./quota-scopes.js";

export const resourceQuotas: BuiltInKind = {
  resource: "resourcequotas",
  strategy: {
    hasGeneration: false,
    returnsDeleted: true,
    applyDefaults,
    validateCreate: (object) => validateQuota(draftAs<ResourceQuota>(object).spec ?? {}),
    validateUpdate(object, old) {
      const { spec = {} } = draftAs<ResourceQuota>(object);
      const before = storedAs<ResourceQuota>(old).spec?.scopes ?? [];
      const same = deepEqual([...new Set(spec.scopes ?? [])].sort(), [...new Set(before)].sort());
      const changed = same
        ? []
        : [fieldError.invalid("spec.scopes", spec.scopes ?? null, "field is immutable")];
      return [...validateQuota(spec), ...changed];
    },
  },
  status: {
    validateUpdate(object) {
      const { status = {} } = draftAs<ResourceQuota>(object);
      return [...listErrors(status.hard, "status.hard"), ...listErrors(status.used, "status.used")];
    },
  },
};

const validateQuota = (spec: ResourceQuotaSpec): FieldError[] => [
  ...listErrors(spec.hard, "spec.hard"),
  ...validateScopes(spec),
  ...validateScopeSelector(spec),
];

const listErrors = (list: Readonly<Record<string, Quantity>> = {}, field: string): FieldError[] =>
  checkEach(Object.keys(list), (name) => {
    const at = `${field}[${name}]`;
    const errors = validateResourceName(name, at);
    if (!name.includes("/") && !isQuotaResource(name))
      errors.push(fieldError.invalid(at, name, "must be a standard resource for quota"));
    return [...errors, ...validateQuantity(name, Amount.parse(list[name] ?? 0), at)];
  });

function applyDefaults(object: DraftObject): void {
  const { spec, status } = draftAs<ResourceQuota>(object);
  roundResources(spec?.hard);
  roundResources(status?.hard);
  roundResources(status?.used);
}
