import { once } from "node:events";
import { Writable } from "node:stream";
import type { TransportRequest } from "@kubewright/api";
import { admin } from "@kubewright/kinds";
import { describe, expect, test } from "vitest";

import { eventWriter } from "../listener/event-writer.js";
import { createApiServer } from "../server.js";
import { labelText } from "./exposition.js";
import { LatencyTracker } from "./latency-tracker.js";
import { CommonSeries, RequestSeries } from "./request-series.js";

function setUp() {
  const server = createApiServer();
  const send = (
    method: TransportRequest["method"],
    path: string,
    value?: unknown,
    more: Partial<TransportRequest> = {},
  ) =>
    server.handle(
      { method, path, body: value === undefined ? undefined : { kind: "object", value }, ...more },
      { user: admin },
    );
  const scrape = async (): Promise<string> => {
    const { body, headers } = await send("GET", "/metrics");
    expect(headers["content-type"]).toMatch(/^text\/plain; version=0.0.4/);
    return body.kind === "bytes" ? Buffer.from(body.bytes).toString() : "";
  };
  return { server, send, scrape };
}

const configMap = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });
const maps = "/api/v1/namespaces/default/configmaps";

describe("/metrics", () => {
  test("has no series of a kind that was deleted", async () => {
    const { send, scrape } = setUp();
    const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
    await send("POST", crds, {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "boxes.example.com" },
      spec: {
        group: "example.com",
        names: { plural: "boxes", kind: "Box" },
        scope: "Namespaced",
        versions: [{ name: "v1", served: true, storage: true, schema }],
      },
    });
    const boxes = "/apis/example.com/v1/namespaces/default/boxes";
    const box = { apiVersion: "example.com/v1", kind: "Box", metadata: { name: "a" } };
    await expect.poll(async () => (await send("POST", boxes, box)).status).toBe(201);
    await send("DELETE", `${boxes}/a`);
    expect(await scrape()).toContain('resource="boxes"');
    await send("DELETE", `${crds}/boxes.example.com`);
    await expect.poll(async () => (await send("GET", boxes)).status).toBe(404);
    const left = (await scrape()).split("\n").filter((line) => line.includes("boxes"));
    expect(left).toEqual([]);
  });

  test("counts requests by verb, resource, scope and code", async () => {
    const { send, scrape } = setUp();
    await send("POST", maps, configMap("a"));
    await send("POST", maps, configMap("a"));
    await send("GET", `${maps}/a`);
    await send("GET", maps);
    await send("GET", "/api/v1/configmaps");
    await send("PATCH", `${maps}/a`, configMap("a"), {
      headers: { "content-type": "application/apply-patch+yaml" },
      query: new URLSearchParams("fieldManager=me&dryRun=All"),
    });
    const text = await scrape();
    const rest = 'group="",resource="configmaps"';
    for (const line of [
      `{code="201",component="apiserver",dry_run="",${rest},scope="resource",subresource="",verb="POST",version="v1"} 1`,
      `{code="409",component="apiserver",dry_run="",${rest},scope="resource",subresource="",verb="POST",version="v1"} 1`,
      `{code="200",component="apiserver",dry_run="",${rest},scope="resource",subresource="",verb="GET",version="v1"} 1`,
      `{code="200",component="apiserver",dry_run="",${rest},scope="namespace",subresource="",verb="LIST",version="v1"} 1`,
      `{code="200",component="apiserver",dry_run="",${rest},scope="cluster",subresource="",verb="LIST",version="v1"} 1`,
      `{code="200",component="apiserver",dry_run="All",${rest},scope="resource",subresource="",verb="APPLY",version="v1"} 1`,
    ])
      expect(text).toContain(`apiserver_request_total${line}\n`);
    expect(text).toContain(
      `apiserver_request_duration_seconds_count{component="apiserver",dry_run="",${rest},scope="resource",subresource="",verb="POST",version="v1"} 2\n`,
    );
  });

  test("reports how many objects lists fetched, evaluated and returned", async () => {
    const { send, scrape } = setUp();
    for (const name of ["a", "b", "c"]) await send("POST", maps, configMap(name));
    await send("GET", maps, undefined, { query: new URLSearchParams("labelSelector=x") });
    await send("GET", maps, undefined, { query: new URLSearchParams("fieldSelector=metadata.name!%3Db") });
    const text = await scrape();
    const labels = 'group="",index="",resource="configmaps"';
    expect(text).toContain(`apiserver_cache_list_total{${labels}} 2\n`);
    expect(text).toContain(`apiserver_cache_list_fetched_objects_total{${labels}} 6\n`);
    expect(text).toContain('apiserver_cache_list_returned_objects_total{group="",resource="configmaps"} 2\n');
  });

  test("reports the seats that the concurrency shares of each priority level come to", async () => {
    const { scrape } = setUp();
    const text = await scrape();
    for (const [level, seats] of Object.entries({ "catch-all": 13, exempt: 0, "workload-low": 245 }))
      expect(text).toContain(
        `apiserver_flowcontrol_nominal_limit_seats{priority_level="${level}"} ${seats}\n`,
      );
  });

  test("reports requests in flight, open watches, and stored objects", async () => {
    const { server, send, scrape } = setUp();
    await send("POST", maps, configMap("a"));
    const { body } = await send("GET", maps, undefined, { query: new URLSearchParams("watch=1") });
    const open = /apiserver_longrunning_requests\{[^}]*resource="configmaps"[^}]*verb="WATCH"[^}]*\} 1\n/;
    const text = await scrape();
    expect(text).toMatch(open);
    expect(text).toContain('apiserver_current_inflight_requests{request_kind="readOnly"} 1\n');
    expect(text).toContain('apiserver_current_inflight_requests{request_kind="mutating"} 0\n');
    expect(text).toContain('apiserver_storage_objects{resource="configmaps"} 1\n');
    expect(text).toContain(
      'apiserver_resource_objects{group="rbac.authorization.k8s.io",resource="clusterroles"}',
    );
    expect(text).toMatch(/process_resident_memory_bytes \d+\n/);
    if (body.kind === "events") await body.events[Symbol.asyncIterator]().return?.();
    expect(await scrape()).not.toMatch(open);
    server.close();
  });

  test("reports admission, authorization and watch events", async () => {
    const { server, send, scrape } = setUp();
    const { body } = await send("GET", maps, undefined, { query: new URLSearchParams("watch=1") });
    await send("POST", maps, configMap("a"));
    await send("POST", "/api/v1/namespaces/none/configmaps", configMap("a"));
    await server.handle({ method: "GET", path: maps, headers: { authorization: "Bearer bad" } }, {});
    await server.handle({ method: "GET", path: maps }, {});
    if (body.kind === "events") await body.events[Symbol.asyncIterator]().next();
    const text = await scrape();
    const step = 'apiserver_admission_step_admission_duration_seconds_count{operation="CREATE"';
    const plugin =
      'apiserver_admission_controller_admission_duration_seconds_count{name="NamespaceLifecycle"';
    for (const line of [
      `${step},rejected="false",type="admit"} 1`,
      `${step},rejected="true",type="admit"} 1`,
      `${step},rejected="false",type="validate"} 1`,
      `${plugin},operation="CREATE",rejected="false",type="admit"} 1`,
      `${plugin},operation="CREATE",rejected="true",type="admit"} 1`,
      'apiserver_watch_events_total{group="",resource="configmaps",version="v1"} 1',
      'authentication_attempts{result="failure"} 1',
      'authenticated_user_requests{username="other"} 1',
      'authorization_attempts_total{result="denied"} 1',
      "serviceaccount_stale_tokens_total 0",
    ])
      expect(text).toContain(`${line}\n`);
    expect(text).toMatch(/^kubernetes_build_info\{.*git_version="v1\.36\.4".*\} 1$/m);
    if (body.kind === "events") await body.events[Symbol.asyncIterator]().return?.();
    server.close();
  });

  test("labels requests with the verbs of kube-apiserver", async () => {
    const { send, scrape } = setUp();
    await send("DELETE", maps);
    await send("HEAD", maps);
    await send("GET", "/api/v1/namespaces/default/pods/p/log");
    await send("GET", "/api/v1/namespaces/default/endpoints");
    const text = await scrape();
    const of = (resource: string) =>
      [
        ...text.matchAll(
          /^apiserver_request_total\{.*?resource="(.*?)",scope="(.*?)",subresource="(.*?)",verb="(.*?)"/gm,
        ),
      ]
        .filter(([, name]) => name === resource)
        .map(([, , scope, subresource, verb]) => `${verb} ${scope} ${subresource}`);
    expect(of("configmaps")).toEqual(["DELETE namespace ", "LIST namespace "]);
    expect(of("pods")).toEqual(["CONNECT resource log"]);
    expect(text).toContain(
      'apiserver_requested_deprecated_apis{group="",removed_release="",resource="endpoints",subresource="",version="v1"} 1\n',
    );
  });

  test("reports the sizes of requests and of stored objects", async () => {
    const { server, send, scrape } = setUp();
    const bytes = Buffer.from(JSON.stringify({ ...configMap("a"), data: { a: "x".repeat(60_000) } }));
    const body = { kind: "bytes", bytes } as const;
    await server.handle(
      { method: "POST", path: maps, body, headers: { "content-type": "application/json" } },
      { user: admin },
    );
    await send("DELETE", `${maps}/a`);
    await send("POST", maps, configMap("b"));
    const text = await scrape();
    const labels = 'group="",resource="configmaps"';
    for (const line of [
      `apiserver_request_body_size_bytes_bucket{${labels},verb="create",le="50000"} 0`,
      `apiserver_request_body_size_bytes_bucket{${labels},verb="create",le="150000"} 1`,
      `apiserver_watch_cache_events_received_total{${labels}} 3`,
      `apiserver_resource_objects{${labels}} 1`,
    ])
      expect(text).toContain(`${line}\n`);
    const estimate = /^apiserver_resource_size_estimate_bytes\{group="",resource="configmaps"\} (\d+)$/m.exec(
      text,
    );
    expect(Number(estimate?.[1])).toBeGreaterThan(100);
    expect(text).toMatch(/^apiserver_storage_size_bytes\{storage_cluster_id="etcd-0"\} \d{4,}$/m);
    expect(text).toMatch(/^apiserver_watch_cache_resource_version\{group="",resource="configmaps"\} \d+$/m);
    server.close();
  });

  test("reports the sizes of responses", async () => {
    const { server, scrape } = setUp();
    const answer = await server.handle({ method: "GET", path: "/version" }, {});
    answer.onSent?.(1234);
    const { onSent } = await server.handle({ method: "GET", path: maps }, { user: admin });
    expect(onSent).toBeUndefined();
    const labels =
      'component="apiserver",group="",resource="",scope="",subresource="/version",verb="GET",version=""';
    expect(await scrape()).toContain(`apiserver_response_sizes_bucket{${labels},le="10000"} 1\n`);
    server.close();
  });

  test("reports the sizes of watch events written to connections, bookmarks included", async () => {
    const { server, send, scrape } = setUp();
    const query = new URLSearchParams(
      "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true",
    );
    await send("POST", maps, configMap("a"));
    await send("POST", maps, { ...configMap("b"), data: { a: "x".repeat(5000) } });
    const { body } = await send("GET", maps, undefined, { query });
    const lines: number[] = [];
    const sink = new Writable({
      write(chunk: Buffer, _encoding, done) {
        lines.push(
          ...chunk
            .toString()
            .split(/(?<=\n)/)
            .map((line) => line.length),
        );
        if (lines.length === 3) sink.destroy();
        done();
      },
    });
    if (body.kind === "events") {
      const written = eventWriter()(body.events, sink, 1000);
      await once(sink, "close");
      server.close();
      await written;
    }
    const text = await scrape();
    const labels = 'group="",resource="configmaps",version="v1"';
    expect(lines).toHaveLength(3);
    for (const line of [
      `apiserver_watch_events_total{${labels}} 3`,
      `apiserver_watch_events_sizes_bucket{${labels},le="1024"} 2`,
      `apiserver_watch_events_sizes_bucket{${labels},le="8192"} 3`,
      `apiserver_watch_events_sizes_sum{${labels}} ${lines.reduce((sum, length) => sum + length, 0)}`,
      `apiserver_watch_events_sizes_count{${labels}} 3`,
    ])
      expect(text).toContain(`${line}\n`);
    expect(text).not.toContain('le="262144"');
  });

  test("uses names, help texts and stability levels of kube-apiserver", async () => {
    const { server, send, scrape } = setUp();
    await send("POST", maps, configMap("a"));
    const text = await scrape();
    for (const line of [
      "apiserver_request_total [STABLE] Counter of apiserver requests broken out for each verb, dry run value, group, version, resource, scope, component, and HTTP response code.",
      "apiserver_flowcontrol_nominal_limit_seats [BETA] Nominal number of execution seats configured for each priority level",
      "apiserver_audit_event_total [ALPHA] Counter of audit events generated and sent to the audit backend.",
    ])
      expect(text).toContain(`# HELP ${line}\n`);
    const unmarked = [...text.matchAll(/^# HELP (\S+) (?!\[(?:STABLE|BETA|ALPHA)\])/gm)].map(
      ([, name]) => name,
    );
    expect(unmarked.filter((name) => !/^(?:process|nodejs)_/.test(name ?? ""))).toEqual([]);
    server.close();
  });

  test("contains every metric once, after its HELP and TYPE", async () => {
    const { server, send, scrape } = setUp();
    await send("POST", maps, configMap("a"));
    const names = [...(await scrape()).matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name);
    expect(new Set(names).size).toBe(names.length);
    server.close();
  });

  test("does not grow with resources and verbs that clients make up", async () => {
    const { send, scrape } = setUp();
    await send("GET", "/api/v1/nothing");
    const before = (await scrape()).split("\n").length;
    for (let index = 0; index < 50; index++) {
      await send("GET", `/api/v1/nothing${index}/x`);
      await send("GET", `/path/${index}`);
      await send("GET", `/api/v1/namespaces/n${index}/configmaps/c${index}/sub${index}`);
    }
    expect((await scrape()).split("\n").length).toBeLessThan(before + 120);
  });
});

