import { describe, expect, it } from "vitest";
import { cronTab, cronTabs, defineCronTabs } from "./cron-tabs.js";
import { causes, configMap, configMaps, requestServer, said } from "./request-server.js";

const finalizer = "example.com/held";
const pods = "/api/v1/namespaces/test/pods";
const jobs = "/apis/batch/v1/namespaces/test/jobs";

const pod = (name: string, spec: object = {}, metadata: object = {}) => ({
  metadata: { name, ...metadata },
  spec: { containers: [{ name: "c", image: "i" }], ...spec },
});

/** A server with a ConfigMap `a` that has these finalizers. */
async function withConfigMap(finalizers: readonly string[] = [finalizer]) {
  const server = await requestServer();
  const { body } = await server.call("POST", configMaps, configMap({ name: "a", finalizers }));
  const remove = (options?: unknown, query = "", headers?: Record<string, string>) =>
    server.call("DELETE", `${configMaps}/a${query}`, options, headers);
  return { ...server, remove, metadata: body.metadata };
}

describe("options of a delete", () => {
  it.each([
    ["JSON", '{"propagationPolicy":"Foreground"}', "application/json"],
    ["YAML", "propagationPolicy: Foreground", "application/yaml"],
    [
      "a group version of old",
      '{"apiVersion":"apps/v1","kind":"DeleteOptions","propagationPolicy":"Foreground"}',
      "application/json",
    ],
    ["no content type", '{"propagationPolicy":"Foreground"}', ""],
  ])("come as %s", async (_, body, type) => {
    const { remove } = await withConfigMap([]);
    const answer = await remove(body, "", { "content-type": type });
    expect(answer.body.metadata.finalizers).toEqual(["foregroundDeletion"]);
  });

  it("come as protobuf", async () => {
    const { remove } = await withConfigMap([]);
    const options = [0x22, 10, ...Buffer.from("Foreground")];
    const type = [0x0a, 2, ...Buffer.from("v1"), 0x12, 13, ...Buffer.from("DeleteOptions")];
    const bytes = Buffer.from([
      ...Buffer.from("k8s\0"),
      ...[0x0a, type.length, ...type],
      ...[0x12, options.length, ...options],
    ]);
    const answer = await remove(bytes, "", { "content-type": "application/vnd.kubernetes.protobuf" });
    expect(answer.body.metadata.finalizers).toEqual(["foregroundDeletion"]);
  });

  it("in the query count only where there is no body", async () => {
    const { remove } = await withConfigMap([]);
    const answer = await remove({ propagationPolicy: "Orphan" }, "?propagationPolicy=Foreground&dryRun=All");
    expect(answer.body.metadata.finalizers).toEqual(["orphan"]);
    expect((await remove()).body.metadata.finalizers).toEqual(["orphan"]);
  });

  it.each([
    [
      "{not json",
      "400 couldn't get version/kind; json parse error: invalid character 'n' looking for beginning of object key string",
    ],
    [
      '{"kind":5}',
      "400 couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string",
    ],
    [
      '{"gracePeriodSeconds":"x"}',
      "400 json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds of type int64",
    ],
    [
      '{"dryRun":"All"}',
      "400 json: cannot unmarshal string into Go struct field DeleteOptions.dryRun of type []string",
    ],
    [
      '{"kind":"Pod","apiVersion":"v1"}',
      '400 no kind "Pod" is registered for version "v1" in scheme "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27"',
    ],
    ['{"bogus":1}', "200"],
    ["null", "200"],
  ])("%s", async (body, expected) => {
    const { remove } = await withConfigMap([]);
    expect(said(await remove(body))).toBe(expected);
  });

  it("of an unknown type are not read", async () => {
    const { remove } = await withConfigMap([]);
    expect(said(await remove("x", "", { "content-type": "text/plain" }))).toBe(
      "415 the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf",
    );
  });

  it.each([
    [
      { propagationPolicy: "Sideways", orphanDependents: true, dryRun: ["Some"] },
      [
        'propagationPolicy: Invalid value: "Sideways": orphanDependents and deletionPropagation cannot be both set',
        'propagationPolicy: Unsupported value: "Sideways": supported values: "Foreground", "Background", "Orphan", "nil"',
        'dryRun: Unsupported value: ["Some"]: supported values: "All"',
      ],
    ],
    [
      { propagationPolicy: "" },
      [
        'propagationPolicy: Unsupported value: "": supported values: "Foreground", "Background", "Orphan", "nil"',
      ],
    ],
  ])("that contradict themselves: %j", async (options, expected) => {
    const { remove } = await withConfigMap([]);
    expect(causes(await remove(options))).toEqual(expected);
  });

  it.each([
    ["?gracePeriodSeconds=x", '400 strconv.ParseInt: parsing "x": invalid syntax'],
    ["?gracePeriodSeconds=", '400 strconv.ParseInt: parsing "": invalid syntax'],
    ["?orphanDependents", "200"],
    ["?orphanDependents=False", "200"],
  ])("in the query: %s", async (query, expected) => {
    const { remove } = await withConfigMap([]);
    expect(said(await remove(undefined, query))).toBe(expected);
  });
});

