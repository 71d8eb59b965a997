// Validates access reviews.

import {
  type FieldError,
  type FieldSelectorAttributes,
  fieldError,
  type LabelSelectorAttributes,
  type NonResourceAttributes,
  type ObjectMeta,
  type ResourceAttributes,
  type SubjectAccessReviewSpec,
  validateLabelValue,
  validateQualifiedName,
} from "@kubewright/api";
import { invalidBecause } from "@kubewright/kinds";

type Attributes = Pick<SubjectAccessReviewSpec, "resourceAttributes" | "nonResourceAttributes">;

/** Either a resource or a path is asked about. */
export function validateAttributes({ resourceAttributes, nonResourceAttributes }: Attributes): FieldError[] {
  const errors: FieldError[] = [];
  if (resourceAttributes && nonResourceAttributes) {
    const text = "cannot be specified in combination with resourceAttributes";
    errors.push(fieldError.invalid("spec.nonResourceAttributes", goAttributes(nonResourceAttributes), text));
  }
  if (!resourceAttributes && !nonResourceAttributes) {
    const text = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
    errors.push(fieldError.invalid("spec.resourceAttributes", null, text));
  }
  return [...errors, ...validateSelectors(resourceAttributes)];
}

/** Someone is asked about. */
export function validateSubject({ user, groups }: SubjectAccessReviewSpec): FieldError[] {
  if (user || groups?.length) return [];
  return [fieldError.invalid("spec.user", "", "at least one of user or group must be specified")];
}

/** Reviews have no identity: their metadata is empty, but for the namespace of a local one. */
export function validateNoMetadata(metadata: ObjectMeta, local: boolean): FieldError[] {
  const { managedFields: _owners, namespace, ...rest } = metadata;
  const given = Object.values({ ...rest, ...(local ? {} : { namespace }) }).some(
    (value) => value !== undefined,
  );
  const text = local ? "must be empty except for namespace" : "must be empty";
  return given ? [fieldError.invalid("metadata", metadata, text)] : [];
}

/** A local review asks about its own namespace, and about resources only. */
export function validateLocal(
  { resourceAttributes, nonResourceAttributes }: Attributes,
  namespace: string,
): FieldError[] {
  const errors: FieldError[] = [];
  const asked = resourceAttributes?.namespace ?? "";
  if (resourceAttributes && asked !== namespace)
    errors.push(
      fieldError.invalid("spec.resourceAttributes.namespace", asked, "must match metadata.namespace"),
    );
  if (nonResourceAttributes) {
    const text = "disallowed on this kind of request";
    errors.push(fieldError.invalid("spec.nonResourceAttributes", goAttributes(nonResourceAttributes), text));
  }
  return errors;
}

/** Messages show the server's inner form. */
const goAttributes = ({ path = "", verb = "" }: NonResourceAttributes) => ({ Path: path, Verb: verb });

function validateSelectors(attributes: ResourceAttributes | undefined): FieldError[] {
  const { fieldSelector, labelSelector } = attributes ?? {};
  const field = "spec.resourceAttributes";
  return [
    ...validateSelector(fieldSelector, `${field}.fieldSelector`, validateFieldKey),
    ...validateSelector(labelSelector, `${field}.labelSelector`, validateLabelKey),
  ];
}

type Requirement = NonNullable<LabelSelectorAttributes["requirements"]>[number];

function validateSelector(
  selector: FieldSelectorAttributes | LabelSelectorAttributes | undefined,
  field: string,
  validateKey: (requirement: Requirement, field: string) => FieldError[],
): FieldError[] {
  if (!selector) return [];
  const { rawSelector = "", requirements = [] } = selector;
  const errors: FieldError[] = [];
  if (rawSelector !== "" && requirements.length > 0) {
    const text = "may not specified at the same time as requirements";
    errors.push(fieldError.invalid(`${field}.rawSelector`, rawSelector, text));
  }
  if (rawSelector === "" && requirements.length === 0) {
    const text = `when ${field} is specified, requirements or rawSelector is required`;
    errors.push(fieldError.required(`${field}.requirements`, text));
  }
  for (const [index, requirement] of requirements.entries()) {
    const path = `${field}.requirements[${index}]`;
    errors.push(...validateValues(requirement, path), ...validateKey(requirement, path));
  }
  return errors;
}

/** Operators of newer clients are let through: they only limit the question less than was meant. */
function validateValues({ operator, values = [] }: Requirement, field: string): FieldError[] {
  if ((operator === "In" || operator === "NotIn") && values.length === 0)
    return [fieldError.required(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
  if ((operator === "Exists" || operator === "DoesNotExist") && values.length > 0) {
    const text = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
    return [fieldError.forbidden(`${field}.values`, text)];
  }
  return [];
}

const validateFieldKey = ({ key }: Requirement, field: string): FieldError[] =>
  key === "" ? [fieldError.required(`${field}.key`, "must be specified")] : [];

const validateLabelKey = ({ key, values = [] }: Requirement, field: string): FieldError[] => [
  ...invalidBecause(validateQualifiedName(key), key, `${field}.key`),
  ...values.flatMap((value, index) =>
    invalidBecause(validateLabelValue(value), value, `${field}.values[${index}]`),
  ),
];
