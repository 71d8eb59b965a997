// Bootstrap: the objects that exist before the first request. In an existing store, missing ones are created.
import { registerBuiltIn } from "./aggregation/registration.js";
import { bootstrapRbac } from "./auth/rbac/bootstrap-rbac.js";
import { createNamespaces } from "./bootstrap/namespaces.js";
import { createPriorityClasses } from "./bootstrap/priority-classes.js";
import { createFlowControl } from "./fairness/default-configuration.js";
import type { ServerParts } from "./server-services.js";
import { advertise, createServiceNetwork } from "./service-network/create-service-network.js";

/** Creates what is missing. */
export function bootstrap(services: ServerParts): void {
  createNamespaces(services);
  createServiceNetwork(services);
  if (!services.storage.get("endpoints", "default/kubernetes"))
    advertise(services, { address: "127.0.0.1", port: 6443 });
  createPriorityClasses(services);
  createFlowControl(services);
  registerBuiltIn(services);
  bootstrapRbac(services);
}
