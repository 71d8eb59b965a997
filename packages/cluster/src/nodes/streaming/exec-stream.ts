// Programs in containers over the channel protocol: input on 0, output on 1 and 2, the outcome on 3, sizes of terminals on 4.
import type { MessageSocket } from "@kubewright/api";
import type { ExecCall } from "../rules/rule.js";
import { type ChannelProtocol, Channels } from "./channels.js";
import { TerminalSizes } from "./terminal-sizes.js";

const channel = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4 } as const;

/** The streams that the client requested. */
export interface ExecStreams {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

/** The part of a call that comes with its connection. */
export type ExecConnection = Pick<ExecCall, "stdin" | "stdout" | "stderr" | "tty" | "size" | "signal">;

/** Runs the program over the connection, sends its exit status, and closes. */
export function serveExec(
  socket: MessageSocket,
  streams: ExecStreams,
  protocol: ChannelProtocol,
  run: (connection: ExecConnection) => Promise<number>,
): void {
  const channels = new Channels(socket, protocol);
  void channels.greet(streams.stdout ? channel.stdout : streams.stderr ? channel.stderr : channel.error);
  const stdin = channels.read(channel.stdin);
  if (!streams.stdin) stdin.end();
  const writer = (number: number, isWanted: boolean) => (text: string | Uint8Array) =>
    isWanted
      ? channels.write(number, typeof text === "string" ? Buffer.from(text) : text)
      : Promise.resolve();
  const stdout = writer(channel.stdout, streams.stdout);
  const sizes = new TerminalSizes(streams.tty ? channels.read(channel.resize) : undefined);
  const connection = {
    stdin,
    stdout,
    // A terminal has one screen.
    stderr: streams.tty ? stdout : writer(channel.stderr, streams.stderr),
    tty: streams.tty,
    size: () => sizes.last,
    signal: channels.signal,
  };
  void finish(channels, protocol, run(connection));
}

async function finish(
  channels: Channels,
  { hasStatus }: ChannelProtocol,
  program: Promise<number>,
): Promise<void> {
  const status = await outcomeOf(program);
  const text = hasStatus ? JSON.stringify(status) : (status.message ?? "");
  await channels.write(channel.error, Buffer.from(text));
  channels.close();
}

/** A Status. */
interface Outcome {
  readonly metadata: object;
  readonly status: "Success" | "Failure";
  readonly message?: string;
  readonly reason?: string;
  readonly details?: object;
  readonly code?: number;
}

/** How a program ended, as it is sent to clients. */
export function outcomeOf(program: Promise<number>): Promise<Outcome> {
  return program.then(exitStatus, failureStatus);
}

function exitStatus(code: number): Outcome {
  if (code === 0) return { metadata: {}, status: "Success" };
  return {
    metadata: {},
    status: "Failure",
    message: `command terminated with non-zero exit code: exit status ${code}`,
    reason: "NonZeroExitCode",
    details: { causes: [{ reason: "ExitCode", message: String(code) }] },
  };
}

function failureStatus(error: unknown): Outcome {
  const message = `Internal error occurred: ${error instanceof Error ? error.message : String(error)}`;
  return { metadata: {}, status: "Failure", message, reason: "InternalError", code: 500 };
}
