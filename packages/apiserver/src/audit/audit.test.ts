import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { VirtualClock } from "@kubewright/api";
import { describe, expect, test } from "vitest";
import { parseRequestInfo } from "../request/request-info.js";
import { createApiServer } from "../server.js";
import { type AuditEvent, openAuditLog, parseAuditPolicy, RequestLog } from "./index.js";
import { decide } from "./policy.js";

const policyOf = (rules: string) =>
  parseAuditPolicy(`apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n${rules}`, "policy.yaml");
const user = { name: "jane", groups: ["dev", "system:authenticated"] };

describe("audit policy", () => {
  const policy = policyOf(`
- level: None
  users: ["system:kube-proxy"]
- level: None
  userGroups: ["system:authenticated"]
  nonResourceURLs: ["/healthz*", "/version"]
- level: Metadata
  resources: [{group: "", resources: ["secrets", "configmaps/*"]}]
- level: RequestResponse
  verbs: [create]
  namespaces: [shop]
  resources: [{group: apps}]
- level: Request
  namespaces: [""]
- level: Request
  resources: [{resources: ["*/status"], resourceNames: [web]}]
- level: Metadata
  omitStages: [RequestReceived]
`);
  test("a rule for subresources matches the resource itself, and omitted stages add up", () => {
    const info = parseRequestInfo({ method: "GET", path: "/api/v1/namespaces/a/configmaps/b" });
    const stated = {
      ...policyOf(`- {level: Metadata, resources: [{resources: ["configmaps/*"]}], omitStages: [Panic]}`),
      omitStages: ["RequestReceived" as const],
      omitManagedFields: true,
    };
    const { level, omitStages, omitManagedFields } = decide(stated, info, user);
    expect([level, [...omitStages], omitManagedFields]).toEqual([
      "Metadata",
      ["RequestReceived", "Panic"],
      true,
    ]);
  });

  test.each([
    ["GET", "/healthz/ping", "None"],
    ["GET", "/version", "None"],
    ["GET", "/versions", "Metadata"],
    ["GET", "/api/v1/namespaces/shop/secrets/a", "Metadata"],
    ["POST", "/apis/apps/v1/namespaces/shop/deployments", "RequestResponse"],
    ["PUT", "/apis/apps/v1/namespaces/shop/deployments/a", "Metadata"],
    ["GET", "/api/v1/nodes", "Request"],
    ["PUT", "/api/v1/namespaces/shop/pods/web/status", "Request"],
    ["PUT", "/api/v1/namespaces/shop/pods/other/status", "Metadata"],
  ] as const)("decides for %s %s: level %s", (method, path, level) => {
    expect(decide(policy, parseRequestInfo({ method, path }), user).level).toBe(level);
  });

  test("defaults to level None without a rule that matches, and matches no groups of unauthenticated users", () => {
    const info = parseRequestInfo({ method: "GET", path: "/api/v1/pods" });
    expect(decide(policyOf("- {level: Metadata, users: [joe]}"), info, user).level).toBe("None");
    expect(decide(policyOf("- {level: Metadata, userGroups: [dev]}"), info, undefined).level).toBe("None");
  });

  test.each([
    [
      "kind: Policy\napiVersion: v1\nrules: [{level: None}]",
      "policy.yaml: apiVersion: must be audit.k8s.io/v1",
    ],
    ["kind: Policy\napiVersion: audit.k8s.io/v1\nrules: []", "rules: there is none"],
    [
      "kind: Policy\napiVersion: audit.k8s.io/v1\nrules: [{level: All}]",
      "rules[0].level: must be one of None",
    ],
    [
      "kind: Policy\napiVersion: audit.k8s.io/v1\nrules: [{level: None, user: [a]}]",
      'there is no field "user"',
    ],
    [
      "kind: Policy\napiVersion: audit.k8s.io/v1\nrules: [{level: None, users: a}]",
      "rules[0].users: must be a list",
    ],
    [
      "kind: Policy\napiVersion: audit.k8s.io/v1\nrules: [{level: None, omitStages: [Done]}]",
      "rules[0].omitStages: must be of RequestReceived",
    ],
    [
      "kind: Policy\napiVersion: audit.k8s.io/v1\nrules: [{level: None, nonResourceURLs: [healthz]}]",
      "rules[0].nonResourceURLs[0]: non-resource URLs begin with /",
    ],
    [
      "kind: Policy\napiVersion: audit.k8s.io/v1\nrules: [{level: None, resources: [{resourceNames: [a]}]}]",
      "rules[0].resources[0].resourceNames: using resourceNames requires at least one resource",
    ],
    ["a: [", "policy.yaml: "],
  ])("%j is refused", (text, message) => {
    expect(() => parseAuditPolicy(text, "policy.yaml")).toThrow(message);
  });
});

