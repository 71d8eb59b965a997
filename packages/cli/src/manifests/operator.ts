// What manifests are derived from, and the names that all of them use.
import type { CustomResourceDefinition } from "@kubewright/api";
import {
  type CustomKind,
  customKindsOf,
  type ManagerDefinition,
  viaService,
  type WebhookConfigurations,
  webhookConfigurations,
  webhookObjectNames,
} from "@kubewright/runtime";
import type { ManifestSettings } from "./manifest-settings.js";

/** A manager and what is decided about it. */
export interface Operator {
  readonly definition: ManagerDefinition;
  readonly settings: ManifestSettings;
  /** The kinds it brings along. */
  readonly kinds: readonly CustomKind[];
  /** The kinds of somebody else that it needs. */
  readonly others: readonly CustomKind[];
  readonly names: OperatorNames;
  readonly webhooks: WebhookConfigurations;
  readonly hasWebhooks: boolean;
  /** On every object. */
  readonly labels: Readonly<Record<string, string>>;
}

/** A Kubernetes object, as it is written down. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string | undefined;
    readonly labels?: Readonly<Record<string, string>> | undefined;
    readonly annotations?: Readonly<Record<string, string>> | undefined;
  };
  readonly [field: string]: unknown;
}

export interface OperatorNames {
  readonly manager: string;
  readonly deployment: string;
  readonly serviceAccount: string;
  readonly metricsService: string;
  readonly webhookService: string;
}

export function operatorOf(definition: ManagerDefinition, settings: ManifestSettings): Operator {
  const { name } = definition;
  const webhookService = webhookObjectNames(name).service;
  const kinds = customKindsOf(definition).filter(
    (kind) => !settings.imported.has(`${kind.kind}.${kind.group}`),
  );
  return {
    definition,
    settings,
    kinds,
    others: othersOf(definition, kinds),
    names: {
      manager: name,
      deployment: settings.deployment,
      serviceAccount: `${name}-controller-manager`,
      metricsService: `${name}-metrics-service`,
      webhookService,
    },
    webhooks: webhookConfigurations(definition, {
      clientConfig: viaService({ namespace: settings.namespace, name: webhookService }),
    }),
    hasWebhooks: (definition.webhooks?.length ?? 0) > 0,
    labels: { "app.kubernetes.io/name": name, "app.kubernetes.io/managed-by": "kubewright" },
  };
}

/** Kinds that controllers declare, with a definition at hand, besides those it brings along. */
function othersOf({ controllers }: ManagerDefinition, own: readonly CustomKind[]): readonly CustomKind[] {
  const declared = controllers.flatMap(({ resource, owns, watches, uses }) => [
    resource,
    ...[...owns, ...watches, ...uses].map((entry) => entry.resource),
  ]);
  const known = new Set<unknown>(own);
  return [...new Set(declared)].filter(
    (kind): kind is CustomKind => "crd" in kind && typeof kind.crd === "function" && !known.has(kind),
  );
}

/** The definitions of its kinds; those that are converted name the Service that does it. */
export function definitionsOf({ kinds, webhooks }: Operator): readonly CustomResourceDefinition[] {
  const converted = new Map(webhooks.definitions.map((crd) => [crd.metadata?.name, crd]));
  return kinds.map((kind) => kind.crd()).map((crd) => converted.get(crd.metadata?.name) ?? crd);
}

/** What the pods of the manager have and nothing else has. */
export const podLabels = ({ names }: Operator): Readonly<Record<string, string>> => ({
  "app.kubernetes.io/name": names.manager,
  "control-plane": "controller-manager",
});

/** Ports of the manager's container. */
export const ports = { health: 8081, metrics: 8443, webhooks: 9443 } as const;
