import { type TestCluster, testCluster } from "@kubewright/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { EtcdCluster } from "../api/v1alpha1/etcd-cluster.js";
import { etcdClusterWebhook } from "./etcd-cluster.js";

describe("admission of an EtcdCluster", () => {
  let cluster: TestCluster;
  beforeAll(async () => {
    cluster = await testCluster({ resources: [EtcdCluster], webhooks: [etcdClusterWebhook] });
  });
  afterAll(() => cluster.close());

  const create = (name: string, spec: object) => cluster.create(EtcdCluster, { name, spec: spec as never });

  test.each([
    [{ replicas: 2 }, "must be odd: 2 members survive no more failures than 1"],
    [{ replicas: 9 }, "should be less than or equal to 7"],
    [{ version: "3.5" }, "should match"],
    [{ etcdOptions: { "data-dir": "/tmp" } }, "are set by the operator"],
    [{ etcdOptions: { "--quota": "1" } }, "flags of etcd without the dashes"],
    [{ autoscaling: { min: 2, max: 4 } }, "min and max must be odd"],
    [{ backup: { schedule: "often", target: { claim: { claimName: "c" } } } }, "spec.backup.schedule"],
    [{ backup: { schedule: "@daily", target: {} } }, "spec.backup.target"],
    [{ failureGraceSeconds: 9 }, "spec.failureGraceSeconds"],
  ])("%j is refused with the reason", async (spec, message) => {
    await expect(create("refused", spec)).rejects.toThrow(message);
  });

  test("the sample of the field note is accepted, and gets a version", async () => {
    const { spec } = await create("sample", { replicas: 3, storage: "10Gi" });
    expect(spec.version).toBe("3.5.30");
  });

  test("an even number is accepted through the scale subresource, and stands in the way of nothing else", async () => {
    await create("scaled", { replicas: 3 });
    const namespace = "default";
    await cluster.client.scale(EtcdCluster, "scaled", 4, { namespace });
    const merge = { spec: { failureGraceSeconds: 60 } } as never;
    const { spec } = await cluster.client.patch(EtcdCluster, "scaled", { merge }, { namespace });
    expect(spec).toMatchObject({ replicas: 4, failureGraceSeconds: 60 });
  });

  test("TLS is turned on from the start or never", async () => {
    await create("plain", { replicas: 1 });
    const merge = { spec: { tls: { client: {} } } } as never;
    await expect(
      cluster.client.patch(EtcdCluster, "plain", { merge }, { namespace: "default" }),
    ).rejects.toThrow("TLS cannot be turned on or off later");
  });

  test("a version that the members cannot become is refused, with the path there", async () => {
    const created = await create("old", { replicas: 3, version: "3.4.23" });
    const namespace = "default";
    const status = { currentVersion: "3.4.23" };
    await cluster.client.update(EtcdCluster, { ...created, status } as never, {
      namespace,
      subresource: "status",
    });
    const to = (version: string) =>
      cluster.client.patch(EtcdCluster, "old", { merge: { spec: { version } } as never }, { namespace });
    await expect(to("3.6.1")).rejects.toThrow("set the version to the newest 3.5.x, then 3.6.1");
    await expect(to("3.3.9")).rejects.toThrow("cannot go back");
    await expect(to("3.5.30")).resolves.toBeDefined();
  });
});
