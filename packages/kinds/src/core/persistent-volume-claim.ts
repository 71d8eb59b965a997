// PersistentVolumeClaims: what someone needs. Once made, a claim can only be bound and grow.
import type { Draft, PersistentVolumeClaim, PersistentVolumeClaimSpec } from "@kubewright/api";
import type { BuiltInKind } from "../built-in-kind.js";
import { draftAs, storedAs } from "../objects.js";
import { claimWarnings } from "../pod/claim-warnings.js";
import { validateClaimSpec } from "../pod/validate-claim-template.js";
import { roundResources } from "../resource-lists.js";
import { storageClassWarnings } from "./storage-class-annotation.js";
import { validateClaimChange } from "./validate-claim-change.js";
import { validateClaimStatus } from "./validate-claim-status.js";

type Claim = PersistentVolumeClaim;
type SpecDraft = Draft<PersistentVolumeClaimSpec>;

export const persistentVolumeClaims: BuiltInKind = {
  resource: "persistentvolumeclaims",
  strategy: {
    hasGeneration: false,
    metadata: { onUpdate: ["update", "object"] },
    returnsDeleted: true,
    applyDefaults(object) {
      const claim = draftAs<Claim>(object);
      claim.spec ??= {};
      claim.spec.volumeMode ??= "Filesystem";
      roundResources(claim.spec.resources?.requests);
      roundResources(claim.spec.resources?.limits);
      claim.status = { ...claim.status, phase: claim.status?.phase ?? "Pending" };
      roundResources(claim.status.capacity);
      roundResources(claim.status.allocatedResources);
    },
    prepareForCreate(object) {
      const claim = draftAs<Claim>(object);
      settleDataSources(claim.spec ?? {}, {});
    },
    completeAsRead(object) {
      const claim = draftAs<Claim>(object);
      if (claim.status?.phase) return false;
      claim.status = { ...claim.status, phase: "Pending" };
      return true;
    },
    prepareForUpdate(object, old) {
      settleDataSources(draftAs<Claim>(object).spec ?? {}, storedAs<Claim>(old).spec ?? {});
    },
    validateCreate: (object) => validateClaimSpec(draftAs<Claim>(object).spec ?? {}, "spec"),
    validateUpdate(object, old) {
      const claim = draftAs<Claim>(object);
      return [
        ...validateClaimSpec(claim.spec ?? {}, "spec"),
        ...validateClaimChange(claim, storedAs<Claim>(old)),
      ];
    },
    warnings(object) {
      const { metadata, spec } = draftAs<Claim>(object);
      return [...storageClassWarnings(metadata), ...claimWarnings(spec ?? {}, "spec")];
    },
  },
  status: { validateUpdate: (object) => validateClaimStatus(draftAs<Claim>(object)) },
};

/** Sources in other namespaces are not to be had; those the older field never knew are dropped from it. */
function settleDataSources(spec: SpecDraft, before: PersistentVolumeClaimSpec): void {
  if (spec.dataSourceRef?.namespace && !before.dataSourceRef) delete spec.dataSourceRef;
  const hadSource = before.dataSource ?? before.dataSourceRef;
  if (!hadSource && !spec.dataSourceRef && !isKnownSource(spec.dataSource)) delete spec.dataSource;
  matchDataSources(spec);
}

const isKnownSource = (source: SpecDraft["dataSource"]): boolean =>
  source?.apiGroup
    ? source.kind === "VolumeSnapshot" && source.apiGroup === "snapshot.storage.k8s.io"
    : source?.kind === "PersistentVolumeClaim";

/** `dataSource` and `dataSourceRef` say the same as long as no other namespace is meant. */
function matchDataSources(spec: SpecDraft): void {
  const { dataSource, dataSourceRef } = spec;
  if (dataSource && !dataSourceRef) spec.dataSourceRef = { ...dataSource };
  if (!dataSource && dataSourceRef && !dataSourceRef.namespace) {
    const { apiGroup, kind, name } = dataSourceRef;
    spec.dataSource = { kind, name, ...(apiGroup === undefined ? {} : { apiGroup }) };
  }
}
