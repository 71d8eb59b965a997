// Webhook configurations that a manager keeps up to date: its own, or the CA bundles of those that others have applied.
import {
  isObject,
  type KubeObject,
  type MutatingWebhookConfiguration,
  type ValidatingWebhookConfiguration,
} from "@kubewright/api";
import type { JsonPatchOperation } from "@kubewright/client";
import type { AnyResource } from "../controller/kinds.js";
import { deployedElsewhere, includes, isAtService, type KeptObject, targetOf } from "./kept-object.js";

export type WebhookConfiguration = MutatingWebhookConfiguration | ValidatingWebhookConfiguration;

interface AppliedOptions {
  readonly fieldManager: string;
  /** True when it is deleted when the manager stops. */
  readonly isTemporary: boolean;
}

/** A configuration that the manager applies whole. */
export function appliedConfiguration(
  resource: AnyResource,
  wanted: () => WebhookConfiguration | undefined,
  { fieldManager, isTemporary }: AppliedOptions,
): KeptObject {
  const name = wanted()?.metadata?.name ?? "";
  const correction: KeptObject["correction"] = (found) => {
    const configuration = wanted();
    if (!configuration || (found && includes(found, configuration))) return undefined;
    if (isTemporary && webhooksIn(found).some((webhook) => isAtService(clientConfigOf(webhook))))
      return () => Promise.reject(deployedElsewhere(resource.kind, name));
    const { metadata, ...rest } = configuration;
    const named = { ...rest, metadata: { ...metadata, name } };
    return (client) => client.apply(resource, named, { force: true, fieldManager });
  };
  return {
    resource,
    name,
    correction,
    release(found) {
      // One that another process has applied meanwhile stays.
      if (!isTemporary || !found || correction(found)) return undefined;
      const { uid, resourceVersion } = found.metadata ?? {};
      return (client) => client.delete(resource, name, { preconditions: { uid, resourceVersion } });
    },
    target: targetOfFirst,
  };
}

/** A configuration that others have applied, in which only the CA bundles are the manager's. */
export function injectedConfiguration(
  resource: AnyResource,
  name: string,
  wanted: () => WebhookConfiguration | undefined,
): KeptObject {
  return {
    resource,
    name,
    correction(found) {
      const bundles = new Map((wanted()?.webhooks ?? []).map((own) => [own.name, own.clientConfig.caBundle]));
      const json = webhooksIn(found).flatMap((webhook, index) => injection(webhook, index, bundles));
      return json.length === 0 ? undefined : (client) => client.patch(resource, name, { json });
    },
    release: () => undefined,
    target: targetOfFirst,
  };
}

/** The list may change between reading and writing: the patch tests the name of the webhook it changes. */
function injection(
  webhook: unknown,
  index: number,
  bundles: ReadonlyMap<string, string | undefined>,
): readonly JsonPatchOperation[] {
  if (!isObject(webhook) || typeof webhook["name"] !== "string") return [];
  const bundle = bundles.get(webhook["name"]);
  const { clientConfig } = webhook;
  if (bundle === undefined || !isObject(clientConfig) || clientConfig["caBundle"] === bundle) return [];
  const path = `/webhooks/${index}`;
  return [
    { op: "test", path: `${path}/name`, value: webhook["name"] },
    { op: "add", path: `${path}/clientConfig/caBundle`, value: bundle },
  ];
}

const targetOfFirst = (found: KubeObject | undefined): string | undefined =>
  targetOf(clientConfigOf(webhooksIn(found)[0]));

const clientConfigOf = (webhook: unknown): unknown =>
  isObject(webhook) ? webhook["clientConfig"] : undefined;

function webhooksIn(configuration: KubeObject | undefined): readonly unknown[] {
  if (!configuration || !("webhooks" in configuration)) return [];
  return Array.isArray(configuration.webhooks) ? configuration.webhooks : [];
}
