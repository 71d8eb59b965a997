// PersistentVolumes: a piece of storage from exactly one source, which never changes.
import { type FieldError, formatTime, type PersistentVolume } from "@kubewright/api";
import type { BuiltInKind } from "../built-in-kind.js";
import { nodeTermWarnings } from "../deprecated-node-labels.js";
import { draftAs, storedAs } from "../objects.js";
import { defaultDisk } from "../pod/default-disk.js";
import { roundResources } from "../resource-lists.js";
import { storageClassWarnings } from "./storage-class-annotation.js";
import { mountOptionErrors } from "./validate-mount-options.js";
import { validateVolumeChange } from "./validate-volume-change.js";
import { validateVolumeSpec } from "./validate-volume-spec.js";

const validateVolume = ({ metadata, spec = {} }: PersistentVolume): FieldError[] =>
  validateVolumeSpec(spec, { field: "spec", isInline: false, name: metadata?.name ?? "" });

export const persistentVolumes: BuiltInKind = {
  resource: "persistentvolumes",
  strategy: {
    hasGeneration: false,
    metadata: { onUpdate: ["object", "object"] },
    returnsDeleted: true,
    applyDefaults(object) {
      const volume = draftAs<PersistentVolume>(object);
      volume.spec ??= {};
      volume.spec.persistentVolumeReclaimPolicy ??= "Retain";
      volume.spec.volumeMode ??= "Filesystem";
      defaultDisk(volume.spec);
      roundResources(volume.spec.capacity);
      volume.status = { ...volume.status, phase: volume.status?.phase ?? "Pending" };
    },
    prepareForCreate(object, { clock }) {
      draftAs<PersistentVolume>(object).status = {
        phase: "Pending",
        lastPhaseTransitionTime: formatTime(clock.now()),
      };
    },
    validateCreate(object) {
      const volume = draftAs<PersistentVolume>(object);
      return [...validateVolume(volume), ...mountOptionErrors(volume)];
    },
    validateUpdate(object, old) {
      const volume = draftAs<PersistentVolume>(object);
      const errors = validateVolume(volume);
      return [
        ...errors,
        ...mountOptionErrors(volume),
        ...errors,
        ...validateVolumeChange(volume, storedAs<PersistentVolume>(old)),
      ];
    },
    warnings: (object) => volumeWarnings(draftAs<PersistentVolume>(object)),
  },
  status: {
    prepareForUpdate(object, old, { clock }) {
      const { status } = draftAs<PersistentVolume>(object);
      const before = storedAs<PersistentVolume>(old).status;
      const untouched = status?.lastPhaseTransitionTime === before?.lastPhaseTransitionTime;
      if (!status) return;
      if (status.phase !== before?.phase && (untouched || !status.lastPhaseTransitionTime))
        status.lastPhaseTransitionTime = formatTime(clock.now());
      else if (before?.lastPhaseTransitionTime)
        status.lastPhaseTransitionTime ??= before.lastPhaseTransitionTime;
    },
  },
};

/** Sources whose drivers have left, with the field as the warning spells it. */
const leftSources = [
  ["cephfs", "cephfs", "deprecated in v1.28, non-functional in v1.31+"],
  ["photonPersistentDisk", "photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"],
  ["scaleIO", "scaleIO", "deprecated in v1.16, non-functional in v1.22+"],
  ["storageos", "storageOS", "deprecated in v1.22, non-functional in v1.25+"],
  ["glusterfs", "glusterfs", "deprecated in v1.25, non-functional in v1.26+"],
  ["rbd", "rbd", "deprecated in v1.28, non-functional in v1.31+"],
] as const;

function volumeWarnings({ metadata, spec = {} }: PersistentVolume): string[] {
  const terms = spec.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  const recycled =
    spec.persistentVolumeReclaimPolicy === "Recycle"
      ? [
          "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.",
        ]
      : [];
  return [
    ...storageClassWarnings(metadata),
    ...recycled,
    ...terms.flatMap((term, index) =>
      nodeTermWarnings(term, false, `spec.nodeAffinity.required.nodeSelectorTerms[${index}]`),
    ),
    ...leftSources.filter(([source]) => spec[source]).map(([, name, text]) => `spec.${name}: ${text}`),
  ];
}
