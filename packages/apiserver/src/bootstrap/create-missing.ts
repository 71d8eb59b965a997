// Objects the server makes for itself go straight into the store: they are right as they are.
import { formatTime } from "@kubewright/api";
import type { Services } from "../registry/request-context.js";
import type { Unstamped } from "../storage/index.js";

/** Stores an object unless there is one of its name. */
export function createMissing(
  { storage, clock, newUid }: Pick<Services, "storage" | "clock" | "newUid">,
  table: string,
  object: Unstamped,
): void {
  const { name = "", namespace } = object.metadata;
  const key = namespace === undefined ? name : `${namespace}/${name}`;
  if (storage.get(table, key)) return;
  const metadata = { ...object.metadata, uid: newUid(), creationTimestamp: formatTime(clock.now()) };
  storage.put(table, key, { ...object, metadata }, "absent");
}
