// The DNS policy and configuration of a pod.
import {
  type FieldError,
  fieldError,
  type HostAlias,
  type PodSpec,
  patternText,
  tooLongText,
  utf8Length,
  validateDns1123Subdomain,
} from "@kubewright/api";
import { checkEach } from "../check-each.js";
import { invalidBecause, oneOf } from "../field-rules.js";
import { validateIp } from "../ip-address.js";

const policies = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];
const maxNameservers = 3;
const maxSearches = 32;
const maxSearchLength = 2048;
const underscored = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*";
const search = new RegExp(`^${underscored}$`);

/** Where servers and search paths come from; `field` is the spec. */
export const validateDnsPolicy = ({ dnsPolicy }: PodSpec, field: string): FieldError[] =>
  oneOf(dnsPolicy, policies, `${field}.dnsPolicy`);

/** Servers and search paths of its own. */
export function validateDnsConfig({ dnsPolicy, dnsConfig: config }: PodSpec, field: string): FieldError[] {
  const alone = dnsPolicy === "None";
  if (alone && !config)
    return [fieldError.required(field, "must provide `dnsConfig` when `dnsPolicy` is None")];
  const { nameservers = [], searches = [], options = [] } = config ?? {};
  if (alone && nameservers.length === 0) {
    const text = "must provide at least one DNS nameserver when `dnsPolicy` is None";
    return [fieldError.required(`${field}.nameservers`, text)];
  }
  const errors: FieldError[] = [];
  if (nameservers.length > maxNameservers) {
    const text = `must not have more than ${maxNameservers} nameservers`;
    errors.push(fieldError.invalid(`${field}.nameservers`, nameservers, text));
  }
  return [
    ...errors,
    ...checkEach(nameservers, (server, index) => validateIp(server, `${field}.nameservers[${index}]`)),
    ...searchErrors(searches, `${field}.searches`),
    ...checkEach(options, ({ name }, index) =>
      name ? [] : [fieldError.required(`${field}.options[${index}]`, "must not be empty")],
    ),
  ];
}

function searchErrors(searches: readonly string[], field: string): FieldError[] {
  const errors: FieldError[] = [];
  if (searches.length > maxSearches)
    errors.push(fieldError.invalid(field, searches, `must not have more than ${maxSearches} search paths`));
  if (utf8Length(searches.join(" ")) > maxSearchLength) {
    const text = `must not have more than ${maxSearchLength} characters (including spaces) in the search list`;
    errors.push(fieldError.invalid(field, searches, text));
  }
  return [
    ...errors,
    ...checkEach(searches, (path, index) => {
      const name = path.replace(/\.$/, "");
      return path === "." ? [] : invalidBecause(searchTexts(name), name, `${field}[${index}]`);
    }),
  ];
}

/** A subdomain in which underscores are allowed too. */
function searchTexts(name: string): string[] {
  const texts = utf8Length(name) > 253 ? [tooLongText(253)] : [];
  if (name.length > 253 || !search.test(name)) {
    const says =
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character";
    texts.push(patternText(says, underscored, "example.com"));
  }
  return texts;
}

/** Lines for the hosts file. */
export function validateHostAliases(aliases: readonly HostAlias[] | undefined, field: string): FieldError[] {
  return checkEach(aliases ?? [], ({ ip, hostnames = [] }, index) => [
    ...validateIp(ip, `${field}[${index}].ip`),
    ...checkEach(hostnames, (name, host) =>
      invalidBecause(validateDns1123Subdomain(name), name, `${field}[${index}].hostnames[${host}]`),
    ),
  ]);
}
