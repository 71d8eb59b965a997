// VolumeAttachments: a volume that should be attached to a node.
import {
  type FieldError,
  fieldError,
  utf8Length,
  type VolumeAttachment,
  type VolumeAttachmentSpec,
  validateDns1123Subdomain,
} from "@kubewright/api";
import type { BuiltInKind } from "../built-in-kind.js";
import { validateCsiDriverName } from "../core/csi-driver-name.js";
import { validateVolumeSpec } from "../core/validate-volume-spec.js";
import { immutable, invalidBecause } from "../field-rules.js";
import { draftAs, storedAs } from "../objects.js";
import { defaultDisk } from "../pod/default-disk.js";
import { roundResources } from "../resource-lists.js";
import { shownStruct } from "../shown-struct.js";
import { statusAlone } from "../status-strategy.js";

const maxMetadataBytes = 256 * 1024;
const maxMessageBytes = 1024;

export const volumeAttachments: BuiltInKind = {
  resource: "volumeattachments.storage.k8s.io",
  strategy: {
    hasGeneration: false,
    metadata: { onUpdate: ["object"] },
    allowUnconditionalUpdate: false,
    returnsDeleted: true,
    applyDefaults(object) {
      const volume = draftAs<VolumeAttachment>(object).spec?.source?.inlineVolumeSpec;
      if (!volume) return;
      defaultDisk(volume);
      roundResources(volume.capacity);
    },
    validateCreate: (object) => specErrors(draftAs<VolumeAttachment>(object).spec),
    validateUpdate(object, old) {
      const { spec } = draftAs<VolumeAttachment>(object);
      const shown = shownStruct(spec, "k8s.io.api.storage.v1.VolumeAttachmentSpec");
      return [...specErrors(spec), ...immutable(spec, storedAs<VolumeAttachment>(old).spec, "spec", shown)];
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
    ...(["attachError", "detachError"] as const).flatMap((part) => [
      ...(utf8Length(status?.[part]?.message ?? "") > maxMessageBytes
        ? [fieldError.tooLong(`status.${part}.message`, maxMetadataBytes)]
        : []),
      ...errorCodeErrors(status?.[part]?.errorCode, `status.${part}.errorCode`),
    ]),
  ];
}

const errorCodeErrors = (code: number | undefined, at: string): FieldError[] =>
  code !== undefined && code < 0
    ? [fieldError.invalid(at, code, "must be between 0 and 2147483647, inclusive")]
    : [];

function specErrors({ attacher, nodeName, source }: VolumeAttachmentSpec): FieldError[] {
  const name = source?.persistentVolumeName;
  return [
    ...validateCsiDriverName(attacher, "spec.attacher"),
    ...sourceErrors(source ?? {}),
    ...invalidBecause(validateDns1123Subdomain(nodeName), nodeName, "spec.nodeName"),
    ...(name === undefined
      ? []
      : invalidBecause(validateDns1123Subdomain(name), name, "spec.source.persistentVolumeName")),
  ];
}

const field = "spec.source";
const exactlyOne = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";

function sourceErrors({
  inlineVolumeSpec,
  persistentVolumeName,
}: VolumeAttachmentSpec["source"]): FieldError[] {
  if (inlineVolumeSpec && persistentVolumeName !== undefined)
    return [fieldError.forbidden(field, exactlyOne)];
  if (inlineVolumeSpec)
    return validateVolumeSpec(inlineVolumeSpec, { field: `${field}.inlineVolumeSpec`, isInline: true });
  if (persistentVolumeName === undefined) return [fieldError.required(field, exactlyOne)];
  if (persistentVolumeName !== "") return [];
  return [
    fieldError.required(`${field}.persistentVolumeName`, "must specify non empty persistentVolumeName"),
  ];
}
