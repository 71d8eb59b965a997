// Who is served when many want to be: one busy namespace beside a quiet one.
import { Namespace } from "@kubewright/api";
import { defineController } from "@kubewright/runtime";
import { expect, test } from "vitest";
import { Box, boxNamed, Harness } from "./harness.js";

async function order(fairBetweenNamespaces: boolean): Promise<readonly string[]> {
  await using harness = await Harness.start();
  const { client } = harness;
  await client.create(Namespace, { metadata: { name: "quiet" } });
  for (let index = 0; index < 20; index++) await client.create(Box, boxNamed(`busy-${index}`));
  for (const name of ["one", "two"])
    await client.create(Box, { metadata: { name, namespace: "quiet" }, spec: {} });
  const served: string[] = [];
  const controller = defineController(Box, {
    fairBetweenNamespaces,
    reconcile: (box) => void served.push(box.metadata.namespace ?? ""),
  });
  await harness.manage([controller]);
  await harness.settle();
  return served;
}

test("namespaces are served in turn where that is wanted, and first come, first served where not", async () => {
  const inTurn = await order(true);
  expect(inTurn.slice(0, 4).filter((served) => served === "quiet")).toHaveLength(2);
  const inLine = await order(false);
  expect(inLine.slice(0, 4)).toEqual(Array(4).fill("default"));
  expect(inLine.slice(-2)).toEqual(["quiet", "quiet"]);
});
