// Pod templates as objects of their own.
import { deepEqual, type FieldError, type PodTemplate } from "@kubewright/api";
import type { BuiltInKind } from "../built-in-kind.js";
import type { DraftObject } from "../objects.js";
import { draftAs } from "../objects.js";
import { defaultPodTemplate } from "../pod/default-pod-spec.js";
import { validatePodTemplate } from "../pod/validate-pod-template.js";
import { bumpGeneration } from "../status-strategy.js";
import { templateWarnings } from "./workload-warnings.js";

const validate = (object: DraftObject): FieldError[] =>
  validatePodTemplate(draftAs<PodTemplate>(object).template ?? {}, "template");

/** Pod templates. */
export const podTemplates: BuiltInKind = {
  resource: "podtemplates",
  strategy: {
    hasGeneration: true,
    returnsDeleted: true,
    applyDefaults: (object) => defaultPodTemplate(draftAs<PodTemplate>(object).template),
    prepareForUpdate(object, old) {
      if (!deepEqual(object["template"], old["template"])) bumpGeneration(object, old);
    },
    validateCreate: validate,
    validateUpdate: validate,
    warnings: (object) => templateWarnings(draftAs<PodTemplate>(object).template, "template"),
  },
};
