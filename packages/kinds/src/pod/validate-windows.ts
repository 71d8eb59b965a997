// Options of Windows containers, and pods of host processes.
import {
  type Container,
  type EphemeralContainer,
  type FieldError,
  fieldError,
  type PodSpec,
  utf8Length,
  validateDns1123Subdomain,
  type WindowsSecurityContextOptions,
} from "@kubewright/api";
import { invalidBecause } from "../field-rules.js";

const maxCredentialKiB = 64;
const maxDomain = 256;
const maxUser = 104;
const netBios = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const dnsName =
  /^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;

/** The Windows part of a security context. */
export function validateWindowsOptions(
  options: WindowsSecurityContextOptions | undefined,
  field: string,
): FieldError[] {
  if (!options) return [];
  const { gmsaCredentialSpecName: name, gmsaCredentialSpec: spec, runAsUserName: user } = options;
  const errors =
    name === undefined
      ? []
      : invalidBecause(validateDns1123Subdomain(name), name, `${field}.gmsaCredentialSpecName`);
  if (spec === "")
    errors.push(
      fieldError.invalid(`${field}.gmsaCredentialSpec`, spec, "gmsaCredentialSpec cannot be an empty string"),
    );
  if (spec !== undefined && utf8Length(spec) > maxCredentialKiB * 1024) {
    const text = `gmsaCredentialSpec size must be under ${maxCredentialKiB} KiB`;
    errors.push(fieldError.invalid(`${field}.gmsaCredentialSpec`, spec, text));
  }
  return user === undefined
    ? errors
    : [...errors, ...invalidBecause(userTexts(user), user, `${field}.runAsUserName`)];
}

function userTexts(name: string): string[] {
  const parts = name.split("\\");
  if (name === "") return ["runAsUserName cannot be an empty string"];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (/[\x00-\x1f\x7f]/.test(name)) return ["runAsUserName cannot contain control characters"];
  if (parts.length > 2) return ["runAsUserName cannot contain more than one backslash"];
  const user = parts.at(-1) ?? "";
  const domain = parts.length === 2 ? (parts[0] ?? "") : undefined;
  return [...(domain === undefined ? [] : domainTexts(domain)), ...accountTexts(user)];
}

function domainTexts(domain: string): string[] {
  const texts: string[] = [];
  if (utf8Length(domain) >= maxDomain)
    texts.push(`runAsUserName's Domain length must be under ${maxDomain} characters`);
  if (!netBios.test(domain) && !(domain.length < maxDomain && dnsName.test(domain)))
    texts.push("runAsUserName's Domain doesn't match the NetBios nor the DNS format");
  return texts;
}

function accountTexts(user: string): string[] {
  const texts: string[] = [];
  if (user === "") texts.push("runAsUserName's User cannot be empty");
  else if (utf8Length(user) > maxUser)
    texts.push(`runAsUserName's User length must not be longer than ${maxUser} characters`);
  if (/^[. ]+$/.test(user)) texts.push("runAsUserName's User cannot contain only periods or spaces");
  if (/["/\\:;|=,+*?<>@[\]]/.test(user))
    texts.push(`runAsUserName's User cannot contain the following characters: "/\\:;|=,+*?<>@[]`);
  return texts;
}

/** A container of a pod and its path. */
export type PlacedContainer = readonly [container: Container | EphemeralContainer, field: string];

/** Either all containers run as processes of the host, on its network, or none does. */
export function validateHostProcess(
  spec: PodSpec,
  containers: readonly PlacedContainer[],
  field: string,
): FieldError[] {
  const ofPod = spec.securityContext?.windowsOptions?.hostProcess;
  const errors: FieldError[] = [];
  let count = 0;
  for (const [container, at] of containers) {
    const own = container.securityContext?.windowsOptions?.hostProcess;
    if (ofPod !== undefined && own !== undefined && ofPod !== own) {
      const text = `pod hostProcess value must be identical if both are specified, was ${ofPod}`;
      errors.push(fieldError.invalid(`${at}.securityContext.windowsOptions.hostProcess`, own, text));
    }
    if (own ?? ofPod) count++;
  }
  if (count === 0) return errors;
  if (count !== containers.length) {
    const text =
      "If pod contains any hostProcess containers then all containers must be HostProcess containers";
    errors.push(fieldError.invalid(field, "", text));
  }
  if (!spec.hostNetwork) {
    const text = "hostNetwork must be true if pod contains any hostProcess containers";
    errors.push(fieldError.invalid(`${field}.hostNetwork`, false, text));
  }
  return errors;
}
