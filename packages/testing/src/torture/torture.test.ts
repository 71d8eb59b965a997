import { describe, expect, test } from "vitest";
import { deskScenario, desks, planted, plantedOlderView } from "../fixtures/desk.js";
import { parseWalk, walkText } from "./action.js";
import { disturbanceText, parseDisturbances } from "./disturbance.js";
import { type TortureMode, type TortureOptions, torture, tortureModes, tortureText } from "./index.js";

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

test.each([
  ...["crash-after@5", "crash-before@2", "fail@4", "lose-answer@5", "conflict@3", "delete-written@5"],
  ...[
    "edit-written@3",
    "freeze:secrets@5+30000",
    "lose-answer@5 freeze:secrets@5+30000",
    "older-view:11@13+30000",
  ],
])(
  "torture: nothing is found in an operator without a mistake by %s",
  { timeout: 60_000 },
  async (replay) => {
    const report = await torture({ ...common, manager: desks.right(), reload: desks.right, replay });
    expect(tortureText(report)).toMatch(/^\d+ writes, 2 runs, nothing found$/);
  },
);

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

test("torture: a report has the shortest sequence and the command that repeats it", {
  timeout: 60_000,
}, async () => {
  const make = planted[0]?.disguises[0] ?? desks.right;
  const replay = "delay-timers+2000 crash-after@5 delay-write@2+100";
  const report = await torture({ ...common, manager: make(), reload: make, replay });
  const [head, ...lines] = tortureText(report).split("\n");
  expect(head).toMatch(/^13 writes, \d+ runs, 1 found$/);
  expect(lines).toEqual([
    "",
    "1. Secret default/mine-key-* is there 2 times, not 1",
    "   oracle: same-state, after: create a desk with two drawers",
    "   the shortest sequence:",
    "     1. the manager crashed after write 5 (POST /api/v1/namespaces/default/secrets)",
    '   replay: kubewright torture --replay "crash-after@5"',
  ]);
});
