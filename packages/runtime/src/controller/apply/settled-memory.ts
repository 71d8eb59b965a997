// Some values never come back as they were sent: the server fills in an item of a list it treats as a whole, a webhook
// rewrites an image. What one apply could not make equal the next one cannot either, so the answer is remembered, and the
// same declaration is not sent again while its result is still there.
import { deepEqual, type KubeObject } from "@kubewright/api";
import type { Difference } from "./field-comparison.js";

interface Settled {
  /** As text: the author may change the object meanwhile. */
  readonly declared: string;
  readonly resourceVersion: string | undefined;
  readonly differences: readonly Difference[];
}

export class SettledMemory {
  readonly #byUid = new Map<string, Settled>();
  readonly #limit: number;

  /** Beyond the limit the oldest are forgotten, at the price of one apply each. */
  constructor(limit = 10_000) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#byUid.size;
  }

  /** The server was sent this and answered with that; these differences remained. */
  remember(answer: KubeObject, declared: KubeObject, differences: readonly Difference[]): void {
    const { uid, resourceVersion } = answer.metadata ?? {};
    if (uid === undefined) return;
    this.#byUid.delete(uid);
    if (differences.length === 0) return;
    this.#byUid.set(uid, { declared: JSON.stringify(declared), resourceVersion, differences });
    for (const oldest of this.#byUid.keys()) {
      if (this.#byUid.size <= this.#limit) return;
      this.#byUid.delete(oldest);
    }
  }

  /** True when sending this again would lead to what is there. */
  isSettled(live: KubeObject, declared: KubeObject, differences: readonly Difference[]): boolean {
    const { uid = "", resourceVersion } = live.metadata ?? {};
    const settled = this.#byUid.get(uid);
    if (!settled || settled.declared !== JSON.stringify(declared)) return false;
    return settled.resourceVersion === resourceVersion || differences.every((one) => isKnown(one, settled));
  }
}

/** True when the live value is the one the server made of the declared one. An absent value may have been put elsewhere. */
function isKnown(difference: Difference, { differences }: Settled): boolean {
  if (difference.kind !== "value" || difference.live === undefined) return false;
  return differences.some(
    ({ kind, place, live }) =>
      kind === "value" && deepEqual(place, difference.place) && deepEqual(live, difference.live),
  );
}
