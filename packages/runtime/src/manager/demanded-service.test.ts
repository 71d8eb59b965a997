import { VirtualClock } from "@kubewright/api";
import { expect, test } from "vitest";
import { ManagerHealth } from "../health/manager-health.js";
import { createLogger } from "../logging/logger.js";
import { demanded } from "./demanded-service.js";

test("a manager is ready while the webhooks it must serve are served", async () => {
  const health = new ManagerHealth({
    clock: new VirtualClock(),
    log: createLogger(() => undefined),
    watched: { phase: "started", activities: [], overdue: 0 },
    informers: () => [],
    own: [],
  });
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const service = demanded({ name: "webhooks", start: () => opened, close: async () => undefined }, health);
  const outcome = async () => (await health.ready.ask("webhooks"))?.outcome;

  const starting = service.start();
  expect(await outcome()).toBe("failed");
  open();
  await starting;
  expect(await outcome()).toBe("passed");
  await service.close();
  expect(await outcome()).toBe("failed");
});
