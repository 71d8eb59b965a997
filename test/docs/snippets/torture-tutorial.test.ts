import { readFileSync } from "node:fs";
import { tortureText } from "@kubewright/testing";
import { expect, test } from "vitest";
import { blocksOf, isExpected } from "../page-runner.js";
import { carefulController, deskController, tortureDesk } from "./torture-tutorial.js";

test("docs/tutorials/torture.md: torture finds the fault, with the report that the page shows, and nothing after the repair", async () => {
  const page = readFileSync(new URL("../../../docs/tutorials/torture.md", import.meta.url), "utf8");
  const [shown] = blocksOf(page).filter(({ info }) => info === "text");
  const report = tortureText(await tortureDesk(deskController));
  expect(isExpected(report, shown?.text.trim() ?? "nothing is shown"), report).toBe(true);
  const repaired = await tortureDesk(carefulController);
  expect(repaired.findings, tortureText(repaired)).toEqual([]);
}, 60_000);
