import { describe, expect, it } from "vitest";
import { podServer, podsPath } from "../kinds/fixtures/pod-server.js";
import type { NodeProxy, PodConnection } from "./connect-pod.js";

/** Nodes that answer for `n`, and what they were asked. */
function nodes() {
  const asked: PodConnection[] = [];
  const proxy: NodeProxy = {
    async connect(connection) {
      if (connection.nodeName !== "n") return undefined;
      asked.push(connection);
      return {
        status: 200,
        headers: { "content-type": "text/plain" },
        body: { kind: "bytes", bytes: new TextEncoder().encode(connection.action) },
      };
    },
  };
  return { proxy, asked };
}

const containers = (...names: string[]) => ({ containers: names.map((name) => ({ name, image: "i" })) });

describe("logs and streams of a pod", () => {
  it.each(["log", "exec", "attach", "portforward"])("%s is answered by the node", async (action) => {
    const { proxy, asked } = nodes();
    const { create, call } = await podServer({ nodes: proxy });
    await create("p", { nodeName: "n" });
    const { status } = await call("GET", `${podsPath}/p/${action}`);
    expect(status).toBe(200);
    const container = action === "portforward" ? undefined : "c";
    expect(asked).toMatchObject([{ action, nodeName: "n", container, pod: { metadata: { name: "p" } } }]);
  });

  it.each<[what: string, spec: object, query: Record<string, string>, status: number, message: string]>([
    [
      "which container",
      { nodeName: "n", ...containers("a", "b") },
      {},
      400,
      "a container name must be specified for pod p, choose one of: [a b]",
    ],
    [
      "an unknown container",
      { nodeName: "n" },
      { container: "x" },
      400,
      "container x is not valid for pod p",
    ],
    [
      "too few lines",
      { nodeName: "n" },
      { tailLines: "-1" },
      422,
      'PodLogOptions "p" is invalid: tailLines: Invalid value: -1: must be greater than or equal to 0',
    ],
    [
      "two beginnings",
      { nodeName: "n" },
      { sinceSeconds: "1", sinceTime: "2024-01-01T00:00:00Z" },
      422,
      'PodLogOptions "p" is invalid: : Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified',
    ],
    ["a node that is not there", { nodeName: "m" }, {}, 404, 'nodes "m" not found'],
  ])("logs: %s", async (_, spec, query, status, message) => {
    const { proxy } = nodes();
    const { create, call } = await podServer({ nodes: proxy });
    await create("p", spec);
    expect(await call("GET", `${podsPath}/p/log`, undefined, { query })).toMatchObject({
      status,
      body: { message },
    });
  });

  it("says nothing about a pod that runs nowhere", async () => {
    const { create, call } = await podServer();
    await create("p");
    expect((await call("GET", `${podsPath}/p/log`)).status).toBe(204);
    expect(await call("POST", `${podsPath}/p/exec`)).toMatchObject({
      status: 400,
      body: { message: "pod p does not have a host assigned" },
    });
    expect((await call("GET", `${podsPath}/q/log`)).status).toBe(404);
  });

  it("cannot reach a node nobody answers for", async () => {
    const { create, call, patch } = await podServer();
    await call("POST", "/api/v1/nodes", { apiVersion: "v1", kind: "Node", metadata: { name: "n" } });
    await create("p", { nodeName: "n" });
    const addresses = [{ type: "InternalIP", address: "10.1.2.3" }];
    await patch("/api/v1/nodes/n/status", { status: { addresses } });
    const refused = "dial tcp 10.1.2.3:10250: connect: connection refused";
    expect(await call("GET", `${podsPath}/p/log`)).toMatchObject({
      status: 500,
      body: { message: `Get "https://10.1.2.3:10250/containerLogs/test/p/c": ${refused}` },
    });
    expect(await call("POST", `${podsPath}/p/exec`)).toMatchObject({
      status: 500,
      body: { message: `error dialing backend: ${refused}` },
    });
  });
});
