import { defineResource, z } from "@kubewright/schema";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { defineConversion } from "./define-conversion.js";
import { roundTripLosses } from "./round-trip.js";

const App = defineResource({
  group: "app.example.com",
  version: "v1",
  kind: "App",
  conversion: "webhook",
  spec: z.object({ size: z.int(), tier: z.enum(["small", "large"]).default("small") }),
  status: z.object({ ready: z.int().optional() }),
  versions: {
    v1alpha1: { spec: z.object({ count: z.int(), big: z.boolean().default(false) }) },
    v1beta1: { spec: z.object({ size: z.int() }), status: z.object({ ready: z.int().optional() }) },
  },
});

const conversion = defineConversion(App, {
  v1alpha1: {
    up: ({ spec }) => ({ spec: { size: spec.count, tier: spec.big ? "large" : "small" } }),
    down: ({ spec }) => ({ spec: { count: spec.size, big: spec.tier === "large" } }),
  },
  v1beta1: {
    up: ({ spec }) => ({ spec }),
    down: ({ spec, metadata }) => ({
      metadata: { labels: { ...metadata.labels, tier: spec.tier } },
      spec: { size: spec.size },
    }),
  },
});

const metadata = { name: "a", namespace: "shop", uid: "1", labels: { a: "b" } };

describe("defineConversion", () => {
  test("converts up, down, and between versions through the hub", () => {
    const old = {
      apiVersion: "app.example.com/v1alpha1",
      kind: "App",
      metadata,
      spec: { count: 3, big: true },
    };
    expect(conversion.convert(old, "app.example.com/v1")).toEqual({
      apiVersion: "app.example.com/v1",
      kind: "App",
      metadata,
      spec: { size: 3, tier: "large" },
    });
    expect(conversion.convert(old, "app.example.com/v1beta1")).toEqual({
      apiVersion: "app.example.com/v1beta1",
      kind: "App",
      metadata: { ...metadata, labels: { a: "b", tier: "large" } },
      spec: { size: 3 },
    });
    expect(conversion.convert(old, "app.example.com/v1alpha1")).toBe(old);
  });

  test("fills in the defaults of the target version", () => {
    const old = { apiVersion: "app.example.com/v1beta1", kind: "App", metadata, spec: { size: 1 } };
    expect(conversion.convert(old, "app.example.com/v1")).toMatchObject({ spec: { size: 1, tier: "small" } });
  });

  test("leaves no empty labels or annotations behind", () => {
    const old = {
      apiVersion: "app.example.com/v1beta1",
      kind: "App",
      metadata: { name: "a" },
      spec: { size: 1 },
    };
    const noisy = defineConversion(App, {
      v1alpha1: { up: () => ({ spec: { size: 1 } }), down: () => ({ spec: { count: 1 } }) },
      v1beta1: {
        up: ({ spec }) => ({ metadata: { labels: {}, annotations: {} }, spec }),
        down: ({ spec }) => ({ spec }),
      },
    });
    expect(noisy.convert(old, "app.example.com/v1").metadata).toEqual({ name: "a" });
  });

  test("keeps the status by default", () => {
    const app = {
      apiVersion: "app.example.com/v1",
      kind: "App",
      metadata,
      spec: { size: 1 },
      status: { ready: 1 },
    };
    expect(conversion.convert(app, "app.example.com/v1beta1")).toMatchObject({ status: { ready: 1 } });
    const silent = defineConversion(App, {
      v1alpha1: { up: () => ({ spec: { size: 1 } }), down: () => ({ spec: { count: 1 } }) },
      v1beta1: {
        up: ({ spec }) => ({ spec }),
        down: ({ spec: { size } }) => ({ spec: { size }, status: undefined }),
      },
    });
    expect(silent.convert(app, "app.example.com/v1beta1")).not.toHaveProperty("status.ready");
  });

  test.each([
    ["app.example.com/v2", "app.example.com/v1"],
    ["app.example.com/v1", "app.example.com/v2"],
    ["app.example.com/v1", "other.example.com/v1beta1"],
  ])("refuses to convert from %s to %s", (from, to) => {
    const object = { apiVersion: from, kind: "App", metadata, spec: { size: 1 } };
    expect(() => conversion.convert(object, to)).toThrow("App.app.example.com has no version");
  });

  test("roundTripLosses without an object finds a field that another version lacks, although it has a default", () => {
    const Order = defineResource({
      group: "shop.example.com",
      version: "v1",
      kind: "Order",
      conversion: "webhook",
      spec: z.object({
        message: z.string().default("Hello"),
        replicas: z.int().min(0).max(9).default(9),
        tier: z.enum(["small", "large"]).default("large"),
        paused: z.boolean().default(true),
        labels: z.record(z.string(), z.string()).optional(),
        ports: z.array(z.object({ port: z.int(), name: z.string().optional() })).optional(),
      }),
      versions: { v2: { spec: z.object({ message: z.string().default("Hello") }) } },
    });
    const same = defineConversion(Order, {
      v2: { up: ({ spec }) => ({ spec }), down: ({ spec }) => ({ spec }) },
    });
    expect(roundTripLosses(same)).toEqual(
      ["labels", "ports", "replicas", "tier", "paused"].map((field) =>
        expect.stringMatching(new RegExp(`^v1 → v2 → v1: (remove|replace) /spec/${field}`)),
      ),
    );
    expect(roundTripLosses(same, Order.default({ metadata: { name: "a" }, spec: {} }))).toEqual([]);
    expect(roundTripLosses(same, Order.default({ metadata: { name: "a" }, spec: { replicas: 5 } }))).toEqual([
      "v1 → v2 → v1: replace /spec/replicas",
    ]);
  });

  test("is lossless where the round trip says so, and the loss is named where it is not", () => {
    const object = fc.record({ count: fc.integer(), big: fc.boolean() });
    fc.assert(
      fc.property(object, (spec) => {
        const old = App.versions.v1alpha1.default({ metadata, spec });
        const losses = roundTripLosses(conversion, old);
        const viaBeta = "v1alpha1 → v1beta1 → v1alpha1: ";
        expect(losses).toEqual(
          spec.big
            ? [`${viaBeta}add /metadata/labels/tier`, `${viaBeta}replace /spec/big`]
            : [`${viaBeta}add /metadata/labels/tier`],
        );
      }),
    );
  });
});
