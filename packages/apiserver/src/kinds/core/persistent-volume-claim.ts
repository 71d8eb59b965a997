// PersistentVolumeClaims: what someone needs. Once made, a claim can only be bound and grow.
import {
  Amount,
  compareQuantities,
  deepEqual,
  type FieldError,
  fieldError,
  type PersistentVolumeClaim,
  type PersistentVolumeClaimSpec,
} from "@kubewright/api";
import type { NativeKind } from "../../registry/native-kinds.js";
import type { Draft } from "../../request/draft.js";
import { draftAs, storedAs } from "../as-kind.js";
import { immutable } from "../field-rules.js";
import { roundResources } from "../pod/default-container.js";
import { validateClaimSpec } from "../pod/validate-claim-template.js";

type Claim = PersistentVolumeClaim;
type SpecDraft = Draft<PersistentVolumeClaimSpec>;

export const persistentVolumeClaims: NativeKind = {
  resource: "persistentvolumeclaims",
  strategy: {
    hasGeneration: false,
    repeatsMetadataChecks: true,
    returnsDeleted: true,
    applyDefaults(object) {
      const claim = draftAs<Claim>(object);
      claim.spec ??= {};
      claim.spec.volumeMode ??= "Filesystem";
      roundResources(claim.spec.resources?.requests);
      roundResources(claim.spec.resources?.limits);
      claim.status = { ...claim.status, phase: claim.status?.phase ?? "Pending" };
      roundResources(claim.status.capacity);
    },
    prepareForCreate(object) {
      const claim = draftAs<Claim>(object);
      claim.status = { phase: "Pending" };
      matchDataSources(claim.spec ?? {});
    },
    prepareForUpdate(object) {
      matchDataSources(draftAs<Claim>(object).spec ?? {});
    },
    validateCreate: (object) => validateClaimSpec(draftAs<Claim>(object).spec ?? {}, "spec"),
    validateUpdate(object, old) {
      const claim = draftAs<Claim>(object);
      return [...validateClaimSpec(claim.spec ?? {}, "spec"), ...changeErrors(claim, storedAs<Claim>(old))];
    },
  },
  status: { validateUpdate: (object) => statusErrors(draftAs<Claim>(object)) },
};

/** `dataSource` and `dataSourceRef` say the same as long as no other namespace is meant. */
function matchDataSources(spec: SpecDraft): void {
  const { dataSource, dataSourceRef } = spec;
  if (dataSource && !dataSourceRef) spec.dataSourceRef = { ...dataSource };
  if (!dataSource && dataSourceRef && !dataSourceRef.namespace) {
    const { apiGroup, kind, name } = dataSourceRef;
    spec.dataSource = { kind, name, ...(apiGroup === undefined ? {} : { apiGroup }) };
  }
}

const storageOf = (spec: PersistentVolumeClaimSpec | undefined) =>
  spec?.resources?.requests?.["storage"] ?? "0";

function changeErrors(claim: Draft<Claim>, before: Claim): FieldError[] {
  const now = fixedPart(claim.spec ?? {}, claim, before);
  const then = fixedPart(before.spec ?? {}, claim, before);
  const errors: FieldError[] = [];
  if (!deepEqual(now, then)) {
    const text =
      "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";
    errors.push(fieldError.forbidden("spec", text));
  }
  const size = storageOf(claim.spec);
  const capacity = before.status?.capacity?.["storage"] ?? "0";
  if (compareQuantities(size, storageOf(before.spec)) < 0 && compareQuantities(size, capacity) <= 0) {
    const text = "field can not be less than status.capacity";
    errors.push(fieldError.forbidden("spec.resources.requests.storage", text));
  }
  return [...errors, ...immutable(claim.spec?.volumeMode, before.spec?.volumeMode, "volumeMode")];
}

/** The spec without what this change may touch: a name or class where there was none, and the size once bound. */
function fixedPart(
  {
    volumeName,
    storageClassName,
    volumeAttributesClassName: _class,
    resources,
    ...rest
  }: PersistentVolumeClaimSpec,
  claim: Draft<Claim>,
  { spec: before = {} }: Claim,
): unknown {
  const { storage, ...requests } = resources?.requests ?? {};
  const bound = claim.status?.phase === "Bound";
  return {
    ...rest,
    ...(before.volumeName ? { volumeName } : {}),
    ...(before.storageClassName === undefined ? {} : { storageClassName }),
    resources: {
      ...resources,
      requests: { ...requests, ...(bound || storage === undefined ? {} : { storage }) },
    },
  };
}

function statusErrors({ spec, status }: Draft<Claim>): FieldError[] {
  const negative = Object.entries(status?.capacity ?? {}).filter(
    ([, quantity]) => Amount.parse(quantity).value() < 0n,
  );
  return [
    ...((spec?.accessModes ?? []).length === 0 ? [fieldError.required("spec.accessModes")] : []),
    ...negative.map(([name, quantity]) =>
      fieldError.invalid(
        `status.capacity[${name}]`,
        Number(Amount.parse(quantity).value()),
        "must be a valid resource quantity",
      ),
    ),
  ];
}
