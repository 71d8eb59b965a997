// VolumeAttributesClasses: qualities of a volume that can be changed while it is in use.
import { deepEqual, type FieldError, fieldError, type VolumeAttributesClass } from "@kubewright/api";
import type { NativeKind } from "../../registry/native-kinds.js";
import { draftAs, storedAs } from "../as-kind.js";
import { validateCsiDriverName } from "../core/csi-driver-name.js";
import { validateParameters } from "./validate-parameters.js";

export const volumeAttributesClasses: NativeKind = {
  resource: "volumeattributesclasses.storage.k8s.io",
  strategy: {
    repeatsMetadataChecks: true,
    validateCreate: (object) => validateClass(draftAs<VolumeAttributesClass>(object)),
    validateUpdate(object, old) {
      const now = draftAs<VolumeAttributesClass>(object);
      const before = storedAs<VolumeAttributesClass>(old);
      return [
        ...validateClass(now),
        ...(now.driverName === before.driverName
          ? []
          : [fieldError.forbidden("driverName", "updates to driverName are forbidden.")]),
        ...(deepEqual(now.parameters ?? {}, before.parameters ?? {})
          ? []
          : [fieldError.forbidden("parameters", "updates to parameters are forbidden.")]),
      ];
    },
  },
};

function validateClass({ driverName, parameters = {} }: VolumeAttributesClass): FieldError[] {
  const empty = Object.keys(parameters).length === 0;
  return [
    ...validateCsiDriverName(driverName, "driverName"),
    ...(empty ? [fieldError.required("parameters", "must contain at least one key/value pair")] : []),
    ...validateParameters(parameters, "parameters"),
  ];
}
