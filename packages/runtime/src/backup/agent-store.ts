// The store of an agent: a pod of the operator's own image, since only a pod can mount a volume claim. Here is what its pod mounts, and how
// the agent opens it.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Container, Volume } from "@kubewright/api";
import { S3Store } from "./s3-store.js";
import type { SnapshotTarget } from "./snapshot-place.js";
import { FolderStore, type SnapshotStore } from "./snapshot-store.js";

/** Where an agent mounts the claim, and the credentials of the bucket. */
export const storeFolders = { snapshots: "/snapshots", credentials: "/credentials" } as const;

/** Where snapshots lie, as an agent is told. Secrets are not in it: they are files. */
export type StorePlace =
  | { readonly kind: "claim"; readonly folder: string }
  | {
      readonly kind: "s3";
      readonly endpoint: string;
      readonly bucket: string;
      readonly prefix: string;
      readonly region: string;
    };

/** Where a target lies, for the agent; folders and prefixes are named after the cluster by default. */
export function placeOfStore(
  { claim, s3 }: Pick<SnapshotTarget, "claim" | "s3">,
  cluster: string,
): StorePlace {
  if (s3)
    return {
      kind: "s3",
      endpoint: s3.endpoint,
      bucket: s3.bucket,
      prefix: s3.prefix ?? cluster,
      region: s3.region ?? "us-east-1",
    };
  return { kind: "claim", folder: claim?.folder ?? cluster };
}

/** The volumes with snapshots and credentials, and where the agent mounts them. */
export function storeVolumes({ claim, s3 }: Pick<SnapshotTarget, "claim" | "s3">): {
  readonly volumes: readonly Volume[];
  readonly volumeMounts: NonNullable<Container["volumeMounts"]>;
} {
  const volumes: Volume[] = [];
  const volumeMounts: { name: string; mountPath: string; readOnly?: boolean }[] = [];
  if (claim) {
    volumes.push({ name: "snapshots", persistentVolumeClaim: { claimName: claim.claimName } });
    volumeMounts.push({ name: "snapshots", mountPath: storeFolders.snapshots });
  }
  if (s3) {
    volumes.push({ name: "credentials", secret: { secretName: s3.credentialsSecret, defaultMode: 0o440 } });
    volumeMounts.push({ name: "credentials", mountPath: storeFolders.credentials, readOnly: true });
  }
  return { volumes, volumeMounts };
}

/** Opens the store from inside an agent. */
export async function openStore(
  place: StorePlace,
  folders: { readonly snapshots: string; readonly credentials: string } = storeFolders,
): Promise<SnapshotStore> {
  if (place.kind === "claim") return new FolderStore(join(folders.snapshots, place.folder));
  const read = async (name: string) =>
    (await readFile(join(folders.credentials, name), "utf8").catch(() => "")).trim() || undefined;
  const [accessKeyId, secretAccessKey] = [await read("accessKeyId"), await read("secretAccessKey")];
  if (!accessKeyId || !secretAccessKey)
    throw new Error("the Secret of the bucket needs accessKeyId and secretAccessKey");
  const credentials = { accessKeyId, secretAccessKey, sessionToken: await read("sessionToken") };
  return new S3Store({ ...place, ca: await read("ca.crt") }, credentials);
}

/** Snapshots kept of those whose name begins so. */
export interface Retention {
  readonly prefix: string;
  readonly keep: number;
}

/** Deletes the oldest files of a schedule, never the one just written. Names hold their time, so that their order is that of their age. */
export async function keepNewest(
  store: SnapshotStore,
  retention: Retention | undefined,
  file: string,
): Promise<void> {
  if (!retention) return;
  const names = (await store.list()).filter((name) => name.startsWith(retention.prefix)).toSorted();
  for (const name of names.slice(0, Math.max(0, names.length - retention.keep)))
    if (name !== file) await store.delete(name);
}

/** The sha256 of a file, or of its first bytes, in hexadecimal. */
export async function hashOfFile(file: string, length?: number): Promise<string> {
  const hash = createHash("sha256");
  const stream = createReadStream(file, length === undefined ? {} : { end: length - 1 });
  for await (const part of stream) hash.update(part as Buffer);
  return hash.digest("hex");
}
