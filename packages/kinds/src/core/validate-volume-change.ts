// Validates updates of PersistentVolumes: the source is immutable.
import {
  deepEqual,
  type FieldError,
  fieldError,
  type NodeSelectorRequirement,
  type PersistentVolume,
  type PersistentVolumeSpec,
} from "@kubewright/api";
import { immutable } from "../field-rules.js";
import { diffOfJson } from "../json-diff.js";
import { internalVolumeAffinity, internalVolumeSource } from "../pod/internal-value.js";

/** Labels of nodes with newer names: volumes may be moved to those. */
const newerLabels: Readonly<Record<string, string>> = {
  "beta.kubernetes.io/arch": "kubernetes.io/arch",
  "beta.kubernetes.io/os": "kubernetes.io/os",
  "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
  "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
  "beta.kubernetes.io/instance-type": "node.kubernetes.io/instance-type",
};

/** Problems with the difference of two volumes. */
export function validateVolumeChange(
  { spec = {} }: PersistentVolume,
  { spec: before = {} }: PersistentVolume,
): FieldError[] {
  return [
    ...sourceErrors(spec, before),
    ...immutable(spec.volumeMode, before.volumeMode, "volumeMode"),
    ...affinityErrors(spec.nodeAffinity, before.nodeAffinity),
    ...(before.volumeAttributesClassName !== undefined && spec.volumeAttributesClassName === undefined
      ? [
          fieldError.forbidden(
            "spec.volumeAttributesClassName",
            "update from non-nil value to nil is forbidden",
          ),
        ]
      : []),
  ];
}

/** A secret for expansion that was not there before may come later. */
function sourceErrors(spec: PersistentVolumeSpec, before: PersistentVolumeSpec): FieldError[] {
  const addsSecret = before.csi && spec.csi && !before.csi.controllerExpandSecretRef;
  const { controllerExpandSecretRef: _added, ...fixed } = spec.csi ?? { driver: "", volumeHandle: "" };
  const now = internalVolumeSource(addsSecret ? { ...spec, csi: fixed } : spec);
  const then = internalVolumeSource(before);
  if (deepEqual(now, then)) return [];
  const field = "spec.persistentvolumesource";
  const text = `${field} is immutable after creation\n${diffOfJson(then, now)}`;
  return [fieldError.forbidden(field, text)];
}

type Affinity = PersistentVolumeSpec["nodeAffinity"];

function affinityErrors(now: Affinity, before: Affinity): FieldError[] {
  if (!before || deepEqual(now, before) || deepEqual(now, renamed(before, now))) return [];
  const text = "field is immutable, except for updating from beta label to GA";
  return [fieldError.invalid("nodeAffinity", internalVolumeAffinity(now), text)];
}

/** The old affinity with those labels renamed that the new one has renamed. */
function renamed(before: NonNullable<Affinity>, now: Affinity): Affinity {
  const terms = before.required?.nodeSelectorTerms;
  if (!terms) return before;
  const newTerms = now?.required?.nodeSelectorTerms;
  return {
    ...before,
    required: {
      ...before.required,
      nodeSelectorTerms: terms.map((term, index) => ({
        ...term,
        ...(term.matchExpressions
          ? { matchExpressions: renamedKeys(term.matchExpressions, newTerms?.[index]?.matchExpressions) }
          : {}),
      })),
    },
  };
}

const renamedKeys = (
  before: readonly NodeSelectorRequirement[],
  now: readonly NodeSelectorRequirement[] | undefined,
): NodeSelectorRequirement[] =>
  before.map((old, index) => {
    const key = now?.[index]?.key;
    const newer = Object.hasOwn(newerLabels, old.key) ? newerLabels[old.key] : undefined;
    return newer !== undefined && key === newer ? { ...old, key } : old;
  });
