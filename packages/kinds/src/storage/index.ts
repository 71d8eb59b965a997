import type { BuiltInKind } from "../built-in-kind.js";
import { csiDrivers } from "./csi-driver.js";
import { csiNodes } from "./csi-node.js";
import { csiStorageCapacities } from "./csi-storage-capacity.js";
import { storageClasses } from "./storage-class.js";
import { volumeAttachments } from "./volume-attachment.js";
import { volumeAttributesClasses } from "./volume-attributes-class.js";

export const storageKinds: readonly BuiltInKind[] = [
  csiDrivers,
  csiNodes,
  csiStorageCapacities,
  storageClasses,
  volumeAttachments,
  volumeAttributesClasses,
];
