// RuntimeClasses: what runs the containers of a pod.
import { type FieldError, type RuntimeClass, validateDns1123Label, validateLabels } from "@kubewright/api";
import type { NativeKind } from "../../registry/native-kinds.js";
import { draftAs, storedAs } from "../as-kind.js";
import { deprecatedLabel } from "../deprecated-node-labels.js";
import { immutable, problems } from "../field-rules.js";
import { roundResources } from "../pod/default-container.js";
import { validateResources } from "../pod/validate-resources.js";
import { validateTolerations } from "../pod/validate-tolerations.js";

export const runtimeClasses: NativeKind = {
  resource: "runtimeclasses.node.k8s.io",
  strategy: {
    allowUnconditionalUpdate: false,
    applyDefaults: (object) => roundResources(draftAs<RuntimeClass>(object).overhead?.podFixed),
    validateCreate: (object) => validateClass(draftAs<RuntimeClass>(object)),
    validateUpdate: (object, old) =>
      immutable(draftAs<RuntimeClass>(object).handler, storedAs<RuntimeClass>(old).handler, "handler"),
    warnings: (object) =>
      Object.keys(draftAs<RuntimeClass>(object).scheduling?.nodeSelector ?? {}).flatMap((key) => {
        const text = deprecatedLabel(key);
        return text ? [`scheduling.nodeSelector: ${text}`] : [];
      }),
  },
};

function validateClass({ handler, overhead, scheduling }: RuntimeClass): FieldError[] {
  return [
    ...problems(validateDns1123Label(handler), handler, "handler"),
    ...(overhead ? validateResources({ limits: overhead.podFixed }, new Set(), "overhead") : []),
    ...validateLabels(scheduling?.nodeSelector, "scheduling.nodeSelector"),
    ...validateTolerations(scheduling?.tolerations ?? [], "scheduling.tolerations"),
  ];
}
