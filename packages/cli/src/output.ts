// What a command found or did: a text for people, or JSON or YAML for programs.
import { withoutControls } from "./terminal.js";

/** Prints a result on standard output in the format asked for; the text is made only when it is shown. */
export async function printResult(
  format: string | undefined,
  result: unknown,
  text: () => string,
): Promise<void> {
  process.stdout.write(await formatted(format, result, text));
}

async function formatted(format: string | undefined, result: unknown, text: () => string): Promise<string> {
  if (format === "json") return `${JSON.stringify(result, undefined, 2)}\n`;
  if (format === "yaml") return (await import("@kubewright/machinery")).stringifyYaml(result);
  const lines = withoutControls(text());
  return lines === "" || lines.endsWith("\n") ? lines : `${lines}\n`;
}
