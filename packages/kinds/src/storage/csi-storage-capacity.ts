// CSIStorageCapacities: how much storage there still is, and where.
import {
  Amount,
  type CSIStorageCapacity,
  type FieldError,
  fieldError,
  type Quantity,
  validateDns1123Subdomain,
} from "@kubewright/api";
import type { BuiltInKind } from "../built-in-kind.js";
import { nodeSelectorWarnings } from "../deprecated-node-labels.js";
import { immutable, invalidBecause, negativeText } from "../field-rules.js";
import { draftAs, storedAs } from "../objects.js";
import { selectorErrors } from "../selector-errors.js";

export const csiStorageCapacities: BuiltInKind = {
  resource: "csistoragecapacities.storage.k8s.io",
  strategy: {
    allowUnconditionalUpdate: false,
    metadata: { onUpdate: ["update", "object"] },
    validateCreate: (object) => validateCapacity(draftAs<CSIStorageCapacity>(object)),
    validateUpdate(object, old) {
      const now = draftAs<CSIStorageCapacity>(object);
      const before = storedAs<CSIStorageCapacity>(old);
      return [
        ...validateCapacity(now),
        ...immutable(now.nodeTopology, before.nodeTopology, "nodeTopology"),
        ...immutable(now.storageClassName, before.storageClassName, "storageClassName"),
      ];
    },
    warnings: (object) =>
      nodeSelectorWarnings(draftAs<CSIStorageCapacity>(object).nodeTopology, "nodeTopology"),
  },
};

function validateCapacity(object: CSIStorageCapacity): FieldError[] {
  const { storageClassName, nodeTopology, capacity } = object;
  return [
    ...selectorErrors(nodeTopology, "nodeTopology"),
    ...invalidBecause(validateDns1123Subdomain(storageClassName), storageClassName, "storageClassName"),
    ...notNegativeAmount(capacity, "capacity"),
  ];
}

const notNegativeAmount = (quantity: Quantity | undefined, field: string): FieldError[] =>
  quantity !== undefined && Amount.parse(quantity).sign() < 0
    ? [fieldError.invalid(field, String(quantity), negativeText)]
    : [];
