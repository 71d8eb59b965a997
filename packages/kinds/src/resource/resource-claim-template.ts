// ResourceClaimTemplates: claims that pods get one each of.
import type { ResourceClaimTemplate } from "@kubewright/api";
import type { BuiltInKind } from "../built-in-kind.js";
import { immutable } from "../field-rules.js";
import { draftAs, storedAs } from "../objects.js";
import { validateTemplateMetadata } from "../pod/validate-claim-template.js";
import { validateAdminAccess } from "./admin-access.js";
import { defaultDeviceClaim, validateDeviceClaim } from "./validate-device-claim.js";

export const resourceClaimTemplates: BuiltInKind = {
  resource: "resourceclaimtemplates.resource.k8s.io",
  strategy: {
    returnsDeleted: true,
    applyDefaults: (object) => defaultDeviceClaim(draftAs<ResourceClaimTemplate>(object).spec?.spec?.devices),
    validateCreate(object, context) {
      const { metadata, spec } = draftAs<ResourceClaimTemplate>(object);
      const devices = spec?.spec?.devices;
      return [
        ...validateAdminAccess(devices, metadata?.namespace, context, "spec.spec.devices"),
        ...validateTemplateMetadata(spec?.metadata, "spec.metadata"),
        ...validateDeviceClaim(devices, "spec.spec.devices"),
      ];
    },
    validateUpdate: (object, old) =>
      immutable(
        draftAs<ResourceClaimTemplate>(object).spec,
        storedAs<ResourceClaimTemplate>(old).spec,
        "spec",
      ),
  },
};
