// Why an operator whose pods run may still do nothing: webhooks that the API server cannot call, a certificate that has expired, a lease
// in the hands of another manager.
import type { Client } from "@kubewright/client";
import type { Operator } from "../manifests/operator.js";
import { managerPods } from "./deployed-operator.js";
import { type DeploymentProblem, isSimulated, podDetails } from "./deployment-report.js";
import { checkLease } from "./doctor/check-lease.js";
import { checkWebhooks } from "./doctor/check-webhooks.js";
import type { Finding } from "./doctor/finding.js";

export interface ServingProblem extends DeploymentProblem {
  /** Whether it goes away only when somebody does something about it. */
  readonly isFinal: boolean;
}

/** Nothing on simulated nodes, where no manager runs that could serve. */
export async function servingProblems(
  client: Client,
  operator: Operator,
): Promise<readonly ServingProblem[]> {
  if (await isSimulated(client)) return [];
  const patient = { client, operator, cluster: "the cluster" };
  const findings = [...(await checkWebhooks(patient)), ...(await checkLease(patient))];
  const troubles = findings.filter(({ state }) => state === "problem" || state === "warning");
  if (troubles.length === 0) return [];
  const [pod] = await managerPods(client, operator);
  const details = pod ? await podDetails(client, pod) : [];
  return troubles.map((finding, index) => problemOf(finding, index === 0 ? details : []));
}

const problemOf = (
  { check, state, message, remedy = "kubewright doctor" }: Finding,
  details: readonly string[],
): ServingProblem => ({ message: `${check}: ${message}`, details, remedy, isFinal: state === "problem" });
