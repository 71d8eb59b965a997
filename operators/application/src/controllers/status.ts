// What there is to say of an Application, from its parts as they are.
import type { ConditionUpdate, Deployment, Ingress, Pod, Service } from "@kubewright/api";
import { healthOf } from "@kubewright/runtime";
import { addressOf, rolloutConditions } from "@kubewright/runtime/workload";

/** The parts that there are. */
export interface LiveParts {
  readonly deployment?: Deployment | undefined;
  readonly service?: Service | undefined;
  readonly ingress?: Ingress | undefined;
}

export function statusOf({ deployment, service, ingress }: LiveParts, pods: readonly Pod[]) {
  const host = hostsOf(ingress)[0];
  return {
    deployment: deployment && partOf(healthOf(deployment)),
    service: service && partOf(healthOf(service)),
    ingress: ingress && { ready: true },
    host,
    url: urlOf(service, ingress),
    conditions: deployment ? rolloutConditions(deployment, pods) : nothingRuns,
  };
}

const nothingRuns: readonly ConditionUpdate[] = [
  { type: "Available", status: "True", reason: "NothingToRun", message: "it has no deployment" },
  { type: "Progressing", status: "False", reason: "NothingToRun", message: "" },
  { type: "Degraded", status: "False", reason: "AsExpected", message: "" },
];

function partOf({ state, message }: ReturnType<typeof healthOf>) {
  return state === "ready" ? { ready: true } : { ready: false, message: message ?? state };
}

function hostsOf(ingress: Ingress | undefined): readonly string[] {
  return (ingress?.spec?.rules ?? []).flatMap(({ host }) => (host ? [host] : []));
}

/** From outside where there is an Ingress with a host, else from inside the cluster. */
function urlOf(service: Service | undefined, ingress: Ingress | undefined): string | undefined {
  const [host] = hostsOf(ingress);
  if (host !== undefined) {
    const isSecure = ingress?.spec?.tls?.some(({ hosts }) => hosts?.includes(host)) ?? false;
    return `${isSecure ? "https" : "http"}://${host}${firstPath(ingress)}`;
  }
  const port = service?.spec?.ports?.[0]?.port;
  return service && `http://${addressOf(service)}${port === 80 ? "" : `:${port}`}`;
}

function firstPath(ingress: Ingress | undefined): string {
  return ingress?.spec?.rules?.[0]?.http?.paths[0]?.path ?? "/";
}
