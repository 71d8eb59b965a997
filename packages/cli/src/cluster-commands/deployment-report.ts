// How a deployed operator is doing, and if it does not run, why: the reason, what its containers last logged, what the cluster reported of
// its pods, and what to do.
import { Deployment, Event, isForbidden, isNotFound, Node, type Pod } from "@kubewright/api";
import type { Client } from "@kubewright/client";
import { podProblem } from "@kubewright/runtime/workload";
import type { Operator } from "../manifests/operator.js";
import { isReady, managerPods } from "./deployed-operator.js";

export interface DeploymentProblem {
  /** `Pod shop-system/shop-controller-manager-…: image … cannot be pulled`. */
  readonly message: string;
  /** Events and log lines, as they are. */
  readonly details: readonly string[];
  readonly remedy: string;
}

export interface DeploymentReport {
  readonly ready: number;
  readonly replicas: number;
  readonly isAvailable: boolean;
  readonly problems: readonly DeploymentProblem[];
}

/** Undefined when the operator is not deployed. */
export async function deploymentReport(
  client: Client,
  operator: Operator,
): Promise<DeploymentReport | undefined> {
  const { namespace } = operator.settings;
  const found = await client.get(Deployment, operator.names.deployment, { namespace }).catch(absent);
  if (!found) return undefined;
  const pods = (await managerPods(client, operator)).filter(({ metadata }) => !metadata?.deletionTimestamp);
  const unready = pods.filter((pod) => !isReady(pod));
  const ofPods = await Promise.all(unready.map((pod) => problemOf(client, pod)));
  return {
    ready: found.status?.readyReplicas ?? 0,
    replicas: found.spec?.replicas ?? 1,
    isAvailable: isCurrent(found) && hasCondition(found, "Available"),
    problems: [...creationProblems(found), ...ofPods],
  };
}

/** The controller has seen the last change, and the pods of the version before are not what is counted. */
function isCurrent({ metadata, spec, status }: Deployment): boolean {
  return (
    (status?.observedGeneration ?? 0) >= (metadata?.generation ?? 0) &&
    (status?.updatedReplicas ?? 0) >= (spec?.replicas ?? 1)
  );
}

const hasCondition = ({ status }: Deployment, name: string): boolean =>
  status?.conditions?.some(({ type, status: value }) => type === name && value === "True") ?? false;

/** Pods that are refused: by a quota, by pod security, by a webhook. */
function creationProblems({ metadata, status }: Deployment): readonly DeploymentProblem[] {
  const failure = status?.conditions?.find(
    ({ type, status: value }) => type === "ReplicaFailure" && value === "True",
  );
  if (!failure) return [];
  return [
    {
      message: `Deployment ${metadata?.namespace}/${metadata?.name}: its pods are refused: ${failure.message ?? failure.reason}`,
      details: [],
      remedy: "raise the quota, or change what is refused in kubewright.manager of package.json",
    },
  ];
}

async function problemOf(client: Client, pod: Pod): Promise<DeploymentProblem> {
  const { namespace = "", name = "" } = pod.metadata ?? {};
  const known = podProblem(pod);
  const details = await podDetails(client, pod);
  const message = known?.message ?? waitingFor(pod);
  return {
    message: `Pod ${namespace}/${name}: ${message}`,
    details,
    remedy: remedies[known?.reason ?? ""] ?? `kubectl -n ${namespace} describe pod ${name}`,
  };
}

/** Its last warnings and log lines. */
export async function podDetails(client: Client, pod: Pod): Promise<readonly string[]> {
  return [...(await events(client, pod)), ...(await lastLines(client, pod))];
}

const remedies: Readonly<Record<string, string>> = {
  ImagePullFailed:
    "push the image, check its name, and give a private registry's credentials in kubewright.manager.imagePullSecrets",
  CrashLooping: "the last lines of its log say why; kubewright logs --previous shows all",
  OutOfMemory: "raise kubewright.manager.resources.limits.memory in package.json",
  Unschedulable:
    "lower its requests, or give it nodeSelector, tolerations or affinity that some node satisfies",
  ContainerNotCreated: "check the ConfigMaps, Secrets and volumes that it names",
};

function waitingFor({ status }: Pod): string {
  const [container] = status?.containerStatuses ?? [];
  if (container?.state?.running) return "it runs but is not ready";
  return container?.state?.waiting?.reason ?? status?.phase ?? "Pending";
}

async function events(client: Client, { metadata }: Pod): Promise<readonly string[]> {
  const { namespace, name } = metadata ?? {};
  const fieldSelector = `involvedObject.kind=Pod,involvedObject.name=${name},type=Warning`;
  const { items } = await client.list(Event, { namespace, fieldSelector }).catch(nothing);
  return items.slice(-3).map(({ reason = "", message = "" }) => `event ${reason}: ${message}`);
}

/** Of the container that ended, or else of the one that runs. */
async function lastLines(client: Client, { metadata, status }: Pod): Promise<readonly string[]> {
  const [container] = status?.containerStatuses ?? [];
  const previous = container?.state?.running === undefined && (container?.restartCount ?? 0) > 0;
  if (!previous && !container?.state?.running && !container?.state?.terminated) return [];
  const lines: string[] = [];
  const options = { namespace: metadata?.namespace, container: "manager", previous, tailLines: 10 };
  try {
    for await (const line of client.pods.log(metadata?.name ?? "", options)) lines.push(`log: ${line}`);
  } catch {
    // What there is of the report is worth more than why a log could not be read.
  }
  return lines;
}

/** Whether no container really runs on this cluster. */
export async function isSimulated(client: Client): Promise<boolean> {
  const { items } = await client.list(Node).catch(nothing);
  return (
    items.length > 0 && items.every(({ status }) => status?.nodeInfo?.osImage === "Kubewright simulated node")
  );
}

export const simulationNotice =
  "the nodes of this cluster are simulated: no container really runs, so nothing is reconciled; kubewright dev runs the operator itself";

function absent(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}

function nothing(error: unknown): { readonly items: readonly never[] } {
  if (isForbidden(error) || isNotFound(error)) return { items: [] };
  throw error;
}
