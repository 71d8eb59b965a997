// Asks the cluster of KUBECONFIG whether it would take the definitions made by defineResource. Nothing is stored: every call
// is a dry run. Only `npm run test:real` runs it.
import { CustomResourceDefinition } from "@kubewright/api";
import { clientFromKubeConfig, loadKubeConfig } from "@kubewright/client";
import { describe, expect, test } from "vitest";
import { seedKinds } from "../seed-kinds.js";

describe.skipIf(process.env["KUBEWRIGHT_TEST_REAL"] !== "1")("a real cluster would take", () => {
  test.each(seedKinds)("$name", async ({ name, resource }) => {
    const client = clientFromKubeConfig(await loadKubeConfig({ env: process.env }));
    const options = { dryRun: true, fieldValidation: "Strict", fieldManager: "kubewright-test" } as const;
    const crd = resource.crd();
    const applied = { ...crd, metadata: { ...crd.metadata, name } };
    const stored = await client.apply(CustomResourceDefinition, applied, { ...options, force: true });
    expect(stored.spec.versions).toEqual(JSON.parse(JSON.stringify(crd.spec.versions)));
    await client.close();
  });
});
