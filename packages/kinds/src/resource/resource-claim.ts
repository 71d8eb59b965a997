// ResourceClaims: requests for devices; the spec is immutable.
import type { ResourceClaim } from "@kubewright/api";
import type { BuiltInKind } from "../built-in-kind.js";
import { immutable } from "../field-rules.js";
import { draftAs, storedAs } from "../objects.js";
import { shownStruct } from "../shown-struct.js";
import { statusAlone } from "../status-strategy.js";
import { validateAdminAccess } from "./admin-access.js";
import { validateClaimStatus } from "./validate-claim-status.js";
import { defaultDeviceClaim, validateDeviceClaim } from "./validate-device-claim.js";

export const resourceClaims: BuiltInKind = {
  resource: "resourceclaims.resource.k8s.io",
  strategy: {
    hasGeneration: false,
    metadata: { onUpdate: ["update", "object"] },
    returnsDeleted: true,
    applyDefaults: (object) => defaultDeviceClaim(draftAs<ResourceClaim>(object).spec?.devices),
    validateCreate(object, context) {
      const { metadata, spec } = draftAs<ResourceClaim>(object);
      return [
        ...validateAdminAccess(spec?.devices, metadata?.namespace, context, "spec.devices"),
        ...validateDeviceClaim(spec?.devices, "spec.devices"),
      ];
    },
    validateUpdate(object, old) {
      const { spec } = draftAs<ResourceClaim>(object);
      const shown = shownStruct(spec, "k8s.io.api.resource.v1.ResourceClaimSpec");
      return immutable(spec, storedAs<ResourceClaim>(old).spec, "spec", shown);
    },
  },
  status: {
    ...statusAlone,
    validateUpdate: (object, old) =>
      validateClaimStatus(draftAs<ResourceClaim>(object), storedAs<ResourceClaim>(old)),
  },
};
