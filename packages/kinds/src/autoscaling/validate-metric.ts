// Metrics of an autoscaler: exactly one source, with a target it understands.
import {
  Amount,
  type CrossVersionObjectReference,
  type FieldError,
  fieldError,
  type MetricSpec,
  type MetricTarget,
  type Quantity,
  validateDns1123Label,
  validatePathSegmentName,
} from "@kubewright/api";
import { invalidBecause } from "../field-rules.js";
import { validateContainerResourceName } from "../pod/resource-names.js";

const types = ["ContainerResource", "External", "Object", "Pods", "Resource"];
const sources = ["object", "external", "pods", "resource", "containerResource"] as const;
type Source = (typeof sources)[number];

/** One metric. */
export function validateMetric(metric: MetricSpec, field: string): FieldError[] {
  const type: string = metric.type;
  const present = sources.filter((source) => metric[source] !== undefined);
  const expected = types.includes(type) ? sourceOf(type) : undefined;
  const errors: FieldError[] = [];
  if (type === "") errors.push(fieldError.required(`${field}.type`, "must specify a metric source type"));
  if (!expected) errors.push(fieldError.notSupported(`${field}.type`, type, types));
  if (present[0]) errors.push(...sourceErrors(metric, present[0], `${field}.${present[0]}`));
  if (!expected) errors.push(fieldError.notSupported(`${field}.type`, type, types));
  else if (metric[expected] === undefined)
    errors.push(
      fieldError.required(`${field}.${expected}`, "must populate information for the given metric source"),
    );
  if (present.length === 1) return errors;
  const extra = present.filter((source) => source !== expected);
  const text = "must populate the given metric source only";
  return [...errors, ...extra.map((source) => fieldError.forbidden(`${field}.${source}`, text))];
}

const sourceOf = (type: string): Source | undefined =>
  sources.find((source) => source === `${type[0]?.toLowerCase()}${type.slice(1)}`);

function sourceErrors(metric: MetricSpec, source: Source, field: string): FieldError[] {
  const { object, external, pods, resource, containerResource } = metric;
  if (source === "object" && object)
    return [
      ...validateReference(object.describedObject, { allowCore: true }, `${field}.describedObject`),
      ...identifierErrors(object.metric?.name, `${field}.metric.name`),
      ...targetErrors(object.target, `${field}.target`),
      ...valueErrors(object.target, "must set either a target value or averageValue", `${field}.target`),
    ];
  if (source === "external" && external) return externalErrors(external, field);
  if (source === "pods" && pods)
    return [
      ...identifierErrors(pods.metric?.name, `${field}.metric.name`),
      ...targetErrors(pods.target, `${field}.target`),
      ...(pods.target?.averageValue === undefined
        ? [fieldError.required(`${field}.target.averageValue`, "must specify a positive target averageValue")]
        : []),
    ];
  if (source === "containerResource" && containerResource)
    return [
      ...(containerResource.name
        ? validateContainerResourceName(containerResource.name, `${field}.name`)
        : [fieldError.required(`${field}.name`, "must specify a resource name")]),
      ...(containerResource.container
        ? invalidBecause(
            validateDns1123Label(containerResource.container),
            containerResource.container,
            `${field}.container`,
          )
        : [fieldError.required(`${field}.container`, "must specify a container")]),
      ...resourceTargetErrors(containerResource.target, `${field}.target`),
    ];
  return [
    ...(resource?.name ? [] : [fieldError.required(`${field}.name`, "must specify a resource name")]),
    ...(resource ? resourceTargetErrors(resource.target, `${field}.target`) : []),
  ];
}

function externalErrors(
  { metric, target }: NonNullable<MetricSpec["external"]>,
  field: string,
): FieldError[] {
  const both = target?.value !== undefined && target.averageValue !== undefined;
  const text = "may not set both a target value for metric and a per-pod target";
  return [
    ...identifierErrors(metric?.name, `${field}.metric.name`),
    ...targetErrors(target, `${field}.target`),
    ...valueErrors(
      target,
      "must set either a target value for metric or a per-pod target",
      `${field}.target`,
    ),
    ...(both ? [fieldError.forbidden(`${field}.target.value`, text)] : []),
  ];
}

const valueErrors = (target: MetricTarget | undefined, text: string, field: string): FieldError[] =>
  target?.value === undefined && target?.averageValue === undefined
    ? [fieldError.required(`${field}.averageValue`, text)]
    : [];

function resourceTargetErrors(target: MetricTarget | undefined, field: string): FieldError[] {
  const errors = targetErrors(target, field);
  const { averageUtilization, averageValue } = target ?? {};
  if (averageUtilization === undefined && averageValue === undefined) {
    const text = "must set either a target raw value or a target utilization";
    errors.push(fieldError.required(`${field}.averageUtilization`, text));
  }
  if (averageUtilization !== undefined && averageValue !== undefined) {
    const text = "may not set both a target raw value and a target utilization";
    errors.push(fieldError.forbidden(`${field}.averageValue`, text));
  }
  return errors;
}

function targetErrors(target: MetricTarget | undefined, field: string): FieldError[] {
  const type = target?.type ?? "";
  const errors = type ? [] : [fieldError.required(`${field}.type`, "must specify a metric target type")];
  if (!["Utilization", "Value", "AverageValue"].includes(type))
    errors.push(
      fieldError.invalid(`${field}.type`, type, "must be either Utilization, Value, or AverageValue"),
    );
  const utilization = target?.averageUtilization;
  return [
    ...errors,
    ...positiveErrors(target?.value, `${field}.value`),
    ...positiveErrors(target?.averageValue, `${field}.averageValue`),
    ...(utilization !== undefined && utilization < 1
      ? [fieldError.invalid(`${field}.averageUtilization`, utilization, "must be greater than 0")]
      : []),
  ];
}

function positiveErrors(quantity: Quantity | undefined, field: string): FieldError[] {
  if (quantity === undefined || Amount.parse(quantity).sign() > 0) return [];
  return [fieldError.invalid(field, String(quantity), "must be positive")];
}

const identifierErrors = (name: string | undefined, field: string): FieldError[] =>
  name
    ? invalidBecause(validatePathSegmentName(name), name, field)
    : [fieldError.required(field, "must specify a metric name")];

/** The fields that the reference of an autoscaler may leave out. */
export interface ReferenceOptions {
  /** A version without a group (`v1`) is fine. */
  readonly allowCore?: boolean | undefined;
  /** Any version is fine: the object had a bad one before this was checked. */
  readonly anyVersion?: boolean | undefined;
}

/** The object an autoscaler scales or measures. */
export function validateReference(
  { kind, name, apiVersion = "" }: CrossVersionObjectReference,
  options: ReferenceOptions,
  field: string,
): FieldError[] {
  const segment = (value: string, at: string): FieldError[] =>
    value ? invalidBecause(validatePathSegmentName(value), value, at) : [fieldError.required(at)];
  const problem = options.anyVersion ? undefined : versionProblem(apiVersion, options);
  return [
    ...segment(kind, `${field}.kind`),
    ...segment(name, `${field}.name`),
    ...(problem ? [fieldError.invalid(`${field}.apiVersion`, apiVersion, problem)] : []),
  ];
}

/** Why a version does not do. */
export function versionProblem(apiVersion: string, { allowCore }: ReferenceOptions): string | undefined {
  const parts = apiVersion.split("/");
  if (parts.length > 2) return `unexpected GroupVersion string: ${apiVersion}`;
  const group = parts.length === 2 ? parts[0] : "";
  return group || allowCore ? undefined : "apiVersion must specify API group";
}
