import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineResource } from "./define-resource.js";

describe("versions of defineResource", () => {
  const spec = z.object({ size: z.int() });
  const options = { group: "app.example.com", version: "v1", kind: "AppService", spec } as const;

  it("are listed with how each is served; the definition's own is stored", () => {
    const AppService = defineResource({
      ...options,
      versions: {
        v1beta1: { spec, deprecated: true },
        v1alpha1: { spec, served: false, deprecated: "app.example.com/v1alpha1 is gone soon; use v1" },
      },
    });
    expect(AppService.crd().spec.versions.map(({ schema: _schema, ...rest }) => rest)).toEqual([
      { name: "v1", served: true, storage: true },
      { name: "v1beta1", served: true, storage: false, deprecated: true },
      {
        name: "v1alpha1",
        served: false,
        storage: false,
        deprecated: true,
        deprecationWarning: "app.example.com/v1alpha1 is gone soon; use v1",
      },
    ]);
    expect(AppService.versions.v1alpha1).toMatchObject({
      apiVersion: "app.example.com/v1alpha1",
      kind: "AppService",
    });
    expect(AppService.versions.v1alpha1.crd()).toEqual(AppService.crd());
  });

  it("may name another one as the storage version", () => {
    const moved = defineResource({ ...options, versions: { v1beta1: { spec, storage: true } } });
    expect(moved.crd().spec.versions.map(({ name, storage }) => [name, storage])).toEqual([
      ["v1", false],
      ["v1beta1", true],
    ]);
  });

  it("convert by strategy None, or by the operator's webhook", () => {
    expect(defineResource(options).crd().spec.conversion).toBeUndefined();
    expect(defineResource({ ...options, conversion: "none" }).crd().spec.conversion).toEqual({
      strategy: "None",
    });
    const byWebhook = defineResource({ ...options, conversion: "webhook" });
    const webhook = (clientConfig: object) => ({
      strategy: "Webhook",
      webhook: { conversionReviewVersions: ["v1"], clientConfig },
    });
    expect(byWebhook.crd().spec.conversion).toEqual(
      webhook({ service: { namespace: "system", name: "webhook-service", path: "/convert" } }),
    );
    const conversionWebhook = { url: "https://127.0.0.1:9443/convert", caBundle: "Cg==" };
    expect(byWebhook.crd({ conversionWebhook }).spec.conversion).toEqual(webhook(conversionWebhook));
  });
});
