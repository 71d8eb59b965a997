// What a schema cannot say of a ModelBox: how its parts fit together.
import { compareQuantities, type FieldError, fieldError, isQuantity } from "@kubewright/api";
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
    return [...containerNames(box), ...resources(box)];
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

/** A pod that asks for more than it may use is refused when it is made; better when it is wished for. */
function resources({ spec }: ModelBox): readonly FieldError[] {
  const { requests = {}, limits = {} } = spec.resources ?? {};
  return Object.entries(requests).flatMap(([name, request]) => {
    const limit = limits[name];
    const isComparable = limit !== undefined && isQuantity(String(limit)) && isQuantity(String(request));
    if (!isComparable || compareQuantities(String(request), String(limit)) <= 0) return [];
    return [
      fieldError.invalid(
        `spec.resources.requests[${name}]`,
        request,
        `must not exceed its limit of ${limit}`,
      ),
    ];
  });
}
