// Conversion between versions: none, or by a webhook.
import {
  type CustomResourceConversion,
  type FieldError,
  fieldError,
  type ServiceReference,
  validateDns1035Label,
  validateDns1123Subdomain,
  validatePortNumber,
  type WebhookConversion,
} from "@kubewright/api";

/** ConversionReview versions a server understands. */
export const reviewVersions = ["v1", "v1beta1"];

export interface ConversionRules {
  readonly requireRecognizedReviewVersion: boolean;
  /** Bundles are checked once a definition is established, and had a valid one. */
  readonly allowInvalidCaBundle: boolean;
}

/** What is wrong with the conversion. */
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
        ? urlErrors(url, `${path}.url`)
        : serviceErrors(service, `${path}.service`);
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

const desired = "; desired format: https://host[/path]";

function urlErrors(text: string, path: string): FieldError[] {
  const parts = /^([a-zA-Z][a-zA-Z0-9+.-]*:)?(?:\/\/([^/?#]*))?([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(text);
  const [, scheme = "", authority = "", , query = "", fragment = ""] = parts ?? [];
  const errors: FieldError[] = [];
  const at = authority.lastIndexOf("@");
  const name = scheme.slice(0, -1).toLowerCase();
  if (name !== "https")
    errors.push(fieldError.invalid(path, name, `'https' is the only allowed URL scheme${desired}`));
  if (authority.slice(at + 1) === "")
    errors.push(fieldError.invalid(path, "", `host must be specified${desired}`));
  if (at >= 0) {
    errors.push(
      fieldError.invalid(path, authority.slice(0, at), "user information is not permitted in the URL"),
    );
  }
  if (fragment.length > 1)
    errors.push(fieldError.invalid(path, fragment.slice(1), "fragments are not permitted in the URL"));
  if (query.length > 1) {
    errors.push(fieldError.invalid(path, query.slice(1), "query parameters are not permitted in the URL"));
  }
  return errors;
}

function serviceErrors(service: ServiceReference | undefined, path: string): FieldError[] {
  const errors: FieldError[] = [];
  // Kubernetes (to 1.36 at least) mixes the two up, and names the one that is there.
  if (!service?.namespace) errors.push(fieldError.required(`${path}.name`));
  if (!service?.name) errors.push(fieldError.required(`${path}.namespace`));
  const port = service?.port ?? 443;
  const problems = validatePortNumber(port);
  if (problems.length > 0) {
    errors.push(fieldError.invalid(`${path}.port`, port, `port is not valid: ${problems.join(", ")}`));
  }
  return service?.path === undefined
    ? errors
    : [...errors, ...servicePathErrors(service.path, `${path}.path`)];
}

function servicePathErrors(urlPath: string, path: string): FieldError[] {
  if (urlPath === "" || urlPath === "/") return [];
  if (urlPath === "//") return [fieldError.invalid(path, urlPath, "segment[0] may not be empty")];
  const errors = urlPath.startsWith("/") ? [] : [fieldError.invalid(path, urlPath, "must start with a '/'")];
  for (const [i, step] of urlPath.slice(1).replace(/\/$/, "").split("/").entries()) {
    const problems =
      step === "" ? ["may not be empty"] : validateDns1123Subdomain(step).map((text) => `: ${text}`);
    for (const problem of problems) {
      errors.push(fieldError.invalid(path, urlPath, `segment[${i}]${step === "" ? " " : ""}${problem}`));
    }
  }
  return errors;
}

function reviewVersionErrors(
  versions: readonly string[],
  path: string,
  rules: ConversionRules,
): FieldError[] {
  if (versions.length === 0) return [fieldError.required(path)];
  const errors = versions.flatMap((version, i) => {
    const place = `${path}[${i}]`;
    if (versions.indexOf(version) < i) return [fieldError.invalid(place, version, "duplicate version")];
    return validateDns1035Label(version).map((problem) => fieldError.invalid(place, version, problem));
  });
  if (rules.requireRecognizedReviewVersion && !versions.some((version) => reviewVersions.includes(version))) {
    errors.push(
      fieldError.invalid(path, versions, `must include at least one of ${reviewVersions.join(", ")}`),
    );
  }
  return errors;
}
