// The wall clock of this process, which jumps when its parent says so: a line with milliseconds on standard input. The monotonic clock goes on.
// Everything in the process sees the jump at once, as after a correction by NTP, a restored virtual machine or a user who sets the time.
import { createInterface } from "node:readline";

export function followParent(): void {
  const Original = Date;
  let offset = 0;
  class JumpingDate extends Original {
    constructor(...values: [] | ConstructorParameters<typeof Original>) {
      if (values.length === 0) super(JumpingDate.now());
      else super(...values);
    }

    static override now(): number {
      return Original.now() + offset;
    }
  }
  globalThis.Date = JumpingDate as DateConstructor;
  createInterface({ input: process.stdin }).on("line", (line) => {
    offset += Number(line);
    process.stdout.write(`jumped ${line}\n`);
  });
}
