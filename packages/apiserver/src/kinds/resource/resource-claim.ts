// ResourceClaims: devices somebody wants; what is asked for never changes.
import type { ResourceClaim } from "@kubewright/api";
import type { NativeKind } from "../../registry/native-kinds.js";
import { keepMetadata } from "../../registry/status-strategy.js";
import { draftAs, storedAs } from "../as-kind.js";
import { immutable } from "../field-rules.js";
import { defaultDeviceClaim, validateDeviceClaim } from "./validate-device-claim.js";

export const resourceClaims: NativeKind = {
  resource: "resourceclaims.resource.k8s.io",
  strategy: {
    hasGeneration: false,
    returnsDeleted: true,
    applyDefaults: (object) => defaultDeviceClaim(draftAs<ResourceClaim>(object).spec?.devices),
    validateCreate: (object) =>
      validateDeviceClaim(draftAs<ResourceClaim>(object).spec?.devices, "spec.devices"),
    validateUpdate: (object, old) =>
      immutable(draftAs<ResourceClaim>(object).spec, storedAs<ResourceClaim>(old).spec, "spec"),
  },
  status: { prepareForUpdate: keepMetadata },
};
