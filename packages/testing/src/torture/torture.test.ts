import type { ManagerDefinition } from "@kubewright/runtime";
import { describe, expect, test } from "vitest";
import { deskScenario, desks } from "../fixtures/desk.js";
import { planted, plantedGap, plantedOlderView } from "../fixtures/planted-bugs.js";
import {
  type Finding,
  type TortureMode,
  type TortureOptions,
  torture,
  tortureModes,
  tortureText,
} from "../index.js";
import { parseWalk, walkText } from "./action.js";
import { disturbanceText, parseDisturbances } from "./disturbance.js";

const common: Omit<TortureOptions, "manager"> = {
  resources: desks.resources,
  cluster: desks.cluster,
  scenario: deskScenario,
  rest: "1m",
};

/** All of it takes a minute: KUBEWRIGHT_LONG_TESTS=1 does that. */
const isLong = process.env["KUBEWRIGHT_LONG_TESTS"] !== undefined;
const modes: readonly TortureMode[] = isLong ? tortureModes : ["interleavings", "states"];

test("torture: nothing is found in an operator without a mistake", { timeout: 300_000 }, async () => {
  const report = await torture({ ...common, manager: desks.right(), reload: desks.right, seeds: 3, modes });
  expect(tortureText(report)).toMatch(/^\d+ writes, \d+ runs, nothing found$/);
  expect(report.writes.length).toBeGreaterThan(9);
});

/** A run is repeated exactly, and shows nothing without the mistake. */
async function checkReplay(finding: Finding, make: () => ManagerDefinition): Promise<void> {
  const { replay } = finding;
  const again = await torture({ ...common, manager: make(), reload: make, replay });
  expect(again.findings).toEqual([finding]);
  const clean = await torture({ ...common, manager: desks.right(), reload: desks.right, replay });
  expect(clean.findings, tortureText(clean)).toEqual([]);
}

/** Two disguises of each, and those that the undisturbed run shows; KUBEWRIGHT_LONG_TESTS=1 tries the others, too. */
const tried = planted.map((each) => ({
  ...each,
  disguises: isLong || each.isSeenUndisturbed ? each.disguises : each.disguises.slice(0, 2),
}));

describe.each(tried)("torture finds a planted $name", ({ message, modes, disguises }) => {
  test.each(disguises.map((make, index) => [index + 1, make] as const))(
    "in disguise %i, repeats it exactly, and finds nothing there without the mistake",
    { timeout: 300_000 },
    async (_, make) => {
      const report = await torture({ ...common, manager: make(), reload: make, mostFindings: 1, modes });
      const [finding] = report.findings;
      expect(finding?.message, tortureText(report)).toMatch(message);
      if (finding && finding.replay !== "") await checkReplay(finding, make);
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
  "fail-pods+1 heal-pods+2 crash#3+4",
])("torture: the text %s of a walk is read back", (text) => {
  expect(walkText(parseWalk(text))).toBe(text);
});

test.each(["change:0+5", "remove#2+5", "crash", "delete-child+5", "crash:1+5"])(
  "torture: %s is no text of a walk",
  (text) => {
    expect(() => parseWalk(text)).toThrow(`${text} is no action`);
  },
);

test.each(plantedOlderView.disguises.map((make, index) => [index + 1, make] as const))(
  "torture finds an older view that is taken for the present, in disguise %i, and shortens its time",
  { timeout: 60_000 },
  async (_, make) => {
    const replay = "older-view:11@13+30000";
    const report = await torture({ ...common, manager: make(), reload: make, replay });
    expect(report.findings[0]?.message, tortureText(report)).toMatch(plantedOlderView.message);
    expect(report.findings[0]?.replay).toMatch(/^older-view:11@13\+\d{1,4}$/);
  },
);

test("torture: a failing seed is shrunk to a walk of which nothing can be spared, and which is repeated exactly", {
  timeout: 300_000,
}, async () => {
  const { make, message } = plantedGap;
  const given = { ...common, manager: make(), reload: make };
  const report = await torture({ ...given, mostFindings: 1, modes: ["states"] });
  const [finding] = report.findings;
  if (!finding) throw new Error(tortureText(report));
  expect(finding.message).toMatch(message);
  await checkReplay(finding, make);
  const walk = parseWalk(finding.replay);
  expect(walk.length).toBeGreaterThan(1);
  for (const index of walk.keys()) {
    const replay = walkText(walk.toSpliced(index, 1));
    const fewer = await torture({ ...given, replay });
    expect(fewer.findings, replay).toEqual([]);
  }
});

test("torture: a report has the shortest sequence and the command that repeats it", {
  timeout: 60_000,
}, async () => {
  const make = planted[0]?.disguises[0] ?? desks.right;
  const replay = "delay-timers+2000 crash-after@5 delay-write@2+100";
  const report = await torture({ ...common, manager: make(), reload: make, replay });
  const [head, ...lines] = tortureText(report, "npx kubewright torture").split("\n");
  expect(head).toMatch(/^13 writes, \d+ runs, 1 found$/);
  expect(lines).toEqual([
    "the scenario:",
    "  1. create a desk with two drawers",
    "  2. take one drawer out",
    "  3. the lamp fails",
    "  4. delete the desk",
    "",
    "1. Secret default/mine-key-* is there 2 times, not 1",
    "   expected: the same objects as undisturbed; none missing, left over, doubled or different (same-state)",
    "   seen after: create a desk with two drawers",
    "   the shortest sequence:",
    "     1. the manager crashed after write 5 (POST /api/v1/namespaces/default/secrets)",
    '   replay: npx kubewright torture --replay "crash-after@5"',
  ]);
  expect(tortureText(report)).toMatch(/ replay: torture\(\{ …, replay: "crash-after@5" \}\)$/);
});

test("torture: a child that does one piece of work may be missing after somebody deleted it", {
  timeout: 60_000,
}, async () => {
  // Its key is made once.
  const make = planted[0]?.disguises[0] ?? desks.right;
  const given = { ...common, manager: make(), reload: make, replay: "delete-written@5" };
  const [finding] = (await torture(given)).findings;
  expect(finding?.message).toBe("Secret default/mine-key-* is missing");
  const report = await torture({ ...given, oneShots: ["Secret"] });
  expect(report.findings, tortureText(report)).toEqual([]);
  const others = await torture({ ...given, oneShots: ["Secret"], replay: "crash-after@5" });
  expect(others.findings).toHaveLength(1);
});
