// Ratcheting of CRDs: an update is not held to a rule that the old CRD broke already.
import type { CustomResourceDefinition, JSONSchemaProps } from "@kubewright/api";
import { compileSchemaRules } from "@kubewright/cel";
import { type ConversionRules, isCaBundle, reviewVersions } from "./conversion.js";
import { defaultErrors } from "./default-values.js";
import type { RootSchemaRules } from "./root-schema.js";
import { listItemErrors } from "./schema-rules.js";
import { someSchemaOf } from "./schema-walk.js";
import { structuralErrors } from "./structural-rules.js";
import { hasAtomicItems } from "./topology-rules.js";

/** The rules for a CRD. */
export interface CrdRules extends RootSchemaRules, ConversionRules {
  readonly requireSchema: boolean;
}

/** The rules for a new CRD, or for the update of `old` to it. */
export function rulesFor(crd: CustomResourceDefinition, old: CustomResourceDefinition | undefined): CrdRules {
  const ruleErrors: CrdRules["ruleErrors"] = (schema, options) => compileSchemaRules(schema, options).errors;
  if (old === undefined) return { ...strictest, ruleErrors };
  const { spec } = old;
  const review = spec.conversion?.webhook?.conversionReviewVersions ?? [];
  return {
    requireSchema: spec.versions.every((version) => version.schema?.openAPIV3Schema !== undefined),
    requireStructural:
      crd.spec.preserveUnknownFields !== true ||
      areStructural(spec.versions) ||
      someSchemaOf(crd.spec, needsStructure),
    requireValidPropertyType: !someSchemaOf(spec, hasUnknownType),
    requirePrunedDefaults: !haveUnprunedDefault(spec.versions),
    requireAtomicSetType: !someSchemaOf(spec, isSetOfParts),
    requireMapListKeys: !someSchemaOf(spec, (schema) => listItemErrors(schema, "").length > 0),
    requireRecognizedReviewVersion:
      review.length === 0 || review.some((version) => reviewVersions.includes(version)),
    allowInvalidCaBundle: !isEstablished(old) || hasInvalidCaBundle(old),
    ruleErrors,
  };
}

const strictest: Omit<CrdRules, "ruleErrors"> = {
  requireSchema: true,
  requireStructural: true,
  requireValidPropertyType: true,
  requirePrunedDefaults: true,
  requireAtomicSetType: true,
  requireMapListKeys: true,
  requireRecognizedReviewVersion: true,
  allowInvalidCaBundle: true,
};

/** Whether a CRD is established; from then on objects may exist. */
export function isEstablished(crd: CustomResourceDefinition): boolean {
  return (
    crd.status?.conditions?.some(({ type, status }) => type === "Established" && status === "True") === true
  );
}

type Version = CustomResourceDefinition["spec"]["versions"][number];

function areStructural(versions: readonly Version[]): boolean {
  for (const { schema } of versions) {
    const root = schema?.openAPIV3Schema;
    if (root !== undefined && structuralErrors(root, "").length > 0) return false;
  }
  return true;
}

/** Defaults and extensions only make sense in structural schemas. */
const needsStructure = (schema: JSONSchemaProps): boolean =>
  (schema.default !== undefined && schema.default !== null) ||
  Object.keys(schema).some((keyword) => keyword.startsWith("x-kubernetes-"));

const types = new Set(["array", "boolean", "integer", "number", "object", "string"]);
const hasUnknownType = ({ type }: JSONSchemaProps): boolean =>
  type !== undefined && type !== "" && !types.has(type);

const isSetOfParts = (schema: JSONSchemaProps): boolean =>
  schema["x-kubernetes-list-type"] === "set" && !hasAtomicItems(schema);

function haveUnprunedDefault(versions: readonly Version[]): boolean {
  for (const { schema } of versions) {
    const root = schema?.openAPIV3Schema;
    if (root === undefined || structuralErrors(root, "").length > 0) continue;
    const errors = defaultErrors(root, "", true);
    if (errors.some(({ message }) => message.endsWith("must not have unknown fields"))) return true;
  }
  return false;
}

function hasInvalidCaBundle({ spec }: CustomResourceDefinition): boolean {
  const bundle = spec.conversion?.webhook?.clientConfig?.caBundle;
  return bundle !== undefined && bundle !== "" && !isCaBundle(bundle);
}
