import { describe, expect, it } from "vitest";
import { defineResource, kube, z } from "../index.js";

const names = { group: "shop.example.com", version: "v1", kind: "Fleet" } as const;

/** Each pod template takes about 60 KB. */
const templates = (count: number) =>
  z.object(
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`template${i}`, kube.PodTemplateSpec])),
  );

const oversized = { ...names, spec: z.object({ name: z.string(), pools: templates(5) }) };

describe("a definition too large for kubectl apply", () => {
  it("is refused with the field that takes most of it, and the remedy", () => {
    expect(() => defineResource(oversized)).toThrow(
      /Fleet\.shop\.example\.com: spec\.pools: Forbidden: the definition takes \d+ KiB and kubectl apply carries 256 KiB: embed large types with kube\.opaque\(\)/,
    );
  });

  it("is accepted when it is for server-side apply", () => {
    expect(defineResource({ ...oversized, serverSideApply: true }).plural).toBe("fleets");
  });

  it("counts its own annotations", () => {
    const spec = templates(3);
    expect(() => defineResource({ ...names, spec })).not.toThrow();
    expect(() => defineResource({ ...names, spec, annotations: { notes: "x".repeat(50_000) } })).toThrow(
      "kubectl apply carries 256 KiB",
    );
  });
});
