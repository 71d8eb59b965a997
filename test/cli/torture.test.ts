// `kubewright torture` in a project, as somebody would type it.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CliFixture, type Ended } from "./cli-fixture.js";

const fixture = new CliFixture("guestbook");
const patience = 60_000;
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
    "1. the guests stay: there are none\n   oracle: invariant, after: delete Guestbook web",
  );
  expect(stdout).toContain("nothing was disturbed");
  expect(code).toBe(3);
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
  const { stdout } = await torture("--help");
  for (const option of ["--scenario FILE", "--samples DIR", "--only MODES", "--seeds N", "--replay RUN"])
    expect(stdout).toContain(option);
});
