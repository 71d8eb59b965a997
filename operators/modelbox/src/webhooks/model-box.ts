// Validation of a ModelBox beyond its schema: rules across fields.
import { type FieldError, fieldError } from "@kubewright/api";
import { defineWebhook } from "@kubewright/runtime";
import { ModelBox } from "../api/v1/model-box.js";

export const modelBoxWebhook = defineWebhook(ModelBox, {
  default(box) {
    if (box.spec.rollingUpdate === "") box.spec.rollingUpdate = "25%";
  },
  validate(box, { warn }) {
    const { image } = box.spec;
    if (!image.includes("@") && (image.endsWith(":latest") || !/:[^/]+$/.test(image)))
      warn(`spec.image: ${image} may be another image tomorrow; name a version`);
    return containerNames(box);
  },
});

/** A pod's containers have different names, whichever list they are in. */
function containerNames({ metadata, spec }: ModelBox): readonly FieldError[] {
  const taken = new Set([spec.name ?? metadata.name]);
  const lists = { containers: spec.containers ?? [], initContainers: spec.initContainers ?? [] };
  return Object.entries(lists).flatMap(([list, containers]) =>
    containers.flatMap(({ name }, index) => {
      if (taken.has(name)) return [fieldError.duplicate(`spec.${list}[${index}].name`, name)];
      taken.add(name);
      return [];
    }),
  );
}
