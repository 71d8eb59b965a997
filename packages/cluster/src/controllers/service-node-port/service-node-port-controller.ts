// Reports Services whose node ports cannot work: those another one has already, and those outside of the range. Such states
// come from files and other clusters; the API server itself allocates no port twice, and keeps track of all that are in use.
import { Service } from "@kubewright/api";
import type { BuiltInController } from "../controller.js";
import { SyncLoop } from "../sync-loop.js";
import { nodePortsOf, PortHolders } from "./port-holders.js";

const [first, last] = [30_000, 32_767];

export const serviceNodePortController: BuiltInController = {
  name: "service-nodeport-repair",
  start(environment) {
    const events = environment.events("portallocator-repair-controller");
    const loop = new SyncLoop(environment, { name: "service-nodeport-repair", sync });
    const holders = new PortHolders();
    const services = loop.watch(Service, ({ key, previous, current }) => {
      const affected = holders.update(key, previous, current);
      return current && nodePortsOf(current).length > 0 ? [key, ...affected] : affected;
    });
    return loop.start();

    async function sync(key: string): Promise<undefined> {
      const service = services.get(key);
      if (!service || service.metadata?.deletionTimestamp) return;
      const warn = (reason: string, message: string): void =>
        events.warning(Service, service, reason, message);
      const seen = new Set<number>();
      for (const port of nodePortsOf(service)) {
        const isTwice = seen.has(port) || holders.firstOf(port) !== key;
        seen.add(port);
        if (port < first || port > last)
          warn(
            "PortOutOfRange",
            `Port ${port} is not within the port range ${first}-${last}; please recreate service`,
          );
        else if (isTwice)
          warn(
            "PortAlreadyAllocated",
            `Port ${port} was assigned to multiple services; please recreate service`,
          );
      }
    }
  },
};
