// The same program over every protocol that clients speak: input and its end, output, sizes of the terminal, the outcome.
import { expect, test } from "vitest";
import { channelProtocols, version4 } from "./channels.js";
import { type ExecConnection, serveExec } from "./exec-stream.js";
import { client, dataOn, frame, headerWriter, opening } from "./fixtures/spdy-client.js";
import { serveSpdyExec } from "./spdy/spdy-exec.js";

/** Says back what is typed, then how large the terminal is, and ends with 3. */
async function program({ stdin, stdout, stderr, size }: ExecConnection): Promise<number> {
  for await (const chunk of stdin) await stdout(`heard ${Buffer.from(chunk)};`);
  await stdout(`size ${size()?.columns}x${size()?.rows}`);
  await stderr("oops");
  return 3;
}

const failed = {
  metadata: {},
  status: "Failure",
  message: "command terminated with non-zero exit code: exit status 3",
  reason: "NonZeroExitCode",
  details: { causes: [{ reason: "ExitCode", message: "3" }] },
};
const resize = '{"Width":80,"Height":25}\n{"Width":120,"Height":40}\n';

interface Heard {
  readonly stdout: string;
  readonly stderr: string;
  readonly outcome: unknown;
}

/** Over channels; versions that cannot end their input but by ending the connection type nothing. */
async function overChannels(name: string, tty: boolean): Promise<Heard> {
  const protocol = channelProtocols.find((each) => each.name === name);
  if (!protocol) throw new Error(`no ${name}`);
  const { socket, sent, say, isClosed } = client();
  serveExec(socket, { stdin: protocol.endsChannels, stdout: true, stderr: true, tty }, protocol, program);
  const message = (channel: number, text: string) =>
    Buffer.concat([Buffer.from([channel]), Buffer.from(text)]);
  if (tty) say(message(4, resize));
  await new Promise(setImmediate);
  if (protocol.endsChannels) {
    say(message(0, "hi"));
    say(Buffer.from([255, 0]));
  }
  await expect.poll(isClosed).toBe(true);
  expect([...(sent[0] ?? [])]).toEqual([1]);
  const on = (channel: number) =>
    sent
      .filter((one) => one[0] === channel)
      .map((one) => one.toString("utf8", 1))
      .join("");
  return { stdout: on(1), stderr: on(2), outcome: protocol.hasStatus ? JSON.parse(on(3)) : on(3) };
}

async function overSpdy(tty: boolean): Promise<Heard> {
  const { socket, sent, say, isClosed } = client();
  serveSpdyExec(socket, { stdin: true, stdout: true, stderr: !tty, tty }, program);
  const write = headerWriter();
  const types = ["error", "stdin", "stdout", tty ? "resize" : "stderr"];
  for (const [at, streamtype] of types.entries()) say(opening(2 * at + 1, await write({ streamtype })));
  if (tty) say(frame(7, 0, Buffer.from(resize)));
  await expect.poll(() => sent.length).toBe(types.length);
  await new Promise(setImmediate);
  say(frame(3, 0, Buffer.from("hi")));
  say(frame(3, 1, Buffer.alloc(0)));
  await expect.poll(isClosed).toBe(true);
  return {
    stdout: dataOn(sent, 5),
    stderr: tty ? "" : dataOn(sent, 7),
    outcome: JSON.parse(dataOn(sent, 1)),
  };
}

test.each([
  [
    "v5 channels",
    () => overChannels("v5.channel.k8s.io", false),
    "heard hi;size undefinedxundefined",
    "oops",
  ],
  ["v5 channels, a terminal", () => overChannels("v5.channel.k8s.io", true), "heard hi;size 120x40oops", ""],
  ["v4 channels", () => overChannels("v4.channel.k8s.io", false), "size undefinedxundefined", "oops"],
  ["SPDY", () => overSpdy(false), "heard hi;size undefinedxundefined", "oops"],
  ["SPDY, a terminal", () => overSpdy(true), "heard hi;size 120x40oops", ""],
])("exec over %s", async (_, run, stdout, stderr) => {
  expect(await run()).toEqual({ stdout, stderr, outcome: failed });
});

test.each(["channel.k8s.io", ""])(
  "exec over the first protocol, named %j: the outcome is a text",
  async (name) => {
    expect((await overChannels(name, false)).outcome).toBe(failed.message);
  },
);

test("exec over v4: only the end of the connection ends the input", async () => {
  const { socket, sent, say } = client();
  serveExec(socket, { stdin: true, stdout: true, stderr: false, tty: false }, version4, program);
  say(Buffer.from([255, 0]));
  say(Buffer.concat([Buffer.from([0]), Buffer.from("still here")]));
  await expect.poll(() => Buffer.concat(sent).toString("latin1")).toContain("heard still here;");
  expect(sent.some(([channel]) => channel === 3)).toBe(false);
});

test.each([
  [{ stdout: true, stderr: true }, 1],
  [{ stdout: false, stderr: true }, 2],
  [{ stdout: false, stderr: false }, 3],
])("exec with %j: the server sends an empty message first on channel %i", (streams, channel) => {
  const { socket, sent } = client();
  serveExec(socket, { stdin: true, tty: false, ...streams }, version4, program);
  expect(sent.map((one) => [...one])).toEqual([[channel]]);
});