describe("audit events", () => {
  const setUp = (rules: string) => {
    const events: AuditEvent[] = [];
    const audit = { policy: policyOf(rules), write: (event: AuditEvent) => void events.push(event) };
    const server = createApiServer({ audit, clock: new VirtualClock() });
    const send = (method: "GET" | "PATCH" | "POST" | "PUT", path: string, value?: unknown, headers = {}) =>
      server.handle(
        {
          method,
          path,
          headers: { "content-type": "application/json", ...headers },
          ...(value === undefined ? {} : { body: { kind: "object", value } }),
        },
        { user: { name: "jane", groups: ["system:masters"] } },
      );
    events.splice(0);
    return { server, events, send };
  };
  const secrets = "/api/v1/namespaces/default/secrets";
  const secret = { metadata: { name: "s" }, stringData: { password: "hush" } };

  test("leave out what a refusal says of a Secret at level Metadata; the client gets it", async () => {
    const { events, send } = setUp("- {level: Metadata}");
    await send("POST", secrets, secret);
    const patch = { data: { password: "hush not base64" } };
    const refused = await send("PATCH", `${secrets}/s`, patch, {
      "content-type": "application/merge-patch+json",
    });
    expect(refused.status).toBe(422);
    expect(JSON.stringify(refused.body)).toContain("hush");
    expect(JSON.stringify(events)).not.toContain("hush");
    expect(events.at(-1)?.responseStatus).toMatchObject({
      code: 422,
      message: expect.stringContaining("left out"),
    });
  });

  test("record who did what, and no bodies at level Metadata", async () => {
    const { events, send } = setUp("- {level: Metadata}");
    const { headers } = await send("POST", secrets, secret, { "user-agent": "kubectl" });
    expect(events.map(({ stage }) => stage)).toEqual(["RequestReceived", "ResponseComplete"]);
    expect(events[1]).toMatchObject({
      kind: "Event",
      apiVersion: "audit.k8s.io/v1",
      level: "Metadata",
      auditID: headers["audit-id"],
      requestURI: secrets,
      verb: "create",
      user: { username: "jane", groups: ["system:masters"] },
      userAgent: "kubectl",
      objectRef: { resource: "secrets", namespace: "default", name: "s", apiVersion: "v1" },
      responseStatus: { metadata: {}, code: 201 },
      requestReceivedTimestamp: "2026-01-01T00:00:00.000000Z",
      annotations: { "authorization.k8s.io/decision": "allow" },
    });
    expect(JSON.stringify(events)).not.toContain("hush");
  });

  test.each([
    ["Request", true, false],
    ["RequestResponse", true, true],
  ])("contain bodies at level %s", async (level, requested, answered) => {
    const { events, send } = setUp(
      `- {level: ${level}, omitStages: [RequestReceived], omitManagedFields: true}`,
    );
    await send("POST", secrets, secret);
    expect(events).toHaveLength(1);
    expect(events[0]?.requestObject).toEqual(
      requested ? expect.objectContaining({ data: { password: "aHVzaA==" }, type: "Opaque" }) : undefined,
    );
    expect(events[0]?.responseObject !== undefined).toBe(answered);
    expect(JSON.stringify(events)).not.toContain("managedFields");
  });

  test("record refusals in full, and impersonated users", async () => {
    const { events, send } = setUp("- {level: Metadata, omitStages: [RequestReceived]}");
    await send("GET", `${secrets}/none`, undefined, { "impersonate-user": "joe" });
    expect(events[0]).toMatchObject({
      user: { username: "jane" },
      impersonatedUser: { username: "joe" },
      responseStatus: { status: "Failure", reason: "Forbidden", code: 403 },
      annotations: { "authorization.k8s.io/decision": "forbid" },
    });
  });

  test("record the beginning and the end of a watch", async () => {
    const { events, server } = setUp("- {level: Metadata, omitStages: [RequestReceived]}");
    const { body } = await server.transport()({
      method: "GET",
      path: secrets,
      query: new URLSearchParams("watch=1"),
    });
    expect(events.map(({ stage, verb }) => `${verb} ${stage}`)).toEqual(["watch ResponseStarted"]);
    if (body.kind === "events") await body.events[Symbol.asyncIterator]().return?.();
    expect(events.at(-1)?.stage).toBe("ResponseComplete");
    expect(events[0]?.requestURI).toBe(`${secrets}?watch=1`);
  });

  test("keep the Audit-ID that a client sends", async () => {
    const { events, send } = setUp("- {level: Metadata}");
    await send("GET", "/version", undefined, { "audit-id": "mine" });
    expect(events.map(({ auditID }) => auditID)).toEqual(["mine", "mine"]);
  });
});

