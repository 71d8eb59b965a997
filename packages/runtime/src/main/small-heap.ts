// An operator's process mostly waits, and is started often. What it allocates is either cached for good or gone at once, so a
// large space for young objects only costs memory: V8 would let it grow to several times 16 MB while the caches fill, and keep
// it. And what it runs is soon warm: compiling functions with all that they call, again in each of their callers, costs a
// starting process more than it saves a running one.
import { setFlagsFromString } from "node:v8";

/**
 * Keeps the space for young objects at its initial size, and compiles less. For programs that are an operator and nothing
 * else: it holds for the whole process. On 10,000 cached objects it saves about 15 MB, and a seventh of the processor time
 * until they are cached; reconciles that do nothing become a tenth slower, at a quarter of a million in a second.
 */
export function keepHeapSmall(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
  setFlagsFromString("--max-inlined-bytecode-size-cumulative=200");
}
