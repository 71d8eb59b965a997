import type { ManagerHealth } from "../health/manager-health.js";
import type { ManagerService } from "../serving/manager-service.js";

/** A service without which the manager is not ready, from now on. */
export function demanded(service: ManagerService, health: ManagerHealth): ManagerService {
  let isServing = false;
  health.readyWhenServing(service.name, () => {
    if (!isServing) throw new Error(`${service.name} are not served`);
  });
  return {
    name: service.name,
    async start() {
      await service.start();
      isServing = true;
    },
    close() {
      isServing = false;
      return service.close();
    },
  };
}
