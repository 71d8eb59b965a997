// Reads the annotations v1 keeps metrics in. Anyone may write them: what is not of the right shape is ignored whole.
import { Amount, type HorizontalPodAutoscalerCondition, type LabelSelector } from "@kubewright/api";
import type { OldMetric } from "./metric-v1.js";

/** The annotation in which autoscaling/v1 has the metrics it has no field for. */
export const metricsAnnotation = "autoscaling.alpha.kubernetes.io/metrics";

/** Gives the value back in its type; throws when it is of another. */
type Reader<T> = (value: unknown) => T;

class ShapeError extends Error {}

const fail = (): never => {
  throw new ShapeError("unexpected shape");
};
const isAbsent = (value: unknown): boolean => value === undefined || value === null;

/** Text that is empty when it is absent. */
const text: Reader<string> = (value) => (isAbsent(value) ? "" : typeof value === "string" ? value : fail());
const integer: Reader<number> = (value) => (Number.isSafeInteger(value) ? (value as number) : fail());

const quantity: Reader<string> = (value) => {
  if (typeof value !== "string" && typeof value !== "number") return fail();
  try {
    return Amount.parse(value).toString();
  } catch {
    return fail();
  }
};

const optional =
  <T>(read: Reader<T>): Reader<T | undefined> =>
  (value) =>
    isAbsent(value) ? undefined : read(value);

const listOf =
  <T>(read: Reader<T>): Reader<T[]> =>
  (value) =>
    Array.isArray(value) ? value.map(read) : fail();

const mapOf =
  <T>(read: Reader<T>): Reader<Record<string, T>> =>
  (value) =>
    Object.fromEntries(Object.entries(plain(value)).map(([key, inner]) => [key, read(inner)]));

function plain(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return fail();
  return value as Record<string, unknown>;
}

/** An object of these fields; those without a value are left out. */
const record =
  <T extends object>(fields: { readonly [K in keyof T]-?: Reader<T[K]> }): Reader<T> =>
  (value) => {
    const from = plain(value);
    const entries = Object.entries<Reader<unknown>>(fields).map(([name, read]) => [
      name,
      read(Object.hasOwn(from, name) ? from[name] : undefined),
    ]);
    return Object.fromEntries(entries.filter(([, inner]) => inner !== undefined)) as T;
  };

const selector = record<LabelSelector>({
  matchLabels: optional(mapOf(text)),
  matchExpressions: optional(
    listOf(record({ key: text, operator: text as Reader<never>, values: optional(listOf(text)) })),
  ),
});
const values = {
  targetValue: optional(quantity),
  targetAverageValue: optional(quantity),
  currentValue: optional(quantity),
  currentAverageValue: optional(quantity),
};
const named = {
  metricName: text,
  selector: optional(selector),
  metricSelector: optional(selector),
  ...values,
};
const resource = {
  name: text,
  targetAverageUtilization: optional(integer),
  targetAverageValue: values.targetAverageValue,
  currentAverageUtilization: optional(integer),
  currentAverageValue: values.currentAverageValue,
};
const reference = record({ kind: text, name: text, apiVersion: optional(text) });
const metric = record<OldMetric>({
  type: text,
  object: optional(record({ ...named, target: target(), averageValue: optional(quantity) })),
  pods: optional(record(named)),
  resource: optional(record(resource)),
  containerResource: optional(record({ ...resource, container: text })),
  external: optional(record(named)),
});

/** A reference that may be left out, and is empty then. */
function target(): typeof reference {
  return (value) => reference(isAbsent(value) ? {} : value);
}

/** The metrics in an annotation. */
export const readMetrics = (annotation: string | undefined): OldMetric[] | undefined =>
  readJson(annotation, listOf(metric));

/** The conditions in an annotation. */
export const readConditions = (
  annotation: string | undefined,
): HorizontalPodAutoscalerCondition[] | undefined =>
  readJson(
    annotation,
    listOf(
      record<HorizontalPodAutoscalerCondition>({
        type: text,
        status: text,
        lastTransitionTime: optional(text),
        reason: optional(text),
        message: optional(text),
      }),
    ),
  );

const rules = record({
  StabilizationWindowSeconds: optional(integer),
  SelectPolicy: optional(text),
  Policies: optional(listOf(record({ Type: text, Value: integer, PeriodSeconds: integer }))),
  Tolerance: optional(quantity),
});

/** How fast to scale, with the names Go has for it. */
export type InternalRules = ReturnType<typeof rules>;

/** The behavior in an annotation. */
export const readBehavior = (annotation: string | undefined) =>
  readJson(annotation, record({ ScaleUp: optional(rules), ScaleDown: optional(rules) }));

function readJson<T>(annotation: string | undefined, read: Reader<T>): T | undefined {
  if (annotation === undefined) return undefined;
  try {
    return read(JSON.parse(annotation));
  } catch (error) {
    if (error instanceof ShapeError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
