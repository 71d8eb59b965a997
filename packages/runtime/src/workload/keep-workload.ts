// The whole of a common operator: a Deployment that does the work, what stands around it, and the status of it all.
import type { Deployment, Pod, Service } from "@kubewright/api";
import type { ReconcileResult } from "../controller/define-controller.js";
import type { EventInput, StatusOptions } from "../controller/reconcile-context.js";
import { deploymentPods } from "./deployment-pods.js";
import { isRefusal, type Problem, reportRefusals } from "./failure.js";
import { keepParts, type PartOutcome, type PartOutcomes, type PartsOf } from "./part.js";
import { reportTransitions } from "./transitions.js";
import { type StatusOwner, type WorkloadStatus, workloadReport } from "./workload-report.js";

/** The children of an object by name: `deployment` does the work, `service` leads to it, others are of any kind. */
export interface WorkloadObjects {
  readonly deployment: Deployment;
  readonly service?: Service;
}

/** The label by which `keepWorkload` finds the pods, and what it reports beside the state of the children. */
export interface WorkloadOptions<Objects> {
  /** The label of `watchPods`, which holds the object's name on its pods. */
  readonly podLabel: string;
  /** Other problems of the object, beside those of its children: reported in the condition Degraded. */
  readonly problem?: Problem | undefined;
  /** Further fields of the status, from the parts and the pods of the Deployment as they are. */
  readonly status?: ((parts: PartOutcomes<Objects>, pods: readonly Pod[]) => object) | undefined;
}

/** The part of the reconcile context that reporting on a workload needs. */
interface WorkloadContext {
  pods(): readonly Pod[];
  event(event: EventInput): void;
  status(status: WorkloadStatus, options?: StatusOptions): void;
}

/**
 * Keeps a workload as declared and its object's status true: counts, address, and the conditions Available, Progressing and
 * Degraded, with an Event for every change of these. A part that is refused is reported and tried again every 30 seconds; any
 * other failure is thrown on once all parts were tried, for backoff.
 *
 * @example
 * defineController(App, {
 *   owns: [Deployment, Service],
 *   watches: [watchPods(label), watchAutoscalers(Deployment)],
 *   reconcile: (app, ctx) =>
 *     keepWorkload(
 *       ctx,
 *       app,
 *       { deployment: deploymentPart(ctx, app, deploymentFor(app)), service: servicePart(ctx, serviceFor(app)) },
 *       { podLabel: label },
 *     ),
 * });
 */
export async function keepWorkload<Objects extends WorkloadObjects>(
  context: WorkloadContext,
  owner: StatusOwner,
  parts: PartsOf<Objects>,
  { podLabel, problem, status }: WorkloadOptions<Objects>,
): Promise<ReconcileResult | undefined> {
  const outcomes = await keepParts(parts);
  const { refusals, errors } = failuresOf(Object.values<PartOutcome<unknown>>(outcomes));
  const name = owner.metadata?.name ?? "";
  const pods = deploymentPods(name, context.pods());
  const report = workloadReport(owner, { outcomes, pods, refusals, problem, hasErrors: errors.length > 0 });
  const more = status?.(outcomes, pods) ?? {};
  context.status({ ...report.status, selector: `${podLabel}=${name}`, ...more }, report.options);
  reportTransitions(context, owner, report.status.conditions ?? [], refusals.length > 0);
  const result = refusals.length > 0 ? reportRefusals(context, refusals) : undefined;
  if (errors.length > 0) throw errors[0];
  return result;
}

/** Refusals wait for somebody to act; all other errors may pass. */
function failuresOf(outcomes: readonly PartOutcome<unknown>[]) {
  const failures = outcomes.flatMap((outcome) => (outcome.state === "failed" ? [outcome.error] : []));
  return { refusals: failures.filter(isRefusal), errors: failures.filter((error) => !isRefusal(error)) };
}
