// Volumes, claims and what provides them.
import {
  CSIDriver,
  CSINode,
  type ObjectMeta,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  VolumeAttachment,
  VolumeAttributesClass,
} from "@kubewright/api";
import { ageColumn, column, nameColumn, wideColumn } from "../column.js";
import type { DescribedField } from "../field-descriptions.js";
import { definePrinter, type TablePrinter } from "../printer.js";
import { orElse } from "./cell-text.js";

const modes: readonly (readonly [string, string])[] = [
  ["ReadWriteOnce", "RWO"],
  ["ReadOnlyMany", "ROX"],
  ["ReadWriteMany", "RWX"],
  ["ReadWriteOncePod", "RWOP"],
];
const betaClass = "volume.beta.kubernetes.io/storage-class";
const defaultClass = [
  "storageclass.kubernetes.io/is-default-class",
  "storageclass.beta.kubernetes.io/is-default-class",
];

function modesText(accessModes: readonly string[] | null | undefined): string {
  return modes
    .filter(([mode]) => accessModes?.includes(mode))
    .map(([, short]) => short)
    .join(",");
}

/** The annotation is older than the field and still wins. */
function classText(metadata: ObjectMeta | undefined, name: string | undefined): string {
  return metadata?.annotations?.[betaClass] ?? name ?? "";
}

function phaseText(metadata: ObjectMeta | undefined, phase: string | undefined): string {
  return metadata?.deletionTimestamp ? "Terminating" : (phase ?? "");
}

const persistentVolume = definePrinter(
  PersistentVolume,
  [
    nameColumn,
    column("Capacity", { of: "PersistentVolumeSpec.capacity" }),
    column("Access Modes", { of: "PersistentVolumeSpec.accessModes" }),
    column("Reclaim Policy", { of: "PersistentVolumeSpec.persistentVolumeReclaimPolicy" }),
    column("Status", { of: "PersistentVolumeStatus.phase" }),
    column("Claim", { of: "PersistentVolumeSpec.claimRef" }),
    column("StorageClass", { description: "StorageClass of the pv" }),
    column("VolumeAttributesClass", { description: "VolumeAttributesClass of the pv" }),
    column("Reason", { of: "PersistentVolumeStatus.reason" }),
    ageColumn,
    wideColumn("VolumeMode", { of: "PersistentVolumeSpec.volumeMode" }),
  ],
  ({ metadata, spec, status }, { age }) => {
    const claim = spec?.claimRef;
    return [
      metadata?.name ?? "",
      String(spec?.capacity?.["storage"] ?? "0"),
      modesText(spec?.accessModes),
      spec?.persistentVolumeReclaimPolicy ?? "",
      phaseText(metadata, status?.phase),
      claim ? `${claim.namespace ?? ""}/${claim.name ?? ""}` : "",
      classText(metadata, spec?.storageClassName),
      spec?.volumeAttributesClassName ?? "<unset>",
      status?.reason ?? "",
      age(metadata?.creationTimestamp),
      spec?.volumeMode ?? "<unset>",
    ];
  },
);

const persistentVolumeClaim = definePrinter(
  PersistentVolumeClaim,
  [
    nameColumn,
    column("Status", { of: "PersistentVolumeClaimStatus.phase" }),
    column("Volume", { of: "PersistentVolumeClaimSpec.volumeName" }),
    column("Capacity", { of: "PersistentVolumeClaimStatus.capacity" }),
    column("Access Modes", { of: "PersistentVolumeClaimStatus.accessModes" }),
    column("StorageClass", { description: "StorageClass of the pvc" }),
    column("VolumeAttributesClass", { description: "VolumeAttributesClass of the pvc" }),
    ageColumn,
    wideColumn("VolumeMode", { of: "PersistentVolumeClaimSpec.volumeMode" }),
  ],
  ({ metadata, spec, status }, { age }) => [
    metadata?.name ?? "",
    phaseText(metadata, status?.phase),
    spec?.volumeName ?? "",
    spec?.volumeName ? String(status?.capacity?.["storage"] ?? "0") : "",
    spec?.volumeName ? modesText(status?.accessModes) : "",
    classText(metadata, spec?.storageClassName),
    spec?.volumeAttributesClassName ?? "<unset>",
    age(metadata?.creationTimestamp),
    spec?.volumeMode ?? "<unset>",
  ],
);

