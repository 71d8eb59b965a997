// The commands an operator's author types, with the real kubectl. Skipped, out loud, where there is none.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findKubectls, KubectlFixture } from "./kubectl.js";

const kubectls = findKubectls();
if (kubectls.length === 0) console.warn("skipped: there is no kubectl on this machine");

const configMap = (name: string, value: string) =>
  JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { k: value } });

const crd = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: crontabs.stable.example.com }
spec:
  group: stable.example.com
  scope: Namespaced
  names: { plural: crontabs, singular: crontab, kind: CronTab, shortNames: [ct] }
  versions:
  - name: v1
    served: true
    storage: true
    subresources: { status: {}, scale: { specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas } }
    additionalPrinterColumns: [{ name: Spec, type: string, jsonPath: .spec.cronSpec }]
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            required: [cronSpec]
            properties:
              cronSpec: { type: string, description: When to run }
              image: { type: string }
              replicas: { type: integer, minimum: 0, default: 1 }
          status: { type: object, x-kubernetes-preserve-unknown-fields: true }
`;
const cronTab =
  "apiVersion: stable.example.com/v1\nkind: CronTab\nmetadata: {name: mine}\nspec: {cronSpec: '* * * * *'}\n";

describe.each(kubectls)("kubectl $version", { timeout: 60_000 }, (kubectl) => {
  let fixture: KubectlFixture;
  beforeAll(async () => {
    fixture = await KubectlFixture.start(kubectl);
  });
  afterAll(() => fixture.close());

  test("get and describe", async () => {
    expect(await fixture.ok("get namespaces")).toMatch(/default\s+Active/);
    expect(await fixture.ok("get namespace default -o jsonpath={.status.phase}")).toBe("Active");
    expect(await fixture.ok("describe namespace default")).toMatch(/Status:\s+Active/);
    const { code, stderr } = await fixture.run("get configmap absent");
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'Error from server (NotFound): configmaps "absent" not found\n',
    });
  });

  test("create, by generators and from a file", async () => {
    await fixture.ok("create deployment web --image=nginx --replicas=2");
    expect(await fixture.ok("get deployment web")).toMatch(/web\s+0\/2\s+0\s+0/);
    expect(await fixture.ok("create -f -", { input: configMap("made", "1") })).toBe(
      "configmap/made created\n",
    );
    const again = await fixture.run("create -f -", { input: configMap("made", "1") });
    expect(again.stderr).toContain('configmaps "made" already exists');
    await fixture.ok("create secret generic s --from-literal=a=b");
    expect(await fixture.ok("get secret s -o jsonpath={.data.a}")).toBe("Yg==");
    await fixture.ok("create service clusterip db --tcp=5432:5432");
    expect(await fixture.ok("get service db -o jsonpath={.spec.clusterIP}")).toMatch(/^10\./);
  });

  test("apply, client side", async () => {
    expect(await fixture.ok("apply -f -", { input: configMap("a", "1") })).toBe("configmap/a created\n");
    expect(await fixture.ok("apply -f -", { input: configMap("a", "1") })).toBe("configmap/a unchanged\n");
    expect(await fixture.ok("apply -f -", { input: configMap("a", "2") })).toBe("configmap/a configured\n");
  });

  test("apply, server side, with a conflict and its resolution", async () => {
    const apply = (value: string, flags: string) =>
      fixture.run(`apply --server-side ${flags} -f -`, { input: configMap("b", value) });
    expect((await apply("1", "--field-manager=one")).stdout).toBe("configmap/b serverside-applied\n");
    const conflict = await apply("2", "--field-manager=two");
    expect(conflict.stderr).toContain('conflict with "one"');
    expect((await apply("2", "--field-manager=two --force-conflicts")).code).toBe(0);
    expect(await fixture.ok("get configmap b -o jsonpath={.data.k}")).toBe("2");
  });

  test("diff says what would change", async () => {
    await fixture.ok("apply -f -", { input: configMap("d", "1") });
    const { code, stdout } = await fixture.run("diff -f -", { input: configMap("d", "2") });
    expect(code).toBe(1);
    expect(stdout).toContain('+  k: "2"');
  });

  test("edit", async () => {
    await fixture.ok("apply -f -", { input: configMap("e", "before") });
    const editor = join(fixture.directory, "editor.sh");
    writeFileSync(editor, '#!/bin/sh\nsed -i s/before/after/ "$1"\n', { mode: 0o755 });
    await fixture.ok("edit configmap e", { env: { KUBE_EDITOR: editor } });
    expect(await fixture.ok("get configmap e -o jsonpath={.data.k}")).toBe("after");
  });

  test("patch, label, annotate", async () => {
    await fixture.ok("apply -f -", { input: configMap("p", "1") });
    await fixture.ok('patch configmap p --type=merge -p {"data":{"m":"2"}}');
    await fixture.ok('patch configmap p --type=json -p [{"op":"add","path":"/data/j","value":"3"}]');
    await fixture.ok('patch configmap p -p {"data":{"s":"4"}}');
    await fixture.ok("label configmap p tier=front");
    await fixture.ok("annotate configmap p note=x");
    expect(await fixture.ok("get configmap -l tier=front -o name")).toBe("configmap/p\n");
    expect(JSON.parse(await fixture.ok("get configmap p -o json"))).toMatchObject({
      data: { k: "1", m: "2", j: "3", s: "4" },
      metadata: { annotations: { note: "x" } },
    });
  });

  test("a custom kind: apply, get, explain, scale, validation", async () => {
    expect(await fixture.ok("apply -f -", { input: crd })).toContain("created");
    await fixture.ok("wait --for=condition=Established crd/crontabs.stable.example.com --timeout=10s");
    expect(await fixture.ok("apply -f -", { input: cronTab })).toBe(
      "crontab.stable.example.com/mine created\n",
    );
    expect(await fixture.ok("apply -f -", { input: cronTab })).toBe(
      "crontab.stable.example.com/mine unchanged\n",
    );
    expect(await fixture.ok("get ct")).toMatch(/NAME\s+SPEC\nmine\s+\* \* \* \* \*/);
    expect(await fixture.ok("explain crontab.spec.cronSpec")).toContain("When to run");
    const fields = await fixture.ok("explain crontab");
    expect(fields).toMatch(
      /APIVersion defines[\s\S]*Kind is a string value[\s\S]*Standard object's metadata/,
    );
    expect(await fixture.ok("explain crontab.metadata")).toMatch(
      /Standard object's metadata[\s\S]*creationTimestamp\s*<string>\s*CreationTimestamp is a timestamp/,
    );
    await fixture.ok("scale ct mine --replicas=3");
    expect(await fixture.ok("get ct mine -o jsonpath={.spec.replicas}")).toBe("3");
    const bad = await fixture.run("apply -f -", { input: cronTab.replace("cronSpec:", "cronSpek:") });
    expect(bad.stderr).toContain('unknown field "spec.cronSpek"');
    const missing = await fixture.run("apply --validate=false -f -", {
      input: "apiVersion: stable.example.com/v1\nkind: CronTab\nmetadata: {name: x}\nspec: {}\n",
    });
    expect(missing.stderr).toContain("spec.cronSpec: Required value");
  });

  test("a kind nobody defined", async () => {
    const { stderr } = await fixture.run("apply -f -", {
      input: "apiVersion: nobody.example.com/v1\nkind: Nothing\nmetadata: {name: x}\n",
    });
    expect(stderr).toContain('no matches for kind "Nothing" in version "nobody.example.com/v1"');
  });

  test("explain, api-resources, api-versions, version", async () => {
    expect(await fixture.ok("explain deployment.spec.replicas")).toContain("FIELD: replicas <integer>");
    const strategy = (await fixture.ok("explain deployment.spec.strategy")).replace(/\s+/g, " ");
    expect(strategy).toContain("How old pods are replaced by new ones.");
    expect(strategy).toContain('"Recreate" stops all old pods first.');
    expect(strategy).not.toContain("<no description>");
    expect(await fixture.ok("explain pod.spec.containers --recursive")).toContain("livenessProbe");
    expect(await fixture.ok("api-resources --api-group=apps -o name")).toContain("deployments.apps");
    expect(await fixture.ok("api-versions")).toContain("apps/v1");
    expect(await fixture.ok("version")).toMatch(/Server Version:.*v1\.36/);
  });

  test("auth can-i, create token", async () => {
    expect(await fixture.ok("auth can-i create pods")).toBe("yes\n");
    const denied = await fixture.run("auth can-i create pods --as=nobody");
    expect({ code: denied.code, stdout: denied.stdout }).toEqual({ code: 1, stdout: "no\n" });
    await fixture.ok("create serviceaccount robot");
    const token = (await fixture.ok("create token robot")).trim();
    expect(token.split(".")).toHaveLength(3);
  });

  // kubectl 1.27 asks for a beta of this API that servers of today no longer have.
  test.skipIf(kubectl.version.startsWith("v1.27."))("auth whoami", async () => {
    expect(await fixture.ok("auth whoami -o jsonpath={.status.userInfo.username}")).toBe("admin");
  });

  test("scale, rollout history, set image, wait, delete", async () => {
    await fixture.ok("create deployment api --image=nginx");
    expect(await fixture.ok("scale deployment api --replicas=4")).toBe("deployment.apps/api scaled\n");
    await fixture.ok("set image deployment/api nginx=nginx:2");
    expect(
      await fixture.ok(
        "get deployment api -o jsonpath={.spec.replicas}{.spec.template.spec.containers[0].image}",
      ),
    ).toBe("4nginx:2");
    expect(await fixture.ok("delete deployment api")).toContain('"api" deleted');
    await fixture.ok("wait --for=delete deployment/api --timeout=10s");
  });

  test("get --watch prints changes as they happen", async () => {
    await fixture.ok("apply -f -", { input: configMap("w", "1") });
    const watching = fixture.run("get configmaps --watch -o name", { stopAfter: { text: "configmap/late" } });
    await fixture.ok("apply -f -", { input: configMap("late", "1") });
    expect((await watching).stdout).toContain("configmap/late");
  });

  test("dry run changes nothing", async () => {
    expect(await fixture.ok("apply --dry-run=server -f -", { input: configMap("dry", "1") })).toContain(
      "created (server dry run)",
    );
    expect((await fixture.run("get configmap dry")).code).toBe(1);
  });

  test("proxy serves the API without credentials", async () => {
    const proxying = fixture.run("proxy --port=0", {
      stopAfter: { text: "Starting to serve", use: readThroughProxy },
    });
    expect((await proxying).after).toMatchObject({ kind: "NamespaceList" });
  });
});

test.skipIf(kubectls.length > 0)("kubectl: not on this machine, nothing was tried", () => undefined);

async function readThroughProxy(printed: string): Promise<unknown> {
  const address = /127\.0\.0\.1:\d+/.exec(printed)?.[0];
  const response = await fetch(`http://${address}/api/v1/namespaces`);
  return response.json();
}
