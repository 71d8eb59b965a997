// The parts of a server that handlers and strategies use, put together.
import { AdmissionChain } from "./admission/admission.js";
import { admissionPlugins } from "./admission/built-in-plugins.js";
import { dynamicAdmission } from "./admission/dynamic-admission.js";
import { Aggregator } from "./aggregation/aggregator.js";
import { CreationOwners } from "./apply/index.js";
import type { AccessControl } from "./auth/access-control.js";
import { DiscoveryDocuments } from "./discovery/index.js";
import { Fairness } from "./fairness/fairness.js";
import { OpenWatches } from "./handlers/open-watches.js";
import { loneServer } from "./kinds/core/component-status.js";
import { AddressAllocator } from "./kinds/core/service/address-allocator.js";
import { PortAllocator } from "./kinds/core/service/port-allocator.js";
import { specialKinds } from "./kinds/index.js";
import { httpsWebhookCaller } from "./listener/https-webhook-caller.js";
import { ServerMetrics } from "./metrics/server-metrics.js";
import { OpenApiDocuments } from "./openapi/openapi-documents.js";
import { nativeKinds } from "./registry/native-kinds.js";
import { Registry } from "./registry/registry.js";
import type { Services } from "./request/context.js";
import type { ApiServerOptions } from "./server-options.js";

/** What is there before the rest. */
export interface ServerBasis extends Pick<Services, "storage" | "clock" | "newUid"> {
  readonly access: AccessControl;
}

/** Nothing of it runs yet. */
export function createServices(basis: ServerBasis, options: ApiServerOptions): Services {
  const { storage, clock, newUid, access } = basis;
  const { authorizer, rulesFor, authenticateToken, serviceAccountTokens } = access;
  const random = options.random ?? Math.random;
  const registry = new Registry();
  for (const kind of nativeKinds(specialKinds(options.featureGates))) registry.add(kind);
  const metrics = new ServerMetrics(registry, clock);
  const aggregator = new Aggregator({ storage, clock }, options);
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
    authenticateToken,
    serviceAccountTokens,
    registry,
    creationOwners: new CreationOwners(),
    openApi: new OpenApiDocuments(registry, aggregator),
    discovery: new DiscoveryDocuments(registry, aggregator),
    aggregator,
    admission: new AdmissionChain(
      admissionPlugins(options.disableAdmission, [
        ...dynamicAdmission(storage, options),
        ...(options.admission ?? []),
      ]),
      metrics.admission,
    ),
    serviceAllocators: {
      addresses: new AddressAllocator({ storage, clock, newUid, random }, options.serviceRanges),
      nodePorts: new PortAllocator(storage, random),
    },
    callWebhook: options.callWebhook ?? httpsWebhookCaller({ clock, resolveService: options.resolveService }),
    controlPlane: options.controlPlane ?? loneServer,
    nodes: options.nodes,
  };
}
