// Quotas with the controller that counts running beside clients that create and delete.
import { ConfigMap, isForbidden, Namespace, Pod, ResourceQuota } from "@kubewright/api";
import { startCluster } from "@kubewright/cluster";
import { expect, it } from "vitest";

const namespace = "shop";

it("are never exceeded, and not left unused", async () => {
  await using cluster = await startCluster({ nodes: 0 });
  const { client } = cluster;
  await client.create(Namespace, { metadata: { name: namespace } });
  const hard = { "count/configmaps": "21", pods: "10", "requests.cpu": "1" };
  await client.create(ResourceQuota, { metadata: { name: "q", namespace }, spec: { hard } });
  const used = async () => (await client.get(ResourceQuota, "q", { namespace })).status?.used;
  // The root certificate is the first config map of every namespace.
  await expect.poll(used, { timeout: 20_000 }).toMatchObject({ "count/configmaps": "1", pods: "0" });
  await expect
    .poll(
      () =>
        client.create(Pod, podOf("warm-up"), { dryRun: true }).then(
          () => true,
          () => false,
        ),
      { timeout: 20_000 },
    )
    .toBe(true);

  const outcomes = await Promise.all(
    Array.from({ length: 60 }, async (_, index) => {
      const name = `m${index}`;
      const map = await attempt(client.create(ConfigMap, { metadata: { name, namespace } }));
      const pod = await attempt(client.create(Pod, podOf(name)));
      return { map, pod };
    }),
  );
  expect(outcomes.filter(({ map }) => map)).toHaveLength(20);
  expect(outcomes.filter(({ pod }) => pod)).toHaveLength(5);
  await expect
    .poll(used, { timeout: 20_000 })
    .toEqual({ "count/configmaps": "21", pods: "5", "requests.cpu": "1" });

  const gone = outcomes.flatMap(({ map }, index) => (map ? [`m${index}`] : [])).slice(0, 7);
  for (const name of gone) await client.delete(ConfigMap, name, { namespace });
  await expect.poll(used, { timeout: 20_000 }).toMatchObject({ "count/configmaps": "14" });
  const more = await Promise.all(
    Array.from({ length: 30 }, (_, index) =>
      attempt(client.create(ConfigMap, { metadata: { name: `n${index}`, namespace } })),
    ),
  );
  expect(more.filter(Boolean)).toHaveLength(7);
}, 90_000);

function podOf(name: string): Pod {
  const resources = { requests: { cpu: "200m" } };
  return { metadata: { name, namespace }, spec: { containers: [{ name: "c", image: "i", resources }] } };
}

const attempt = (creation: Promise<unknown>): Promise<boolean> =>
  creation.then(
    () => true,
    (error: unknown) => {
      if (isForbidden(error)) return false;
      throw error;
    },
  );
