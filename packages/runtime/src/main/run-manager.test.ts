import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import { defineManager } from "../manager/define-manager.js";
import { runManager } from "./run-manager.js";

function processWith(...argv: string[]) {
  const printed: string[] = [];
  const output = { write: (text: string) => printed.push(text) };
  const process = Object.assign(new EventEmitter(), {
    argv: ["node", "main.js", ...argv],
    pid: 1,
    env: { HOME: "/nonexistent" },
    stdout: output,
    stderr: output,
    exit: (code: number): never => {
      throw new Error(`exit ${code}`);
    },
  });
  return { process, printed };
}
const definition = defineManager({ name: "shop", controllers: [] });

test.each([
  [["--help"], 0, "--[no-]leader-elect"],
  [["--bogus"], 2, "shop: Unknown option '--bogus'"],
  [[], 1, '"msg":"cannot start"'],
])("runManager with the arguments %j exits with status %i", async (argv, status, text) => {
  const { process, printed } = processWith(...argv);
  expect(await runManager(definition, process)).toBe(status);
  expect(printed.join("")).toContain(text);
  expect(process.listenerCount("SIGTERM")).toBe(0);
});

test("a second signal ends a manager's process at once", async () => {
  const { process } = processWith();
  const running = runManager(definition, process);
  process.emit("SIGTERM");
  expect(() => process.emit("SIGTERM")).toThrow("exit 130");
  await running;
});
