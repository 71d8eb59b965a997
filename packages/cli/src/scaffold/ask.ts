// Questions to a person at a terminal. Nobody is asked where there is none.
import { createInterface } from "node:readline/promises";
import { Interrupted } from "../command.js";

/** Where questions are asked and answered. */
export interface Dialogue {
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: NodeJS.WritableStream;
}

/** Whether there is somebody to ask. */
export const canAsk = (): boolean => process.stdin.isTTY === true && process.stdout.isTTY === true;

/** Asks, and asks again while the answer cannot be; an empty answer is the fallback. */
export async function ask(
  question: string,
  fallback: string,
  check: (answer: string) => void,
  { stdin, stdout }: Dialogue = process,
): Promise<string> {
  const terminal = createInterface({ input: stdin, output: stdout, terminal: true });
  let isAnswered = false;
  const ended = new Promise<never>((_, reject) => {
    terminal.once("close", () => {
      if (isAnswered) return;
      // What is said of it does not belong behind the question.
      stdout.write("\n");
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
        isAnswered = true;
        return answer;
      } catch (error) {
        stdout.write(`${error instanceof Error ? error.message : String(error)}\n`);
      }
    }
  } finally {
    terminal.close();
  }
}
