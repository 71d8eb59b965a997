// How long a container that keeps ending waits before it is started again: not at all the first time, then ten seconds,
// doubled up to five minutes, and from the beginning after a run of more than ten minutes.

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
