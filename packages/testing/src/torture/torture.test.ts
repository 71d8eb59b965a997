import { describe, expect, test } from "vitest";
import { deskScenario, desks, planted } from "../fixtures/desk.js";
import { parseWalk, walkText } from "./action.js";
import { disturbanceText, parseDisturbances } from "./disturbance.js";
import { type TortureMode, type TortureOptions, torture, tortureModes, tortureText } from "./index.js";

const common: Omit<TortureOptions, "manager"> = {
  resources: desks.resources,
  cluster: desks.cluster,
  scenario: deskScenario,
  rest: "1m",
};

/** A stale cache at every event of every informer takes half a minute: KUBEWRIGHT_LONG_TESTS=1 does that, too. */
const modes: readonly TortureMode[] = process.env["KUBEWRIGHT_LONG_TESTS"]
  ? tortureModes
  : ["crashes", "interleavings"];

test("torture: nothing is found in an operator without a mistake", { timeout: 300_000 }, async () => {
  const report = await torture({ ...common, manager: desks.right(), reload: desks.right, seeds: 3, modes });
  expect(tortureText(report)).toMatch(/^\d+ writes, \d+ runs, nothing found$/);
  expect(report.writes.length).toBeGreaterThan(9);
});

describe.each(planted)("torture finds a planted $name", ({ message, modes, disguises }) => {
  test.each(disguises.map((make, index) => [index + 1, make] as const))(
    "in disguise %i, and says how to repeat it",
    { timeout: 300_000 },
    async (_, make) => {
      const report = await torture({ ...common, manager: make(), reload: make, mostFindings: 1, modes });
      const [finding] = report.findings;
      expect(finding?.message, tortureText(report)).toMatch(message);
      if (!finding || finding.replay === "") return;
      const again = await torture({ ...common, manager: make(), reload: make, replay: finding.replay });
      expect(again.findings[0]?.message).toBe(finding.message);
    },
  );
});

test.each([
  "crash-after@3",
  "lose-answer@1 freeze:configmaps@1+30000",
  "delay-watch:pods+5 delay-write@2+7",
  "older-view:2@7+30000 delay-timers+9 edit-written@4",
])("torture: the text %s of a run is read back", (text) => {
  expect(disturbanceText(parseDisturbances(text))).toBe(text);
});

test.each([
  "crash",
  "crash-after@0",
  "freeze@3+5",
  "delay-watch:pods@2+5",
  "fail@2+3",
  "Fail@2",
  "older-view:x@2+3",
  "delay-timers@2+3",
])("torture: %s is no text of a run", (text) => {
  expect(() => parseDisturbances(text)).toThrow(`${text} is no disturbance`);
});

test.each([
  "change:0#17+1000 remove:1+0",
  "delete-child#3+0 edit-child#4+5",
  "fail-pods+1 heal-pods+2 crash+3",
])("torture: the text %s of a walk is read back", (text) => {
  expect(walkText(parseWalk(text))).toBe(text);
});

test.each(["change:0+5", "remove#2+5", "crash", "delete-child+5", "crash:1+5"])(
  "torture: %s is no text of a walk",
  (text) => {
    expect(() => parseWalk(text)).toThrow(`${text} is no action`);
  },
);
