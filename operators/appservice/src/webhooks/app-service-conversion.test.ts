import { describe, expect, test } from "vitest";
import { AppService } from "../api/v1/app-service.js";
import { appServiceConversion, serviceTypeAnnotation } from "./app-service-conversion.js";

const spec = { size: 2, image: "nginx:1.7.9", ports: [{ port: 80, protocol: "TCP" as const }] };
const object = (version: string, more: object = {}) => ({
  apiVersion: `app.example.com/${version}`,
  kind: "AppService",
  metadata: { name: "web", namespace: "default", uid: "1" },
  spec: { ...spec, ...more },
});
const convert = (from: object, version: string) =>
  appServiceConversion.convert(from, `app.example.com/${version}`) as AppService;

describe("conversion of an AppService between v1 and v1alpha1", () => {
  test("keeps fields of both versions", () => {
    expect(convert(object("v1alpha1"), "v1")).toMatchObject(object("v1"));
    expect(convert(object("v1"), "v1alpha1")).toMatchObject(object("v1alpha1"));
  });

  test("keeps fields that only v1 has, in an annotation", () => {
    const headless = object("v1", { serviceType: "Headless" });
    const old = convert(headless, "v1alpha1");
    expect(old.spec).not.toHaveProperty("serviceType");
    expect(old.metadata.annotations).toEqual({ [serviceTypeAnnotation]: "Headless" });
    const back = convert(old, "v1");
    expect(back.spec).toEqual(headless.spec);
    expect(back.metadata.annotations ?? {}).toEqual({});
  });

  test("ignores an invalid annotation", () => {
    const odd = object("v1alpha1");
    const metadata = { ...odd.metadata, annotations: { [serviceTypeAnnotation]: "Pigeon", mine: "1" } };
    const back = convert({ ...odd, metadata }, "v1");
    expect(back.spec.serviceType).toBeUndefined();
    expect(back.metadata.annotations).toEqual({ mine: "1" });
  });

  test("is declared in the CRD with both versions", () => {
    expect(AppService.crd().spec.versions.map(({ name, storage }) => `${name} ${storage}`)).toEqual([
      "v1 true",
      "v1alpha1 false",
    ]);
  });
});