describe("preconditions of a delete", () => {
  it.each([
    ["?uid=x", "409"],
    ["?resourceVersion=1", "409"],
    ["?uid=&resourceVersion=", "200"],
  ])("may stand in the query: %s", async (query, expected) => {
    const { remove } = await withConfigMap([]);
    expect(String((await remove(undefined, query)).status)).toBe(expected);
  });

  it("in the query hold for the right object", async () => {
    const { remove, metadata } = await withConfigMap([]);
    const { status } = await remove(
      undefined,
      `?uid=${metadata.uid}&resourceVersion=${metadata.resourceVersion}`,
    );
    expect(status).toBe(200);
  });

  it("that are null are none, and empty ones hold for nothing", async () => {
    const { remove } = await withConfigMap();
    expect((await remove({ preconditions: { uid: null, resourceVersion: null } })).status).toBe(200);
    expect((await remove({ preconditions: { uid: "" } })).status).toBe(409);
  });

  it.each([
    ["/api/v1/namespaces/test", 'namespaces "test"', { name: "test", kind: "namespaces" }],
    [
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/crontabs.stable.example.com",
      'customresourcedefinitions.apiextensions.k8s.io "crontabs.stable.example.com"',
      {
        name: "crontabs.stable.example.com",
        group: "apiextensions.k8s.io",
        kind: "customresourcedefinitions",
      },
    ],
  ])("have other words where the server itself cleans up: %s", async (path, what, details) => {
    const server = await requestServer();
    await defineCronTabs(server);
    const { metadata } = (await server.call("GET", path)).body;
    const byUid = await server.call("DELETE", path, { preconditions: { uid: "x" } });
    expect(said(byUid)).toBe(
      `409 Operation cannot be fulfilled on ${what}: Precondition failed: UID in precondition: x, UID in object meta: ${metadata.uid}`,
    );
    expect(byUid.body.details).toEqual(details);
    expect(said(await server.call("DELETE", path, { preconditions: { resourceVersion: "1" } }))).toBe(
      `409 Operation cannot be fulfilled on ${what}: Precondition failed: ResourceVersion in precondition: 1, ResourceVersion in object meta: ${metadata.resourceVersion}`,
    );
  });
});

