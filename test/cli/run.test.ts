// The operator of a project run from source by the command, as a program of its own, with kubectl beside it.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Deployment } from "@kubewright/api";
import { type Client, clientFromKubeConfig, hasCondition, loadKubeConfig, waitFor } from "@kubewright/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findKubectls } from "../kubectl/kubectl.js";
import { CliFixture } from "./cli-fixture.js";

const fixture = new CliFixture("modelbox");
const kubeconfig = join(fixture.project, ".kubewright", "kubeconfig");
const [kubectl] = findKubectls();
const patience = 180_000;

const box = (name: string) => `apiVersion: model.github.com/v1
kind: ModelBox
metadata: { name: ${name}, namespace: default }
spec: { image: "nginx:1.27", ports: [{ port: 80 }] }
`;

async function clientOf(): Promise<Client> {
  return clientFromKubeConfig(await loadKubeConfig({ path: kubeconfig }));
}

/** With kubectl where there is one. */
async function apply(client: Client, name: string): Promise<void> {
  if (kubectl) {
    execFileSync(kubectl.command, ["--kubeconfig", kubeconfig, "apply", "-f", "-"], { input: box(name) });
    return;
  }
  const kind = await client.resource({ apiVersion: "model.github.com/v1", kind: "ModelBox" });
  const spec = { image: "nginx:1.27", ports: [{ port: 80 }] };
  await client.create(kind, { metadata: { name, namespace: "default" }, spec });
}

beforeAll(() => fixture.bundle(), patience);
afterAll(() => fixture.close());

test(
  "run --embedded reconciles what kubectl applies, answers webhooks, explains itself and leaves nothing behind",
  async () => {
    const running = fixture.start(["run", "--embedded"]);
    await running.printed("operator modelbox started");
    const client = await clientOf();
    await apply(client, "web");
    const kind = await client.resource({ apiVersion: "model.github.com/v1", kind: "ModelBox" });
    await waitFor(client, kind, "web", hasCondition("Available"), { namespace: "default" });
    const bad = {
      metadata: { name: "bad", namespace: "default" },
      spec: { image: "nginx", containers: [{ name: "bad", image: "b" }], ports: [{ port: 80 }] },
    };
    await expect(client.create(kind, bad)).rejects.toThrow("spec.containers[0].name: Duplicate value");
    const explained = await fixture.start(["explain-reconcile", "modelbox", "web", "-o", "json"]).ended;
    expect(JSON.parse(explained.stdout).objects[0].history[0]).toMatchObject({
      controller: "modelbox",
      key: "default/web",
    });
    await client.close();
    running.child.kill("SIGTERM");
    const { code, stderr } = await running.ended;
    const started = stderr.split("\n").find((line) => line.includes('"msg":"started"')) ?? "{}";
    expect(JSON.parse(started)).toMatchObject({
      level: "info",
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      kinds: expect.arrayContaining(["ModelBox"]),
      metrics: expect.anything(),
      webhooks: expect.anything(),
      leaderElection: "off",
    });
    expect({ code, errors: stderr.split("\n").filter((line) => line.includes('"level":"error"')) }).toEqual({
      code: 0,
      errors: [],
    });
    expect(existsSync(kubeconfig)).toBe(false);
  },
  patience,
);

test(
  "dev takes over saves, keeps the cluster, and shows what does not compile without stopping",
  async () => {
    // A project with manifests that do not follow from its code: here there are none of them yet.
    mkdirSync(join(fixture.project, "config"));
    const running = fixture.start(["dev"]);
    await running.printed("operator modelbox started");
    await running.printed("; npx kubewright manifests updates it");
    const client = await clientOf();
    await apply(client, "kept");
    await running.printed("ModelBox default/kept: ");
    await running.printed(" → apply ");
    const source = join(fixture.project, "src/controllers/children.ts");
    const text = readFileSync(source, "utf8");
    writeFileSync(source, `${text}\nexport const broken = (;\n`);
    await running.printed(`src/controllers/children.ts:${text.split("\n").length + 1}`);
    writeFileSync(
      source,
      text.replace('"app.kubernetes.io/managed-by": "modelbox"', '"app.kubernetes.io/managed-by": "another"'),
    );
    const isChanged = (deployment: Deployment | undefined): boolean =>
      deployment?.metadata?.labels?.["app.kubernetes.io/managed-by"] === "another";
    await waitFor(client, Deployment, "kept", isChanged, { namespace: "default" });
    // What throws while it is loaded, or while it reconciles, is told with its place in the sources.
    writeFileSync(source, `${text}\nthrow new Error("not today");\n`);
    await running.printed(`\nsrc/controllers/children.ts:${text.split("\n").length + 1}:7: not today`);
    writeFileSync(source, text);
    await client.close();
    running.child.kill("SIGINT");
    expect((await running.ended).code).toBe(0);
  },
  patience,
);

test("outside a project, one line says what to do", async () => {
  const { code, stderr } = await fixture.start(["run"], { cwd: fixture.directory }).ended;
  expect(code).toBe(2);
  expect(stderr).toMatch(/^kubewright run: .* is not in a project: .*kubewright init creates one\n$/);
});

test.each([
  ["export const x = (;\n", 1, "src/main.ts:1:19: Unexpected"],
  ["export default { name: 1 };\n", 2, "src/main.ts must default-export a manager"],
  [
    'import { nothing } from "no-such-package";\nexport default nothing;\n',
    1,
    'src/main.ts:1:25: Could not resolve "no-such-package"',
  ],
])(
  "a main.ts that cannot be is told with its place: %j",
  async (text, code, message) => {
    const main = join(fixture.project, "src/main.ts");
    const before = readFileSync(main, "utf8");
    writeFileSync(main, text);
    const ended = await fixture.start(["manifests", "--check"]).ended;
    writeFileSync(main, before);
    expect(ended).toMatchObject({ code, stderr: expect.stringContaining(message) });
  },
  patience,
);
