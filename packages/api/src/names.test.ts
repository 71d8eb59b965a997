import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { generateName } from "./generate-name.js";
import {
  type NameRule,
  validateCIdentifier,
  validateConfigMapKey,
  validateDns1035Label,
  validateDns1123Label,
  validateDns1123Subdomain,
  validateEnvVarName,
  validateHttpHeaderName,
  validatePathSegmentName,
  validatePercent,
  validatePortName,
  validatePortNumber,
  validateWildcardDns1123Subdomain,
} from "./names.js";

const subdomainText =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start " +
  "and end with an alphanumeric character (e.g. 'example.com', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const labelText =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end " +
  "with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const label1035Text =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, " +
  "and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is " +
  "'[a-z]([-a-z0-9]*[a-z0-9])?')";

/** Tables of a rule: names it takes, and names it refuses with these texts. */
function check(
  rule: NameRule,
  good: readonly string[],
  bad: Readonly<Record<string, readonly string[]>>,
): void {
  it.each(good)("takes %j", (name) => {
    expect(rule(name)).toEqual([]);
  });
  it.each(Object.entries(bad))("refuses %j", (name, texts) => {
    expect(rule(name)).toEqual(texts);
  });
}

describe("validateDns1123Subdomain", () => {
  check(validateDns1123Subdomain, ["a", "0", "a-b", "a.b", "0.1.2", "a--b", "a1.b2-c3", "a".repeat(253)], {
    "": [subdomainText],
    A: [subdomainText],
    "-a": [subdomainText],
    "a-": [subdomainText],
    "a..b": [subdomainText],
    "a.b.": [subdomainText],
    "a.-b": [subdomainText],
    a_b: [subdomainText],
    "a\n": [subdomainText],
    ä: [subdomainText],
    [`${"a".repeat(254)}`]: ["must be no more than 253 characters"],
    [`${"é".repeat(127)}`]: ["must be no more than 253 characters", subdomainText],
  });

  it("lets a prefix end with a dash", () => {
    expect(validateDns1123Subdomain("web-", { prefix: true })).toEqual([]);
    expect(validateDns1123Subdomain("web-")).toEqual([subdomainText]);
    expect(validateDns1123Subdomain("-", { prefix: true })).toEqual([subdomainText]);
    expect(validateDns1123Subdomain("Web-", { prefix: true })).toEqual([subdomainText]);
  });

  it("takes time that grows with the name and no faster", () => {
    expect(validateDns1123Subdomain(`${"a-".repeat(500_000)}`)).toHaveLength(2);
    expect(validateDns1123Subdomain(`${"a.".repeat(500_000)}`)).toHaveLength(2);
  });
});

describe("validateDns1123Label", () => {
  check(validateDns1123Label, ["a", "0", "a-b", "a".repeat(63)], {
    "": [labelText],
    "a.b": ["must not contain dots"],
    "a.B": [labelText],
    "-a": [labelText],
    ["a".repeat(64)]: ["must be no more than 63 characters"],
    [`${"a".repeat(63)}.b`]: ["must be no more than 63 characters", "must not contain dots"],
  });

  it("lets a prefix end with a dash", () => {
    expect(validateDns1123Label("web-", { prefix: true })).toEqual([]);
  });
});

describe("validateDns1035Label", () => {
  check(validateDns1035Label, ["a", "a0", "a-b"], {
    "0a": [label1035Text],
    "a.b": [label1035Text],
    "": [label1035Text],
  });
});

describe("validateWildcardDns1123Subdomain", () => {
  const text =
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of " +
    "lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', " +
    "regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
  check(validateWildcardDns1123Subdomain, ["*.example.com", "*.foo.bar.com"], {
    "*.*.bar.com": [text],
    "*bar.com": [text],
    "*": [text],
  });
});

describe("validation of other identifiers", () => {
  it.each<[NameRule, string, string]>([
    [validateCIdentifier, "my_name", "1a"],
    [validateHttpHeaderName, "X-Header-Name", "X Header"],
    [validatePercent, "25%", "25"],
    [validatePercent, "0%", "-1%"],
    [validateEnvVarName, "MY.ENV-name x", "A=B"],
    [validateEnvVarName, "1st", "tab\t"],
    [validateConfigMapKey, "a.b_c-D", "a/b"],
  ])("%# takes %j and refuses %j", (rule, good, bad) => {
    expect(rule(good)).toEqual([]);
    expect(rule(bad)).toHaveLength(1);
  });

  it("says what it wants", () => {
    expect(validateCIdentifier("-")).toEqual([
      "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric " +
        "characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is " +
        "'[A-Za-z_][A-Za-z0-9_]*')",
    ]);
    expect(validatePercent("x")).toEqual([
      "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used " +
        "for validation is '[0-9]+%')",
    ]);
    expect(validateEnvVarName("")).toEqual(["environment variable name must be non-empty"]);
    expect(validateEnvVarName("ü")).toEqual([
      "a valid environment variable name must consist only of printable ASCII characters other than '='",
    ]);
  });

  check(validateConfigMapKey, ["...a".slice(2), "a..b", "a".repeat(253)], {
    ".": ["must not be '.'"],
    "..": ["must not be '..'"],
    "..a": ["must not start with '..'"],
    ["a".repeat(254)]: ["must be no more than 253 characters"],
    "": [
      "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME', " +
        " or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
    ],
  });

  check(validatePortName, ["http", "a", "0a", "a-b-c", "a".repeat(15)], {
    thisnameistoolong: ["must be no more than 15 characters"],
    "": [
      "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)",
      "must contain at least one letter (a-z)",
    ],
    "80": ["must contain at least one letter (a-z)"],
    "a--b": ["must not contain consecutive hyphens"],
    "-a": ["must not begin or end with a hyphen"],
    Http_: ["must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)"],
  });

  check(validatePathSegmentName, ["system:node", "a b", "...", ""], {
    ".": ["may not be '.'"],
    "..": ["may not be '..'"],
    "a/b%c": ["may not contain '/'", "may not contain '%'"],
  });

  it("lets a path segment prefix be dots", () => {
    expect(validatePathSegmentName("..", { prefix: true })).toEqual([]);
  });

  it.each([
    [1, true],
    [65535, true],
    [0, false],
    [65536, false],
    [Number.NaN, false],
  ])("port %d: %s", (port, fine) => {
    expect(validatePortNumber(port)).toEqual(fine ? [] : ["must be between 1 and 65535, inclusive"]);
  });
});

describe("generateName", () => {
  it("appends five characters that spell nothing", () => {
    let i = 0;
    expect(generateName("web-", () => (i++ % 27) / 27)).toBe("web-bcdfg");
    expect(generateName("web-", () => 0.9999999)).toBe("web-99999");
  });

  it("makes names that fit a label, from any valid prefix", () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[a-z][a-z0-9-]{0,80}$/),
        fc.infiniteStream(fc.double({ min: 0, max: 0.999 })),
        (prefix, stream) => {
          const name = generateName(prefix, () => stream.next().value);
          expect(name.length).toBeLessThanOrEqual(63);
          expect(validateDns1123Label(name)).toEqual([]);
        },
      ),
    );
  });
});
