import { VirtualClock } from "@kubewright/api";
import { describe, expect, it } from "vitest";
import { podServer, podsPath } from "../fixtures/pod-server.js";

const status = (call: Awaited<ReturnType<typeof podServer>>["patch"], name: string, phase: string) =>
  call(`${podsPath}/${name}/status`, { status: { phase } });

describe("pod deletion", () => {
  it("waits for the kubelet", async () => {
    const clock = new VirtualClock({ start: Date.parse("2024-01-01T00:00:00Z") });
    const { create, call } = await podServer({ clock });
    await create("p", { nodeName: "n" });
    const { body } = await call("DELETE", `${podsPath}/p`);
    expect(body.metadata).toMatchObject({
      deletionTimestamp: "2024-01-01T00:00:30Z",
      deletionGracePeriodSeconds: 30,
      generation: 2,
    });
    const shorter = await call("DELETE", `${podsPath}/p`, undefined, { query: { gracePeriodSeconds: "5" } });
    expect(shorter.body.metadata).toMatchObject({
      deletionTimestamp: "2024-01-01T00:00:05Z",
      deletionGracePeriodSeconds: 5,
    });
    await call("DELETE", `${podsPath}/p`, undefined, { query: { gracePeriodSeconds: "0" } });
    expect((await call("GET", `${podsPath}/p`)).status).toBe(404);
  });

  it.each<[what: string, spec: object, phase: string | undefined]>([
    ["has no node", {}, undefined],
    ["has succeeded", { nodeName: "n" }, "Succeeded"],
    ["has failed", { nodeName: "n" }, "Failed"],
  ])("is immediate when the pod %s", async (_, spec, phase) => {
    const { create, call, patch } = await podServer();
    await create("p", spec);
    if (phase) await status(patch, "p", phase);
    expect((await call("DELETE", `${podsPath}/p`)).body.kind).toBe("Pod");
    expect((await call("GET", `${podsPath}/p`)).status).toBe(404);
  });

  it("takes the termination grace period of the pod", async () => {
    const { create, call } = await podServer();
    await create("p", { nodeName: "n", terminationGracePeriodSeconds: 7 });
    expect((await call("DELETE", `${podsPath}/p`)).body.metadata.deletionGracePeriodSeconds).toBe(7);
    await create("q", { nodeName: "n", terminationGracePeriodSeconds: -7 });
    expect((await call("DELETE", `${podsPath}/q`)).body.metadata.deletionGracePeriodSeconds).toBe(1);
  });
});

describe("pod field selector", () => {
  it.each([
    ["spec.nodeName=n", ["a"]],
    ["spec.nodeName=", ["b"]],
    ["spec.restartPolicy=Never", ["b"]],
    ["spec.schedulerName=mine", ["b"]],
    ["spec.serviceAccountName=robot", ["a"]],
    ["spec.hostNetwork=true", ["a"]],
    ["spec.hostNetwork=false", ["b"]],
    ["status.phase=Running", ["a"]],
    ["status.phase!=Running", ["b"]],
    ["status.podIP=10.0.0.1", ["a"]],
    ["status.nominatedNodeName=m", ["b"]],
    ["metadata.name=a,spec.nodeName=n", ["a"]],
  ])("%s", async (fieldSelector, names) => {
    const { create, call, patch } = await podServer();
    await create("a", { nodeName: "n", serviceAccountName: "robot", hostNetwork: true });
    await create("b", { restartPolicy: "Never", schedulerName: "mine" });
    await patch(`${podsPath}/a/status`, { status: { phase: "Running", podIP: "10.0.0.1" } });
    await patch(`${podsPath}/b/status`, { status: { nominatedNodeName: "m" } });
    const { body } = await call("GET", podsPath, undefined, { query: { fieldSelector } });
    expect(body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name)).toEqual(names);
  });

  it("is refused with any other field", async () => {
    const { call } = await podServer();
    const { status, body } = await call("GET", podsPath, undefined, { query: { fieldSelector: "spec.x=y" } });
    expect(status).toBe(400);
    expect(body.message).toBe("field label not supported: spec.x");
  });
});
