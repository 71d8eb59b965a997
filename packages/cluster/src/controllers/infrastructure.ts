// The controllers of what workloads stand on: volumes, nodes, quotas, credentials.

import { certificateApprover, certificateSigner } from "./certificate-signing/index.js";
import { certificateSigningCleaner } from "./certificate-signing-cleaner/index.js";
import type { BuiltInController } from "./controller.js";
import { endpointSliceMirroringController } from "./endpoint-slice-mirroring/index.js";
import { metricsServer } from "./metrics-server/index.js";
import { nodeLifecycleController } from "./node-lifecycle/index.js";
import { nodeTtlController } from "./node-ttl/index.js";
import { persistentVolumeBinder } from "./persistent-volume-binder/index.js";
import { persistentVolumeExpander } from "./persistent-volume-expander/index.js";
import {
  attributesClassProtection,
  claimProtection,
  volumeProtection,
} from "./persistent-volume-protection/index.js";
import { persistentVolumeProvisioner } from "./persistent-volume-provisioner/index.js";
import { podGarbageCollector } from "./pod-garbage-collector/index.js";
import { policyStatusController } from "./policy-status/index.js";
import { resourceQuotaController } from "./resource-quota/index.js";
import { serviceAddressController } from "./service-address/index.js";
import { serviceNodePortController } from "./service-node-port/index.js";
import { serviceRangeController } from "./service-range/index.js";
import { taintEvictionController } from "./taint-eviction/index.js";
import { tokenSecretsController } from "./token-secrets/index.js";
import { ephemeralVolumeController } from "./volume-ephemeral/index.js";

/** In the order they start. */
export const infrastructureControllers: readonly BuiltInController[] = [
  persistentVolumeProvisioner,
  persistentVolumeBinder,
  persistentVolumeExpander,
  claimProtection,
  volumeProtection,
  attributesClassProtection,
  nodeLifecycleController,
  nodeTtlController,
  taintEvictionController,
  podGarbageCollector,
  resourceQuotaController,
  ephemeralVolumeController,
  tokenSecretsController,
  policyStatusController,
  endpointSliceMirroringController,
  serviceAddressController,
  serviceNodePortController,
  serviceRangeController,
  certificateApprover,
  certificateSigner,
  certificateSigningCleaner,
  metricsServer,
];
