// Waits for a deployed operator, reports how far it is, and in the end why it is not there.
import { type Clock, sleep, systemClock } from "@kubewright/api";
import type { Client } from "@kubewright/client";
import type { Operator } from "../manifests/operator.js";
import { type DeploymentProblem, type DeploymentReport, deploymentReport } from "./deployment-report.js";
import { servingProblems } from "./serving-problems.js";

export interface WaitOptions {
  /** Milliseconds. */
  readonly timeout: number;
  readonly say: (text: string) => void;
  readonly clock?: Clock | undefined;
}

/** Between two looks, in milliseconds. */
const interval = 1000;

/**
 * Resolves when it is available and its webhooks can be called, with what may still keep it from working; rejects with everything that
 * is known of why it is not.
 */
export async function waitForDeployment(
  client: Client,
  operator: Operator,
  { timeout, say, clock = systemClock }: WaitOptions,
): Promise<readonly DeploymentProblem[]> {
  const end = clock.now() + timeout;
  let said = "";
  for (;;) {
    const report = await deploymentReport(client, operator);
    const isLate = clock.now() + interval > end;
    // What is served is asked for when the pods are there, and once more for the report.
    const serving = report?.isAvailable || isLate ? await servingProblems(client, operator) : [];
    if (report?.isAvailable && !serving.some(({ isFinal }) => isFinal)) return serving;
    if (isLate) throw new Error(failureText(operator, report, { timeout, serving }));
    const progress = progressText(report, serving);
    if (progress !== said) say(progress);
    said = progress;
    await sleep(clock, interval);
  }
}

function progressText(report: DeploymentReport | undefined, serving: readonly DeploymentProblem[]): string {
  if (!report) return "  waiting for the Deployment";
  const [problem] = [...report.problems, ...serving];
  const counts = `  ${report.ready} of ${report.replicas} replicas are ready`;
  return problem ? `${counts}; ${problem.message}` : counts;
}

function failureText(
  { names, settings }: Operator,
  report: DeploymentReport | undefined,
  { timeout, serving }: { readonly timeout: number; readonly serving: readonly DeploymentProblem[] },
): string {
  const seconds = Math.round(timeout / 1000);
  const what = report?.isAvailable ? "does not serve" : "is not available";
  const first = `Deployment ${settings.namespace}/${names.deployment} ${what} after ${seconds} s`;
  const counts = report ? `: ${report.ready} of ${report.replicas} replicas are ready` : "";
  return [`${first}${counts}`, ...[...(report?.problems ?? []), ...serving].flatMap(problemLines)].join("\n");
}

/** The problem, what was logged and reported about it, and what to do. */
export const problemLines = ({ message, details, remedy }: DeploymentProblem): readonly string[] => [
  `  ${message}`,
  ...details.map((line) => `    ${line}`),
  `    → ${remedy}`,
];
