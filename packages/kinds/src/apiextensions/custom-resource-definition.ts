// CustomResourceDefinitions. What they define is served by ../../crds.
import { type CustomResourceDefinition, fieldError, formatTime } from "@kubewright/api";
import {
  crdNameProblems,
  crdWarnings,
  defaultCustomResourceDefinition,
  storedVersions,
  validateCustomResourceDefinitionBody,
  validateCustomResourceDefinitionStatus,
} from "@kubewright/schema/engine";
import type { BuiltInKind } from "../built-in-kind.js";
import { draftAs, storedAs } from "../objects.js";
import { cleanupFinalizer, withCondition } from "./conditions.js";

type Definition = CustomResourceDefinition;

export const customResourceDefinitions: BuiltInKind = {
  resource: "customresourcedefinitions.apiextensions.k8s.io",
  formerVersions: ["v1beta1"],
  strategy: {
    // An update must say which version it is based on.
    allowUnconditionalUpdate: false,
    metadata: { validator: "apimachinery" },
    // Names follow from the spec, which is looked at below.
    validateName: () => [],
    applyDefaults(object) {
      const { spec, status } = defaultCustomResourceDefinition(storedAs<Definition>(object as never));
      object["spec"] = spec;
      if (status) object["status"] = status;
    },
    prepareForCreate(object) {
      const definition = draftAs<Definition>(object);
      definition.status = {
        conditions: null as never,
        acceptedNames: { plural: "", kind: "" },
        storedVersions: [...storedVersions(definition)],
      };
    },
    prepareForUpdate(object, old) {
      const definition = draftAs<Definition>(object);
      const stored = [...storedVersions(definition, storedAs<Definition>(old))];
      definition.status = { ...definition.status, storedVersions: stored };
    },
    validateCreate(object) {
      const definition = draftAs<Definition>(object);
      const { name, generateName } = object.metadata;
      const nameErrors = (field: string, text: string | undefined) =>
        (text ? crdNameProblems(text, definition.spec) : []).map((problem) =>
          fieldError.invalid(field, text, problem),
        );
      return [
        ...nameErrors("metadata.generateName", generateName),
        ...nameErrors("metadata.name", name),
        ...validateCustomResourceDefinitionBody(definition),
      ];
    },
    validateUpdate: (object, old) =>
      validateCustomResourceDefinitionBody(draftAs<Definition>(object), storedAs<Definition>(old)),
    beforeStore(object) {
      const { conversion } = draftAs<Definition>(object).spec;
      const { clientConfig, conversionReviewVersions = [] } = conversion?.webhook ?? {};
      // An empty webhook is dropped.
      if (conversion && !clientConfig && conversionReviewVersions.length === 0) delete conversion.webhook;
    },
    warnings: (object, old) => crdWarnings(draftAs<Definition>(object), old && storedAs<Definition>(old)),
    deletionFinalizers: [cleanupFinalizer],
    markDeleted(object, old, now) {
      const definition = draftAs<Definition>(object);
      // Deletion of a CRD sets no grace period and does not change its generation.
      delete object.metadata.deletionGracePeriodSeconds;
      if (old.metadata.generation === undefined) delete object.metadata.generation;
      else object.metadata.generation = old.metadata.generation;
      if (old.metadata.deletionTimestamp) return;
      const conditions = withCondition(definition.status?.conditions, deletionPending, formatTime(now));
      definition.status = { ...definition.status, conditions: [...conditions] };
    },
  },
  status: {
    allowUnconditionalUpdate: false,
    resetFields: ["spec"],
    validateUpdate: (object) => validateCustomResourceDefinitionStatus(draftAs<Definition>(object)),
  },
};

const deletionPending = {
  type: "Terminating",
  status: "True",
  reason: "InstanceDeletionPending",
  message: "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
};
