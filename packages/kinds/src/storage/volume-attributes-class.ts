// VolumeAttributesClasses: qualities of a volume that can be changed while it is in use.
import { deepEqual, type FieldError, fieldError, type VolumeAttributesClass } from "@kubewright/api";
import type { BuiltInKind } from "../built-in-kind.js";
import { draftAs, storedAs } from "../objects.js";
import { validateParameters } from "./validate-parameters.js";
import { validateProvisioner } from "./validate-provisioner.js";

export const volumeAttributesClasses: BuiltInKind = {
  resource: "volumeattributesclasses.storage.k8s.io",
  strategy: {
    metadata: { onUpdate: ["update", "object"] },
    returnsDeleted: true,
    validateCreate: (object) => validateClass(draftAs<VolumeAttributesClass>(object)),
    validateUpdate(object, old) {
      const now = draftAs<VolumeAttributesClass>(object);
      const before = storedAs<VolumeAttributesClass>(old);
      return [
        ...(now.driverName === before.driverName
          ? []
          : [fieldError.forbidden("driverName", "updates to driverName are forbidden.")]),
        ...(deepEqual(now.parameters ?? {}, before.parameters ?? {})
          ? []
          : [fieldError.forbidden("parameters", "updates to parameters are forbidden.")]),
        ...validateClass(now),
      ];
    },
  },
};

function validateClass({ driverName, parameters = {} }: VolumeAttributesClass): FieldError[] {
  const empty = Object.keys(parameters).length === 0;
  return [
    ...validateProvisioner(driverName, "driverName"),
    ...validateParameters(parameters, "parameters"),
    ...(empty ? [fieldError.required("parameters", "must contain at least one key/value pair")] : []),
  ];
}
