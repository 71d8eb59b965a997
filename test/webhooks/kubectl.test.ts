// What users see of webhooks: the words of the real kubectl.
import { CustomResourceDefinition, isConditionTrue } from "@kubewright/api";
import { defineManager, type RunningManager, startManager } from "@kubewright/runtime";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { findKubectls, KubectlFixture } from "../kubectl/kubectl.js";
import { Box, boxConversion, boxWebhook } from "./boxes.js";

const [kubectl] = findKubectls();

describe.skipIf(!kubectl)("kubectl", () => {
  let fixture: KubectlFixture;
  let manager: RunningManager;
  beforeAll(async () => {
    fixture = await KubectlFixture.start(kubectl!);
    const { client } = fixture.cluster;
    await client.create(CustomResourceDefinition, Box.crd());
    await vi.waitFor(async () => {
      const { status } = await client.get(CustomResourceDefinition, "boxes.example.com");
      expect(isConditionTrue(status?.conditions, "Established")).toBe(true);
    });
    const definition = defineManager({
      name: "yard",
      controllers: [],
      webhooks: [boxWebhook, boxConversion],
    });
    manager = await startManager(definition, { client, webhooks: { mode: "url", port: 0 } });
  });
  afterAll(async () => {
    await manager.close();
    await fixture.close();
  });

  const box = (name: string, spec: string, version = "v1") =>
    `apiVersion: example.com/${version}\nkind: Box\nmetadata: {name: ${name}}\nspec: ${spec}\n`;

  test("shows which fields are wrong", async () => {
    const { code, stderr } = await fixture.run("apply -f -", { input: box("a", '{size: 13, title: ""}') });
    expect(code).toBe(1);
    expect(stderr).toContain('The Box "a" is invalid:');
    expect(stderr).toContain("* spec.size: Invalid value: 13: must not be unlucky");
    expect(stderr).toContain("* spec.title: Required value");
  });

  test("shows warnings, also in a dry run", async () => {
    const { stdout, stderr } = await fixture.run("apply --dry-run=server -o yaml -f -", {
      input: box("heavy", "{size: 12}"),
    });
    expect(stderr).toContain("Warning: a box of 12 is heavy");
    expect(stdout).toContain("tier: large");
    expect((await fixture.run("get box heavy")).stderr).toContain("NotFound");
  });

  test("applies one version and gets another", async () => {
    await fixture.ok("apply -f -", { input: box("old", "{count: 4}", "v1alpha1") });
    expect(await fixture.ok("get box.v1.example.com old -o jsonpath={.spec}")).toBe(
      '{"size":4,"tier":"small","title":"old"}',
    );
    expect(await fixture.ok("get box.v1alpha1.example.com old -o jsonpath={.spec}")).toBe(
      '{"big":false,"count":4}',
    );
    expect(await fixture.ok("apply -f -", { input: box("old", "{count: 4}", "v1alpha1") })).toContain(
      "unchanged",
    );
  });
});
