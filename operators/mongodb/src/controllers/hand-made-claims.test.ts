// Claims made by hand, in virtual time: the StatefulSet does not win the race for them.
import { PersistentVolume, PersistentVolumeClaim, Pod, StatefulSet } from "@kubewright/api";
import { describe, expect, test } from "vitest";
import { MongoDBCommunity } from "../api/v1/mongo-db-community.js";
import { MongoWorld, name, namespace } from "./fixtures/mongo-world.js";

const without = { cluster: { defaultStorageClass: "none" } } as const;
const claimNames = [0, 1, 2].map((ordinal) => `data-volume-db-${ordinal}`);

async function makeVolumes({ cluster }: MongoWorld): Promise<void> {
  for (const ordinal of [1, 2, 3])
    await cluster.client.create(PersistentVolume, {
      metadata: { name: `nfs-pv-v${ordinal}` },
      spec: {
        capacity: { storage: "1Gi" },
        accessModes: ["ReadWriteOnce", "ReadWriteMany", "ReadOnlyMany"],
        persistentVolumeReclaimPolicy: "Retain",
        nfs: { path: `/data/p${ordinal}`, server: "192.168.40.180" },
      },
    });
}

async function makeClaims({ cluster }: MongoWorld): Promise<void> {
  for (const claim of claimNames)
    await cluster.create(PersistentVolumeClaim, {
      metadata: { name: claim },
      spec: { accessModes: ["ReadWriteMany"], resources: { requests: { storage: "500Mi" } } },
    });
}

describe("claims made by hand", () => {
  test("take the place of those that were deleted, whatever their size and mode", async () => {
    await using w = await MongoWorld.start(without);
    await w.create();
    await w.cluster.advance("30s");
    const pods = await w.cluster.list(Pod);
    expect(pods.map(({ metadata, status }) => `${metadata?.name} ${status?.phase}`).toSorted()).toEqual([
      "db-0 Pending",
      "db-1 Pending",
      "db-2 Pending",
    ]);
    expect((await w.cluster.list(PersistentVolumeClaim)).map(({ status }) => status?.phase)).toEqual(
      Array(3).fill("Pending"),
    );
    await w.cluster.client.deleteCollection(PersistentVolumeClaim, { namespace });
    await w.cluster.advance("1m");
    expect(await w.cluster.list(PersistentVolumeClaim)).toEqual([]);
    expect((await w.get()).status?.message).toBe(
      `claims were deleted: create ${claimNames.join(", ")} by hand; after ten minutes they are made from the template again`,
    );
    await makeVolumes(w);
    await makeClaims(w);
    await w.settled(3);
    const claims = await w.cluster.list(PersistentVolumeClaim);
    expect(
      claims.map(({ spec, status }) => `${spec?.resources?.requests?.["storage"]} ${status?.phase}`),
    ).toEqual(Array(3).fill("500Mi Bound"));
    expect(await w.events()).toEqual(expect.arrayContaining(["ClaimsAwaited", "ClaimsTaken"]));
    expect(w.cluster.errors).toEqual([]);
  });

  test("that are there before the object are taken at once", async () => {
    await using w = await MongoWorld.start(without);
    await makeVolumes(w);
    await makeClaims(w);
    await w.create();
    await w.settled(3);
    expect(w.taken()).not.toContain("hold-claims");
  });

  test("that never come are made from the template again after ten minutes", async () => {
    await using w = await MongoWorld.start(without);
    await w.create();
    await w.cluster.advance("30s");
    await w.cluster.client.deleteCollection(PersistentVolumeClaim, { namespace });
    await w.cluster.advance("5m");
    expect((await w.cluster.get(StatefulSet, name)).spec?.replicas).toBe(0);
    await w.cluster.advance("6m");
    expect(await w.cluster.list(PersistentVolumeClaim)).toHaveLength(3);
    expect((await w.cluster.get(StatefulSet, name)).spec?.replicas).toBe(3);
    expect((await w.cluster.get(MongoDBCommunity, name)).status?.phase).toBe("Pending");
  });
});
