// A short part of what `npm run torture` does to the operators of this repository: the undisturbed run and one random walk each. docs/torture-results.md has the results of the whole.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { customKindsOf, type ManagerDefinition } from "@kubewright/runtime";
import { type TortureSettings, torture, tortureText } from "@kubewright/testing";
import { describe, expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const operators = readdirSync(join(root, "operators")).filter((name) =>
  existsSync(join(root, "operators", name, "src/torture.ts")),
);

test("there are operators to torture", () =>
  expect(operators).toEqual(
    expect.arrayContaining(
      "application appservice crontab etcd guestbook modelbox scheduled-scaler".split(" "),
    ),
  ));

describe.each(operators)("%s", (name) => {
  test("survives a random walk", { timeout: 120_000 }, async () => {
    const { default: main } = (await import(`../../operators/${name}/src/main.ts`)) as {
      readonly default: ManagerDefinition;
    };
    const { default: settings } = (await import(`../../operators/${name}/src/torture.ts`)) as {
      readonly default: TortureSettings & Pick<Required<TortureSettings>, "scenario">;
    };
    const manager = settings.manager ?? main;
    const report = await torture({
      ...settings,
      manager,
      resources: customKindsOf(manager),
      modes: ["states"],
      seeds: 1,
    });
    expect(report.findings, tortureText(report)).toEqual([]);
    expect(report.writes.length).toBeGreaterThan(3);
    expect(report.runs).toBe(2);
  });

  test("has a line in docs/torture-results.md", () => {
    const page = readFileSync(join(root, "docs/torture-results.md"), "utf8");
    expect(page).toMatch(new RegExp(`^\\| ${name} \\|`, "m"));
  });
});
