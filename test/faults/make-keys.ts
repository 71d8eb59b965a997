// Opens a data directory, which makes its keys.
import { systemClock } from "@kubewright/api";
import { openState } from "../../packages/cluster/src/snapshot/cluster-state.js";

const [, , dataDir = ""] = process.argv;
const fail = (_: string, error: unknown): void => {
  throw error;
};
await openState({ dataDir, clock: systemClock, onError: fail }).close();
