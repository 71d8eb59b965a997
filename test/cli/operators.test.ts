// What is generated for the operators of this repository is what is committed.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CliFixture } from "./cli-fixture.js";

const root = join(import.meta.dirname, "../../operators");
const fixture = new CliFixture("guestbook");
beforeAll(() => fixture.bundle());
afterAll(() => fixture.close());

test.each(readdirSync(root))("config/ of %s is up to date", { timeout: 60_000 }, async (operator) => {
  const { ended } = fixture.start(["manifests", "--check"], { cwd: join(root, operator) });
  expect(await ended).toMatchObject({ code: 0, stdout: "up to date\n" });
});
