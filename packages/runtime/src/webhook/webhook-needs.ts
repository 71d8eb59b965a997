// The permissions a manager needs for its webhooks: to read what they read, and to write their configurations.
import {
  CustomResourceDefinition,
  Lease,
  MutatingWebhookConfiguration,
  Secret,
  ValidatingWebhookConfiguration,
} from "@kubewright/api";
import type { AnyResource } from "../controller/kinds.js";
import type { AccessNeed } from "../rbac/access-need.js";
import { holderLease, webhookObjectNames } from "./webhook-names.js";
import { WebhookPlace } from "./webhook-place.js";
import { defaultServing, type WebhookServing } from "./webhook-serving.js";
import { conversionsOf, type WebhookManager, webhooksOf } from "./webhooks-of.js";

const read = ["get", "list"];
const keep = ["get", "list", "watch", "patch"];

/** All needs of webhooks that are served like this; none when they are not. */
export function webhookNeeds(
  manager: WebhookManager,
  {
    webhooks,
    namespace,
  }: { readonly webhooks?: false | WebhookServing | undefined; readonly namespace?: string | undefined },
): readonly AccessNeed[] {
  if (webhooks === false || !manager.webhooks?.length) return [];
  const serving = webhooks ?? defaultServing;
  const { secret } = new WebhookPlace(manager.name, serving, namespace);
  return [
    ...readingNeeds(manager),
    ...configurationNeeds(manager, serving),
    ...(serving.mode === "url" ? [holderNeed(manager.name)] : []),
    ...(secret ? certificateNeeds(secret.name, secret.namespace) : []),
  ];
}

/** The needs of a manager in production, in the whole cluster. */
export function clusterWebhookNeeds(manager: WebhookManager): readonly AccessNeed[] {
  return [...readingNeeds(manager), ...configurationNeeds(manager, { mode: "service" })];
}

/** The needs of replicas that share certificates; in all namespaces when none is named. */
export function certificateNeeds(name: string, namespace: string | undefined): readonly AccessNeed[] {
  const need = {
    group: Secret.group,
    resource: Secret.plural,
    namespaces: namespace === undefined ? undefined : [namespace],
  };
  // RBAC cannot restrict create to a name.
  return [
    { ...need, verbs: ["get", "list", "watch", "update"], names: [name] },
    { ...need, verbs: ["create"] },
  ];
}

/** The needs of a process that campaigns for writing the configurations. */
function holderNeed(manager: string): AccessNeed {
  const { namespace } = holderLease(manager);
  const verbs = ["get", "create", "update"];
  return { group: Lease.group, resource: Lease.plural, verbs, namespaces: [namespace] };
}

function readingNeeds(manager: WebhookManager): readonly AccessNeed[] {
  const need = (kind: AnyResource, verbs: readonly string[]): AccessNeed => ({
    group: kind.group,
    resource: kind.plural,
    verbs,
    namespaces: kind.scope === "Namespaced" ? manager.namespaces : undefined,
  });
  return webhooksOf(manager).flatMap(({ uses, watches }) => [
    ...uses.map((kind) => need(kind, read)),
    ...watches.map((kind) => need(kind, [...read, "watch"])),
  ]);
}

function configurationNeeds(manager: WebhookManager, serving: WebhookServing): readonly AccessNeed[] {
  const names = webhookObjectNames(manager.name);
  const isApplied = serving.mode !== "service" || serving.configurations === "apply";
  const stated = [...(isApplied ? ["create"] : []), ...(serving.mode === "service" ? [] : ["delete"])];
  const need = (kind: AnyResource, verbs: readonly string[], objects: readonly string[]): AccessNeed[] =>
    objects.length === 0
      ? []
      : [{ group: kind.group, resource: kind.plural, verbs, namespaces: undefined, names: objects }];
  const webhooks = webhooksOf(manager);
  const isMutating = webhooks.some((webhook) => webhook.default);
  const isValidating = webhooks.some(({ validators }) => validators.size > 0);
  return [
    ...need(MutatingWebhookConfiguration, [...keep, ...stated], isMutating ? [names.mutating] : []),
    ...need(ValidatingWebhookConfiguration, [...keep, ...stated], isValidating ? [names.validating] : []),
    ...need(
      CustomResourceDefinition,
      keep,
      conversionsOf(manager).map(({ hub }) => `${hub.plural}.${hub.group}`),
    ),
  ];
}
