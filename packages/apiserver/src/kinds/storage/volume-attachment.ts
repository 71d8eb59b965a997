// VolumeAttachments: a volume that should be attached to a node.
import {
  type FieldError,
  fieldError,
  utf8Length,
  type VolumeAttachment,
  type VolumeAttachmentSpec,
  validateDns1123Subdomain,
} from "@kubewright/api";
import type { NativeKind } from "../../registry/native-kinds.js";
import { statusAlone } from "../../registry/status-strategy.js";
import { draftAs, storedAs } from "../as-kind.js";
import { validateCsiDriverName } from "../core/csi-driver-name.js";
import { immutable, problems } from "../field-rules.js";
import { roundResources } from "../pod/default-container.js";
import { defaultDisk } from "../pod/default-disk.js";

const maxMetadataBytes = 256 * 1024;
const maxMessageBytes = 1024;

export const volumeAttachments: NativeKind = {
  resource: "volumeattachments.storage.k8s.io",
  strategy: {
    hasGeneration: false,
    allowUnconditionalUpdate: false,
    returnsDeleted: true,
    repeatsMetadataChecks: true,
    applyDefaults(object) {
      const volume = draftAs<VolumeAttachment>(object).spec?.source?.inlineVolumeSpec;
      if (!volume) return;
      defaultDisk(volume);
      roundResources(volume.capacity);
    },
    validateCreate: (object) => validateSpec(draftAs<VolumeAttachment>(object).spec),
    validateUpdate(object, old) {
      const { spec } = draftAs<VolumeAttachment>(object);
      return [...validateSpec(spec), ...immutable(spec, storedAs<VolumeAttachment>(old).spec, "spec")];
    },
  },
  status: {
    ...statusAlone,
    validateUpdate: (object) => statusErrors(draftAs<VolumeAttachment>(object)),
  },
};

function statusErrors({ status }: VolumeAttachment): FieldError[] {
  const metadata = Object.entries(status?.attachmentMetadata ?? {});
  const bytes = metadata.reduce((size, [key, value]) => size + utf8Length(key) + utf8Length(value), 0);
  return [
    ...(bytes > maxMetadataBytes ? [fieldError.tooLong("status.attachmentMetadata", maxMetadataBytes)] : []),
    ...(["attachError", "detachError"] as const).flatMap((part) =>
      utf8Length(status?.[part]?.message ?? "") > maxMessageBytes
        ? [fieldError.tooLong(`status.${part}.message`, maxMetadataBytes)]
        : [],
    ),
  ];
}

function validateSpec({ attacher, nodeName, source }: VolumeAttachmentSpec): FieldError[] {
  return [
    ...(attacher === ""
      ? [fieldError.required("spec.attacher")]
      : validateCsiDriverName(attacher, "spec.attacher")),
    ...sourceErrors(source ?? {}),
    ...problems(validateDns1123Subdomain(nodeName), nodeName, "spec.nodeName"),
  ];
}

function sourceErrors({
  inlineVolumeSpec,
  persistentVolumeName,
}: VolumeAttachmentSpec["source"]): FieldError[] {
  const field = "spec.source";
  if (inlineVolumeSpec && persistentVolumeName !== undefined) {
    const text = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
    return [fieldError.forbidden(field, text)];
  }
  if (inlineVolumeSpec) return [];
  if (persistentVolumeName === undefined)
    return [
      fieldError.required(field, "must specify exactly one of inlineVolumeSpec and persistentVolumeName"),
    ];
  const at = `${field}.persistentVolumeName`;
  if (persistentVolumeName === "")
    return [fieldError.required(at, "must specify non empty persistentVolumeName")];
  return problems(validateDns1123Subdomain(persistentVolumeName), persistentVolumeName, at);
}
