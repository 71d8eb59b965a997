import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Bucket } from "./fixtures/bucket.js";
import { emptyHash, signed } from "./s3-signature.js";
import { S3Store } from "./s3-store.js";
import { snapshotSource, snapshotTarget } from "./snapshot-place.js";
import { FolderStore, type SnapshotStore } from "./snapshot-store.js";

test("a request is signed as the documentation of S3 signs its example", () => {
  const request = {
    method: "GET",
    url: new URL("https://examplebucket.s3.amazonaws.com/test.txt"),
    headers: { range: "bytes=0-9" },
    payloadHash: emptyHash,
  };
  const credentials = {
    accessKeyId: "AKIAIOSFODNN7EXAMPLE",
    secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
  };
  const { authorization } = signed(request, credentials, "us-east-1", new Date("2013-05-24T00:00:00Z"));
  expect(authorization).toMatch(
    /Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41$/,
  );
});

const credentials = { accessKeyId: "key", secretAccessKey: "secret" };

test.each(["../client-tls/tls.key", "/etc/passwd/../../x/..", "..", "a/../../b"])(
  "a snapshot called %s is not looked for outside of its folder",
  async (name) => {
    const parent = mkdtempSync(join(tmpdir(), "kubewright-"));
    const store = new FolderStore(join(parent, "kept"));
    writeFileSync(join(parent, "b"), "secret");
    const target = join(parent, "copy");
    for (const attempt of [store.get(name, target), store.delete(name), store.put(name, join(parent, "b"))])
      await expect(attempt).rejects.toThrow("is not the name of a snapshot");
    expect(readFileSync(join(parent, "b"), "utf8")).toBe("secret");
    rmSync(parent, { recursive: true });
  },
);

test.each([
  ["folder", "../client-tls"],
  ["folder", "a/../../b"],
  ["folder", ".hidden"],
  ["file", "../../credentials/secretAccessKey"],
  ["file", ".."],
])("a backup or a restore with a %s called %s is refused", (field, value) => {
  const place = { claimName: "c", ...(field === "folder" ? { folder: value } : {}) };
  const source = { snapshot: { claim: place, file: field === "file" ? value : "a.db" } };
  expect(snapshotSource("A Backup").safeParse(source).success).toBe(false);
  if (field === "folder") expect(snapshotTarget.safeParse({ claim: place }).success).toBe(false);
  expect(
    snapshotSource("A Backup").safeParse({ snapshot: { claim: { claimName: "c" }, file: "a-1.db" } }).success,
  ).toBe(true);
});

describe("snapshots are kept", () => {
  let bucket: Bucket;
  const folder = mkdtempSync(join(tmpdir(), "kubewright-snapshots-"));
  beforeAll(async () => {
    bucket = await Bucket.start(credentials);
  });
  afterAll(async () => {
    await bucket.close();
    rmSync(folder, { recursive: true });
  });
  const place = (prefix: string) => ({
    endpoint: bucket.endpoint,
    bucket: "etcd",
    prefix,
    region: "eu-west-1",
  });

  test.each<[string, () => SnapshotStore]>([
    ["in a bucket", () => new S3Store(place("a b/c+d"), credentials)],
    ["in a bucket, without a prefix", () => new S3Store(place(""), credentials)],
    ["in a folder", () => new FolderStore(join(folder, "kept"))],
  ])("%s", async (_, make) => {
    const store = make();
    const file = join(folder, "file");
    writeFileSync(file, "snapshot");
    const sha256 = createHash("sha256").update("snapshot").digest("hex");
    const names = ["db-1.db", "db-2.db", "db-3.db", "über&x.db"];
    for (const name of names) await store.put(name, file, 8, sha256);
    expect((await store.list()).map((name) => name.normalize()).toSorted()).toEqual(names.toSorted());
    await store.get("db-2.db", join(folder, "got"));
    expect(readFileSync(join(folder, "got"), "utf8")).toBe("snapshot");
    for (const name of names) await store.delete(name);
    expect(await store.list()).toEqual([]);
    await expect(store.get("db-2.db", join(folder, "got"))).rejects.toThrow();
  });

  test("a wrong key is refused, and the error names the place but no secret", async () => {
    const store = new S3Store(place("p"), { ...credentials, secretAccessKey: "wrong-secret" });
    const error: unknown = await store.list().catch((cause: unknown) => cause);
    expect(String(error)).toContain("HTTP 403");
    expect(String(error)).not.toContain("wrong-secret");
  });
});
