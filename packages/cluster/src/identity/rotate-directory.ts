// Changes what a cluster is known by while it is not running: what the data directory holds is what it starts with.
import { existsSync } from "node:fs";
import { type Clock, systemClock } from "@kubewright/api";
import { DataError } from "@kubewright/apiserver";
import { openState } from "../snapshot/cluster-state.js";
import { keysFile } from "./cluster-keys.js";

/** The credentials that can be rotated. */
export const rotatable = ["ca", "service-account-key", "token"] as const;
/** A credential of a cluster that can be rotated. */
export type Rotatable = (typeof rotatable)[number];

/** The credential to rotate, and for how long the former one is accepted. */
export interface RotateOptions {
  readonly what: readonly Rotatable[];
  /** Milliseconds; a year by default, and an hour for the administrator's token. */
  readonly acceptFor?: number | undefined;
  readonly clock?: Clock | undefined;
}

const hour = 60 * 60 * 1000;
const year = 365 * 24 * hour;

/** Throws a DataDirectoryInUseError where a cluster runs on it, and a DataError where none ever did. */
export async function rotateDirectory(directory: string, options: RotateOptions): Promise<void> {
  const { what, acceptFor, clock = systemClock } = options;
  if (!existsSync(keysFile(directory)))
    throw new DataError(`${directory} is not the data directory of a cluster: it has no keys.json`);
  const { keys, close } = openState({ dataDir: directory, clock, onError: () => undefined });
  try {
    if (what.includes("ca")) keys.rotateCA(clock.now(), acceptFor ?? year);
    if (what.includes("service-account-key")) keys.rotateServiceAccountKey(clock.now(), acceptFor ?? year);
    if (what.includes("token")) keys.rotateToken(clock.now(), acceptFor ?? hour);
  } finally {
    await close();
  }
}
