// The parts of a server, put together.
import { builtInKinds } from "@kubewright/kinds";
import { ManagedFieldsTracker } from "@kubewright/machinery";
import { AdmissionChain } from "./admission/admission.js";
import { admissionPlugins } from "./admission/built-in-plugins.js";
import { dynamicAdmission } from "./admission/dynamic-admission.js";
import { Aggregator } from "./aggregation/aggregator.js";
import type { AccessControl } from "./auth/access-control.js";
import type { ServiceAccountTokens } from "./auth/service-account-tokens.js";
import { DiscoveryDocuments } from "./discovery/index.js";
import { Fairness } from "./fairness/fairness.js";

import { httpsWebhookCaller } from "./listener/https-webhook-caller.js";
import { ServerMetrics } from "./metrics/server-metrics.js";
import { OpenApiDocuments } from "./openapi/openapi-documents.js";
import { builtInResources } from "./registry/built-in-resources.js";
import { Registry } from "./registry/registry.js";
import type { Services } from "./registry/request-context.js";
import type { ApiServerOptions } from "./server-options.js";
import { AddressAllocator } from "./service-network/address-allocator.js";
import { PortAllocator } from "./service-network/port-allocator.js";
import { builtInSubresources } from "./subresources/index.js";
import { loneServer } from "./virtual-kinds/component-status.js";
import { virtualKinds } from "./virtual-kinds/index.js";
import { OpenWatches } from "./watches/open-watches.js";

/** The parts of a server, those included that no handler of a resource needs. */
export interface ServerParts extends Services {
  readonly admission: AdmissionChain;
  readonly serviceAllocators: { readonly addresses: AddressAllocator; readonly nodePorts: PortAllocator };
  readonly openWatches: OpenWatches;
  readonly metrics: ServerMetrics;
  readonly serviceAccountTokens: ServiceAccountTokens;
  readonly openApi: OpenApiDocuments;
  readonly discovery: DiscoveryDocuments;
  /** The servers of group versions that are not served here. */
  readonly aggregator: Aggregator;
  /** API priority and fairness of requests over connections. */
  readonly fairness: Fairness;
  /** Whether the server is about to stop. */
  readonly shutdown: { begun: boolean };
}

/** The parts that exist before the rest. */
export interface ServerBasis extends Pick<Services, "storage" | "clock" | "newUid"> {
  readonly access: AccessControl;
}

/** Puts the parts together; nothing of it runs yet. */
export function createParts(basis: ServerBasis, options: ApiServerOptions): ServerParts {
  const { storage, clock, newUid, access } = basis;
  const { authorizer, rulesFor, serviceAccountTokens } = access;
  const random = options.random ?? Math.random;
  const registry = registryOf(access, options);
  const metrics = new ServerMetrics(registry, clock);
  const aggregator = new Aggregator({ storage, clock }, options);
  const plugins = [...dynamicAdmission(storage, options), ...(options.admission ?? [])];
  return {
    storage,
    clock,
    openWatches: new OpenWatches(clock),
    shutdown: { begun: false },
    fairness: new Fairness(storage, clock),
    metrics,
    newUid,
    random,
    authorizer,
    rulesFor,
    serviceAccountTokens,
    registry,
    managedFieldsTracker: new ManagedFieldsTracker(),
    openApi: new OpenApiDocuments(registry, aggregator),
    discovery: new DiscoveryDocuments(registry, aggregator),
    aggregator,
    admission: new AdmissionChain(admissionPlugins(options.disableAdmission, plugins), metrics.admission),
    serviceAllocators: {
      addresses: new AddressAllocator({ storage, clock, newUid, random }, options.serviceRanges),
      nodePorts: new PortAllocator(storage, random),
    },
    callWebhook: options.callWebhook ?? httpsWebhookCaller({ clock, resolveService: options.resolveService }),
  };
}

/** A registry with the built-in resources. */
function registryOf(access: AccessControl, options: ApiServerOptions): Registry {
  const { authenticateToken, serviceAccountTokens: tokens } = access;
  const { nodes, featureGates, controlPlane = loneServer } = options;
  const behaviours = [
    ...virtualKinds({ authenticateToken, controlPlane }),
    ...builtInSubresources({ nodes, tokens }),
  ];
  const registry = new Registry();
  for (const kind of builtInResources(builtInKinds(featureGates), behaviours)) registry.add(kind);
  return registry;
}
