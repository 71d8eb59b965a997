import { describe, expect, test } from "vitest";
import { TimeZone } from "./time-zone.js";
import { zoneNameProblem } from "./zone-names.js";

describe("time zone names", () => {
  test.each([
    "UTC",
    "Asia/Kolkata",
    "Asia/Calcutta",
    "US/Pacific",
    "Etc/GMT+8",
    "America/Argentina/Buenos_Aires",
    "GB",
    "PRC",
  ])("%s is accepted and known", (name) => {
    expect(zoneNameProblem(name)).toBeUndefined();
    expect(new TimeZone(name).name).toBe(name);
  });

  test.each([
    ["CST", "America/Chicago or Asia/Shanghai"],
    ["BST", "Europe/London or Asia/Dhaka"],
    ["ist", "Asia/Kolkata or Europe/Dublin"],
    ["PDT", "America/Los_Angeles"],
  ])("%s is refused with its likely meaning", (name, likely) => {
    expect(zoneNameProblem(name)).toContain(`"${name}" is no IANA time zone; did you mean ${likely}`);
  });

  test.each(["VST", "+08:00", "SystemV/EST5", "Local", ""])("%j is refused", (name) => {
    expect(zoneNameProblem(name)).toContain("there is no time zone");
  });

  test("every zone Intl lists is accepted", () => {
    expect(Intl.supportedValuesOf("timeZone").filter((name) => zoneNameProblem(name) !== undefined)).toEqual(
      [],
    );
  });

  test("a stored CST keeps its meaning", () => {
    const summer = Date.UTC(2026, 6, 1);
    expect(new TimeZone("CST").local(summer) - summer).toBe(-5 * 3_600_000);
  });
});
