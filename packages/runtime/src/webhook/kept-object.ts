// An object of the cluster that points at a manager's webhooks, and the writes that make it right and put it back.
import { isObject, type KubeObject } from "@kubewright/api";
import type { Client } from "@kubewright/client";
import type { AnyResource } from "../controller/kinds.js";

/** One object to be kept right. */
export interface KeptObject {
  readonly resource: AnyResource;
  readonly name: string;
  /** The write that makes it right; undefined when it is, or when nothing can be done about it. */
  correction(found: KubeObject | undefined): Correction | undefined;
  /** The write that takes this manager's part away when it stops; undefined when nothing of it is there. */
  release(found: KubeObject | undefined): Release | undefined;
  /** The present destination of the API server's calls, for messages. */
  target(found: KubeObject | undefined): string | undefined;
}

export type Correction = (client: Client) => Promise<KubeObject>;
export type Release = (client: Client) => Promise<unknown>;

export const isAtService = (clientConfig: unknown): boolean =>
  isObject(clientConfig) && isObject(clientConfig["service"]);

/** A process on a developer's machine does not replace the webhooks of an operator that is deployed. */
export const deployedElsewhere = (kind: string, name: string | undefined): Error =>
  new Error(
    `${kind} ${name} points at a Service, where the operator is deployed: its webhooks are asked instead; undeploy it, or start without webhooks`,
  );

/** `https://127.0.0.1:9443/convert`, or `Service shop-system/shop-webhook-service`. */
export function targetOf(clientConfig: unknown): string | undefined {
  if (!isObject(clientConfig)) return undefined;
  const { url, service } = clientConfig;
  if (typeof url === "string") return url;
  return isObject(service) ? `Service ${service["namespace"]}/${service["name"]}` : undefined;
}

/** True when everything stated is found; servers add fields, but only to objects. */
export function includes(found: unknown, stated: unknown): boolean {
  if (Array.isArray(stated))
    return (
      Array.isArray(found) &&
      found.length === stated.length &&
      stated.every((item, index) => includes(found[index], item))
    );
  if (!isObject(stated)) return found === stated;
  return (
    isObject(found) &&
    Object.entries(stated).every(([key, value]) => value === undefined || includes(found[key], value))
  );
}
