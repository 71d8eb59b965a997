import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { agentTaskVariable } from "./agent-pod.js";
import { agentError } from "./agent-state.js";
import { runAgent } from "./run-agent.js";

const folder = mkdtempSync(join(tmpdir(), "kubewright-agent-"));
const terminationLog = join(folder, "termination-log");
afterAll(() => rmSync(folder, { recursive: true }));

const run = async (task: string | undefined, work: (task: { file: string }) => Promise<object>) => {
  const lines: string[] = [];
  const output = { terminationLog, print: (line: string) => void lines.push(line) };
  const code = await runAgent(task === undefined ? {} : { [agentTaskVariable]: task }, work, output);
  const message = readFileSync(terminationLog, "utf8");
  expect(lines).toEqual([message]);
  return { code, message };
};

test("an agent does the task of its environment, and reports the result", async () => {
  const { code, message } = await run('{"file":"a"}', async ({ file }) => ({ file, size: 3 }));
  expect([code, JSON.parse(message)]).toEqual([0, { file: "a", size: 3 }]);
});

test("an agent reports the error of its work", async () => {
  const { code, message } = await run('{"file":"a"}', () => Promise.reject(new Error("HTTP 403")));
  expect([code, agentError(message)]).toEqual([1, "HTTP 403"]);
});

test.each(["x", "é", "\u0000", "😀"])(
  "an agent cuts an error of %j, which the kubelet would cut elsewhere",
  async (letter) => {
    const { message } = await run("{}", () => Promise.reject(new Error(letter.repeat(9_000))));
    expect(Buffer.byteLength(message)).toBeLessThanOrEqual(4_096);
    expect(agentError(message)).toMatch(/…$/);
  },
);

test("an agent outside a pod reports that it has no task", async () => {
  const { code, message } = await run(undefined, async () => ({}));
  expect([code, agentError(message)]).toEqual([1, expect.stringContaining("AGENT_TASK is not set")]);
});
