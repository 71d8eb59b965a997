// Makes a failing run as short as it can be: takes disturbances away as long as the same is found without them, then shortens delays.
import type { Disturbance } from "./disturbance.js";

export async function shrink(
  plan: readonly Disturbance[],
  isFound: (fewer: readonly Disturbance[]) => Promise<boolean>,
): Promise<readonly Disturbance[]> {
  let shortest = plan;
  for (let size = Math.ceil(plan.length / 2); size >= 1 && shortest.length > 1; size = Math.floor(size / 2)) {
    for (let start = 0; start < shortest.length && shortest.length > 1; ) {
      const fewer = shortest.toSpliced(start, size);
      if (fewer.length > 0 && (await isFound(fewer))) shortest = fewer;
      else start += size;
    }
  }
  return shortest;
}
