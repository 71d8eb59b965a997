import { describe, expect, expectTypeOf, it } from "vitest";
import {
  apiVersionOf,
  type InputOf,
  type ObjectOf,
  parseApiVersion,
  type ResourceDescriptor,
} from "./resource.js";

describe("apiVersion", () => {
  it.each([
    ["v1", "", "v1"],
    ["apps/v1", "apps", "v1"],
    ["rbac.authorization.k8s.io/v1", "rbac.authorization.k8s.io", "v1"],
  ])("%s is group %j and version %s, both ways", (apiVersion, group, version) => {
    expect(parseApiVersion(apiVersion)).toEqual({ group, version });
    expect(apiVersionOf({ group, version })).toBe(apiVersion);
  });

  it.each(["", "/", "/v1", "apps/", "a/b/c"])("%j is none", (text) => {
    expect(parseApiVersion(text)).toBeUndefined();
  });
});

it("resource descriptor: carries the types of its kind", () => {
  type Box = ResourceDescriptor<{ spec: { size: number } }, { spec: { size?: number } }>;
  expectTypeOf<ObjectOf<Box>>().toEqualTypeOf<{ spec: { size: number } }>();
  expectTypeOf<InputOf<Box>>().toEqualTypeOf<{ spec: { size?: number } }>();
});
