import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Counter } from "./counter.js";
import { Gauge } from "./gauge.js";
import { exponentialBuckets, Histogram } from "./histogram.js";
import { collected } from "./metric-family.js";
import { MetricsRegistry } from "./registry.js";
import { formatBound, formatFor } from "./text-format.js";

function sample(): MetricsRegistry {
  const registry = new MetricsRegistry();
  const counter = registry.register(
    new Counter({ name: "shop_orders_total", help: 'Orders\nby "way" \\', labels: ["way", "code"] }),
  );
  counter.labels("web", "200").inc();
  counter.labels("web", "200").inc(2);
  counter.labels('a"b\\c\nd', "").inc();
  registry.register(new Gauge({ name: "shop_open", help: "Open" })).set(-1.5);
  const times = registry.register(new Histogram({ name: "shop_seconds", help: "Times", buckets: [0.5, 1] }));
  for (const value of [0.5, 0.6, 7]) times.observe(value);
  return registry;
}

describe("a metrics registry", () => {
  test("is written in the Prometheus text format", () => {
    expect(sample().format()).toBe(
      [
        "# HELP shop_open Open",
        "# TYPE shop_open gauge",
        "shop_open -1.5",
        '# HELP shop_orders_total Orders\\nby "way" \\\\',
        "# TYPE shop_orders_total counter",
        'shop_orders_total{way="web",code="200"} 3',
        'shop_orders_total{way="a\\"b\\\\c\\nd",code=""} 1',
        "# HELP shop_seconds Times",
        "# TYPE shop_seconds histogram",
        'shop_seconds_bucket{le="0.5"} 1',
        'shop_seconds_bucket{le="1"} 2',
        'shop_seconds_bucket{le="+Inf"} 3',
        "shop_seconds_sum 8.1",
        "shop_seconds_count 3",
        "",
      ].join("\n"),
    );
  });

  test("is written as OpenMetrics: counters named without their suffix, and an end", () => {
    const text = sample().format("openmetrics");
    expect(text).toContain("# TYPE shop_orders counter\nshop_orders_total{");
    expect(text).toContain('# HELP shop_orders Orders\\nby \\"way\\" \\\\');
    expect(text.endsWith("# EOF\n")).toBe(true);
  });

  test("leaves out a metric that fails, and reports it", () => {
    const registry = sample();
    const failing = () => {
      throw new Error("no value");
    };
    registry.register(collected({ name: "broken", help: "" }, "gauge", failing));
    const errors: unknown[] = [];
    const text = registry.format("prometheus", (error) => errors.push(error));
    expect(text).not.toContain("broken");
    expect(text).toContain("shop_open -1.5");
    expect(errors.map(String)).toEqual(["Error: no value"]);
  });

  test("refuses a second metric of the same name", () => {
    const registry = sample();
    expect(() => registry.register(new Gauge({ name: "shop_open", help: "" }))).toThrow("already");
  });
});

test.each([
  ["a counter without its suffix", () => new Counter({ name: "orders", help: "" }), "must end with"],
  ["a name with spaces", () => new Gauge({ name: "an order", help: "" }), "is no name"],
  ["a reserved label", () => new Gauge({ name: "x", help: "", labels: ["__name__"] }), "is no name"],
  ["the label of buckets", () => new Histogram({ name: "x", help: "", labels: ["le"] }), "is no name"],
  ["buckets that fall", () => new Histogram({ name: "x", help: "", buckets: [2, 1] }), "must rise"],
  [
    "labels without values",
    () => new Gauge({ name: "x", help: "", labels: ["a"] }).set(1),
    "has the labels a",
  ],
  ["a counter that falls", () => new Counter({ name: "x_total", help: "" }).inc(-1), "only grow"],
])("the metric definition with %s is refused", (_, make, message) => {
  expect(make).toThrow(message);
});

test.each([
  [undefined, "prometheus"],
  ["*/*", "prometheus"],
  ["application/openmetrics-text; version=1.0.0", "openmetrics"],
  [
    "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.1",
    "openmetrics",
  ],
  ["application/openmetrics-text;q=0.2,text/plain", "prometheus"],
  ["application/openmetrics-text;q=0", "prometheus"],
])("a scraper that accepts %s gets %s", (accept, format) => {
  expect(formatFor(accept)).toBe(format);
});

test("metrics with different labels never share a value", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.tuple(fc.string(), fc.string()), { selector: (pair) => JSON.stringify(pair) }),
      (pairs) => {
        const counter = new Counter({ name: "x_total", help: "", labels: ["a", "b"] });
        for (const [one, other] of pairs) counter.labels(one, other).inc();
        expect([...counter.samples()].map(({ value }) => value)).toEqual(pairs.map(() => 1));
      },
    ),
  );
});

test("a histogram counts each observation in every bucket it fits in", () => {
  const bounds = exponentialBuckets(1, 2, 5);
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 100, noNaN: true })), (values) => {
      const histogram = new Histogram({ name: "x", help: "", buckets: bounds });
      for (const value of values) histogram.observe(value);
      const samples = [...histogram.samples()];
      const expected = [...bounds, Number.POSITIVE_INFINITY].map(
        (bound) => values.filter((value) => value <= bound).length,
      );
      expect(samples.slice(0, -2).map(({ value }) => value)).toEqual(expected);
      expect(samples.at(-1)?.value).toBe(values.length);
    }),
  );
});

test.each([
  [1e-8, "1e-08"],
  [0.00001, "1e-05"],
  [0.0001, "0.0001"],
  [0.005, "0.005"],
  [1, "1"],
  [1000, "1000"],
  [Number.POSITIVE_INFINITY, "+Inf"],
])("the histogram bound %d is written %s", (bound, text) => {
  expect(formatBound(bound)).toBe(text);
});
