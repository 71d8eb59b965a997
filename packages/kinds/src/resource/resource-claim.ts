// ResourceClaims: devices somebody wants; what is asked for never changes.
import type { ResourceClaim } from "@kubewright/api";
import type { BuiltInKind } from "../built-in-kind.js";
import { immutable } from "../field-rules.js";
import { draftAs, storedAs } from "../objects.js";
import { statusAlone } from "../status-strategy.js";
import { validateAdminAccess } from "./admin-access.js";
import { validateClaimStatus } from "./validate-claim-status.js";
import { defaultDeviceClaim, validateDeviceClaim } from "./validate-device-claim.js";

export const resourceClaims: BuiltInKind = {
  resource: "resourceclaims.resource.k8s.io",
  strategy: {
    hasGeneration: false,
    returnsDeleted: true,
    applyDefaults: (object) => defaultDeviceClaim(draftAs<ResourceClaim>(object).spec?.devices),
    validateCreate(object, context) {
      const { metadata, spec } = draftAs<ResourceClaim>(object);
      return [
        ...validateAdminAccess(spec?.devices, metadata?.namespace, context, "spec.devices"),
        ...validateDeviceClaim(spec?.devices, "spec.devices"),
      ];
    },
    validateUpdate: (object, old) =>
      immutable(draftAs<ResourceClaim>(object).spec, storedAs<ResourceClaim>(old).spec, "spec"),
  },
  status: {
    ...statusAlone,
    validateUpdate: (object, old) =>
      validateClaimStatus(draftAs<ResourceClaim>(object), storedAs<ResourceClaim>(old)),
  },
};
