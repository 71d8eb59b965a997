// Kinds that follow the generic rules but for whether they count generations, what a delete answers, or that they are
// warned about.
import type { NativeKind } from "../registry/native-kinds.js";
import { countGeneration } from "./count-generation.js";

export const plainKinds: readonly NativeKind[] = [
  { resource: "componentstatuses", deprecation: "v1 ComponentStatus is deprecated in v1.19+" },
  {
    resource: "deviceclasses.resource.k8s.io",
    strategy: { ...countGeneration("spec"), returnsDeleted: true },
  },
  {
    resource: "resourceslices.resource.k8s.io",
    strategy: { ...countGeneration("spec"), returnsDeleted: true },
  },
];
