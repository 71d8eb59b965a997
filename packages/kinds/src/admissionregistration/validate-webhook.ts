// The rules for one webhook, of either kind.
import {
  deepEqual,
  type FieldError,
  fieldError,
  type MutatingWebhook,
  type ValidatingWebhook,
  validateDns1035Label,
  validateFullyQualifiedName,
  type WebhookClientConfig,
} from "@kubewright/api";
import { validateWebhookService, validateWebhookUrl } from "@kubewright/schema/engine";
import { checkEach } from "../check-each.js";
import { invalidBecause, oneOfIfSet } from "../field-rules.js";
import { repeated } from "../repeated.js";
import { selectorErrors } from "../selector-errors.js";
import { validateMatchConditions } from "./validate-match-conditions.js";
import { validateRule } from "./validate-rule.js";

/** A webhook that mutates says more than one that validates. */
export type Webhook = ValidatingWebhook & Pick<MutatingWebhook, "reinvocationPolicy">;

const quiet = ["None", "NoneOnDryRun"];
const anyEffects = ["None", "NoneOnDryRun", "Some", "Unknown"];
const reviewVersions = ["v1", "v1beta1"];

/** Invalid values that are accepted because the stored configuration already has them. */
interface Leniency {
  readonly sideEffects: boolean;
  readonly reviewVersions: boolean;
  readonly names: boolean;
  readonly conditions: boolean;
}

/** Problems with the webhooks of a configuration. */
export function validateWebhooks(webhooks: readonly Webhook[], before?: readonly Webhook[]): FieldError[] {
  const leniency = before ? leniencyFor(webhooks, before) : strict;
  const repeats = repeated(webhooks.map(({ name }) => name));
  const errors: FieldError[] = [];
  for (const [index, webhook] of webhooks.entries()) {
    const field = `webhooks[${index}]`;
    errors.push(...webhookErrors(webhook, leniency, field));
    errors.push(...versionErrors(webhook, leniency, `${field}.admissionReviewVersions`));
    if (!leniency.names && webhook.name !== "" && repeats.has(index))
      errors.push(fieldError.duplicate(`${field}.name`, webhook.name));
  }
  return errors;
}

const strict: Leniency = { sideEffects: false, reviewVersions: false, names: false, conditions: false };

const isKnownVersion = (version: string): boolean => reviewVersions.includes(version);

function leniencyFor(webhooks: readonly Webhook[], before: readonly Webhook[]): Leniency {
  const names = before.map(({ name }) => name);
  return {
    sideEffects: before.some(({ sideEffects }) => !quiet.includes(sideEffects)),
    reviewVersions: before.some(
      ({ admissionReviewVersions: versions }) => versions.length > 0 && !versions.some(isKnownVersion),
    ),
    names: new Set(names).size < names.length,
    conditions:
      webhooks.length === before.length &&
      webhooks.every(({ matchConditions }, index) =>
        deepEqual(matchConditions, before[index]?.matchConditions),
      ),
  };
}

function webhookErrors(webhook: Webhook, leniency: Leniency, field: string): FieldError[] {
  const { timeoutSeconds: timeout } = webhook;
  return [
    ...validateFullyQualifiedName(webhook.name, `${field}.name`),
    ...checkEach(webhook.rules ?? [], (rule, index) => validateRule(rule, `${field}.rules[${index}]`)),
    ...oneOfIfSet(webhook.failurePolicy, ["Fail", "Ignore"], `${field}.failurePolicy`),
    ...oneOfIfSet(webhook.matchPolicy, ["Equivalent", "Exact"], `${field}.matchPolicy`),
    ...sideEffectErrors(webhook, leniency.sideEffects ? anyEffects : quiet, `${field}.sideEffects`),
    ...(timeout !== undefined && (timeout > 30 || timeout < 1)
      ? [
          fieldError.invalid(
            `${field}.timeoutSeconds`,
            timeout,
            "the timeout value must be between 1 and 30 seconds",
          ),
        ]
      : []),
    ...selectorErrors(webhook.namespaceSelector, `${field}.namespaceSelector`),
    ...selectorErrors(webhook.objectSelector, `${field}.objectSelector`),
    ...oneOfIfSet(webhook.reinvocationPolicy, ["IfNeeded", "Never"], `${field}.reinvocationPolicy`),
    ...clientErrors(webhook.clientConfig, `${field}.clientConfig`),
    ...(leniency.conditions
      ? []
      : validateMatchConditions(webhook.matchConditions ?? [], false, `${field}.matchConditions`)),
  ];
}

function sideEffectErrors({ sideEffects }: Webhook, allowed: readonly string[], field: string): FieldError[] {
  const effects: string | null | undefined = sideEffects;
  if (effects === undefined || effects === null)
    return [fieldError.required(field, `must specify one of ${allowed.join(", ")}`)];
  return allowed.includes(effects) ? [] : [fieldError.notSupported(field, effects, allowed)];
}

function clientErrors({ url, service }: WebhookClientConfig, field: string): FieldError[] {
  if ((url === undefined) === (service === undefined))
    return [fieldError.required(field, "exactly one of url or service is required")];
  return url === undefined
    ? validateWebhookService(service, `${field}.service`)
    : validateWebhookUrl(url, `${field}.url`);
}

function versionErrors(webhook: Webhook, leniency: Leniency, field: string): FieldError[] {
  const versions = webhook.admissionReviewVersions ?? [];
  if (versions.length === 0)
    return [fieldError.required(field, `must specify one of ${reviewVersions.join(", ")}`)];
  const twice = repeated(versions);
  const errors = checkEach(versions, (version, index) =>
    twice.has(index)
      ? [fieldError.invalid(`${field}[${index}]`, version, "duplicate version")]
      : invalidBecause(validateDns1035Label(version), version, `${field}[${index}]`),
  );
  if (leniency.reviewVersions || versions.some(isKnownVersion)) return errors;
  const text = `must include at least one of ${reviewVersions.join(", ")}`;
  return [...errors, fieldError.invalid(field, versions, text)];
}
