import { describe, expect, it } from "vitest";
import {
  validateDomainPrefixedPath,
  validateFullyQualifiedDomainName,
  validateFullyQualifiedName,
} from "./domain-names.js";

const required = "Required value";
const subdomain = expect.stringContaining("a lowercase RFC 1123 subdomain must consist of");

const check = (rule: typeof validateFullyQualifiedName, cases: [string, unknown[]][]): void => {
  it.each(cases)("%j: %s", (name, messages) => {
    const errors = rule(name, "f");
    expect(errors.map(({ message }) => message)).toEqual(messages);
    expect(errors.every(({ field }) => field === "f")).toBe(true);
  });
};

describe("validateFullyQualifiedName", () => {
  check(validateFullyQualifiedName, [
    ["a.b.c", []],
    ["webhook.models.example.com", []],
    ["", [required]],
    ["A.b.c", [subdomain]],
    ["a.b", ['Invalid value: "a.b": should be a domain with at least three segments separated by dots']],
  ]);
});

describe("validateFullyQualifiedDomainName", () => {
  check(validateFullyQualifiedDomainName, [
    ["example.com", []],
    ["example.com.", []],
    ["", [required]],
    [".", [subdomain]],
    ["com", ['Invalid value: "com": should be a domain with at least two segments separated by dots']],
    [`${"a".repeat(64)}.com`, [`Invalid value: "${"a".repeat(64)}": must be no more than 63 characters`]],
  ]);
});

describe("validateDomainPrefixedPath", () => {
  check(validateDomainPrefixedPath, [
    ["example.com/path/to~it", []],
    ["", [required]],
    ["example.com", ['Invalid value: "example.com": must be a domain-prefixed path (such as "acme.io/foo")']],
    [
      "example.com/",
      ['Invalid value: "example.com/": must be a domain-prefixed path (such as "acme.io/foo")'],
    ],
    ["/path", ['Invalid value: "/path": must be a domain-prefixed path (such as "acme.io/foo")']],
    ["Bad/path", [subdomain]],
    [
      "example.com/a b",
      [
        `Invalid value: "a b": Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')`,
      ],
    ],
  ]);
});
