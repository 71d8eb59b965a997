import { CustomResourceDefinition } from "@kubewright/api";
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
  [{ timeZone: "BST" }, "did you mean Europe/London or Asia/Dhaka?"],
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

test.each([
  ["no spec", {}],
  ["no schedule", { spec: { image: "busybox" } }],
])("the webhook of a CronTab answers 422 under the CRD of the note to an object with %s", async (_, body) => {
  await using cluster = await testCluster({ resources: [], manager, nodes: 0, leaks: "ignore" });
  const { spec, ...crd } = CronTab.crd();
  const [version] = spec.versions;
  const loose = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const versions = [{ ...version!, additionalPrinterColumns: undefined, schema: { openAPIV3Schema: loose } }];
  await cluster.client.create(CustomResourceDefinition, { ...crd, spec: { ...spec, versions } } as never);
  await cluster.advance("1m");
  const request = cluster.client.raw("/apis/stable.example.com/v1/namespaces/default/crontabs", {
    method: "POST",
    body: { apiVersion: "stable.example.com/v1", kind: "CronTab", metadata: { name: "tick" }, ...body },
  });
  await expect(cluster.run(request)).rejects.toMatchObject({
    code: 422,
    message: expect.stringContaining("spec.cronSpec: Required value"),
  });
});