test("metrics: histogram buckets are cumulative", () => {
  const series = new RequestSeries('verb="GET"', new CommonSeries(""));
  for (const seconds of [0.001, 0.005, 0.3, 100]) series.observe(seconds, 0);
  const values = new Map(
    [...series.durations()].map(([labels, value, suffix]) => [`${suffix} ${labels}`, value]),
  );
  expect(values.get('_bucket verb="GET",le="0.005"')).toBe(2);
  expect(values.get('_bucket verb="GET",le="0.4"')).toBe(3);
  expect(values.get('_bucket verb="GET",le="60"')).toBe(3);
  expect(values.get('_bucket verb="GET",le="+Inf"')).toBe(4);
  expect(values.get('_count verb="GET"')).toBe(4);
});

test("metrics: label values are quoted", () => {
  expect(labelText({ a: 'x"y', b: "c\\d\ne" })).toBe('a="x\\"y",b="c\\\\d\\ne"');
});

test("metrics: SLI durations exclude the time in webhooks and queues", () => {
  const outside = new LatencyTracker();
  for (const [phase, milliseconds] of [
    ["admit", 100],
    ["admit", 200],
    ["validate", 400],
    ["validate", 300],
  ] as const)
    outside.asked(phase, milliseconds);
  outside.queued = 50;
  expect(outside.total).toBe(750);
  const common = new CommonSeries("");
  new RequestSeries("", common).observe(0.8, outside.total / 1000);
  expect([...common.durations.samples("")].find(([labels]) => labels === 'le="0.1"')?.[1]).toBe(1);
});
