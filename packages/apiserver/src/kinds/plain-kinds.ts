// Kinds that follow the generic rules but for whether they count generations, or are warned about.
import type { NativeKind } from "../registry/native-kinds.js";
import { countGeneration } from "./count-generation.js";

export const plainKinds: readonly NativeKind[] = [
  { resource: "componentstatuses", deprecation: "v1 ComponentStatus is deprecated in v1.19+" },
  { resource: "apiservices.apiregistration.k8s.io", strategy: { hasGeneration: false } },
  { resource: "deviceclasses.resource.k8s.io", strategy: countGeneration("spec") },
  { resource: "resourceclaims.resource.k8s.io", strategy: { hasGeneration: false } },
  { resource: "resourceslices.resource.k8s.io", strategy: countGeneration("spec") },
  { resource: "flowschemas.flowcontrol.apiserver.k8s.io", strategy: { allowUnconditionalUpdate: false } },
  {
    resource: "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io",
    strategy: { allowUnconditionalUpdate: false },
  },
];
