// Everything Kubernetes demands of a CustomResourceDefinition, with its field paths, reasons and messages.
import {
  type CustomResourceDefinition,
  type CustomResourceDefinitionSpec,
  type CustomResourceDefinitionVersion,
  deepEqual,
  type FieldError,
  fieldError,
  type JSONSchemaProps,
  validateAnnotations,
  validateDns1035Label,
  validateDns1123Subdomain,
  validateLabels,
} from "@kubewright/api";
import { approvalErrors } from "./api-approval.js";
import { conversionErrors } from "./conversion.js";
import { deprecationErrors } from "./deprecation.js";
import { type HubSpec, hubForm, type VersionedParts } from "./hub-form.js";
import { versionsText } from "./hub-text.js";
import { columnErrors, selectableFieldErrors, subresourceErrors } from "./json-paths.js";
import { missingNameErrors, nameErrors } from "./names.js";
import { unstructurable, validationErrors } from "./root-schema.js";
import { type CrdRules, isEstablished, rulesFor } from "./rule-sets.js";
import { someSchemaOf } from "./schema-walk.js";
import { storedVersionErrors, storedVersions } from "./stored-versions.js";

/**
 * Validates a CustomResourceDefinition, or the update of `old` to it, as the API server does. Expects defaults to be
 * filled in (`defaultCustomResourceDefinition`).
 *
 * @example
 * const errors = validateCustomResourceDefinition(defaultCustomResourceDefinition(crd));
 */
export function validateCustomResourceDefinition(
  crd: CustomResourceDefinition,
  old?: CustomResourceDefinition,
): FieldError[] {
  return [
    ...(old === undefined ? metadataErrors(crd) : []),
    ...validateCustomResourceDefinitionBody(crd, old),
  ];
}

/** The same without the rules for metadata, for a server that applies those to every kind. */
export function validateCustomResourceDefinitionBody(
  crd: CustomResourceDefinition,
  old?: CustomResourceDefinition,
): FieldError[] {
  const stored = storedVersions(crd, old);
  const status = (old ?? crd).status;
  const ofSpec = specErrors(hubForm(crd.spec), rulesFor(crd, old));
  return [
    ...ofSpec,
    ...(old === undefined ? [] : immutabilityErrors(crd.spec, old)),
    ...(status?.acceptedNames === undefined || old === undefined
      ? []
      : nameErrors(status.acceptedNames, "status.acceptedNames")),
    ...storedVersionErrors(stored, crd.spec.versions ?? []),
    ...approvalErrors(crd, old),
    ...preserveErrors(crd, old),
  ];
}

/** Validates a status that is written through `/status`. */
export function validateCustomResourceDefinitionStatus(crd: CustomResourceDefinition): FieldError[] {
  const names = crd.status?.acceptedNames;
  return names === undefined ? [] : nameErrors(names, "status.acceptedNames");
}

/** The problems of the name of a CRD, with Kubernetes' messages. */
export function crdNameProblems(name: string, spec: CustomResourceDefinitionSpec): string[] {
  const expected = `${spec.names?.plural ?? ""}.${spec.group ?? ""}`;
  const mismatch = name === expected ? [] : ['must be spec.names.plural+"."+spec.group'];
  return [...validateDns1123Subdomain(name), ...mismatch];
}

function metadataErrors({ metadata, spec }: CustomResourceDefinition): FieldError[] {
  const name = metadata?.name ?? "";
  const nameProblems =
    name === ""
      ? [fieldError.required("metadata.name", "name or generateName is required")]
      : crdNameProblems(name, spec).map((text) => fieldError.invalid("metadata.name", name, text));
  return [
    ...nameProblems,
    ...validateLabels(metadata?.labels, "metadata.labels"),
    ...validateAnnotations(metadata?.annotations, "metadata.annotations"),
  ];
}

function specErrors(hub: HubSpec, rules: CrdRules): FieldError[] {
  const { spec, common, versions } = hub;
  const { names } = spec;
  const ofVersions: FieldError[][] = [];
  const haveOwn = versions.some(({ subresources }) => subresources !== undefined);
  for (const [i, version] of versions.entries()) {
    const status = hasStatus(haveOwn ? version : common);
    ofVersions.push(versionErrors(version, status, i, rules));
  }
  const withStatus = hasStatus(common) || versions.some(hasStatus);
  const ofAll = partErrors(common, withStatus, "spec", "validation", rules);
  return [
    ...groupErrors(spec.group),
    ...scopeErrors(spec.scope),
    ...missingSchemaErrors(hub, rules),
    ...defaultsErrors(spec),
    ...ofVersions.flat(),
    ...versionListErrors(versions, Array.isArray(spec.versions)),
    ...missingNameErrors(names ?? {}, "spec.names"),
    ...nameErrors(names ?? {}, "spec.names"),
    ...ofAll,
    ...conversionErrors(spec.conversion, "spec.conversion", rules),
  ];
}

function groupErrors(group: string | undefined): FieldError[] {
  if (!group) return [fieldError.required("spec.group")];
  const problems = validateDns1123Subdomain(group);
  if (problems.length > 0) return [fieldError.invalid("spec.group", group, problems.join(","))];
  return group.includes(".")
    ? []
    : [fieldError.invalid("spec.group", group, "should be a domain with at least one dot")];
}

