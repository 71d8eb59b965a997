import { describe, expect, it } from "vitest";
import { validateCidr, validateIp, validateReachable } from "./ip-address.js";

describe("IP fields", () => {
  it.each([
    ["10.0.0.1", []],
    ["2001:DB8::1", []],
    ["010.0.0.1", ["must not have leading 0s"]],
    ["::ffff:1.2.3.4", ["must not be an IPv4-mapped IPv6 address"]],
    ["abc", ["must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"]],
  ])("validateIp of %s reports %j", (text, problems) => {
    const errors = validateIp(text, "f");
    expect(errors.map(({ message }) => message)).toEqual(
      problems.map((problem) => `Invalid value: "${text}": ${problem}`),
    );
    expect(validateIp(text, "f", [text])).toEqual([]);
  });

  it.each([
    ["10.0.0.0/8", []],
    ["10.0.0.1/8", ["must not have bits set beyond the prefix length"]],
    ["10.0.0.0/08", ["must not have leading 0s in IP or prefix length"]],
    ["::ffff:1.1.1.0/120", ["must not have an IPv4-mapped IPv6 address"]],
    ["10.0.0.0", ["must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"]],
  ])("validateCidr of %s reports %j", (text, problems) => {
    expect(validateCidr(text, "f").map(({ message }) => message)).toEqual(
      problems.map((problem) => `Invalid value: "${text}": ${problem}`),
    );
  });

  it.each([
    ["10.0.0.1", []],
    ["0.0.0.0", ["may not be unspecified (0.0.0.0)"]],
    ["127.0.0.1", ["may not be in the loopback range (127.0.0.0/8, ::1/128)"]],
    ["169.254.1.1", ["may not be in the link-local range (169.254.0.0/16, fe80::/10)"]],
    ["fe80::1", ["may not be in the link-local range (169.254.0.0/16, fe80::/10)"]],
    ["224.0.0.9", ["may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"]],
    ["224.0.1.9", []],
    ["ff02::1", ["may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"]],
  ])("validateReachable of %s reports %j", (text, problems) => {
    expect(validateReachable(text, "f").map(({ message }) => message)).toEqual(
      problems.map((problem) => `Invalid value: "${text}": ${problem}`),
    );
  });
});
