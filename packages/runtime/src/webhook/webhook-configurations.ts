// The webhook configurations and CRDs by which an API server calls webhooks, derived from their definitions: the running manager applies
// or completes them, `manifests` writes them to files.
import {
  type CustomResourceConversion,
  type CustomResourceDefinition,
  type LabelSelector,
  type MutatingWebhook,
  MutatingWebhookConfiguration,
  type ValidatingWebhook,
  ValidatingWebhookConfiguration,
  type WebhookClientConfig,
} from "@kubewright/api";
import type { WebhookDefinition } from "./define-webhook.js";
import type { Operation } from "./webhook-context.js";
import {
  conversionPath,
  type WebhookType,
  webhookName,
  webhookObjectNames,
  webhookPath,
} from "./webhook-names.js";
import { conversionsOf, type WebhookManager, webhooksOf } from "./webhooks-of.js";

/** The client config of a path of the webhook server. */
export type ClientConfigOf = (path: string) => WebhookClientConfig;

/** Options of `webhookConfigurations`. */
export interface ConfigurationOptions {
  readonly clientConfig: ClientConfigOf;
}

/** Undefined where there is nothing to configure. */
export interface WebhookConfigurations {
  readonly mutating: MutatingWebhookConfiguration | undefined;
  readonly validating: ValidatingWebhookConfiguration | undefined;
  /** The CRDs of kinds with conversions. */
  readonly definitions: readonly CustomResourceDefinition[];
}

/** Webhooks behind a Service, as in production. */
export function viaService(
  service: { readonly namespace: string; readonly name: string; readonly port?: number | undefined },
  caBundle?: string,
): ClientConfigOf {
  const { namespace, name, port } = service;
  return (path) => ({
    service: { namespace, name, path, ...(port === undefined ? {} : { port }) },
    ...(caBundle === undefined ? {} : { caBundle }),
  });
}

/** Webhooks at a URL, for a process beside the API server. */
export function viaUrl(origin: string, caBundle?: string): ClientConfigOf {
  return (path) => ({ url: `${origin}${path}`, ...(caBundle === undefined ? {} : { caBundle }) });
}

/**
 * The configurations of a manager's webhooks. Names are stable: `<manager>-mutating-webhook-configuration` and
 * `<manager>-validating-webhook-configuration`.
 *
 * @example
 * webhookConfigurations(manager, { clientConfig: viaService({ namespace: "shop-system", name: "shop-webhook-service" }) });
 */
export function webhookConfigurations(
  manager: WebhookManager,
  { clientConfig }: ConfigurationOptions,
): WebhookConfigurations {
  const names = webhookObjectNames(manager.name);
  const mutating = webhooksOf(manager)
    .filter((definition) => definition.default)
    .map((definition) => mutatingWebhook(definition, manager.namespaces, clientConfig));
  const validating = webhooksOf(manager)
    .filter(({ validators }) => validators.size > 0)
    .map((definition) => validatingWebhook(definition, manager.namespaces, clientConfig));
  const metadata = (name: string) => ({ name, labels: { "app.kubernetes.io/name": manager.name } });
  const head = { apiVersion: "admissionregistration.k8s.io/v1" } as const;
  return {
    mutating:
      mutating.length === 0
        ? undefined
        : {
            ...head,
            kind: MutatingWebhookConfiguration.kind as "MutatingWebhookConfiguration",
            metadata: metadata(names.mutating),
            webhooks: mutating,
          },
    validating:
      validating.length === 0
        ? undefined
        : {
            ...head,
            kind: ValidatingWebhookConfiguration.kind as "ValidatingWebhookConfiguration",
            metadata: metadata(names.validating),
            webhooks: validating,
          },
    definitions: conversionsOf(manager).map(({ hub }) =>
      hub.crd({ conversionWebhook: clientConfig(conversionPath) }),
    ),
  };
}

/** The conversion of a CRD whose kind this manager converts. */
export function conversionBy(clientConfig: ClientConfigOf): CustomResourceConversion {
  return {
    strategy: "Webhook",
    webhook: { conversionReviewVersions: ["v1"], clientConfig: clientConfig(conversionPath) },
  };
}

function mutatingWebhook(
  definition: WebhookDefinition,
  namespaces: readonly string[] | undefined,
  clientConfig: ClientConfigOf,
): MutatingWebhook {
  const operations = definition.defaultOn ?? ["CREATE", "UPDATE"];
  const { reinvocationPolicy } = definition;
  return {
    ...webhook("mutate", definition, operations, namespaces, clientConfig),
    ...(reinvocationPolicy === undefined ? {} : { reinvocationPolicy }),
  };
}

function validatingWebhook(
  definition: WebhookDefinition,
  namespaces: readonly string[] | undefined,
  clientConfig: ClientConfigOf,
): ValidatingWebhook {
  return webhook("validate", definition, [...definition.validators.keys()], namespaces, clientConfig);
}

function webhook(
  type: WebhookType,
  definition: WebhookDefinition,
  operations: readonly Operation[],
  namespaces: readonly string[] | undefined,
  clientConfig: ClientConfigOf,
): ValidatingWebhook {
  const { resource, subresource, matchConditions, objectSelector } = definition;
  const namespaceSelector =
    definition.namespaceSelector ?? only(resource.scope === "Cluster" ? undefined : namespaces);
  return {
    name: webhookName(type, definition),
    clientConfig: clientConfig(webhookPath(type, definition)),
    rules: [
      {
        apiGroups: [resource.group],
        apiVersions: [resource.version],
        resources: [subresource ? `${resource.plural}/${subresource}` : resource.plural],
        operations,
        scope: resource.scope,
      },
    ],
    admissionReviewVersions: ["v1"],
    sideEffects: definition.sideEffects ?? "None",
    failurePolicy: definition.failurePolicy ?? "Fail",
    matchPolicy: definition.matchPolicy ?? "Equivalent",
    timeoutSeconds: definition.timeoutSeconds ?? 10,
    ...(matchConditions?.length ? { matchConditions } : {}),
    ...(namespaceSelector === undefined ? {} : { namespaceSelector }),
    ...(objectSelector === undefined ? {} : { objectSelector }),
  };
}

/** The namespaces of a manager; objects elsewhere are another's. */
function only(namespaces: readonly string[] | undefined): LabelSelector | undefined {
  if (!namespaces) return undefined;
  return { matchExpressions: [{ key: "kubernetes.io/metadata.name", operator: "In", values: namespaces }] };
}