function scopeErrors(scope: string | undefined): FieldError[] {
  if (!scope) return [fieldError.required("spec.scope")];
  const scopes = ["Cluster", "Namespaced"];
  return scopes.includes(scope) ? [] : [fieldError.notSupported("spec.scope", scope, scopes)];
}

function missingSchemaErrors({ common, versions }: HubSpec, rules: CrdRules): FieldError[] {
  if (common.schema?.openAPIV3Schema !== undefined) return [];
  return versions.flatMap((version, i) => {
    const path = `spec.versions[${i}].schema.openAPIV3Schema`;
    if (version.schema?.openAPIV3Schema !== undefined) return [];
    if (rules.requireSchema) return [fieldError.required(path)];
    return version.served ? [fieldError.required(path, "because otherwise all fields are pruned")] : [];
  });
}

function defaultsErrors(spec: CustomResourceDefinitionSpec): FieldError[] {
  if (spec.preserveUnknownFields !== true) return [];
  const hasDefault = someSchemaOf(spec, (schema) => schema.default !== undefined && schema.default !== null);
  if (!hasDefault) return [];
  const detail = "must be false in order to use defaults in the schema";
  return [fieldError.invalid("spec.preserveUnknownFields", true, detail)];
}

function versionErrors(
  version: CustomResourceDefinitionVersion,
  status: boolean,
  i: number,
  rules: CrdRules,
): FieldError[] {
  const path = `spec.versions[${i}]`;
  const name = version.name ?? "";
  const problems = validateDns1035Label(name);
  return [
    ...(problems.length === 0 ? [] : [fieldError.invalid(`${path}.name`, name, problems.join(","))]),
    ...deprecationErrors(version, `${path}.deprecationWarning`),
    ...partErrors(version, status, path, "schema", rules),
  ];
}

const hasStatus = ({ subresources }: VersionedParts): boolean => subresources?.status !== undefined;

/** Validates schema, subresources, columns and selectable fields of a version, or those that all versions share. */
function partErrors(
  parts: VersionedParts,
  status: boolean,
  path: string,
  schemaField: "schema" | "validation",
  rules: CrdRules,
): FieldError[] {
  const { schema, subresources, additionalPrinterColumns = [], selectableFields = [] } = parts;
  return [
    ...validationErrors(schema, status, `${path}.${schemaField}`, rules),
    ...subresourceErrors(subresources, `${path}.subresources`),
    ...additionalPrinterColumns.flatMap((column, i) =>
      columnErrors(column, `${path}.additionalPrinterColumns[${i}]`),
    ),
    ...(selectableFields.length === 0
      ? []
      : [
          ...unstructurableErrors(schema?.openAPIV3Schema ?? {}, path),
          ...selectableFieldErrors(
            selectableFields,
            schema?.openAPIV3Schema ?? {},
            `${path}.selectableFields`,
          ),
        ]),
  ];
}

/** Fields are looked for in the structural schema, so that one that cannot be made is told once more. */
function unstructurableErrors(schema: JSONSchemaProps, path: string): FieldError[] {
  const text = unstructurable(schema);
  return text === undefined ? [] : [fieldError.invalid(`${path}.schema.openAPIV3Schema`, "", text)];
}

function versionListErrors(
  versions: readonly CustomResourceDefinitionVersion[],
  areThere: boolean,
): FieldError[] {
  const errors: FieldError[] = [];
  const invalid = (detail: string): void =>
    void errors.push(fieldError.invalid("spec.versions", areThere ? versionsText(versions) : null, detail));
  if (new Set(versions.map(({ name }) => name)).size < versions.length)
    invalid("must contain unique version names");
  if (versions.filter(({ storage }) => storage).length !== 1) {
    invalid("must have exactly one version marked as storage version");
  }
  // The first version is that of the CRD in the form it is checked in.
  const [first] = versions;
  const problems = first?.name ? validateDns1035Label(first.name) : [];
  if (problems.length > 0) errors.push(fieldError.invalid("spec.version", first?.name, problems.join(",")));
  return errors;
}

function immutabilityErrors(spec: CustomResourceDefinitionSpec, old: CustomResourceDefinition): FieldError[] {
  const before = old.spec;
  const fixed: readonly (readonly [path: string, now: unknown, then: unknown])[] = [
    ...(isEstablished(old)
      ? ([
          ["spec.scope", spec.scope, before.scope],
          ["spec.names.kind", spec.names?.kind, before.names.kind],
        ] as const)
      : []),
    ["spec.group", spec.group, before.group],
    ["spec.names.plural", spec.names?.plural, before.names.plural],
  ];
  return fixed
    .filter(([, now, then]) => !deepEqual(now, then))
    .map(([path, now]) => fieldError.invalid(path, now ?? "", "field is immutable"));
}

function preserveErrors(
  crd: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
): FieldError[] {
  if (old?.spec.preserveUnknownFields === true || crd.spec.preserveUnknownFields !== true) return [];
  const detail =
    "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";
  return [fieldError.invalid("spec.preserveUnknownFields", true, detail)];
}
