import { type Probe, VirtualClock } from "@kubewright/api";
import { expect, test } from "vitest";
import type { ProbeOutcome } from "./container-runtime.js";
import { ProbeLoop } from "./probe-loop.js";

/** Notes when probes ran, what they failed with and what was concluded, in seconds. */
function probing(
  probe: Probe,
  outcome: (seconds: number) => ProbeOutcome,
  initially: boolean | undefined = false,
) {
  const clock = new VirtualClock();
  const notes: string[] = [];
  const at = (): number => clock.monotonic() / 1000;
  const loop = new ProbeLoop({
    clock,
    probe,
    initially,
    run: () => outcome(at()),
    onFailure: () => notes.push(`${at()}: failed`),
    onResult: (isGood) => notes.push(`${at()}: ${isGood}`),
  });
  loop.start();
  return { clock, loop, notes };
}

const forever = { holdsFor: Number.POSITIVE_INFINITY };

test("probe loop: succeeds after its initial delay and then stops, as nothing can change", async () => {
  const { clock, notes } = probing({ initialDelaySeconds: 5 }, () => ({ success: true, ...forever }));
  await clock.advance(30 * 24 * 3_600_000);
  expect(notes).toEqual(["5: true"]);
  expect(clock.pending).toBe(0);
});

test("probe loop: does not probe at all when success is assumed", async () => {
  const { clock } = probing({}, () => ({ success: true, ...forever }), true);
  expect(clock.pending).toBe(0);
});

test("probe loop: thresholds count consecutive probes", async () => {
  const probe = { periodSeconds: 2, failureThreshold: 3, successThreshold: 2 };
  const { clock, notes } = probing(probe, (at) => ({ success: at < 4 || at >= 14 }), undefined);
  await clock.advance(20_000);
  expect(notes).toEqual(["2: true", "4: failed", "6: failed", "8: failed", "8: false", "16: true"]);
});

test("probe loop: skips to the probe with another result", async () => {
  let runs = 0;
  const { clock, notes } = probing({ periodSeconds: 10, failureThreshold: 1 }, (at) => {
    runs++;
    return at < 3605 ? { success: true, holdsFor: (3605 - at) * 1000 } : { success: false, ...forever };
  });
  await clock.advance(7_200_000);
  expect(notes).toEqual(["0: true", "3610: failed", "3610: false"]);
  expect(runs).toBe(3);
});

test("probe loop: probes again at its next period when notified of a change", async () => {
  let success = true;
  const { clock, loop, notes } = probing({ periodSeconds: 10, failureThreshold: 2 }, () => ({
    success,
    ...forever,
  }));
  await clock.advance(25_000);
  success = false;
  loop.look();
  await clock.advance(100_000);
  expect(notes).toEqual(["0: true", "30: failed", "40: failed", "40: false"]);
  loop.close();
  expect(clock.pending).toBe(0);
});
