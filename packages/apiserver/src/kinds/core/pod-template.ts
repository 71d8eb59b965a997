// PodTemplates: a template that stands alone, for controllers that take one by reference.
import type { PodTemplate } from "@kubewright/api";
import { deepEqual } from "@kubewright/api";
import type { NativeKind } from "../../registry/native-kinds.js";
import { bumpGeneration } from "../../registry/status-strategy.js";
import type { DraftObject } from "../../request/draft.js";
import { draftAs, storedAs } from "../as-kind.js";
import { defaultPodTemplate } from "../pod/default-pod-spec.js";
import { validatePodTemplate } from "../pod/validate-pod-template.js";

const validate = (object: DraftObject) =>
  validatePodTemplate(draftAs<PodTemplate>(object).template ?? {}, "template");

export const podTemplates: NativeKind = {
  resource: "podtemplates",
  strategy: {
    hasGeneration: true,
    allowCreateOnUpdate: true,
    returnsDeleted: true,
    applyDefaults: (object) => defaultPodTemplate(draftAs<PodTemplate>(object).template),
    prepareForUpdate(object, old) {
      const before = storedAs<PodTemplate>(old).template;
      if (!deepEqual(draftAs<PodTemplate>(object).template, before)) bumpGeneration(object, old);
    },
    validateCreate: validate,
    validateUpdate: validate,
  },
};
