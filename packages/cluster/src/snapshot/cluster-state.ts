// The storage of a cluster's state: in memory, empty or from a snapshot, or in a data directory that every change is written
// to.
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "@kubewright/api";
import { MemoryStorage, openDurableStorage, type TornTail } from "@kubewright/apiserver";
import { type ClusterKeys, freshKeys, keptKeys, keysFile } from "../identity/cluster-keys.js";
import { readSnapshot, type Snapshot } from "./snapshot-file.js";

/** The state of a cluster and what it is known by. */
export interface ClusterState {
  readonly storage: MemoryStorage;
  readonly keys: ClusterKeys;
  /** The unfinished write at the end of a data directory, which no client got an answer for. */
  readonly torn: TornTail | undefined;
  close(): Promise<void>;
}

export interface StateOptions {
  readonly restore?: string | undefined;
  readonly dataDir?: string | undefined;
  readonly clock: Clock;
  readonly compactionInterval?: number | undefined;
  readonly onError: (where: string, error: unknown) => void;
}

export function openState(options: StateOptions): ClusterState {
  const { restore, dataDir, clock, compactionInterval } = options;
  if (dataDir !== undefined) return inDirectory(dataDir, options);
  const contents = restore === undefined ? undefined : readSnapshot(restore);
  const storage = new MemoryStorage({ clock, contents, compactionInterval });
  return { storage, keys: freshKeys(), torn: undefined, close: () => Promise.resolve() };
}

function inDirectory(directory: string, options: StateOptions): ClusterState {
  const { restore, clock, compactionInterval, onError } = options;
  const durable = openDurableStorage({
    directory,
    clock,
    compactionInterval,
    onlyNew: restore !== undefined,
    madeAfter:
      restore === undefined && !existsSync(join(directory, olderFile)) ? keysFile(directory) : undefined,
    initial: () => beginning(directory, restore),
    onError: (error) => onError("data directory", error),
  });
  try {
    rmSync(join(directory, olderFile), { force: true });
    const keys = keptKeys(directory, clock.now(), durable);
    return { storage: durable.storage, keys, torn: durable.torn, close: durable.close };
  } catch (error) {
    durable.close().catch((reason: unknown) => onError("data directory", reason));
    throw error;
  }
}

/** Where clusters kept their state before there was a log. */
const olderFile = "cluster.snapshot";

function beginning(directory: string, restore: string | undefined): Snapshot | undefined {
  if (restore !== undefined) return readSnapshot(restore);
  const older = join(directory, olderFile);
  return existsSync(older) ? readSnapshot(older) : undefined;
}
