// The report of a campaign for people: what was done, what was found, and the command that repeats it.
import type { Finding, TortureReport } from "./torture.js";

/** `command` is what the replay is an option of. */
export function tortureText(
  { writes, runs, findings }: TortureReport,
  command = "kubewright torture",
): string {
  const outcome = findings.length === 0 ? "nothing found" : `${findings.length} found`;
  const head = `${writes.length} writes, ${runs} runs, ${outcome}`;
  return [
    head,
    ...findings.flatMap((finding, index) => ["", ...findingLines(finding, index + 1, command)]),
  ].join("\n");
}

function findingLines(finding: Finding, number: number, command: string): readonly string[] {
  const { oracle, message, step, sequence, replay } = finding;
  return [
    `${number}. ${message}`,
    `   oracle: ${oracle}, after: ${step}`,
    ...(sequence.length === 0
      ? ["   nothing was disturbed"]
      : ["   the shortest sequence:", ...sequence.map((line, index) => `     ${index + 1}. ${line}`)]),
    ...(replay === "" ? [] : [`   replay: ${command} --replay "${replay}"`]),
  ];
}
