// Leases: who leads. Every write must say which version it is based on, or two could lead at once.
import { type FieldError, fieldError, type Lease } from "@kubewright/api";
import type { BuiltInKind } from "../built-in-kind.js";
import { notNegative } from "../field-rules.js";
import type { DraftObject, StoredObject } from "../objects.js";
import { draftAs, storedAs } from "../objects.js";

export const leases: BuiltInKind = {
  resource: "leases.coordination.k8s.io",
  strategy: {
    allowCreateOnUpdate: true,
    allowUnconditionalUpdate: false,
    metadata: { validator: "apimachinery" },
    prepareForCreate: (object) => dropCoordination(object, undefined),
    prepareForUpdate: dropCoordination,
    validateCreate: validateLease,
    validateUpdate: validateLease,
  },
};

/** Fields of coordinated leader election. Default: disabled. */
function dropCoordination(object: DraftObject, old: StoredObject | undefined): void {
  const { spec } = draftAs<Lease>(object);
  const before = old && storedAs<Lease>(old).spec;
  if (!spec || before?.strategy !== undefined || before?.preferredHolder !== undefined) return;
  delete spec.strategy;
  delete spec.preferredHolder;
}

function validateLease(object: DraftObject): FieldError[] {
  const { leaseDurationSeconds: seconds, leaseTransitions } = draftAs<Lease>(object).spec ?? {};
  return [
    ...(seconds !== undefined && seconds <= 0
      ? [fieldError.invalid("spec.leaseDurationSeconds", seconds, "must be greater than 0")]
      : []),
    ...notNegative(leaseTransitions, "spec.leaseTransitions"),
  ];
}
