// The steps by which members take up other certificates: without downtime while the old ones hold, and by force once they have expired.
import { isAnswering, isHealthy, membersOf, type Observed, type Slot } from "./observed.js";
import { type Decision, decision, wait } from "./step.js";
import { canReload } from "./tls.js";

/** A member that shows another certificate than it mounts reads it anew, or is started again where it cannot. */
export function reloadCertificate(observed: Observed): Decision | undefined {
  const { certificates, slots, wanted } = observed;
  const late = slots.find((slot) => isLate(slot, observed));
  if (!late || !certificates || !canReload(late.hello?.version ?? wanted.version)) return undefined;
  if (!late.isArbiter) return decision("Updating", { kind: "reload-certificate", member: late.name });
  // Nobody can log in to an arbiter, which has no users.
  const away = membersOf(observed).find((slot) => !isHealthy(slot));
  if (away)
    return wait("Updating", `${away.name} is not healthy; ${late.name} is not started again before it is`);
  return decision("Updating", { kind: "restart", member: late.name, why: "to read its certificate" });
}

const isLate = ({ served, pod }: Slot, { certificates }: Observed): boolean =>
  served !== undefined && !pod?.isTerminating && served !== certificates?.mounted;

/** What is mounted changes only when every member has taken up what was mounted before. */
export function exchangeCertificate(observed: Observed): Decision | undefined {
  const { certificates } = observed;
  if (!certificates?.next) return undefined;
  const away = membersOf(observed).find((slot) => !isHealthy(slot));
  if (away && !certificates.isExpired)
    return wait("Updating", `${away.name} is not healthy; certificates are not exchanged before it is`);
  const late = membersOf(observed).find(({ pod }) => pod?.startedWith !== certificates.startedWith);
  if (late && !certificates.isExpired)
    return wait("Updating", `${late.name} is to be started again with what is mounted`);
  return decision("Updating", { kind: "exchange-certificate", ...certificates.next });
}

/** Members refuse each other with an expired certificate, so that nothing but another one helps. */
export function replaceExpiredCertificate(observed: Observed): Decision | undefined {
  const { certificates, slots } = observed;
  if (certificates?.isExpired && certificates.next)
    return decision("Updating", { kind: "exchange-certificate", ...certificates.next });
  const late = slots.find((slot) => !isAnswering(slot) && isLate(slot, observed));
  return late && decision("Updating", { kind: "restart", member: late.name, why: "to read its certificate" });
}
