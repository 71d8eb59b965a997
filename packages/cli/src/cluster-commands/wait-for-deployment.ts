// Waits for a deployed operator, reports how far it is, and in the end why it is not there.
import { type Clock, sleep, systemClock } from "@kubewright/api";
import type { Client } from "@kubewright/client";
import type { Operator } from "../manifests/operator.js";
import { type DeploymentReport, deploymentReport } from "./deployment-report.js";

export interface WaitOptions {
  /** Milliseconds. */
  readonly timeout: number;
  readonly say: (text: string) => void;
  readonly clock?: Clock | undefined;
}

/** Between two looks, in milliseconds. */
const interval = 1000;

/** Resolves when it is available; rejects with everything that is known of why it is not. */
export async function waitForDeployment(
  client: Client,
  operator: Operator,
  { timeout, say, clock = systemClock }: WaitOptions,
): Promise<void> {
  const end = clock.now() + timeout;
  let said = "";
  for (;;) {
    const report = await deploymentReport(client, operator);
    if (report?.isAvailable) return;
    if (clock.now() + interval > end) throw new Error(failureText(operator, report, timeout));
    const progress = progressText(report);
    if (progress !== said) say(progress);
    said = progress;
    await sleep(clock, interval);
  }
}

function progressText(report: DeploymentReport | undefined): string {
  if (!report) return "  waiting for the Deployment";
  const [problem] = report.problems;
  const counts = `  ${report.ready} of ${report.replicas} replicas are ready`;
  return problem ? `${counts}; ${problem.message}` : counts;
}

function failureText(
  { names, settings }: Operator,
  report: DeploymentReport | undefined,
  timeout: number,
): string {
  const seconds = Math.round(timeout / 1000);
  const lines = (report?.problems ?? []).flatMap(({ message, details, remedy }) => [
    `  ${message}`,
    ...details.map((line) => `    ${line}`),
    `    → ${remedy}`,
  ]);
  const first = `Deployment ${settings.namespace}/${names.deployment} is not available after ${seconds} s`;
  const counts = report ? `: ${report.ready} of ${report.replicas} replicas are ready` : "";
  return [`${first}${counts}`, ...lines].join("\n");
}
