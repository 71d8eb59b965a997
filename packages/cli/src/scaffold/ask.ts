// Questions to a person at a terminal. Nobody is asked where there is none.
import { createInterface } from "node:readline/promises";
import { UsageError } from "../command.js";

/** Whether there is somebody to ask. */
export const canAsk = (): boolean => process.stdin.isTTY === true && process.stdout.isTTY === true;

/** Asks, and asks again while the answer cannot be. */
export async function ask(
  question: string,
  fallback: string,
  check: (answer: string) => void,
): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const ended = new Promise<never>((_, reject) => {
    terminal.once("close", () => reject(new UsageError("interrupted; nothing was written")));
  });
  ended.catch(() => undefined);
  try {
    for (;;) {
      const answered = await Promise.race([terminal.question(`${question} (${fallback}): `), ended]);
      const answer = answered.trim() || fallback;
      try {
        check(answer);
        return answer;
      } catch (error) {
        process.stdout.write(`${error instanceof Error ? error.message : String(error)}\n`);
      }
    }
  } finally {
    terminal.close();
  }
}
