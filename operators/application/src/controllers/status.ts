// The state of each part of an Application, and where it is reached.
import type { Deployment, Ingress, KubeObject, Service } from "@kubewright/api";
import { healthOf } from "@kubewright/runtime";
import { addressOf, objectOf, type PartOutcome, problemOf } from "@kubewright/runtime/workload";
import { hostOf, ingressProblem, ingressUrl } from "./ingress-address.js";

/** The outcomes of the parts. */
export interface Outcomes {
  readonly deployment: PartOutcome<Deployment>;
  readonly service: PartOutcome<Service>;
  readonly ingress: PartOutcome<Ingress>;
}

export function partStatus({ deployment, service, ingress }: Outcomes) {
  const live = { service: objectOf(service), ingress: objectOf(ingress) };
  return {
    deployment: stateOf(deployment, notReady),
    service: stateOf(service, notReady),
    ingress: stateOf(ingress, (object) => ingressProblem(object, live.service)),
    host: live.ingress && hostOf(live.ingress),
    url: urlOf(live),
  };
}

/** The readiness of a part, with the reason when it is not ready; undefined for a part that is not wanted. */
function stateOf<T>(outcome: PartOutcome<T>, problem: (object: T) => string | undefined) {
  if (outcome.state === "absent") return undefined;
  const message = outcome.state === "failed" ? problemOf(outcome.error).message : problem(outcome.object);
  return message === undefined ? { ready: true } : { ready: false, message };
}

function notReady(object: KubeObject): string | undefined {
  const { state, message } = healthOf(object);
  return state === "ready" ? undefined : (message ?? state);
}

/** From outside where the Ingress has a host and leads to the Service, else from inside the cluster. */
function urlOf({ service, ingress }: { service: Service | undefined; ingress: Ingress | undefined }) {
  const outside = ingress && ingressUrl(ingress, service);
  if (outside !== undefined || !service) return outside;
  const [{ port } = { port: 80 }] = service.spec?.ports ?? [];
  return `http://${addressOf(service)}${port === 80 ? "" : `:${port}`}`;
}
