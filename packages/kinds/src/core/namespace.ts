// Namespaces: they are removed only when the namespace controller has removed its finalizer from the spec.
import {
  type Draft,
  type FieldError,
  fieldError,
  type Namespace,
  validateDns1123Label,
  validateQualifiedName,
} from "@kubewright/api";
import type { BuiltInKind } from "../built-in-kind.js";
import { checkEach } from "../check-each.js";
import { invalidBecause } from "../field-rules.js";
import type { DraftObject } from "../objects.js";
import { draftAs, storedAs } from "../objects.js";
import { keepField } from "../status-strategy.js";
import { validateStandardFinalizer } from "../validate-finalizers.js";

const nameLabel = "kubernetes.io/metadata.name";
const finalizer = "kubernetes";

type NamespaceDraft = Draft<Namespace>;

export const namespaces: BuiltInKind = {
  resource: "namespaces",
  strategy: {
    hasGeneration: false,
    metadata: { onUpdate: ["update", "object"] },
    selectableFields: ["status.phase"],
    validateName: (name, prefix) => validateDns1123Label(name, { prefix }),
    applyDefaults(object) {
      labelWithName(object);
      const namespace = draftAs<Namespace>(object);
      namespace.status = { ...namespace.status, phase: namespace.status?.phase || "Active" };
    },
    prepareForCreate(object) {
      // Once more: a generated name was not known before.
      labelWithName(object);
      const namespace = draftAs<Namespace>(object);
      namespace.status = { phase: "Active" };
      const finalizers = namespace.spec?.finalizers ?? [];
      namespace.spec = {
        ...namespace.spec,
        finalizers: finalizers.includes(finalizer) ? finalizers : [...finalizers, finalizer],
      };
    },
    prepareForUpdate(object, old) {
      keepField(object, old, "spec");
    },
    validateCreate: (object) => validateSpecFinalizers(draftAs<Namespace>(object), () => "spec.finalizers"),
    validateUpdate: (object) => validateSpecFinalizers(draftAs<Namespace>(object), () => "spec.finalizers"),
    // The first delete request never does more than begin.
    isHeld: (object) =>
      object.metadata.deletionTimestamp === undefined || (specOf(object)?.finalizers ?? []).length > 0,
    markDeleted(object) {
      const namespace = draftAs<Namespace>(object);
      namespace.status = { ...namespace.status, phase: "Terminating" };
      delete object.metadata.deletionGracePeriodSeconds;
    },
  },
  status: {
    validateUpdate: (object) => validatePhase(draftAs<Namespace>(object)),
  },
  subresources: {
    finalize: {
      resetFields: ["status"],
      prepareForUpdate(object, old) {
        keepField(object, old, "status");
      },
      validateUpdate: (object) =>
        validateSpecFinalizers(draftAs<Namespace>(object), (index) => `spec.finalizers[${index}]`),
    },
  },
};

const specOf = (object: { readonly [field: string]: unknown }): Namespace["spec"] =>
  storedAs<Namespace>(object as never).spec;

/** Every namespace can be selected by its name. */
function labelWithName({ metadata }: DraftObject): void {
  if (metadata.name) metadata.labels = { ...metadata.labels, [nameLabel]: metadata.name };
}

function validateSpecFinalizers({ spec }: NamespaceDraft, fieldOf: (index: number) => string): FieldError[] {
  return checkEach(spec?.finalizers ?? [], (name, index) => [
    ...invalidBecause(validateQualifiedName(name), name, fieldOf(index)),
    ...validateStandardFinalizer(name, fieldOf(index)),
  ]);
}

/** The phase follows from whether deletion has begun. */
function validatePhase({ metadata, status }: NamespaceDraft): FieldError[] {
  const phase = status?.phase ?? "";
  const begun = metadata?.deletionTimestamp !== undefined;
  if (phase === (begun ? "Terminating" : "Active")) return [];
  const text = begun
    ? "may only be 'Terminating' if `deletionTimestamp` is not empty"
    : "may only be 'Active' if `deletionTimestamp` is empty";
  return [fieldError.invalid("status.Phase", phase, text)];
}
