import { ConfigMap, Deployment, Pod } from "@kubewright/api";
import { testCluster } from "@kubewright/testing";
import { describe, expect, test } from "vitest";
import { Guestbook } from "../api/v1/guestbook.js";
import { guestbookController } from "./guestbook.js";

const options = { resources: [Guestbook], controllers: [guestbookController] };
const spec = { size: 3, configMapName: "guests" };
const namespace = "default";
const guests = { name: "guests", data: { TITLE: "Our guests" } };

describe("a Guestbook", () => {
  test("reports a missing ConfigMap, and is configured when it is created", async () => {
    await using cluster = await testCluster(options);
    await cluster.create(Guestbook, { name: "book", spec });
    const { status } = (await cluster.condition(Guestbook, "book", "Degraded"))!;
    expect(status?.conditions?.find(({ type }) => type === "Degraded")).toMatchObject({
      reason: "ConfigMapMissing",
      message: "there is no ConfigMap guests; create it to configure the pods",
    });
    await cluster.create(ConfigMap, guests);
    await cluster.condition(Guestbook, "book", "Available");
    await cluster.condition(Guestbook, "book", "Degraded", "False");
    expect(cluster.errors).toEqual([]);
  });

  test("heals its Deployment and reports its pods as they are while its ConfigMap is missing", async () => {
    await using cluster = await testCluster({ ...options, leaks: "ignore" });
    await cluster.create(ConfigMap, guests);
    await cluster.create(Guestbook, { name: "book", spec });
    await cluster.condition(Guestbook, "book", "Progressing", "False");
    const { generation } = (await cluster.get(Deployment, "book")).metadata!;
    await cluster.delete(ConfigMap, "guests");
    await cluster.condition(Guestbook, "book", "Degraded");
    expect((await cluster.get(Deployment, "book")).metadata?.generation).toBe(generation);
    await cluster.client.scale(Deployment, "book", 0, { namespace });
    await cluster.eventually(Deployment, "book", (now) => now.spec?.replicas === 3);
    await cluster.delete(Deployment, "book");
    await cluster.eventually(Deployment, "book", (now) => now.metadata?.generation === 1);
    await cluster.condition(Guestbook, "book", "Available", "False");
    await cluster.eventually(Guestbook, "book", ({ status }) => status?.active === undefined);
  });

  test("never reports a pod as serving that merely carries its label", async () => {
    await using cluster = await testCluster({ ...options, leaks: "ignore" });
    await cluster.create(ConfigMap, guests);
    const labels = { "webapp.tutorial.kubebuilder.io/guestbook": "book" };
    const containers = [{ name: "c", image: "nginx:1.27" }];
    await cluster.create(Pod, { metadata: { name: "aaa-foreign", labels }, spec: { containers } });
    await cluster.condition(Pod, "aaa-foreign", "Ready");
    await cluster.create(Guestbook, { name: "book", spec });
    await cluster.condition(Guestbook, "book", "Progressing", "False");
    const { status } = await cluster.get(Guestbook, "book");
    expect([status?.active, ...(status?.standby ?? [])]).not.toContain("aaa-foreign");
    expect(status?.standby).toHaveLength(2);
  });

  test("can be scaled through its scale subresource, and reports observedGeneration", async () => {
    await using cluster = await testCluster(options);
    await cluster.create(ConfigMap, guests);
    await cluster.create(Guestbook, { name: "book", spec });
    await cluster.condition(Guestbook, "book", "Available");
    await cluster.client.scale(Guestbook, "book", 5, { namespace });
    const { status } = await cluster.eventually(Guestbook, "book", (book) => book.status?.ready === "5/5");
    expect(status).toMatchObject({ observedGeneration: 2, replicas: 5 });
  });

  test("has one active pod and standby pods that take over", async () => {
    await using cluster = await testCluster(options);
    await cluster.create(ConfigMap, guests);
    await cluster.create(Guestbook, { name: "book", spec });
    const full = ({ status }: Guestbook) => status?.active !== undefined && status.standby?.length === 2;
    const before = (await cluster.eventually(Guestbook, "book", full)).status!;
    await cluster.killPod(before.active!);
    const after = await cluster.eventually(
      Guestbook,
      "book",
      (book) => full(book) && book.status?.active !== before.active,
    );
    expect(before.standby).toContain(after.status!.active);
    await cluster.killPod(after.status!.standby![0]!);
    const kept = await cluster.eventually(
      Guestbook,
      "book",
      (book) => full(book) && !book.status?.standby?.includes(after.status!.standby![0]!),
    );
    expect(kept.status!.active).toBe(after.status!.active);
  });

  test("rolls its pods when the ConfigMap changes, and only then", async () => {
    await using cluster = await testCluster(options);
    await cluster.create(ConfigMap, guests);
    await cluster.create(Guestbook, { name: "book", spec });
    await cluster.condition(Guestbook, "book", "Progressing", "False");
    const generation = async () => (await cluster.get(Deployment, "book")).metadata?.generation;
    const first = await generation();
    await cluster.client.patch(
      ConfigMap,
      "guests",
      { merge: { metadata: { labels: { a: "b" } } } },
      { namespace },
    );
    await cluster.advance("1m");
    expect(await generation()).toBe(first);
    const pods = new Set((await cluster.list(Pod)).map(({ metadata }) => metadata?.uid));
    await cluster.client.patch(ConfigMap, "guests", { merge: { data: { TITLE: "Yours" } } }, { namespace });
    await cluster.eventually(async () => {
      const now = await cluster.list(Pod);
      return now.length === 3 && now.every(({ metadata }) => !pods.has(metadata?.uid));
    });
  });

  test.each([
    { size: 0 },
    { size: 11 },
    { configMapName: "" },
    { configMapName: "a-name-of-17-chars" },
    { type: "Fax" },
  ])("is refused with %o", async (wrong) => {
    await using cluster = await testCluster({ resources: [Guestbook] });
    const refused = cluster.create(Guestbook, { name: "book", spec: { ...spec, ...wrong } as never });
    await expect(refused).rejects.toMatchObject({ code: 422, reason: "Invalid" });
  });
});