describe("what becomes of dependents", () => {
  const gone = "gone";
  it.each<[held: string[], options: object, expected: string[] | "gone"]>([
    [[], {}, gone],
    [[], { propagationPolicy: "Background" }, gone],
    [[], { propagationPolicy: "Foreground" }, ["foregroundDeletion"]],
    [[], { propagationPolicy: "Orphan" }, ["orphan"]],
    [[], { orphanDependents: true }, ["orphan"]],
    [[], { orphanDependents: false }, gone],
    [["orphan"], {}, ["orphan"]],
    [["orphan"], { propagationPolicy: "Background" }, gone],
    [["orphan"], { propagationPolicy: "Foreground" }, ["foregroundDeletion"]],
    [["orphan"], { orphanDependents: false }, gone],
    [["foregroundDeletion"], {}, ["foregroundDeletion"]],
    [["foregroundDeletion"], { propagationPolicy: "Background" }, gone],
    [["foregroundDeletion"], { orphanDependents: true }, ["orphan"]],
    [["foregroundDeletion", finalizer], { propagationPolicy: "Orphan" }, [finalizer, "orphan"]],
    [[finalizer], {}, [finalizer]],
    [[finalizer], { propagationPolicy: "Foreground" }, [finalizer, "foregroundDeletion"]],
    [[finalizer], { propagationPolicy: "Background" }, [finalizer]],
    [["orphan", finalizer], { propagationPolicy: "Orphan" }, ["orphan", finalizer]],
  ])("%j and %j", async (held, options, expected) => {
    const { remove, call } = await withConfigMap(held);
    const answer = await remove(options);
    if (expected === gone) {
      expect(answer.body).toMatchObject({ kind: "Status", status: "Success" });
      expect((await call("GET", `${configMaps}/a`)).status).toBe(404);
    } else
      expect(answer.body.metadata).toMatchObject({ finalizers: expected, deletionGracePeriodSeconds: 0 });
  });

  it("may be decided again while the object waits", async () => {
    const { remove, call } = await withConfigMap([]);
    await remove({ propagationPolicy: "Foreground" });
    const orphaned = await remove({ propagationPolicy: "Orphan" });
    expect(orphaned.body.metadata.finalizers).toEqual(["orphan"]);
    expect((await remove()).body.metadata.resourceVersion).toBe(orphaned.body.metadata.resourceVersion);
    expect((await remove({ propagationPolicy: "Background" })).body.kind).toBe("Status");
    expect((await call("GET", `${configMaps}/a`)).status).toBe(404);
  });

  it("is 202 where it was asked for in the old way and takes time", async () => {
    const { remove } = await withConfigMap();
    expect((await remove({ orphanDependents: true })).status).toBe(200);
    expect((await remove({ orphanDependents: false })).status).toBe(202);
    expect((await remove({ propagationPolicy: "Background" })).status).toBe(200);
  });

  it("is to be left alone for jobs, unless a finalizer says otherwise", async () => {
    const { call } = await requestServer();
    const job = (name: string, finalizers: string[]) => ({
      metadata: { name, finalizers },
      spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } } },
    });
    await call("POST", jobs, job("a", []));
    await call("POST", jobs, job("b", ["foregroundDeletion"]));
    expect((await call("DELETE", `${jobs}/a`)).body.metadata.finalizers).toContain("orphan");
    expect((await call("DELETE", `${jobs}/b`)).body.metadata.finalizers).not.toContain("orphan");
  });

  it("is nobody's business for events", async () => {
    const { call } = await requestServer();
    const events = "/api/v1/namespaces/test/events";
    await call("POST", events, { metadata: { name: "e" }, involvedObject: { namespace: "test" } });
    const { body } = await call("DELETE", `${events}/e?propagationPolicy=Foreground`);
    expect(body).toMatchObject({ kind: "Status", details: { name: "e", kind: "events" } });
  });
});

describe("the answer to a delete", () => {
  it.each([
    ["/api/v1/namespaces/test/services", { spec: { ports: [{ port: 80 }] } }, "Service"],
    ["/api/v1/namespaces/test/serviceaccounts", {}, "ServiceAccount"],
    ["/api/v1/namespaces/test/secrets", {}, "Status"],
    ["/apis/rbac.authorization.k8s.io/v1/clusterroles", {}, "Status"],
  ])("of %s", async (path, rest, kind) => {
    const { call } = await requestServer();
    const created = await call("POST", path, { metadata: { name: "x" }, ...rest });
    const { status, body } = await call("DELETE", `${path}/x`);
    expect([status, body.kind]).toEqual([200, kind]);
    expect(body.details?.uid ?? body.metadata.uid).toBe(created.body.metadata.uid);
  });

  it("names the resource, its group and the uid", async () => {
    const server = await requestServer();
    await defineCronTabs(server);
    const { body } = await server.call("POST", cronTabs, cronTab({ name: "a" }));
    expect((await server.call("DELETE", `${cronTabs}/a`)).body).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Success",
      details: { name: "a", group: "stable.example.com", kind: "crontabs", uid: body.metadata.uid },
    });
  });
});

