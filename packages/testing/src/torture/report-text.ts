// The report of a campaign for people: what was done, what was found, and how to repeat it.
import type { Oracle } from "./oracles.js";
import type { Finding, TortureReport } from "./torture-options.js";

/** What each oracle expects. */
const expectations: Readonly<Record<Oracle, string>> = {
  "same-state": "the same objects as undisturbed; none missing, left over, doubled or different",
  "clean-up": "what the operator made is gone with what it was made for, finalizers and all",
  bystanders: "what was there before stays there",
  "true-status": "no status claims more than is so",
  settles: "everything comes to rest",
  "no-program-error": "no error of the program, none uncaught, no request without permission",
  scenario: "the steps of the scenario succeed",
  invariant: "what the author states holds",
};

/**
 * `command` is the command line that a replay is an option of: `npx kubewright torture`. Without it a replay is the option of `torture` in a
 * test.
 */
export function tortureText({ steps, writes, runs, findings }: TortureReport, command?: string): string {
  const head = `${writes.length} writes, ${runs} runs, ${findings.length === 0 ? "nothing" : findings.length} found`;
  if (findings.length === 0) return head;
  return [
    head,
    "the scenario:",
    ...steps.map((step, index) => `  ${index + 1}. ${step}`),
    ...findings.flatMap((finding, index) => ["", ...findingLines(finding, index + 1, command)]),
  ].join("\n");
}

function findingLines(finding: Finding, number: number, command: string | undefined): readonly string[] {
  const { oracle, message, step, sequence, replay } = finding;
  return [
    `${number}. ${message}`,
    `   expected: ${expectations[oracle]} (${oracle})`,
    `   seen after: ${step}`,
    ...(sequence.length === 0
      ? ["   nothing was disturbed: the scenario alone leads to it"]
      : ["   the shortest sequence:", ...sequence.map((line, index) => `     ${index + 1}. ${line}`)]),
    ...(replay === "" ? [] : [`   replay: ${replayText(replay, command)}`]),
  ];
}

const replayText = (replay: string, command: string | undefined): string =>
  command === undefined ? `torture({ …, replay: "${replay}" })` : `${command} --replay "${replay}"`;
