import { describe, expect, it } from "vitest";
import { admissionPlugins } from "./built-in-plugins.js";

const names = (disabled: string[] = [], further: string[] = []) =>
  admissionPlugins(
    disabled,
    further.map((name) => ({ name })),
  ).map(({ name }) => name);

describe("built-in admission plugins", () => {
  it("run in the order of Kubernetes", () => {
    const all = names();
    expect(all[0]).toBe("NamespaceLifecycle");
    expect(all.indexOf("ServiceAccount")).toBeLessThan(all.indexOf("Priority"));
    expect(all.indexOf("Priority")).toBeLessThan(all.indexOf("DefaultStorageClass"));
  });

  it("can be left out by name", () => {
    expect(names(["ServiceAccount"])).not.toContain("ServiceAccount");
    expect(names(["ResourceQuota"])).toEqual(names());
    expect(() => names(["Nope"])).toThrow('unknown admission plugin "Nope"');
  });

  it("run beside additional plugins", () => {
    const all = names([], ["LimitRanger", "Mine"]);
    expect(all[1]).toBe("LimitRanger");
    expect(all.at(-1)).toBe("Mine");
  });
});
