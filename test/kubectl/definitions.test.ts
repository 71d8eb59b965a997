// Definitions made by defineResource are taken by kubectl and the server as they are, and give what their authors wrote.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { seedKinds } from "../seed-kinds.js";
import { findKubectls, KubectlFixture } from "./kubectl.js";

const [kubectl] = findKubectls();
describe.skipIf(!kubectl)("a definition made from a schema", { timeout: 30_000 }, () => {
  let fixture: KubectlFixture;
  beforeAll(async () => {
    if (kubectl) fixture = await KubectlFixture.start(kubectl);
  });
  afterAll(() => fixture?.close());

  test.each(seedKinds)("$name is applied unchanged", async ({ name, resource }) => {
    const crd = resource.crd();
    const input = stringify(crd);
    expect(await fixture.ok("apply --validate=strict -f -", { input })).toBe(
      `customresourcedefinition.apiextensions.k8s.io/${name} created\n`,
    );
    expect(await fixture.ok("apply -f -", { input })).toContain("unchanged");
    const stored = JSON.parse(await fixture.ok(`get crd ${name} -o json`)) as {
      spec: { versions: object[] };
    };
    expect(stored.spec.versions).toEqual(JSON.parse(JSON.stringify(crd.spec.versions)));
  });

  test("objects of it follow the schema", async () => {
    const box = { apiVersion: "model.github.com/v1", kind: "ModelBox", metadata: { name: "box" } };
    const spec = { image: "nginx", ports: [{ port: 80 }] };
    await fixture.ok("apply -f -", { input: stringify({ ...box, spec }) });
    expect(await fixture.ok("get mb box -o jsonpath={.spec.replicas}/{.spec.rollingUpdate}")).toBe("1/25%");
    const refused = await fixture.run("apply -f -", {
      input: stringify({ ...box, spec: { ...spec, rollingUpdate: "0%" } }),
    });
    expect(refused.stderr).toContain("spec.rollingUpdate");
  });
});
