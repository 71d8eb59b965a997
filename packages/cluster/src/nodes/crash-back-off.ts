// The CrashLoopBackOff delay of a container that keeps ending: none the first time, then ten seconds, doubled up to five
// minutes, and from the beginning after a run of more than ten minutes.
import { type Container, sleep } from "@kubewright/api";
import type { ContainerHost } from "./container-host.js";

const first = 10_000;
const longest = 300_000;
const forgottenAfter = 2 * longest;

export class CrashBackOff {
  #delay = 0;

  /** The wait after a run that lasted so long, in milliseconds. */
  next(ranFor: number): number {
    const wait = ranFor > forgottenAfter ? 0 : this.#delay;
    this.#delay = wait === 0 ? first : Math.min(wait * 2, longest);
    return wait;
  }
}

/** As the kubelet writes it: `10s`, `2m40s`, `5m0s`. */
export function backOffText(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}

/** Records the CrashLoopBackOff and waits; false when the pod stops meanwhile. */
export async function restBeforeRestart(
  { clock, signal, pod, event }: ContainerHost,
  container: Container,
  delay: number,
  wait: (reason: string, message: string) => void,
): Promise<boolean> {
  if (delay === 0) return true;
  const { metadata } = pod();
  const { name } = container;
  const where = `${metadata?.name}_${metadata?.namespace}(${metadata?.uid})`;
  event("Warning", "BackOff", `Back-off restarting failed container ${name} in pod ${where}`, container);
  wait("CrashLoopBackOff", `back-off ${backOffText(delay)} restarting failed container=${name} pod=${where}`);
  return sleep(clock, delay, signal).then(
    () => true,
    () => false,
  );
}
