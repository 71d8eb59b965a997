// State exploration: wherever a walk leads, the objects that are there at its end have to make the same of the cluster as they do when they
// are all it ever saw.
import { isObject, type KubeObject } from "@kubewright/api";
import { type Seed, seededRandom } from "@kubewright/cluster";
import { type Action, randomWalk } from "./action.js";
import { differences } from "./compare-states.js";
import { applyAll, type Scenario } from "./scenario.js";
import { type Complaint, type RunOptions, type RunResult, runScenario } from "./torture-run.js";
import { Walk } from "./walk.js";

/** The outcome of a walk. */
export interface WalkResult {
  readonly complaint: Complaint | undefined;
  /** What was done, in words. */
  readonly log: readonly string[];
}

export class Exploration {
  readonly #options: RunOptions;

  constructor(options: RunOptions) {
    this.#options = { ...options, isExploration: true };
  }

  /** Random walks from the objects of a scenario; none where it has no objects. */
  static walks(
    { objects = [] }: Scenario,
    seed: Seed,
    numbers: readonly number[],
  ): readonly (readonly Action[])[] {
    if (objects.length === 0) return [];
    return numbers.map((index) => randomWalk(seededRandom(seed, `walk ${index}`), objects.length));
  }

  async run(actions: readonly Action[]): Promise<WalkResult> {
    const { definition, scenario } = this.#options;
    const walk = new Walk(definition, scenario.objects ?? [], actions);
    const walked = await runScenario({ ...this.#options, scenario: walk.scenario() }, []);
    const complaint = walked.complaints[0] ?? (await this.#compare(walked, walk.objects));
    return { complaint, log: walk.log };
  }

  async #compare({ states }: RunResult, objects: readonly KubeObject[]): Promise<Complaint | undefined> {
    const step = "apply again";
    const direct: Scenario = { steps: [{ name: step, run: (cluster) => applyAll(cluster, objects) }] };
    const expected = await runScenario({ ...this.#options, scenario: direct }, []);
    const [alone] = expected.states;
    // An object may be legal as a change, and not as a new one.
    if (expected.complaints.length > 0 || !alone) return undefined;
    const walked = states[2] ?? new Map();
    // While something is wrong, what was there before it stays: a rollout that cannot end, a child whose change is refused.
    if ([...alone.values(), ...walked.values()].flat().some(isUnhealthy)) return undefined;
    const [message] = differences(alone, walked);
    return message === undefined ? undefined : { oracle: "same-state", message, step };
  }
}

const healthyTypes = new Set(["Ready", "Available"]);
const unhealthyTypes = new Set(["Degraded", "Progressing", "ReconcileFailed"]);

function isUnhealthy(state: unknown): boolean {
  const status = isObject(state) && isObject(state["status"]) ? state["status"] : {};
  const conditions = Array.isArray(status["conditions"]) ? status["conditions"].filter(isObject) : [];
  return conditions.some(({ type, status: value }) =>
    value === "True" ? unhealthyTypes.has(String(type)) : healthyTypes.has(String(type)),
  );
}
