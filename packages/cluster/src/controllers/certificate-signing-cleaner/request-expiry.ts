// Expiry of CertificateSigningRequests.
import { type CertificateSigningRequest, findCondition } from "@kubewright/api";

const hour = 3_600_000;

/** When a request may go, in milliseconds since 1970: an hour after it was decided, a day after it was made. */
export function requestExpiry({ metadata, status }: CertificateSigningRequest): number {
  const since = (type: string): number | undefined => {
    const condition = findCondition(status?.conditions, type);
    if (!condition) return undefined;
    return Date.parse(condition.lastUpdateTime ?? condition.lastTransitionTime ?? "") || undefined;
  };
  const times = [Date.parse(metadata?.creationTimestamp ?? "") + 24 * hour];
  const approved = since("Approved");
  if (approved !== undefined && status?.certificate) times.push(approved + hour);
  for (const type of ["Denied", "Failed"]) {
    const decided = since(type);
    if (decided !== undefined) times.push(decided + hour);
  }
  return Math.min(...times);
}
