// Requests of clients without access to a listening cluster.
import { request } from "node:https";
import { VirtualClock } from "@kubewright/api";
import { expect, test } from "vitest";
import { startCluster } from "./cluster.js";

function statusOf(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { rejectUnauthorized: false, agent: false }, (response) => {
      response.resume().on("end", () => resolve(response.statusCode ?? 0));
    });
    sent.on("error", reject).end();
  });
}

test("refused requests about leases and nodes write nothing", { timeout: 60_000 }, async () => {
  const clock = new VirtualClock({ start: Date.now() });
  await using cluster = await startCluster({ clock, nodes: 2, controllers: "none" });
  const { url } = await cluster.listen();
  await clock.advance(30_000);
  const revision = async () =>
    (
      (await cluster.client.raw("/api/v1/namespaces/default/configmaps")) as {
        metadata: { resourceVersion: string };
      }
    ).metadata.resourceVersion;
  const before = await revision();
  for (const path of ["/apis/coordination.k8s.io/v1/leases", "/api/v1/nodes"])
    expect(await statusOf(`${url}${path}`)).toBe(403);
  expect(await revision()).toBe(before);
});
