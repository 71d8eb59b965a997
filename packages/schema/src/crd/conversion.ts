// Conversion between versions: none, or by a webhook.
import {
  type CustomResourceConversion,
  type FieldError,
  fieldError,
  validateDns1035Label,
  type WebhookConversion,
} from "@kubewright/api";
import { validateWebhookService, validateWebhookUrl } from "./webhook-client.js";

/** ConversionReview versions a server understands. */
export const reviewVersions = ["v1", "v1beta1"];

/** The rules for the conversion of a CRD. */
export interface ConversionRules {
  readonly requireRecognizedReviewVersion: boolean;
  /** CA bundles are checked once a CRD is established and had a valid one. */
  readonly allowInvalidCaBundle: boolean;
}

/** The errors of the conversion. */
export function conversionErrors(
  conversion: CustomResourceConversion | undefined,
  path: string,
  rules: ConversionRules,
): FieldError[] {
  if (conversion === undefined) return [];
  const { strategy, webhook } = conversion;
  const errors = strategyErrors(strategy, `${path}.strategy`);
  const clientConfig = `${path}.webhookClientConfig`;
  const versions = `${path}.conversionReviewVersions`;
  if (strategy === "Webhook") {
    return [
      ...errors,
      ...clientConfigErrors(webhook, clientConfig, rules),
      ...reviewVersionErrors(webhook?.conversionReviewVersions ?? [], versions, rules),
    ];
  }
  const misplaced = "should not be set when strategy is not set to Webhook";
  if (webhook?.clientConfig !== undefined) errors.push(fieldError.forbidden(clientConfig, misplaced));
  if (webhook?.conversionReviewVersions?.length) errors.push(fieldError.forbidden(versions, misplaced));
  return errors;
}

function strategyErrors(strategy: string | undefined, path: string): FieldError[] {
  if (!strategy) return [fieldError.required(path)];
  const supported = ["None", "Webhook"];
  return supported.includes(strategy) ? [] : [fieldError.notSupported(path, strategy, supported)];
}

function clientConfigErrors(
  webhook: WebhookConversion | undefined,
  path: string,
  rules: ConversionRules,
): FieldError[] {
  const config = webhook?.clientConfig;
  if (config === undefined) return [fieldError.required(path, "required when strategy is set to Webhook")];
  const { url, service, caBundle } = config;
  const errors =
    (url === undefined) === (service === undefined)
      ? [fieldError.required(path, "exactly one of url or service is required")]
      : url !== undefined
        ? validateWebhookUrl(url, `${path}.url`)
        : validateWebhookService(service, `${path}.service`);
  if (caBundle && !rules.allowInvalidCaBundle && !isCaBundle(caBundle)) {
    const detail = "unable to load root certificates: unable to parse bytes as PEM block";
    errors.push(fieldError.invalid(`${path}.caBundle`, caBundle, detail));
  }
  return errors;
}

/** Whether a bundle holds a certificate; it is checked no further than its envelope. */
export function isCaBundle(base64: string): boolean {
  return Buffer.from(base64, "base64").toString("latin1").includes("-----BEGIN CERTIFICATE-----");
}

function reviewVersionErrors(
  versions: readonly string[],
  path: string,
  rules: ConversionRules,
): FieldError[] {
  if (versions.length === 0) return [fieldError.required(path)];
  const seen = new Set<string>();
  const errors = versions.flatMap((version, i) => {
    const place = `${path}[${i}]`;
    if (seen.size === seen.add(version).size)
      return [fieldError.invalid(place, version, "duplicate version")];
    return validateDns1035Label(version).map((problem) => fieldError.invalid(place, version, problem));
  });
  if (rules.requireRecognizedReviewVersion && !versions.some((version) => reviewVersions.includes(version))) {
    errors.push(
      fieldError.invalid(path, versions, `must include at least one of ${reviewVersions.join(", ")}`),
    );
  }
  return errors;
}
