// ResourceClaimTemplates: claims that pods get one each of.
import type { FieldError, ResourceClaimTemplate } from "@kubewright/api";
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
      return [
        ...validateAdminAccess(spec?.spec?.devices, metadata?.namespace, context, "spec.spec.devices"),
        ...specErrors(spec),
      ];
    },
    validateUpdate(object, old) {
      const { spec } = draftAs<ResourceClaimTemplate>(object);
      return [...specErrors(spec), ...immutable(spec, storedAs<ResourceClaimTemplate>(old).spec, "spec")];
    },
  },
};

const specErrors = (spec: ResourceClaimTemplate["spec"] | undefined): FieldError[] => [
  ...validateTemplateMetadata(spec?.metadata, "spec.metadata"),
  ...validateDeviceClaim(spec?.spec?.devices, "spec.spec.devices"),
];