test("audit log: lines of JSON that only its owner can read", () => {
  const folder = mkdtempSync(join(tmpdir(), "kubewright-"));
  const file = join(folder, "audit.log");
  for (const verb of ["get", "list"]) {
    const log = openAuditLog(file);
    log.write({ verb } as AuditEvent);
    log.close();
    log.write({ verb } as AuditEvent);
  }
  expect(readFileSync(file, "utf8")).toBe('{"verb":"get"}\n{"verb":"list"}\n');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  rmSync(folder, { recursive: true });
});

test("audit log: a file that has grown large is rotated, and the oldest of too many is deleted", () => {
  const folder = mkdtempSync(join(tmpdir(), "kubewright-"));
  const log = openAuditLog(join(folder, "audit.log"), { maxBytes: 100, maxBackups: 2 });
  for (const second of [1, 2, 3, 4, 5])
    log.write({ verb: "x".repeat(50), stageTimestamp: `2026-01-01T00:00:0${second}.000000Z` } as AuditEvent);
  log.close();
  expect(readdirSync(folder).sort()).toEqual([
    "audit-2026-01-01T00-00-04.000.log",
    "audit-2026-01-01T00-00-05.000.log",
    "audit.log",
  ]);
  expect(readFileSync(join(folder, "audit.log"), "utf8").split("\n")).toHaveLength(2);
  rmSync(folder, { recursive: true });
});

test("audit log: rotated files are deleted after their maximum age, and no others", () => {
  const folder = mkdtempSync(join(tmpdir(), "kubewright-"));
  const file = join(folder, "audit.log");
  const day = 24 * 60 * 60 * 1000;
  const write = (time: string) => {
    const log = openAuditLog(file, { maxBytes: 100, maxAge: 2 * day });
    log.write({ verb: "x".repeat(90), stageTimestamp: time } as AuditEvent);
    log.close();
  };
  const names = () => readdirSync(folder).sort();
  writeFileSync(join(folder, "audit-by-hand.log"), "");
  for (const time of [
    "2026-01-01T00:00:00.000000Z",
    "2026-01-01T12:00:00.000000Z",
    "2026-01-01T12:00:00.000000Z",
  ])
    write(time);
  expect(names()).toEqual([
    "audit-2026-01-01T12-00-00.000.log",
    "audit-2026-01-01T12-00-00.001.log",
    "audit-by-hand.log",
    "audit.log",
  ]);
  write("2026-01-04T00:00:00.000000Z");
  expect(names()).toEqual(["audit-2026-01-04T00-00-00.000.log", "audit-by-hand.log", "audit.log"]);
  rmSync(file);
  write("2026-01-09T00:00:00.000000Z");
  expect(names()).toEqual(["audit-by-hand.log", "audit.log"]);
  rmSync(folder, { recursive: true });
});

test("request log: keeps the newest requests, and notifies subscribers of each", async () => {
  const requestLog = new RequestLog(3);
  const reported: string[] = [];
  const stop = requestLog.subscribe(({ path }) => reported.push(path));
  const server = createApiServer({ requestLog });
  for (const name of ["a", "b", "c", "d"]) await server.transport()({ method: "GET", path: `/${name}` });
  stop();
  await server.transport()({ method: "GET", path: "/version" });
  expect(reported).toEqual(["/a", "/b", "/c", "/d"]);
  expect(requestLog.entries().map(({ path, status, user }) => [path, status, user])).toEqual([
    ["/c", 404, "admin"],
    ["/d", 404, "admin"],
    ["/version", 200, "admin"],
  ]);
  server.close();
});
