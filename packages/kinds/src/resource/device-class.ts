// DeviceClasses: what administrators offer for claims to ask for.
import {
  type DeviceClass,
  type DeviceClassSpec,
  deepEqual,
  type FieldError,
  fieldError,
} from "@kubewright/api";
import type { BuiltInKind } from "../built-in-kind.js";
import { countGeneration } from "../count-generation.js";
import { draftAs, storedAs } from "../objects.js";
import { isExtended } from "../pod/resource-names.js";
import { validateList } from "./bounded-list.js";
import { validateDeviceConfiguration } from "./device-configuration.js";
import { validateDeviceSelectors } from "./device-selector.js";

const mostConfigurations = 32;

export const deviceClasses: BuiltInKind = {
  resource: "deviceclasses.resource.k8s.io",
  strategy: {
    metadata: { uncheckedPrefix: true, onUpdate: ["update", "object"] },
    ...countGeneration("spec"),
    returnsDeleted: true,
    validateCreate: (object) => specErrors(draftAs<DeviceClass>(object).spec, undefined),
    validateUpdate: (object, old) =>
      specErrors(draftAs<DeviceClass>(object).spec, storedAs<DeviceClass>(old).spec),
  },
};

function specErrors(spec: DeviceClassSpec, before: DeviceClassSpec | undefined): FieldError[] {
  const { selectors, config, extendedResourceName: name } = spec;
  const keptSelectors = before !== undefined && deepEqual(selectors, before.selectors);
  const keptConfig = before !== undefined && deepEqual(config, before.config);
  return [
    ...validateDeviceSelectors(selectors, "spec.selectors", keptSelectors),
    ...validateList(config, mostConfigurations, "spec.config", (one, at) =>
      validateDeviceConfiguration(one, at, keptConfig),
    ),
    ...(name === undefined || isExtended(name)
      ? []
      : [fieldError.invalid("spec.extendedResourceName", name, "must be a valid extended resource name")]),
  ];
}
