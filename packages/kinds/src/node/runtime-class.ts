// RuntimeClasses: what runs the containers of a pod.
import {
  type FieldError,
  fieldError,
  type RuntimeClass,
  type Toleration,
  validateLabels,
} from "@kubewright/api";
import type { BuiltInKind } from "../built-in-kind.js";
import { checkEach } from "../check-each.js";
import { deprecatedLabel } from "../deprecated-node-labels.js";
import { immutable, requiredLabel } from "../field-rules.js";
import { draftAs, storedAs } from "../objects.js";
import { validateResources } from "../pod/validate-resources.js";
import { validateTolerations } from "../pod/validate-tolerations.js";
import { roundResources } from "../resource-lists.js";

export const runtimeClasses: BuiltInKind = {
  resource: "runtimeclasses.node.k8s.io",
  strategy: {
    allowCreateOnUpdate: true,
    allowUnconditionalUpdate: false,
    metadata: { validator: "apimachinery", onUpdate: ["update", "object"] },
    applyDefaults: (object) => roundResources(draftAs<RuntimeClass>(object).overhead?.podFixed),
    validateCreate: (object) => validateClass(draftAs<RuntimeClass>(object)),
    validateUpdate(object, old) {
      const runtimeClass = draftAs<RuntimeClass>(object);
      return [
        ...validateClass(runtimeClass),
        ...immutable(runtimeClass.handler, storedAs<RuntimeClass>(old).handler, "handler"),
      ];
    },
    warnings: (object) =>
      Object.keys(draftAs<RuntimeClass>(object).scheduling?.nodeSelector ?? {}).flatMap((key) => {
        const text = deprecatedLabel(key);
        return text ? [`scheduling.nodeSelector: ${text}`] : [];
      }),
  },
};

function validateClass({ handler, overhead, scheduling }: RuntimeClass): FieldError[] {
  return [
    ...requiredLabel(handler, "handler"),
    ...(overhead ? validateResources({ limits: overhead.podFixed }, new Set(), "overhead") : []),
    ...validateLabels(scheduling?.nodeSelector, "scheduling.nodeSelector"),
    ...validateTolerations(scheduling?.tolerations ?? [], "scheduling.tolerations"),
    ...twinErrors(scheduling?.tolerations ?? []),
  ];
}

/** Unlike a pod, a RuntimeClass names each toleration once; tolerationSeconds makes no difference between two. */
function twinErrors(tolerations: readonly Toleration[]): FieldError[] {
  const seen = new Set<string>();
  return checkEach(
    tolerations,
    ({ key = "", operator = "", value = "", effect = "", tolerationSeconds }, index) => {
      const identity = JSON.stringify([key, operator, value, effect]);
      if (!seen.has(identity)) {
        seen.add(identity);
        return [];
      }
      const shown = {
        Key: key,
        Operator: operator,
        Value: value,
        Effect: effect,
        TolerationSeconds: tolerationSeconds ?? null,
      };
      return [fieldError.duplicate(`scheduling.tolerations[${index}]`, shown)];
    },
  );
}
