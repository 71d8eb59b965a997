import { customKindsOf } from "@kubewright/runtime";
import { testCluster } from "@kubewright/testing";
import { expect, test } from "vitest";
import { CronTab } from "../api/v1/cron-tab.js";
import manager from "../main.js";

test.each([
  [
    { cronSpec: "* * * 13 *" },
    'spec.cronSpec: Invalid value: "* * * 13 *": month: "13" is not 1 to 12 or jan to dec (column 7)',
  ],
  [{ timeZone: "Mars/Olympus" }, 'spec.timeZone: Invalid value: "Mars/Olympus"'],
])("the webhook of a CronTab refuses %o", async (wrong, message) => {
  await using cluster = await testCluster({
    resources: customKindsOf(manager),
    manager,
    nodes: 0,
    leaks: "ignore",
  });
  const spec = { cronSpec: "* * * * * *", image: "busybox", ...wrong };
  const refused = cluster.create(CronTab, { name: "tick", spec });
  await expect(refused).rejects.toMatchObject({ code: 422, message: expect.stringContaining(message) });
});