const storageClass = definePrinter(
  StorageClass,
  [
    nameColumn,
    column("Provisioner", { of: "StorageClass.provisioner" }),
    column("ReclaimPolicy", { of: "StorageClass.reclaimPolicy" }),
    column("VolumeBindingMode", { of: "StorageClass.volumeBindingMode" }),
    column("AllowVolumeExpansion", { of: "StorageClass.allowVolumeExpansion" }),
    ageColumn,
  ],
  ({ metadata, provisioner, reclaimPolicy, volumeBindingMode, allowVolumeExpansion }, { age }) => {
    const isDefault = defaultClass.some((annotation) => metadata?.annotations?.[annotation] === "true");
    return [
      isDefault ? `${metadata?.name} (default)` : (metadata?.name ?? ""),
      provisioner ?? "",
      reclaimPolicy ?? "Delete",
      volumeBindingMode ?? "Immediate",
      allowVolumeExpansion ?? false,
      age(metadata?.creationTimestamp),
    ];
  },
);

const volumeAttributesClass = definePrinter(
  VolumeAttributesClass,
  [nameColumn, column("DriverName", { of: "VolumeAttributesClass.driverName" }), ageColumn],
  ({ metadata, driverName }, { age }) => [
    metadata?.name ?? "",
    driverName ?? "",
    age(metadata?.creationTimestamp),
  ],
);

const volumeAttachment = definePrinter(
  VolumeAttachment,
  [
    nameColumn,
    column("Attacher", { format: "name", of: "VolumeAttachmentSpec.attacher" }),
    column("PV", { of: "VolumeAttachmentSource.persistentVolumeName" }),
    column("Node", { of: "VolumeAttachmentSpec.nodeName" }),
    column("Attached", { type: "boolean", of: "VolumeAttachmentStatus.attached" }),
    ageColumn,
  ],
  ({ metadata, spec, status }, { age }) => [
    metadata?.name ?? "",
    spec?.attacher ?? "",
    spec?.source?.persistentVolumeName ?? "",
    spec?.nodeName ?? "",
    status?.attached ?? false,
    age(metadata?.creationTimestamp),
  ],
);

const csiNode = definePrinter(
  CSINode,
  [
    nameColumn,
    column("Drivers", {
      type: "integer",
      description: "Drivers indicates the number of CSI drivers registered on the node",
    }),
    ageColumn,
  ],
  ({ metadata, spec }, { age }) => [
    metadata?.name ?? "",
    spec?.drivers?.length ?? 0,
    age(metadata?.creationTimestamp),
  ],
);

const flag = (name: string, of: DescribedField) => column(name, { type: "boolean", of });

const csiDriver = definePrinter(
  CSIDriver,
  [
    nameColumn,
    flag("AttachRequired", "CSIDriverSpec.attachRequired"),
    flag("PodInfoOnMount", "CSIDriverSpec.podInfoOnMount"),
    flag("StorageCapacity", "CSIDriverSpec.storageCapacity"),
    column("TokenRequests", { of: "CSIDriverSpec.tokenRequests" }),
    flag("RequiresRepublish", "CSIDriverSpec.requiresRepublish"),
    column("Modes", { of: "CSIDriverSpec.volumeLifecycleModes" }),
    ageColumn,
  ],
  ({ metadata, spec }, { age }) => [
    metadata?.name ?? "",
    spec?.attachRequired ?? true,
    spec?.podInfoOnMount ?? false,
    spec?.storageCapacity ?? false,
    spec?.tokenRequests?.map(({ audience }) => audience).join(",") ?? "<unset>",
    spec?.requiresRepublish ?? false,
    orElse(spec?.volumeLifecycleModes?.join(","), "<none>"),
    age(metadata?.creationTimestamp),
  ],
);

export const volumePrinters: readonly TablePrinter[] = [
  persistentVolume,
  persistentVolumeClaim,
  storageClass,
  volumeAttributesClass,
  volumeAttachment,
  csiNode,
  csiDriver,
];
