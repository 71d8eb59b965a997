// ResourceClaimTemplates: claims that pods get one each of.
import type { FieldError, ResourceClaimTemplate } from "@kubewright/api";
import type { BuiltInKind } from "../built-in-kind.js";
import { immutable } from "../field-rules.js";
import { draftAs, storedAs } from "../objects.js";
import { validateTemplateMetadata } from "../pod/validate-claim-template.js";
import { shownStruct } from "../shown-struct.js";
import { validateAdminAccess } from "./admin-access.js";
import { defaultDeviceClaim, validateDeviceClaim } from "./validate-device-claim.js";

export const resourceClaimTemplates: BuiltInKind = {
  resource: "resourceclaimtemplates.resource.k8s.io",
  strategy: {
    returnsDeleted: true,
    metadata: { onUpdate: ["update", "object"] },
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
      const before = storedAs<ResourceClaimTemplate>(old).spec;
      const claim = shownStruct(spec?.spec, "k8s.io.api.resource.v1.ResourceClaimSpec");
      // Metadata has the names of JSON there, too.
      return [...specErrors(spec), ...immutable(spec, before, "spec", { ...spec?.metadata, Spec: claim })];
    },
  },
};

const specErrors = (spec: ResourceClaimTemplate["spec"] | undefined): FieldError[] => [
  ...validateTemplateMetadata(spec?.metadata, "spec.metadata"),
  ...validateDeviceClaim(spec?.spec?.devices, "spec.spec.devices"),
];
