// A campaign: the undisturbed run, then every planned run, each of whose ends is compared with that of the first.
import { type Action, walkText } from "./action.js";
import { type Disturbance, describeDisturbance, disturbanceText } from "./disturbance.js";
import type { WritePoint } from "./disturber.js";
import { Exploration } from "./exploration.js";
import type { ObjectStates } from "./object-state.js";
import type { Plan } from "./plans.js";
import type { PlannedRun } from "./replay.js";
import { shrink, type Times } from "./shrink.js";
import type { Finding, TortureOptions, TortureReport } from "./torture-options.js";
import { type Complaint, type RunOptions, runScenario } from "./torture-run.js";

/** `plan` chooses the runs by the writes of the undisturbed one. */
export async function runCampaign(
  run: RunOptions,
  { onRun, mostFindings = 10 }: Pick<TortureOptions, "onRun" | "mostFindings">,
  plan: (writes: readonly WritePoint[]) => readonly PlannedRun[],
): Promise<TortureReport> {
  const { writes, states, complaints } = await runScenario(run, []);
  const steps = run.scenario.steps.map(({ name }) => name);
  const [first] = complaints;
  if (first) return { steps, writes, runs: 1, findings: [{ ...first, sequence: [], replay: "" }] };
  const campaign = new Campaign(run, states);
  const planned = plan(writes);
  for (const [index, each] of planned.entries()) {
    await campaign.try(each);
    onRun?.(index + 1, planned.length);
    if (campaign.findings.length >= mostFindings) break;
  }
  return { steps, writes, runs: campaign.runs + 1, findings: campaign.findings };
}

class Campaign {
  readonly findings: Finding[] = [];
  readonly #run: RunOptions;
  readonly #states: readonly ObjectStates[];
  readonly #exploration: Exploration;
  runs = 0;

  constructor(run: RunOptions, states: readonly ObjectStates[]) {
    this.#run = run;
    this.#states = states;
    this.#exploration = new Exploration(run);
  }

  async try(run: PlannedRun): Promise<void> {
    if ("plan" in run) await this.#tryPlan(run.plan);
    else await this.#tryWalk(run.walk);
  }

  async #tryPlan(plan: Plan): Promise<void> {
    const found = await this.#complaintOf(plan);
    if (!found || this.#isKnown(found)) return;
    const isSame = async (fewer: Plan): Promise<boolean> =>
      isAlmostLike(found, await this.#complaintOf(fewer));
    const shortest = await shrink(plan, disturbanceTimes, isSame);
    const { writes, complaints } = await runScenario(this.#run, shortest, this.#states);
    const sequence = shortest.map((each) => describeDisturbance(each, writes));
    this.findings.push({ ...(complaints[0] ?? found), sequence, replay: disturbanceText(shortest) });
  }

  async #tryWalk(walk: readonly Action[]): Promise<void> {
    this.runs += 1;
    const { complaint: found } = await this.#exploration.run(walk);
    if (!found || this.#isKnown(found)) return;
    const shortest = await shrink(walk, walkTimes, async (fewer) => {
      this.runs += 1;
      return isAlmostLike(found, (await this.#exploration.run(fewer)).complaint);
    });
    const { log, complaint = found } = await this.#exploration.run(shortest);
    this.findings.push({ ...complaint, sequence: log, replay: walkText(shortest) });
  }

  /** What was found already is reported once. */
  #isKnown(complaint: Complaint): boolean {
    return this.findings.some((finding) => isLike(complaint, finding));
  }

  async #complaintOf(plan: Plan): Promise<Complaint | undefined> {
    this.runs += 1;
    const { complaints } = await runScenario(this.#run, plan, this.#states);
    return complaints[0];
  }
}

const isLike = (one: Complaint, other: Complaint | undefined): boolean =>
  one.oracle === other?.oracle && one.message === other.message;

/** The same but for numbers: in a shorter time something is there 3 times, not 41. */
const isAlmostLike = (one: Complaint, other: Complaint | undefined): boolean =>
  one.oracle === other?.oracle && withoutDigits(one) === withoutDigits(other);

const withoutDigits = ({ message }: Complaint): string => message.replaceAll(/\d+/g, "#");

const disturbanceTimes: Times<Disturbance> = {
  least: 1,
  read: (each) => ("milliseconds" in each ? each.milliseconds : undefined),
  write: (each, milliseconds) => ("milliseconds" in each ? { ...each, milliseconds } : each),
};

const walkTimes: Times<Action> = {
  least: 0,
  read: ({ wait }) => wait,
  write: (each, wait) => ({ ...each, wait }),
};
