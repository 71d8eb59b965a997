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
  test("waits for its ConfigMap and says so", async () => {
    await using cluster = await testCluster(options);
    await cluster.create(Guestbook, { name: "book", spec });
    const { status } = (await cluster.condition(Guestbook, "book", "Degraded"))!;
    expect(status?.conditions?.[0]).toMatchObject({ reason: "ConfigMapMissing" });
    await cluster.create(ConfigMap, guests);
    await cluster.condition(Guestbook, "book", "Available");
    await cluster.condition(Guestbook, "book", "Degraded", "False");
    expect(cluster.errors).toEqual([]);
  });

  test("has one pod that serves and others that take over", async () => {
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
