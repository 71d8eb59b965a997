// `kubewright cluster --dashboard` as a person meets it.
import { afterAll, beforeAll, expect, test } from "vitest";
import { CliFixture } from "../cli/cli-fixture.js";

let fixture: CliFixture;
beforeAll(async () => {
  fixture = new CliFixture("crontab");
  await fixture.bundle();
}, 60_000);
afterAll(() => fixture.close());

test("the command prints the address of the dashboard, serves it, and ends it with the cluster", async () => {
  const running = fixture.start(["cluster", "--nodes", "0", "--dashboard", "--kubeconfig", "kubeconfig"]);
  const output = await running.printed("dashboard at ");
  const url = new URL(/dashboard at (\S+)/.exec(output)?.[1] ?? "");
  expect(url.hash).toMatch(/^#token=[\w-]{43}$/);
  expect(await (await fetch(url)).text()).toContain("<title>Kubewright</title>");
  expect((await fetch(new URL("/app.js", url))).status).toBe(200);
  running.child.kill("SIGTERM");
  expect((await running.ended).code).toBe(0);
  await expect(fetch(url)).rejects.toThrow();
});
