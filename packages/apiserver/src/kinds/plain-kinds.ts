// Kinds that follow the generic rules but for whether they count generations, what a delete answers, who may write their
// metadata, or that they are warned about.
import type { NativeKind } from "../registry/native-kinds.js";
import { keepMetadata } from "../registry/status-strategy.js";
import { countGeneration } from "./count-generation.js";

export const plainKinds: readonly NativeKind[] = [
  { resource: "componentstatuses", deprecation: "v1 ComponentStatus is deprecated in v1.19+" },
  {
    resource: "deviceclasses.resource.k8s.io",
    strategy: { ...countGeneration("spec"), returnsDeleted: true },
  },
  {
    resource: "resourceclaims.resource.k8s.io",
    strategy: { hasGeneration: false, returnsDeleted: true },
    status: { prepareForUpdate: keepMetadata },
  },
  { resource: "resourceclaimtemplates.resource.k8s.io", strategy: { returnsDeleted: true } },
  {
    resource: "resourceslices.resource.k8s.io",
    strategy: { ...countGeneration("spec"), returnsDeleted: true },
  },
];
