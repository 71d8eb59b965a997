// Stateful sets.
import {
  type Draft,
  type StatefulSet,
  type StatefulSetSpec,
  type StatefulSetStatus,
  validateDns1123Label,
} from "@kubewright/api";
import type { BuiltInKind } from "../built-in-kind.js";
import type { DraftObject, StoredObject } from "../objects.js";
import { draftAs, storedAs } from "../objects.js";
import { claimWarnings } from "../pod/claim-warnings.js";
import { defaultPodTemplate } from "../pod/default-pod-spec.js";
import { roundResources } from "../resource-lists.js";
import { selectorText } from "./deployment.js";
import { validateCollisions, validateCounts, validateParts } from "./status-counts.js";
import { validateStatefulSetSpec, validateStatefulSetUpdate } from "./validate-stateful-set.js";
import { isNewGeneration, templateWarnings } from "./workload-warnings.js";

const none: StatefulSetSpec = { selector: {}, serviceName: "", template: {} };
const parts = ["readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"];

function applyDefaults(object: DraftObject): void {
  const { spec } = draftAs<StatefulSet>(object);
  if (!spec) return;
  spec.podManagementPolicy ||= "OrderedReady";
  spec.updateStrategy ??= {};
  defaultStrategy(spec.updateStrategy);
  spec.persistentVolumeClaimRetentionPolicy ??= {};
  spec.persistentVolumeClaimRetentionPolicy.whenDeleted ||= "Retain";
  spec.persistentVolumeClaimRetentionPolicy.whenScaled ||= "Retain";
  spec.replicas ??= 1;
  spec.revisionHistoryLimit ??= 10;
  defaultPodTemplate(spec.template);
  for (const claim of spec.volumeClaimTemplates ?? []) defaultClaim(claim);
}

function defaultStrategy(strategy: NonNullable<Draft<StatefulSetSpec>["updateStrategy"]>): void {
  if (!strategy.type) {
    strategy.type = "RollingUpdate";
    strategy.rollingUpdate ??= {};
  }
  if (strategy.type !== "RollingUpdate" || !strategy.rollingUpdate) return;
  strategy.rollingUpdate.partition ??= 0;
}

type Claim = NonNullable<Draft<StatefulSetSpec>["volumeClaimTemplates"]>[number];

/** Templates of claims are whole claims, down to kind and status. */
function defaultClaim(claim: Claim): void {
  claim.kind = "PersistentVolumeClaim";
  claim.apiVersion = "v1";
  claim.spec ??= {};
  claim.spec.volumeMode ??= "Filesystem";
  roundResources(claim.spec.resources?.limits);
  roundResources(claim.spec.resources?.requests);
  claim.status ??= {};
  claim.status.phase ||= "Pending";
  roundResources(claim.status.capacity);
  roundResources(claim.status.allocatedResources);
}

const validateStatus = (now: Partial<StatefulSetStatus>, before: Partial<StatefulSetStatus>) => [
  ...validateCounts(now, ["replicas", ...parts, "observedGeneration", "collisionCount"]),
  ...validateParts(now, parts, "replicas"),
  ...validateParts(now, ["availableReplicas"], "readyReplicas"),
  ...validateCollisions(now, before),
];

function warnings(object: DraftObject, old: StoredObject | undefined): string[] {
  const { spec } = draftAs<StatefulSet>(object);
  const limit =
    (spec?.revisionHistoryLimit ?? 0) < 0
      ? [
          "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended",
        ]
      : [];
  const claims = (spec?.volumeClaimTemplates ?? []).flatMap((claim, index) =>
    claim.spec ? claimWarnings(claim.spec, `spec.volumeClaimTemplates[${index}].Spec`) : [],
  );
  const template =
    old && !isNewGeneration(object, old) ? [] : templateWarnings(spec?.template, "spec.template");
  return [...template, ...claims, ...limit];
}

/** Stateful sets and their scale. */
export const statefulSets: BuiltInKind = {
  resource: "statefulsets.apps",
  strategy: {
    applyDefaults,
    validateName: (name, prefix) => validateDns1123Label(name, { prefix }),
    validateCreate: (object) => validateStatefulSetSpec(draftAs<StatefulSet>(object).spec ?? none),
    validateUpdate: (object, old) =>
      validateStatefulSetUpdate(
        draftAs<StatefulSet>(object).spec ?? none,
        storedAs<StatefulSet>(old).spec ?? none,
      ),
    warnings,
  },
  status: {
    validateUpdate: (object, old) =>
      validateStatus(draftAs<StatefulSet>(object).status ?? {}, storedAs<StatefulSet>(old).status ?? {}),
  },
  scaleSelector: (object) => selectorText(storedAs<StatefulSet>(object).spec?.selector),
};
