// Kinds are imported from a cluster by their name or by their group.
import { writeFileSync } from "node:fs";
import { CustomResourceDefinition } from "@kubewright/api";
import { startCluster } from "@kubewright/cluster";
import { expect, test } from "vitest";
import { ModelBox } from "../../operators/modelbox/src/api/v1/model-box.js";
import { ModelBoxPolicy } from "../../operators/modelbox/src/api/v1/model-box-policy.js";
import { Workspace } from "./command-line.js";

test("definitions are read from a cluster, one or a whole group", async () => {
  using shop = new Workspace();
  const cluster = await startCluster({ nodes: 0 });
  try {
    const { kubeconfig } = await cluster.listen();
    writeFileSync(shop.path("kubeconfig"), kubeconfig);
    const { client } = cluster;
    for (const kind of [ModelBox, ModelBoxPolicy]) await client.create(CustomResourceDefinition, kind.crd());
    const from = (name: string, folder: string) =>
      shop.run(["import", "crd", "--from-cluster", name, "--kubeconfig", "kubeconfig", "--out", folder]);
    expect(await from("modelboxes.model.github.com", "one")).toMatchObject({ status: 0 });
    expect(await from("model.github.com", "group")).toMatchObject({ status: 0 });
    const files = Object.keys(shop.files()).filter((path) => path.endsWith(".ts"));
    expect(files).toEqual(["group/model-box-policy.ts", "group/model-box.ts", "one/model-box.ts"]);
    expect(shop.read("one/model-box.ts")).toContain("export const ModelBox = defineResource({");
    const { status, stderr } = await from("modelbox.model.github.com", "none");
    expect(status).toBe(1);
    expect(stderr).toContain("did you mean modelboxes.model.github.com?");
  } finally {
    await cluster.close();
  }
}, 60_000);
