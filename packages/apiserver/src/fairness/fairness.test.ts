import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parseRequestInfo } from "../request/request-info.js";
import { type ApiServer, createApiServer } from "../server.js";
import { MemoryStorage } from "../storage/index.js";
import { Fairness } from "./fairness.js";

const account = (namespace: string, name: string) => ({
  name: `system:serviceaccount:${namespace}:${name}`,
  groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"],
});
const jane = { name: "jane", groups: ["system:authenticated"] };
const storage = new MemoryStorage();
createApiServer({ storage }).close();

describe("priority and fairness: requests are classified as in a new cluster", () => {
  const lease = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/x";
  test.each([
    [{ name: "admin", groups: ["system:masters"] }, "GET", "/api/v1/pods", "exempt", "exempt", "exempt "],
    [jane, "GET", "/readyz", "probes", "exempt", "probes "],
    [jane, "GET", "/api/v1/pods", "global-default", "global-default", "global-default jane"],
    [account("shop", "web"), "GET", lease, "service-accounts", "workload-low", undefined],
    [account("kube-system", "x"), "PUT", lease, "system-leader-election", "leader-election", undefined],
    [
      account("kube-system", "x"),
      "DELETE",
      lease,
      "kube-system-service-accounts",
      "workload-high",
      undefined,
    ],
    [
      { name: "system:node:a", groups: ["system:nodes"] },
      "PATCH",
      "/api/v1/nodes/a/status",
      "system-node-high",
      "node-high",
      undefined,
    ],
    [
      { name: "system:node:a", groups: ["system:nodes"] },
      "GET",
      "/api/v1/pods",
      "system-nodes",
      "system",
      undefined,
    ],
    [
      { name: "system:kube-scheduler", groups: ["system:authenticated"] },
      "POST",
      "/api/v1/namespaces/shop/events",
      "kube-scheduler",
      "workload-high",
      "kube-scheduler shop",
    ],
  ] as const)("%j %s %s: %s", (user, method, path, schema, level, flow) => {
    const found = new Fairness(storage).classify(user, parseRequestInfo({ method, path }));
    expect(found).toMatchObject({ schema, level, ...(flow === undefined ? {} : { flow }) });
    expect(found?.levelUid).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe("priority and fairness", () => {
  let server: ApiServer;
  beforeEach(() => {
    const tokens = new Map([
      ["t", { name: "jane", groups: ["system:authenticated"] }],
      ["q", { name: "quiet", groups: ["system:authenticated"] }],
    ]);
    server = createApiServer({ tokens, authorization: "none" });
  });
  afterEach(() => server.close());
  const send = (path: string, headers = {}) =>
    server.handle({ method: "GET", path, headers: { authorization: "Bearer t", ...headers } }, {});
  const uid = async (path: string): Promise<string> => {
    const { body } = await server.transport()({ method: "GET", path });
    const value = body.kind === "object" ? body.value : undefined;
    return (value as { metadata: { uid: string } }).metadata.uid;
  };

  test("returns flow schema and priority level in response headers, in failures too", async () => {
    const group = "/apis/flowcontrol.apiserver.k8s.io/v1";
    const wanted = {
      "x-kubernetes-pf-flowschema-uid": await uid(`${group}/flowschemas/global-default`),
      "x-kubernetes-pf-prioritylevel-uid": await uid(`${group}/prioritylevelconfigurations/global-default`),
    };
    expect((await send("/api/v1/namespaces")).headers).toMatchObject(wanted);
    expect((await send("/api/v1/namespaces/none")).headers).toMatchObject(wanted);
  });

  test("serves a small flow long before the many requests of another", async () => {
    let noisy = 0;
    const all = Array.from({ length: 380 }, () =>
      send("/apis/rbac.authorization.k8s.io/v1/clusterroles").then(() => {
        noisy += 1;
      }),
    );
    const { status } = await send("/api/v1/namespaces/default", { authorization: "Bearer q" });
    expect(status).toBe(200);
    expect(noisy).toBeLessThan(340);
    await Promise.all(all);
  });

  test("serves all flows, refuses requests beyond the queue of one with 429, and counts them", async () => {
    const answers = await Promise.all(Array.from({ length: 2_000 }, () => send("/api/v1/namespaces")));
    const statuses = answers.map(({ status }) => status);
    expect(new Set(statuses).size).toBeLessThanOrEqual(2);
    for (const { status, headers } of answers)
      if (status !== 200) expect([status, headers["retry-after"]]).toEqual([429, "1"]);
    const served = statuses.filter((status) => status === 200).length;
    expect(served).toBeGreaterThanOrEqual(400);
    const { body } = await server.transport()({ method: "GET", path: "/metrics" });
    const text = body.kind === "bytes" ? Buffer.from(body.bytes).toString() : "";
    const labels = 'flow_schema="global-default",priority_level="global-default"';
    expect(text).toContain(`apiserver_flowcontrol_dispatched_requests_total{${labels}} ${served}\n`);
    expect(text).toContain(`apiserver_flowcontrol_current_inqueue_requests{${labels}} 0\n`);
    expect(text).toContain(`apiserver_flowcontrol_current_executing_requests{${labels}} 0\n`);
    expect(text).toContain(
      `apiserver_flowcontrol_request_wait_duration_seconds_count{execute="true",${labels}} ${served}\n`,
    );
  });
});
