// Validation of names, in Kubernetes' words. Every rule returns its errors, so an empty list means that the name is valid.
import { utf8Length } from "./go-text.js";

/** The use of a name, where that changes the rule. */
export interface NameOptions {
  /** The name will get a suffix (`generateName`), so it may end with a dash. */
  readonly prefix?: boolean | undefined;
}

/** Says what is wrong with a name; empty when nothing is. */
export type NameRule = (value: string, options?: NameOptions) => string[];

interface Shape {
  /** Shown in the message; matched against the whole value. */
  readonly pattern: string;
  readonly says: string;
  readonly examples: readonly string[];
  readonly maxLength?: number | undefined;
}

/** The text for a value that is too long. */
export function tooLongText(limit: number, unit: "characters" | "bytes" = "characters"): string {
  return `must be no more than ${limit} ${unit}`;
}

/** The text for a value that does not match a pattern. */
export function patternText(says: string, pattern: string, ...examples: string[]): string {
  if (examples.length === 0) return `${says} (regex used for validation is '${pattern}')`;
  const list = examples.map((example) => `'${example}', `).join(" or ");
  return `${says} (e.g. ${list}regex used for validation is '${pattern}')`;
}

function rule({ pattern, says, examples, maxLength = Number.POSITIVE_INFINITY }: Shape): NameRule {
  const regexp = new RegExp(`^(?:${pattern})$`);
  return (value, options) => {
    const name = options?.prefix ? maskTrailingDash(value) : value;
    const wrong = name.length * 3 > maxLength && utf8Length(name) > maxLength ? [tooLongText(maxLength)] : [];
    if (!regexp.test(name)) wrong.push(patternText(says, pattern, ...examples));
    return wrong;
  };
}

function maskTrailingDash(name: string): string {
  return name.length > 1 && name.endsWith("-") ? `${name.slice(0, -2)}a` : name;
}

const label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const subdomain = `${label}(\\.${label})*`;

/** The rule for the names of most objects, a DNS subdomain: `web-1.example`. */
export const validateDns1123Subdomain: NameRule = rule({
  pattern: subdomain,
  says:
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must " +
    "start and end with an alphanumeric character",
  examples: ["example.com"],
  maxLength: 253,
});

const labelShape = rule({
  pattern: label,
  says:
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and " +
    "end with an alphanumeric character",
  examples: ["my-name", "123-abc"],
  maxLength: 63,
});
const dottedLabels = new RegExp(`^${subdomain}$`);

/** The rule for the names of namespaces and containers, a DNS label: `web-1`. */
export const validateDns1123Label: NameRule = (value, options) => {
  const name = options?.prefix ? maskTrailingDash(value) : value;
  const wrong = labelShape(name);
  if (!name.includes(".") || !dottedLabels.test(name)) return wrong;
  return [...wrong.slice(0, -1), "must not contain dots"];
};

/** The rule for the names of Services: a DNS label that starts with a letter. */
export const validateDns1035Label: NameRule = rule({
  pattern: "[a-z]([-a-z0-9]*[a-z0-9])?",
  says:
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic " +
    "character, and end with an alphanumeric character",
  examples: ["my-name", "abc-123"],
  maxLength: 63,
});

/** A host name whose first part is `*`, as ingresses take them. */
export const validateWildcardDns1123Subdomain: NameRule = rule({
  pattern: `\\*\\.${subdomain}`,
  says:
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist " +
    "of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
  examples: ["*.example.com"],
  maxLength: 253,
});

/** An identifier of the C language. */
export const validateCIdentifier: NameRule = rule({
  pattern: "[A-Za-z_][A-Za-z0-9_]*",
  says:
    "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric " +
    "characters or '_'",
  examples: ["my_name", "MY_NAME", "MyName"],
});

/** The name of an HTTP header, as probes set them. */
export const validateHttpHeaderName: NameRule = rule({
  pattern: "[-A-Za-z0-9]+",
  says: "a valid HTTP header must consist of alphanumeric characters or '-'",
  examples: ["X-Header-Name"],
});

/** A percentage, such as `25%`. */
export const validatePercent: NameRule = rule({
  pattern: "[0-9]+%",
  says: "a valid percent string must be a numeric string followed by an ending '%'",
  examples: ["1%", "93%"],
});

const configKeyShape = rule({
  pattern: "[-._a-zA-Z0-9]+",
  says: "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
  examples: ["key.name", "KEY_NAME", "key-name"],
  maxLength: 253,
});

/** A key of a ConfigMap or Secret; it becomes a file name. */
export const validateConfigMapKey: NameRule = (value) => {
  const wrong = configKeyShape(value);
  if (value === "." || value === "..") wrong.push(`must not be '${value}'`);
  else if (value.startsWith("..")) wrong.push("must not start with '..'");
  return wrong;
};

/** The name of an environment variable: printable ASCII without `=`. */
export const validateEnvVarName: NameRule = (value) => {
  if (value === "") return ["environment variable name must be non-empty"];
  if (/^[ -<>-~]*$/.test(value)) return [];
  return ["a valid environment variable name must consist only of printable ASCII characters other than '='"];
};

/** The name of a port: at most 15 characters, with a letter among them. */
export const validatePortName: NameRule = (value) => {
  const wrong = utf8Length(value) > 15 ? [tooLongText(15)] : [];
  if (!/^[-a-z0-9]+$/.test(value)) {
    wrong.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (!/[a-z]/.test(value)) wrong.push("must contain at least one letter (a-z)");
  if (value.includes("--")) wrong.push("must not contain consecutive hyphens");
  if (value.startsWith("-") || value.endsWith("-")) wrong.push("must not begin or end with a hyphen");
  return wrong;
};

/** The number of a port. */
export function validatePortNumber(port: number): string[] {
  return port >= 1 && port <= 65535 ? [] : ["must be between 1 and 65535, inclusive"];
}

/** The rule that every name must satisfy to be part of a URL; for kinds without a stricter rule (roles). */
export const validatePathSegmentName: NameRule = (value, options) => {
  if (!options?.prefix && (value === "." || value === "..")) return [`may not be '${value}'`];
  return ["/", "%"].filter((part) => value.includes(part)).map((part) => `may not contain '${part}'`);
};
