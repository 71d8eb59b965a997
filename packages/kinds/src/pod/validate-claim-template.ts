// Claims that are made along with a pod or a stateful set.
import {
  Amount,
  type FieldError,
  fieldError,
  type ObjectMeta,
  type PersistentVolumeClaimSpec,
  type PersistentVolumeClaimTemplate,
  validateDns1123Label,
  validateDns1123Subdomain,
} from "@kubewright/api";
import { validateAccessModes } from "../core/validate-access-modes.js";
import { invalidBecause, oneOfIfSet, requiredText } from "../field-rules.js";
import { selectorErrors } from "../selector-errors.js";
import { annotationErrors, labelErrors } from "../validate-labels.js";
import { validateQuantity } from "./validate-resources.js";

/** The template of a claim: only labels and annotations may be set in its metadata. */
export function validateClaimTemplate(
  { metadata, spec }: PersistentVolumeClaimTemplate,
  field: string,
): FieldError[] {
  return [
    ...validateTemplateMetadata(metadata, `${field}.metadata`),
    ...validateClaimSpec(spec, `${field}.spec`),
  ];
}

/** The metadata of such a template, for claims of any kind. */
export function validateTemplateMetadata(metadata: ObjectMeta | undefined, field: string): FieldError[] {
  const extra = Object.entries(metadata ?? {})
    .filter(
      ([name, value]) => name !== "labels" && name !== "annotations" && value !== undefined && value !== null,
    )
    // kube-apiserver makes the name of the field from that of its Go type.
    .map(([name]) => fieldError.forbidden(`${field}.${name === "uid" ? "uID" : name}`, "cannot be set"));
  return [
    ...annotationErrors(metadata?.annotations, `${field}.annotations`),
    ...labelErrors(metadata?.labels, `${field}.labels`),
    ...extra,
  ];
}

/** Validates the spec of a claim. */
export function validateClaimSpec(spec: PersistentVolumeClaimSpec, field: string): FieldError[] {
  return [
    ...((spec.accessModes ?? []).length === 0
      ? [fieldError.required(`${field}.accessModes`, "at least 1 access mode is required")]
      : []),
    ...(spec.selector ? selectorErrors(spec.selector, `${field}.selector`) : []),
    ...validateAccessModes(spec.accessModes ?? [], `${field}.accessModes`),
    ...storageErrors(spec, `${field}.resources[storage]`),
    ...classErrors(spec.storageClassName, `${field}.storageClassName`),
    ...oneOfIfSet(spec.volumeMode, ["Block", "Filesystem"], `${field}.volumeMode`),
    ...dataSourceErrors(spec, field),
    ...classErrors(spec.volumeAttributesClassName, `${field}.volumeAttributesClassName`),
  ];
}

const classErrors = (name: string | undefined, field: string): FieldError[] =>
  name ? invalidBecause(validateDns1123Subdomain(name), name, field) : [];

function storageErrors({ resources }: PersistentVolumeClaimSpec, field: string): FieldError[] {
  const storage = resources?.requests?.["storage"];
  if (storage === undefined) return [fieldError.required(field)];
  const amount = Amount.parse(storage);
  if (amount.sign() <= 0) return [fieldError.invalid(field, amount.toString(), "must be greater than zero")];
  return validateQuantity("storage", amount, field);
}

type DataSource = NonNullable<PersistentVolumeClaimSpec["dataSourceRef"]>;

function dataSourceErrors(
  { dataSource, dataSourceRef }: PersistentVolumeClaimSpec,
  field: string,
): FieldError[] {
  const errors = [
    ...(dataSource ? referenceErrors(dataSource, `${field}.dataSource`) : []),
    ...(dataSourceRef ? referenceErrors(dataSourceRef, `${field}.dataSourceRef`) : []),
  ];
  if (!dataSource || !dataSourceRef) return errors;
  if (dataSourceRef.namespace) {
    const text = "may not be specified when dataSourceRef.namespace is specified";
    return [...errors, fieldError.invalid(field, `${field}.dataSource`, text)];
  }
  const same =
    dataSource.apiGroup === dataSourceRef.apiGroup &&
    dataSource.kind === dataSourceRef.kind &&
    dataSource.name === dataSourceRef.name;
  return same
    ? errors
    : [...errors, fieldError.invalid(field, `${field}.dataSource`, "must match dataSourceRef")];
}

function referenceErrors(source: DataSource, field: string): FieldError[] {
  const { name, kind, apiGroup, namespace } = source;
  const errors = [...requiredText(name, `${field}.name`), ...requiredText(kind, `${field}.kind`)];
  if (!apiGroup && kind !== "PersistentVolumeClaim") {
    const text = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
    errors.push(fieldError.invalid(field, kind, text));
  }
  if (apiGroup)
    errors.push(...invalidBecause(validateDns1123Subdomain(apiGroup), apiGroup, `${field}.apiGroup`));
  if (namespace)
    errors.push(...invalidBecause(validateDns1123Label(namespace), namespace, `${field}.namespace`));
  return errors;
}
