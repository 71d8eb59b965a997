// Validation of a webhook's clientConfig: a URL, or a port of a Service. Conversion and admission have the same rules.
import {
  type FieldError,
  fieldError,
  type ServiceReference,
  validateDns1123Subdomain,
  validatePortNumber,
} from "@kubewright/api";

const desired = "; desired format: https://host[/path]";

/** Problems with the URL of a webhook. */
export function validateWebhookUrl(text: string, path: string): FieldError[] {
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

/** Problems with the service of a webhook. */
export function validateWebhookService(service: ServiceReference | undefined, path: string): FieldError[] {
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
