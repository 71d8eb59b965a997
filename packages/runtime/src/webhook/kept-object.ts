// The objects of a cluster that point at a manager's webhooks, and what makes each of them right.
import {
  CustomResourceDefinition,
  type KubeObject,
  type MutatingWebhookConfiguration,
  type ValidatingWebhookConfiguration,
} from "@kubewright/api";
import type { Client, JsonPatchOperation } from "@kubewright/client";
import { isRecord } from "../controller/apply/json-record.js";
import type { AnyResource } from "../controller/kinds.js";
import type { ConversionDefinition } from "./define-conversion.js";
import { type ClientConfigOf, conversionBy } from "./webhook-configurations.js";

/** One object to be kept right. */
export interface KeptObject {
  readonly resource: AnyResource;
  readonly name: string;
  /** Whether it is taken away when the manager stops. */
  readonly isTemporary: boolean;
  /** The write that makes it right; undefined when it is, or when nothing can be done about it. */
  correction(found: KubeObject | undefined): Correction | undefined;
}

export type Correction = (client: Client) => Promise<KubeObject>;
export type WebhookConfiguration = MutatingWebhookConfiguration | ValidatingWebhookConfiguration;

/** A configuration that the manager states whole. */
export function appliedConfiguration(
  resource: AnyResource,
  wanted: () => WebhookConfiguration | undefined,
  { fieldManager, isTemporary }: { readonly fieldManager: string; readonly isTemporary: boolean },
): KeptObject {
  return {
    resource,
    name: wanted()?.metadata?.name ?? "",
    isTemporary,
    correction(found) {
      const configuration = wanted();
      if (!configuration || (found && includes(found, configuration))) return undefined;
      const isDeployed = webhooksIn(found).some(
        (webhook) => isRecord(webhook) && isAtService(webhook["clientConfig"]),
      );
      if (isTemporary && isDeployed)
        return () => Promise.reject(anothers(resource.kind, configuration.metadata?.name));
      const { metadata, ...rest } = configuration;
      const named = { ...rest, metadata: { ...metadata, name: metadata?.name ?? "" } };
      return (client) => client.apply(resource, named, { force: true, fieldManager });
    },
  };
}

/** A configuration that others have made, in which only the authorities are the manager's. */
export function injectedConfiguration(
  resource: AnyResource,
  name: string,
  wanted: () => WebhookConfiguration | undefined,
): KeptObject {
  return {
    resource,
    name,
    isTemporary: false,
    correction(found) {
      const bundles = new Map((wanted()?.webhooks ?? []).map((own) => [own.name, own.clientConfig.caBundle]));
      const json = webhooksIn(found).flatMap((webhook, index) => injection(webhook, index, bundles));
      return json.length === 0 ? undefined : (client) => client.patch(resource, name, { json });
    },
  };
}

/** The list may change between reading and writing: the patch says whom it means. */
function injection(
  webhook: unknown,
  index: number,
  bundles: ReadonlyMap<string, string | undefined>,
): readonly JsonPatchOperation[] {
  if (!isRecord(webhook) || typeof webhook["name"] !== "string") return [];
  const bundle = bundles.get(webhook["name"]);
  const { clientConfig } = webhook;
  if (bundle === undefined || !isRecord(clientConfig) || clientConfig["caBundle"] === bundle) return [];
  const path = `/webhooks/${index}`;
  return [
    { op: "test", path: `${path}/name`, value: webhook["name"] },
    { op: "add", path: `${path}/clientConfig/caBundle`, value: bundle },
  ];
}

/** The definition of a kind with conversions: where they are asked for, or only whom to trust. */
export function convertedKind(
  { hub }: ConversionDefinition,
  clientConfig: () => ClientConfigOf,
  isWhole: boolean,
): KeptObject {
  const name = `${hub.plural}.${hub.group}`;
  return {
    resource: CustomResourceDefinition,
    name,
    isTemporary: false,
    correction(found) {
      const wanted = conversionBy(clientConfig());
      const { url = null, service = null, caBundle } = wanted.webhook?.clientConfig ?? {};
      const actual = conversionIn(found);
      if (!found || includes(actual, isWhole ? wanted : onlyBundle(caBundle))) return undefined;
      if (!isWhole && actual?.["strategy"] !== "Webhook") return undefined;
      const asked = isRecord(actual?.["webhook"]) ? actual["webhook"]["clientConfig"] : undefined;
      if (url && isRecord(asked) && isAtService(asked) && asked["caBundle"])
        return () => Promise.reject(anothers("CustomResourceDefinition", name));
      const trust = caBundle === undefined ? {} : { caBundle };
      const change = isWhole
        ? { ...wanted, webhook: { ...wanted.webhook, clientConfig: { url, service, ...trust } } }
        : { webhook: { clientConfig: trust } };
      const { resourceVersion } = found.metadata ?? {};
      const merge = { metadata: { resourceVersion }, spec: { conversion: change } };
      return (client) => client.patch(CustomResourceDefinition, name, { merge });
    },
  };
}

const isAtService = (clientConfig: unknown): boolean =>
  isRecord(clientConfig) && isRecord(clientConfig["service"]);

/** A process on a developer's machine takes nothing away from an operator that is deployed. */
const anothers = (kind: string, name: string | undefined): Error =>
  new Error(
    `${kind} ${name} points at a Service, where the operator is deployed: its webhooks are asked instead; undeploy it, or start without webhooks`,
  );

const onlyBundle = (caBundle: string | undefined) =>
  caBundle === undefined ? {} : { webhook: { clientConfig: { caBundle } } };

function conversionIn(definition: KubeObject | undefined): Readonly<Record<string, unknown>> | undefined {
  const spec = definition && "spec" in definition && isRecord(definition.spec) ? definition.spec : {};
  return isRecord(spec["conversion"]) ? spec["conversion"] : undefined;
}

function webhooksIn(configuration: KubeObject | undefined): readonly unknown[] {
  if (!configuration || !("webhooks" in configuration)) return [];
  return Array.isArray(configuration.webhooks) ? configuration.webhooks : [];
}

/** Whether everything stated is found; servers add what was not stated, but only to objects. */
export function includes(found: unknown, stated: unknown): boolean {
  if (Array.isArray(stated))
    return (
      Array.isArray(found) &&
      found.length === stated.length &&
      stated.every((item, index) => includes(found[index], item))
    );
  if (!isRecord(stated)) return found === stated;
  return (
    isRecord(found) &&
    Object.entries(stated).every(([key, value]) => value === undefined || includes(found[key], value))
  );
}
