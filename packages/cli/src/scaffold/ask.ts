// Questions to a person at a terminal. Nobody is asked where there is none.
import { createInterface } from "node:readline/promises";
import { Interrupted } from "../command.js";

/** Whether there is somebody to ask. */
export const canAsk = (): boolean => process.stdin.isTTY === true && process.stdout.isTTY === true;

/** Asks, and asks again while the answer cannot be; an empty answer is the fallback. */
export async function ask(
  question: string,
  fallback: string,
  check: (answer: string) => void,
): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const ended = new Promise<never>((_, reject) => {
    terminal.once("close", () => {
      // What is said of it does not belong behind the question.
      process.stdout.write("\n");
      reject(new Interrupted("interrupted; nothing was written"));
    });
  });
  ended.catch(() => undefined);
  const shown = fallback === "" ? `${question}: ` : `${question} (${fallback}): `;
  try {
    for (;;) {
      const answered = await Promise.race([terminal.question(shown), ended]);
      const answer = answered.trim() || fallback;
      try {
        check(answer);
        return answer;
      } catch (error) {
        process.stdout.write(`${error instanceof Error ? error.message : String(error)}\n`);
      }
    }
  } finally {
    terminal.removeAllListeners("close");
    terminal.close();
  }
}