describe("a pod", () => {
  it("that runs nowhere goes at once, and is seen going", async () => {
    const { call } = await requestServer();
    const created = await call("POST", pods, pod("a"));
    const { status, body } = await call("DELETE", `${pods}/a`);
    expect([status, body.kind]).toEqual([200, "Pod"]);
    expect(body.metadata).toMatchObject({ deletionGracePeriodSeconds: 0, generation: 2 });
    expect(body.metadata.deletionTimestamp).toBeDefined();
    expect(Number(body.metadata.resourceVersion)).toBe(Number(created.body.metadata.resourceVersion) + 2);
    expect((await call("GET", `${pods}/a`)).status).toBe(404);
  });

  it("has its grace period, which can only become shorter", async () => {
    const { call } = await requestServer();
    await call("POST", pods, pod("a", { nodeName: "n" }));
    const remove = async (query = "") => (await call("DELETE", `${pods}/a${query}`)).body.metadata;
    const first = await remove();
    expect(first).toMatchObject({ deletionGracePeriodSeconds: 30, generation: 2 });
    expect(await remove()).toEqual(first);
    expect(await remove("?gracePeriodSeconds=60")).toEqual(first);
    expect(await remove("?propagationPolicy=Foreground")).toEqual(first);
    const shorter = await remove("?gracePeriodSeconds=10");
    expect(shorter).toMatchObject({ deletionGracePeriodSeconds: 10, generation: 2 });
    expect(Date.parse(first.deletionTimestamp) - Date.parse(shorter.deletionTimestamp)).toBe(20_000);
    expect((await remove("?gracePeriodSeconds=-1")).deletionGracePeriodSeconds).toBe(1);
    expect((await remove("?gracePeriodSeconds=0")).deletionGracePeriodSeconds).toBe(0);
    expect((await call("GET", `${pods}/a`)).status).toBe(404);
  });

  it("with finalizers waits for them when its grace period is over", async () => {
    const { call } = await requestServer();
    await call("POST", pods, pod("a", { nodeName: "n" }, { finalizers: [finalizer] }));
    await call("DELETE", `${pods}/a`);
    const { body } = await call("DELETE", `${pods}/a?gracePeriodSeconds=0`);
    expect(body.metadata).toMatchObject({ deletionGracePeriodSeconds: 0, finalizers: [finalizer] });
    const policy = await call("DELETE", `${pods}/a?propagationPolicy=Foreground`);
    expect(policy.body.metadata.finalizers).toEqual([finalizer, "foregroundDeletion"]);
  });

  it("is only shown what would happen in a dry run", async () => {
    const { call } = await requestServer();
    await call("POST", pods, pod("a"));
    const { body } = await call("DELETE", `${pods}/a?dryRun=All`);
    expect(body.metadata).toMatchObject({ deletionGracePeriodSeconds: 0 });
    expect((await call("GET", `${pods}/a`)).body.metadata.deletionTimestamp).toBeUndefined();
  });
});

describe("a namespace", () => {
  const path = "/api/v1/namespaces/test";

  it("that is going already stays as it is, whatever is asked for next", async () => {
    const { call } = await requestServer();
    const { body } = await call("DELETE", path);
    expect(body.status.phase).toBe("Terminating");
    expect((await call("DELETE", `${path}?propagationPolicy=Foreground`)).body).toEqual(body);
  });
});

describe("finalizers that go", () => {
  it.each([
    ["put", "PUT", "", "application/json"],
    ["merge patch", "PATCH", "", "application/merge-patch+json"],
    ["apply", "PATCH", "?fieldManager=m&force=true", "application/apply-patch+yaml"],
  ] as const)("let the object go with them: %s", async (_, method, query, type) => {
    const { call, apply, remove } = await withConfigMap([]);
    await apply(`${configMaps}/a?fieldManager=m`, configMap({ name: "a", finalizers: [finalizer] }));
    await remove();
    const finalizers = type === "application/merge-patch+json" ? { finalizers: null } : {};
    const body = configMap({ name: "a", ...finalizers });
    const answer = await call(method, `${configMaps}/a${query}`, body, { "content-type": type });
    expect([answer.status, answer.body.metadata.finalizers]).toEqual([200, undefined]);
    expect((await call("GET", `${configMaps}/a`)).status).toBe(404);
  });

  it("let nothing go in a dry run", async () => {
    const { patch, remove, call } = await withConfigMap();
    await remove();
    await patch("merge", `${configMaps}/a?dryRun=All`, { metadata: { finalizers: null } });
    expect((await call("GET", `${configMaps}/a`)).status).toBe(200);
  });
});
