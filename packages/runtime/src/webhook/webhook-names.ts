// Names that configurations, servers and people know webhooks by. They are derived, stable, and as kubebuilder has them where
// it has any.
import type { WebhookDefinition } from "./define-webhook.js";

export type WebhookType = "mutate" | "validate";

/** Where conversions of all kinds are asked for. */
export const conversionPath = "/convert";

/** Where an API server is asked to call, to see whether it can. */
export const probePath = "/probe";

/** `/mutate-model-github-com-v1-modelbox`; the core group is empty: `/validate--v1-pod`. */
export function webhookPath(type: WebhookType, { resource, name, subresource }: WebhookDefinition): string {
  const kind = resource.kind.toLowerCase();
  const parts = [type, resource.group.replaceAll(".", "-"), resource.version, kind];
  if (subresource) parts.push(subresource);
  if (name !== kind) parts.push(name);
  return `/${parts.join("-")}`;
}

/** What users read when a webhook refuses: `validate.modelbox.v1.model.github.com`. */
export function webhookName(type: WebhookType, { resource, name, subresource }: WebhookDefinition): string {
  const parts = [type, name, resource.version, resource.group || "core.kubewright.dev"];
  return (subresource ? [type, subresource, ...parts.slice(1)] : parts).join(".");
}

/** The names of what a manager's webhooks live in. */
export function webhookObjectNames(manager: string) {
  return {
    mutating: `${manager}-mutating-webhook-configuration`,
    validating: `${manager}-validating-webhook-configuration`,
    service: `${manager}-webhook-service`,
    secret: `${manager}-webhook-server-cert`,
  };
}

/**
 * The lease of the process that writes the configurations, where webhooks are reached by URL. Configurations have no namespace,
 * so processes that work in different namespaces must meet in one that every cluster has.
 */
export const holderLease = (manager: string) => ({ leaseName: `${manager}-webhooks`, namespace: "default" });
