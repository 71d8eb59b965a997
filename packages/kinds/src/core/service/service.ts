// Services. Their addresses and ports come from pools, their type decides which of their fields make sense.
import { fieldError, type Service, validateDns1123Label } from "@kubewright/api";
import type { BuiltInKind } from "../../built-in-kind.js";
import { ipWarnings } from "../../ip-warnings.js";
import type { DraftObject, StoredObject } from "../../objects.js";
import { draftAs, storedAs } from "../../objects.js";
import { validateIngressPoints } from "../load-balancer-status.js";
import { allocateService, releaseService } from "./allocate-service.js";
import { dropTypeDependents } from "./change-type.js";
import { defaultService } from "./default-service.js";
import { serviceWarnings } from "./service-warnings.js";
import { validateService } from "./validate-service.js";
import { validateServiceChange } from "./validate-service-change.js";

export const services: BuiltInKind = {
  resource: "services",
  strategy: {
    hasGeneration: false,
    allowCreateOnUpdate: true,
    returnsDeleted: true,
    selectableFields: ["spec.clusterIP", "spec.type"],
    validateName: (name, prefix) => validateDns1123Label(name, { prefix }),
    applyDefaults: defaultService,
    begin: allocateService,
    afterDelete: releaseService,
    prepareForUpdate: dropTypeDependents,
    validateCreate: (object) => validateService(draftAs<Service>(object), undefined),
    validateUpdate(object, old) {
      const service = draftAs<Service>(object);
      const before = storedAs<Service>(old);
      return [...validateServiceChange(service, before), ...validateService(service, before)];
    },
    warnings: (object) => serviceWarnings(draftAs<Service>(object)),
  },
  status: {
    validateUpdate: validateStatus,
    warnings: (object) =>
      (draftAs<Service>(object).status?.loadBalancer?.ingress ?? []).flatMap(({ ip }, index) =>
        ip ? ipWarnings(ip, `status.loadBalancer.ingress[${index}]`) : [],
      ),
  },
};

function validateStatus(object: DraftObject, old: StoredObject) {
  const { spec, status } = draftAs<Service>(object);
  const points = status?.loadBalancer?.ingress ?? [];
  const field = "status.loadBalancer.ingress";
  if (spec?.type !== "LoadBalancer" && points.length > 0)
    return [fieldError.forbidden(field, "may only be used when `spec.type` is 'LoadBalancer'")];
  const before = storedAs<Service>(old).status?.loadBalancer?.ingress ?? [];
  return validateIngressPoints(points, before, field, true);
}
