// A controller must be able to stop anywhere. This runs a scenario once for each write of the manager, and crashes it there.
import { type TestCluster, testCluster } from "./test-cluster.js";
import type { TestClusterOptions } from "./test-cluster-options.js";

/** The crash points that were tried. */
export interface CrashReport {
  /** The writes of a run without a crash, each of which was a crash point. */
  readonly writes: readonly string[];
}

/** The scenario does not survive a crash. */
export class CrashPointError extends Error {
  override readonly name = "CrashPointError";
}

/**
 * Runs the scenario without a crash, and then once for every write the manager did: right after that write, whose answer it
 * never receives, the manager crashes and is started again. The scenario has to pass every time.
 *
 * @example
 * await everyCrashPoint({ resources: [ModelBox], controllers: [modelBoxController] }, async (cluster) => {
 *   await cluster.create(ModelBox, { name: "web", spec });
 *   await cluster.condition(Deployment, "web", "Available");
 * });
 */
export async function everyCrashPoint(
  options: Omit<TestClusterOptions, "connect" | "clock">,
  scenario: (cluster: TestCluster) => Promise<void>,
): Promise<CrashReport> {
  const writes = await once(options, scenario, undefined);
  for (let point = 1; point <= writes.length; point++) {
    try {
      await once(options, scenario, point);
    } catch (cause) {
      const message = cause instanceof Error ? cause.message : String(cause);
      throw new CrashPointError(
        `with a crash after write ${point} of ${writes.length} (${writes[point - 1]}): ${message}`,
        { cause },
      );
    }
  }
  return { writes };
}

async function once(
  options: TestClusterOptions,
  scenario: (cluster: TestCluster) => Promise<void>,
  crashAfter: number | undefined,
): Promise<readonly string[]> {
  await using cluster = await testCluster({ ...options, clock: "virtual", leaks: options.leaks ?? "ignore" });
  const { manager } = cluster;
  if (!manager) throw new TypeError("crash points need a manager or controllers");
  if (crashAfter !== undefined) manager.crashAfterWrite(manager.crashPoints.length + crashAfter);
  const before = manager.crashPoints.length;
  await scenario(cluster);
  return manager.crashPoints.slice(before);
}
