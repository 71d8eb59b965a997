// When a member has failed for good. A member that is merely away is never replaced before its grace time: its data is still there.
import { isHealthy, isReachable, type Observed, type Slot } from "./observed.js";

/** Without data etcd refuses to start, since its pod is guarded, and says so. */
const withoutData = /couldn't find local name/;
/** The data is another member's, or one's that was removed. */
const anothersData = /permanently removed|member ID mismatch|cluster ID mismatch/i;
const damagedData =
  /crc mismatch|checksum mismatch|is out of range \[lastIndex|snap(shot)? file .*(corrupt|broken)|invalid database|unexpected page type|failed to (read|open|find|recover) .*(wal|snapshot|snap|db|backend)|wal: |database file .* not found/i;

/** Why the member will not come back with its data; undefined while it may. */
export function failureOf(slot: Slot, { now, wanted, watchedSince }: Observed): string | undefined {
  const lost = lossOf(slot);
  if (lost !== undefined) return lost;
  if (isHealthy(slot) || slot.unhealthySince === undefined) return undefined;
  // One that answers and follows a leader has its data, whatever keeps its pod from being ready.
  if (isReachable(slot) && !slot.pod?.isTerminating) return undefined;
  if (now - Math.max(slot.unhealthySince, watchedSince) < wanted.failureGrace) return undefined;
  const seconds = Math.round(wanted.failureGrace / 1_000);
  return `it has been unhealthy for more than ${seconds} s${slot.pod?.problem ? `: ${slot.pod.problem}` : ""}`;
}

function lossOf({ member, pod, claim, status, alarms }: Slot): string | undefined {
  if (alarms.includes("CORRUPT")) return "its data differs from that of the others";
  if (status && member && status.memberId !== member.id) return "its data is that of another member";
  if (claim?.isLost) return "its volume is lost";
  // While there is a pod its claim is protected, and the data is still there.
  if (!pod && member?.name && (!claim || claim.isTerminating)) return "its volume claim is gone";
  const words = pod?.lastWords ?? "";
  if (withoutData.test(words)) return "its data is gone";
  if (anothersData.test(words)) return "its data is that of another member";
  return damagedData.test(words) ? "its data is damaged" : undefined;
}
