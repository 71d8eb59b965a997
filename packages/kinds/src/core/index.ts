import type { BuiltInKind } from "../built-in-kind.js";
import { configMaps } from "./config-map.js";
import { endpoints } from "./endpoints.js";
import { limitRanges } from "./limit-range.js";
import { namespaces } from "./namespace.js";
import { nodes } from "./node.js";
import { persistentVolumes } from "./persistent-volume.js";
import { persistentVolumeClaims } from "./persistent-volume-claim.js";
import { resourceQuotas } from "./resource-quota.js";
import { secrets } from "./secret.js";
import { services } from "./service/service.js";
import { serviceAccounts } from "./service-account.js";

/** The special ones of the core group, pods and events aside. */
export const coreKinds: readonly BuiltInKind[] = [
  { resource: "componentstatuses", deprecation: "v1 ComponentStatus is deprecated in v1.19+" },
  configMaps,
  endpoints,
  limitRanges,
  namespaces,
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  resourceQuotas,
  secrets,
  serviceAccounts,
  services,
];
