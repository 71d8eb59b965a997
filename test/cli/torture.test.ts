// `kubewright torture` in a project, as somebody would type it.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CliFixture, type Ended } from "./cli-fixture.js";

const fixture = new CliFixture("guestbook");
const patience = 180_000;
beforeAll(() => fixture.bundle(), patience);
afterAll(() => fixture.close());

const torture = (...argv: string[]): Promise<Ended> => fixture.start(["torture", ...argv]).ended;

/** Deletes what is not its own, once it has seen all else go well. */
const mistake = `
import { ConfigMap } from "@kubewright/api";
import { defineController, defineManager, used } from "@kubewright/runtime";
import { Guestbook } from "./api/v1/guestbook.js";

export default defineManager({
  name: "guestbook",
  controllers: [
    defineController(Guestbook, {
      uses: [used(ConfigMap)],
      reconcile: () => undefined,
      finalize: async (book, ctx) => void (await ctx.delete(ConfigMap, book.spec.configMapName)),
    }),
  ],
});
`;

test("torture: replays a run with the scenario of the project", { timeout: patience }, async () => {
  const { code, stdout, stderr } = await torture("--replay", "crash-after@3 delay-timers+500");
  expect({ code, stdout, stderr }).toMatchObject({ code: 0, stdout: "9 writes, 2 runs, nothing found\n" });
});

test("torture: reports what a scenario of its own finds, and the command that repeats it", {
  timeout: patience,
}, async () => {
  writeFileSync(join(fixture.project, "src/mistake.ts"), mistake);
  const settings = readFileSync(join(fixture.project, "src/torture.ts"), "utf8").replace(
    "export default {",
    'import manager from "./mistake.js";\nexport default {\n  manager,\n  invariants: [{ name: "the guests stay", async check(cluster) {\n    const { items } = await cluster.client.list(await cluster.client.resource({ apiVersion: "v1", kind: "ConfigMap" }));\n    return items.some(({ metadata }) => metadata?.name === "guests") ? undefined : "there are none";\n  } }],',
  );
  writeFileSync(join(fixture.project, "src/other.ts"), settings);
  const { code, stdout } = await torture("--scenario", "src/other.ts", "--replay", "fail@1");
  expect(stdout).toMatch(/^\d+ writes, 1 runs, 1 found$/m);
  expect(stdout).toContain(
    "1. the guests stay: there are none\n   expected: what the author states holds (invariant)\n   seen after: delete Guestbook web",
  );
  expect(stdout).toContain("nothing was disturbed");
  expect(code).toBe(3);
});

/** Makes a Secret with a generated name, and writes down afterwards that it has. */
const forgetful = `
import { Secret } from "@kubewright/api";
import { defineController, defineManager } from "@kubewright/runtime";
import { objectsScenario } from "@kubewright/testing";
import { Guestbook } from "./api/v1/guestbook.js";

const controller = defineController(Guestbook, {
  owns: [Secret],
  async reconcile(book, ctx) {
    if (book.status?.conditions?.length) return;
    await ctx.create(Secret, { metadata: { generateName: "web-" } });
    ctx.status({ conditions: [{ type: "Made", status: "True", reason: "Made", message: "" }] });
  },
});
const spec = { size: 1, configMapName: "guests", type: "Phone" };
const metadata = { name: "web" };
export default {
  manager: defineManager({ name: "guestbook", controllers: [controller] }),
  scenario: objectsScenario([{ apiVersion: "webapp.tutorial.kubebuilder.io/v1", kind: "Guestbook", metadata, spec }]),
};
`;

test("torture: what it reports is repeated exactly by the command that it prints, in another process", {
  timeout: 2 * patience,
}, async () => {
  writeFileSync(join(fixture.project, "src/forgetful.ts"), forgetful);
  const given = ["--scenario", "src/forgetful.ts"];
  const longer = "delay-timers+2000 delay-write@2+700 crash-after@1 freeze:secrets@2+900";
  const { code, stdout } = await torture(...given, "--replay", longer);
  expect({ code, stdout }).toMatchObject({ code: 3, stdout: expect.stringMatching(/ 1 found$/m) });
  const [, printed = ""] = /replay: npx kubewright torture (.*)$/m.exec(stdout) ?? [];
  expect(printed).toBe('--scenario src/forgetful.ts --replay "crash-after@1"');
  const words = printed.match(/"[^"]*"|\S+/g)?.map((word) => word.replaceAll('"', "")) ?? [];
  const [one, other] = await Promise.all([1, 2].map(() => torture(...words, "--output", "json")));
  expect(one?.stdout).toBe(other?.stdout);
  const { runs, findings } = JSON.parse(one?.stdout ?? "");
  expect({ runs, findings }).toMatchObject({
    // The undisturbed one and the replayed one: there is nothing to shorten.
    runs: 2,
    findings: [{ message: "Secret default/web-* is there 2 times, not 1", replay: "crash-after@1" }],
  });
});

test("torture: says what is wrong with its options", { timeout: patience }, async () => {
  expect(await torture("--scenario", "none.ts")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--scenario none.ts: there is no such file"),
  });
  expect(await torture("--replay", "crash")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--replay: crash is no disturbance; they look like crash-after@3"),
  });
  expect(await torture("--only", "everything")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--only everything: some of crashes, staleness, interleavings, states"),
  });
  expect(await torture("--shard", "5/4")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--shard 5/4: I/N is needed, with I from 1 to N, as in 1/4"),
  });
  const { stdout } = await torture("--help");
  for (const option of [
    "--scenario FILE",
    "--samples DIR",
    "--only MODES",
    "--seeds N",
    "--shard I/N",
    "--replay RUN",
  ])
    expect(stdout).toContain(option);
});
