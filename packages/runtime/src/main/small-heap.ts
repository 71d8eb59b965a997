// An operator's process mostly waits. What it allocates is either cached for good or gone at once, so a large space for young
// objects only costs memory: V8 would let it grow to several times 16 MB while the caches fill, and keep it.
import { setFlagsFromString } from "node:v8";

/**
 * Keeps the space for young objects at its initial size. For programs that are an operator and nothing else: it holds for the
 * whole process. On 10,000 cached objects it saves about 15 MB, at no measurable cost.
 */
export function keepHeapSmall(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
}
