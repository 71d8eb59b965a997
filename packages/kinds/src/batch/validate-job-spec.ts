// The rules for the spec of a job, on its own or inside a cron job.
import { type FieldError, fieldError, type JobSpec, validateDns1123Subdomain } from "@kubewright/api";
import { notNegative, oneOfIfSet } from "../field-rules.js";
import { validatePodTemplate } from "../pod/validate-pod-template.js";
import { validatePodFailurePolicy } from "./validate-pod-failure-policy.js";
import { validateSuccessPolicy } from "./validate-success-policy.js";

const softLimit = 100_000;
const hardLimit = 10_000;
const maxManagedBy = 63;

/** Everything but the selector, which cron jobs leave to the server. */
export function validateJobSpec(spec: JobSpec, field: string): FieldError[] {
  return [
    ...numberErrors(spec, field),
    ...managedByErrors(spec.managedBy, `${field}.managedBy`),
    ...completionModeErrors(spec, field),
    ...(spec.podFailurePolicy
      ? validatePodFailurePolicy(spec.podFailurePolicy, spec, `${field}.podFailurePolicy`)
      : []),
    ...successPolicyErrors(spec, `${field}.successPolicy`),
    ...oneOfIfSet(
      spec.podReplacementPolicy,
      spec.podFailurePolicy ? ["Failed"] : ["Failed", "TerminatingOrFailed"],
      `${field}.podReplacementPolicy`,
    ),
    ...validatePodTemplate(spec.template ?? {}, `${field}.template`),
    ...restartPolicyErrors(spec, `${field}.template.spec.restartPolicy`),
  ];
}

function numberErrors(spec: JobSpec, field: string): FieldError[] {
  const names = [
    "parallelism",
    "completions",
    "activeDeadlineSeconds",
    "backoffLimit",
    "ttlSecondsAfterFinished",
    "backoffLimitPerIndex",
    "maxFailedIndexes",
  ] as const;
  const errors = names.flatMap((name) => notNegative(spec[name], `${field}.${name}`));
  if (spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined)
    errors.push(fieldError.required(`${field}.backoffLimitPerIndex`, "when maxFailedIndexes is specified"));
  return errors;
}

/** `domain/path`, the controller that takes care of the job. */
function managedByErrors(managedBy: string | undefined, field: string): FieldError[] {
  if (managedBy === undefined) return [];
  const errors: FieldError[] = [];
  const [domain = "", path = "", ...more] = managedBy.split("/");
  const shape = /^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/;
  if (managedBy === "") errors.push(fieldError.required(field));
  else if (!managedBy.includes("/") || domain === "" || path === "")
    errors.push(
      fieldError.invalid(field, managedBy, 'must be a domain-prefixed path (such as "acme.io/foo")'),
    );
  else {
    for (const text of validateDns1123Subdomain(domain)) errors.push(fieldError.invalid(field, domain, text));
    const rest = [path, ...more].join("/");
    if (!shape.test(rest))
      errors.push(
        fieldError.invalid(
          field,
          rest,
          "Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')",
        ),
      );
  }
  if (managedBy.length > maxManagedBy) errors.push(fieldError.tooLong(field, maxManagedBy));
  return errors;
}

function completionModeErrors(spec: JobSpec, field: string): FieldError[] {
  const { completionMode, backoffLimitPerIndex, maxFailedIndexes } = spec;
  const errors = oneOfIfSet(completionMode, ["NonIndexed", "Indexed"], `${field}.completionMode`);
  if (completionMode === "Indexed") return [...errors, ...indexedErrors(spec, field)];
  if (completionMode !== undefined && completionMode !== "NonIndexed") return errors;
  const text = "requires indexed completion mode";
  if (backoffLimitPerIndex !== undefined)
    errors.push(fieldError.invalid(`${field}.backoffLimitPerIndex`, backoffLimitPerIndex, text));
  if (maxFailedIndexes !== undefined)
    errors.push(fieldError.invalid(`${field}.maxFailedIndexes`, maxFailedIndexes, text));
  return errors;
}

/** Indexed jobs are bounded, so that the sets of indexes they report stay small. */
function indexedErrors(spec: JobSpec, field: string): FieldError[] {
  const { completions, parallelism = 0, maxFailedIndexes } = spec;
  const errors: FieldError[] = [];
  const limit = (name: "parallelism" | "maxFailedIndexes", text: string): void => {
    errors.push(fieldError.invalid(`${field}.${name}`, spec[name], `must be less than or equal to ${text}`));
  };
  if (completions === undefined)
    errors.push(fieldError.required(`${field}.completions`, "when completion mode is Indexed"));
  if (parallelism > softLimit) limit("parallelism", `${softLimit} when completion mode is Indexed`);
  if (maxFailedIndexes !== undefined && completions !== undefined && maxFailedIndexes > completions)
    limit("maxFailedIndexes", "completions");
  if ((maxFailedIndexes ?? 0) > softLimit) limit("maxFailedIndexes", String(softLimit));
  if ((completions ?? 0) <= softLimit || spec.backoffLimitPerIndex === undefined) return errors;
  const many = `${hardLimit} when completions are above ${softLimit} and used with backoff limit per index`;
  if (maxFailedIndexes === undefined)
    errors.push(
      fieldError.required(
        `${field}.maxFailedIndexes`,
        `must be specified when completions is above ${softLimit}`,
      ),
    );
  if (parallelism > hardLimit) limit("parallelism", many);
  if ((maxFailedIndexes ?? 0) > hardLimit) limit("maxFailedIndexes", many);
  return errors;
}

function successPolicyErrors(spec: JobSpec, field: string): FieldError[] {
  if (!spec.successPolicy) return [];
  if (spec.completionMode === "Indexed")
    return validateSuccessPolicy(spec.successPolicy, spec.completions ?? 0, field);
  const shown = {
    Rules: (spec.successPolicy.rules ?? []).map(({ succeededIndexes, succeededCount }) => ({
      SucceededIndexes: succeededIndexes ?? null,
      SucceededCount: succeededCount ?? null,
    })),
  };
  return [fieldError.invalid(field, shown, "requires indexed completion mode")];
}

/** Pods of a job must be able to end. */
function restartPolicyErrors(spec: JobSpec, field: string): FieldError[] {
  const policy: string = spec.template?.spec?.restartPolicy ?? "";
  if (policy === "" || policy === "Always")
    return [fieldError.required(field, 'valid values: "OnFailure", "Never"')];
  if (policy !== "OnFailure" && policy !== "Never")
    return [fieldError.notSupported(field, policy, ["OnFailure", "Never"])];
  if (!spec.podFailurePolicy || policy === "Never") return [];
  return [fieldError.invalid(field, policy, 'only "Never" is supported when podFailurePolicy is specified')];
}
