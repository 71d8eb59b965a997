import { ConfigMap, Deployment, Pod, VirtualClock } from "@kubewright/api";
import { startCluster } from "@kubewright/cluster";
import { expect, test } from "vitest";
import { web } from "./virtual-cluster.js";

const namespace = "default";

/** Who did what while a Deployment came up: `user verb resource`. */
async function watched(): Promise<ReadonlySet<string>> {
  const clock = new VirtualClock();
  const seen = new Set<string>();
  await using cluster = await startCluster({ clock });
  cluster.faults.fail(({ user, verb, resource, subresource }) => {
    seen.add([user, verb, subresource ? `${resource}/${subresource}` : resource].join(" "));
    return false;
  }, "conflict");
  await cluster.client.create(Deployment, web());
  await clock.advance(60_000);
  expect((await cluster.client.get(Deployment, "web", { namespace })).status?.availableReplicas).toBe(3);
  return seen;
}

test("controllers act as their service accounts, and the scheduler as itself", async () => {
  const account = (name: string) => `system:serviceaccount:kube-system:${name}`;
  expect([...(await watched())]).toEqual(
    expect.arrayContaining([
      `${account("deployment-controller")} create replicasets`,
      `${account("replicaset-controller")} create pods`,
      "system:kube-scheduler create pods/binding",
    ]),
  );
});

test("a controller can do what its role says, and no more", async () => {
  await using cluster = await startCluster({ controllers: "none", nodes: 0 });
  const name = "system:serviceaccount:kube-system:replicaset-controller";
  const groups = ["system:serviceaccounts", "system:serviceaccounts:kube-system", "system:authenticated"];
  const client = cluster.connect({ user: { name, groups } });
  const pod = { metadata: { name: "p", namespace }, spec: { containers: [{ name: "c", image: "web:1" }] } };
  await expect(client.create(ConfigMap, { metadata: { name: "a", namespace } })).rejects.toMatchObject({
    code: 403,
  });
  const created = await client.create(Pod, pod).catch((error: unknown) => error);
  expect(created).not.toMatchObject({ message: expect.stringContaining("cannot create resource") });
});
