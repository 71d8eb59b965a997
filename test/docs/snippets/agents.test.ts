// The operator of docs/guides/agents.md, in virtual time, and its program.
import { PersistentVolumeClaim, Pod } from "@kubewright/api";
import { defineManager } from "@kubewright/runtime";
import { operatorImage, runAgent } from "@kubewright/runtime/agent";
import { testCluster } from "@kubewright/testing";
import { expect, test } from "vitest";
import { Export, exportController, type Report, type Task } from "./agents.js";

const env = { OPERATOR_IMAGE: "export-operator:1", AGENT_TASK: '{"file":"/exports/all.csv"}' };
const exportRows = async ({ file }: Task): Promise<Report> => ({ rows: file.length });

test.each<[string, number, object, object]>([
  ["succeeds", 0, { rows: 7 }, { phase: "Succeeded", rows: 7 }],
  ["fails", 1, { error: "the disk is full" }, { phase: "Failed", message: "the disk is full" }],
])(
  "an Export whose agent %s has what the agent reported, and no pod any more",
  async (_, code, end, status) => {
    const image = operatorImage(env);
    const manager = defineManager({ name: "export", controllers: [exportController(image)] });
    await using cluster = await testCluster({ resources: [Export], manager, nodes: 1 });
    const message = JSON.stringify(end);
    cluster.simulate({ image: "export-operator:*" }, { exit: { after: "2s", code, message } });
    await cluster.create(PersistentVolumeClaim, {
      name: "exports",
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    });
    await cluster.create(Export, { name: "all", spec: { claimName: "exports" } });
    await cluster.eventually(Pod, "all-export");
    await cluster.eventuallyGone(Pod, "all-export");
    expect((await cluster.get(Export, "all")).status).toMatchObject(status);
  },
);

test("the program of the guide does its task", async () => {
  const process = { env, argv: ["node", "main.js", "agent"], exit: (code: number) => expect(code).toBe(0) };
  expect.assertions(1);
  // In main.ts, before the manager is defined:
  if (process.argv[2] === "agent") process.exit(await runAgent(process.env, exportRows));
});
