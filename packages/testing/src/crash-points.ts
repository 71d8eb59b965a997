// A controller must be able to stop anywhere. This is the part of torture that a test with expectations of its own needs: a crash after each
// write.
import type { TestCluster } from "./test-cluster.js";
import { runCampaign } from "./torture/campaign.js";
import type { Oracle } from "./torture/oracles.js";
import { crashPlans } from "./torture/plans.js";
import type { Step } from "./torture/scenario.js";
import { runOptions, type TorturedCluster } from "./torture/torture-options.js";

/** The crash points that were tried. */
export interface CrashReport {
  /** The writes of a run without a crash, each of which was a crash point. */
  readonly writes: readonly string[];
}

/** The rest is for the scenario to expect: whether everything comes to rest, for instance. */
const oracles: readonly Oracle[] = ["scenario", "no-program-error"];

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
  options: TorturedCluster,
  scenario: (cluster: TestCluster) => Promise<void>,
): Promise<CrashReport> {
  let failure: unknown;
  const step: Step = {
    name: "scenario",
    run: (cluster) =>
      scenario(cluster).catch((error: unknown) => {
        failure = error;
        throw error;
      }),
  };
  const run = runOptions({ ...options, rest: 0, scenario: { steps: [step] } }, oracles);
  const report = await runCampaign(run, { mostFindings: 1 }, (writes) =>
    crashPlans(writes, ["crash-after"]).map((plan) => ({ plan })),
  );
  const writes = report.writes.map(({ method, path }) => `${method} ${path}`);
  const [finding] = report.findings;
  if (!finding) return { writes };
  failure ??= new Error(finding.message);
  if (finding.replay === "") throw failure;
  throw new CrashPointError(`${finding.sequence.join(", ")}: ${finding.message}`, { cause: failure });
}
