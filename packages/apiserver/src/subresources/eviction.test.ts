import { describe, expect, it } from "vitest";
import { podServer, podsPath } from "../kinds/fixtures/pod-server.js";

const budgetsPath = "/apis/policy/v1/namespaces/test/poddisruptionbudgets";

/** A running pod and a budget for it. */
async function scene(budget: { spec?: object; status?: object; ready?: boolean } = {}) {
  const server = await podServer();
  const { create, call, patch } = server;
  await create("p", { nodeName: "n" }, { labels: { app: "a" } });
  const conditions = [{ type: "Ready", status: budget.ready === false ? "False" : "True" }];
  await patch(`${podsPath}/p/status`, { status: { phase: "Running", conditions } });
  const protect = async (name: string) => {
    const spec = { minAvailable: 1, selector: { matchLabels: { app: "a" } }, ...budget.spec };
    await call("POST", budgetsPath, {
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata: { name },
      spec,
    });
    const status = {
      observedGeneration: 1,
      disruptionsAllowed: 0,
      currentHealthy: 1,
      desiredHealthy: 1,
      expectedPods: 1,
    };
    return patch(`${budgetsPath}/${name}/status`, { status: { ...status, ...budget.status } });
  };
  const evict = (options: object = {}, query: Record<string, string> = {}) =>
    call(
      "POST",
      `${podsPath}/p/eviction`,
      { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "p" }, ...options },
      { query },
    );
  const pod = async () => (await call("GET", `${podsPath}/p`)).body;
  return { ...server, protect, evict, pod };
}

describe("eviction", () => {
  it("deletes a pod without a budget, and sets the condition DisruptionTarget", async () => {
    const { evict, pod } = await scene();
    expect(await evict()).toMatchObject({ status: 201, body: { kind: "Status", status: "Success" } });
    const { metadata, status } = await pod();
    expect(metadata.deletionGracePeriodSeconds).toBe(30);
    expect(status.conditions).toContainEqual(
      expect.objectContaining({
        type: "DisruptionTarget",
        status: "True",
        reason: "EvictionByEvictionAPI",
        message: "Eviction API: evicting",
      }),
    );
  });

  it("passes the delete options on", async () => {
    const { evict, pod } = await scene();
    expect((await evict({ deleteOptions: { preconditions: { uid: "other" } } })).status).toBe(409);
    await evict({ deleteOptions: { gracePeriodSeconds: 3 } });
    expect((await pod()).metadata.deletionGracePeriodSeconds).toBe(3);
  });

  it("uses up an allowed disruption of the budget", async () => {
    const { protect, evict, call } = await scene({ status: { disruptionsAllowed: 1 } });
    await protect("b");
    expect((await evict()).status).toBe(201);
    const { status } = (await call("GET", `${budgetsPath}/b`)).body;
    expect(status.disruptionsAllowed).toBe(0);
    expect(Object.keys(status.disruptedPods)).toEqual(["p"]);
    expect(status.conditions).toMatchObject([
      { type: "DisruptionAllowed", status: "False", reason: "InsufficientPods" },
    ]);
  });

  it.each<[what: string, status: object, cause: string, retry: number | undefined]>([
    ["none is left", {}, "The disruption budget b needs 1 healthy pods and has 1 currently", undefined],
    [
      "its controller is behind",
      { observedGeneration: 0 },
      "The disruption budget b is still being processed by the server.",
      10,
    ],
    [
      "its controller failed",
      {
        conditions: [
          {
            type: "DisruptionAllowed",
            status: "False",
            reason: "SyncFailed",
            message: "no",
            lastTransitionTime: "2024-01-01T00:00:00Z",
          },
        ],
      },
      "The disruption budget b does not allow evicting pods currently because it failed sync: no",
      undefined,
    ],
  ])("is refused while %s", async (_, status, message, retryAfterSeconds) => {
    const { protect, evict, pod } = await scene({ status });
    await protect("b");
    const answer = await evict();
    expect(answer).toMatchObject({
      status: 429,
      body: {
        reason: "TooManyRequests",
        message: "Cannot evict pod as it would violate the pod's disruption budget.",
        details: { causes: [{ reason: "DisruptionBudget", message }] },
      },
    });
    expect(answer.body.details.retryAfterSeconds).toBe(retryAfterSeconds);
    expect((await pod()).metadata.deletionTimestamp).toBeUndefined();
  });

  it("is refused with 500 where two budgets match the pod", async () => {
    const { protect, evict } = await scene();
    await protect("b");
    await protect("c");
    expect(await evict()).toMatchObject({
      status: 500,
      body: {
        message:
          "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
      },
    });
  });

  it.each<[what: string, budget: { spec?: object; status?: object }, status: number]>([
    ["goes while enough others are healthy", { status: { currentHealthy: 1, desiredHealthy: 1 } }, 201],
    ["stays while too few are", { status: { currentHealthy: 0, desiredHealthy: 1 } }, 429],
    [
      "goes anyway where the budget says so",
      { spec: { unhealthyPodEvictionPolicy: "AlwaysAllow" }, status: { currentHealthy: 0 } },
      201,
    ],
  ])("of a pod that is not ready: %s", async (_, budget, status) => {
    const { protect, evict } = await scene({ ...budget, ready: false });
    await protect("b");
    expect((await evict()).status).toBe(status);
  });

  it("ignores budgets for a pending pod", async () => {
    const { protect, evict, patch } = await scene();
    await protect("b");
    await patch(`${podsPath}/p/status`, { status: { phase: "Pending" } });
    expect((await evict()).status).toBe(201);
  });

  it("changes nothing in a dry run", async () => {
    const { protect, evict, pod, call } = await scene({ status: { disruptionsAllowed: 1 } });
    await protect("b");
    const before = await pod();
    expect((await evict({}, { dryRun: "All" })).status).toBe(201);
    expect((await evict({ deleteOptions: { dryRun: ["All"] } })).status).toBe(201);
    expect(await pod()).toEqual(before);
    expect((await call("GET", `${budgetsPath}/b`)).body.status.disruptionsAllowed).toBe(1);
  });

  it("must name the pod of the path", async () => {
    const { call } = await scene();
    const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "q" } };
    expect(await call("POST", `${podsPath}/p/eviction`, eviction)).toMatchObject({
      status: 400,
      body: { message: "name in URL does not match name in Eviction object" },
    });
    expect((await call("POST", `${podsPath}/q/eviction`, eviction)).status).toBe(404);
  });
});
