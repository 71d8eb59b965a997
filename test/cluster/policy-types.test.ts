// What the status of a policy says of its expressions.
import { CustomResourceDefinition, ValidatingAdmissionPolicy } from "@kubewright/api";
import { startCluster } from "@kubewright/cluster";
import { expect, it } from "vitest";

it("names expressions that do not fit built-in and custom kinds", async () => {
  await using cluster = await startCluster({ nodes: 0 });
  const { client } = cluster;
  const properties = { spec: { type: "object", properties: { size: { type: "integer" } } } };
  await client.create(CustomResourceDefinition, {
    metadata: { name: "boxes.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "boxes", kind: "Box" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties } },
        },
      ],
    },
  });
  const rule = { apiVersions: ["v1"], operations: ["CREATE" as const] };
  await client.create(ValidatingAdmissionPolicy, {
    metadata: { name: "p" },
    spec: {
      matchConstraints: {
        resourceRules: [
          { ...rule, apiGroups: [""], resources: ["configmaps"] },
          { ...rule, apiGroups: ["example.com"], resources: ["boxes"] },
        ],
      },
      validations: [{ expression: "object.metadata.name != ''" }, { expression: "object.spec.size > 'a'" }],
    },
  });
  const status = async () => (await client.get(ValidatingAdmissionPolicy, "p")).status;
  await expect.poll(status, { timeout: 20_000 }).toMatchObject({ observedGeneration: 1 });
  const { typeChecking } = (await status()) ?? {};
  expect(typeChecking?.expressionWarnings).toEqual([
    { fieldRef: "spec.validations[1].expression", warning: expect.any(String) },
  ]);
  const [warning] = typeChecking?.expressionWarnings ?? [];
  expect(warning?.warning).toContain("/v1, Kind=ConfigMap: ERROR: <input>:1:7: undefined field 'spec'");
  expect(warning?.warning).toContain("example.com/v1, Kind=Box: ERROR");
}, 60_000);
