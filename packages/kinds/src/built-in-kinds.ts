// The built-in kinds that need more than the generic rules. Each has a file of its own; this is only their list.

import { admissionKinds } from "./admissionregistration/index.js";
import { customResourceDefinitions } from "./apiextensions/custom-resource-definition.js";
import { apiServices } from "./apiregistration/api-service.js";
import { appsKinds } from "./apps/index.js";
import { autoscalingKinds } from "./autoscaling/index.js";
import { batchKinds } from "./batch/index.js";
import type { BuiltInKind } from "./built-in-kind.js";
import { certificateSigningRequests } from "./certificates/certificate-signing-request.js";
import { leases } from "./coordination/lease.js";
import { coreKinds } from "./core/index.js";
import { endpointSlices } from "./discovery/endpoint-slice.js";
import { eventKinds } from "./events/event.js";
import type { FeatureGate } from "./feature-gates.js";
import { flowControlKinds } from "./flowcontrol/index.js";
import { behindGates } from "./gated-fields.js";
import { networkKinds } from "./network/index.js";
import { runtimeClasses } from "./node/runtime-class.js";
import { pods } from "./pod/pod-kind.js";
import { policyKinds } from "./policy/index.js";
import { rbacKinds } from "./rbac/index.js";
import { resourceKinds } from "./resource/index.js";
import { priorityClasses } from "./scheduling/priority-class.js";
import { storageKinds } from "./storage/index.js";

const kinds: readonly BuiltInKind[] = [
  customResourceDefinitions,
  ...coreKinds,
  ...eventKinds,
  ...admissionKinds,
  ...networkKinds,
  ...storageKinds,
  ...flowControlKinds,
  ...resourceKinds,
  apiServices,
  certificateSigningRequests,
  endpointSlices,
  leases,
  priorityClasses,
  runtimeClasses,
  pods,
  ...appsKinds,
  ...batchKinds,
  ...autoscalingKinds,
  ...policyKinds,
  ...rbacKinds,
];

/** The built-in kinds with these feature gates enabled. */
export const builtInKinds = (open: readonly FeatureGate[] = []): readonly BuiltInKind[] =>
  kinds.map((kind) => behindGates(kind, open));
