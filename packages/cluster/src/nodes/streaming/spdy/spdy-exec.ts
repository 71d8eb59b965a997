// Exec and attach over SPDY, as clients before WebSockets use it: one stream each for input, output, the exit status and the
// sizes of the terminal, distinguished by their headers.
import type { MessageSocket } from "@kubewright/api";
import { type ExecConnection, type ExecStreams, outcomeOf } from "../exec-stream.js";
import { TerminalSizes } from "../terminal-sizes.js";
import { SpdySession, type SpdyStream } from "./spdy-session.js";

export const spdyExecProtocol = "v4.channel.k8s.io";

type StreamType = "error" | "stdin" | "stdout" | "stderr" | "resize";

/** Runs the program as soon as all its streams are open, sends its exit status, and closes. */
export function serveSpdyExec(
  socket: MessageSocket,
  wanted: ExecStreams,
  run: (connection: ExecConnection) => Promise<number>,
): void {
  const types = typesOf(wanted);
  const streams = new Map<string, SpdyStream>();
  const session = new SpdySession(socket, (stream) => {
    streams.set(stream.headers.get("streamtype") ?? "", stream);
    if (streams.size === types.length && types.every((type) => streams.has(type)))
      void serve(session, streams, { wanted, run });
  });
}

const typesOf = ({ stdin, stdout, stderr, tty }: ExecStreams): readonly StreamType[] => [
  "error",
  ...(stdin ? (["stdin"] as const) : []),
  ...(stdout ? (["stdout"] as const) : []),
  ...(stderr && !tty ? (["stderr"] as const) : []),
  ...(tty ? (["resize"] as const) : []),
];

async function serve(
  session: SpdySession,
  streams: ReadonlyMap<string, SpdyStream>,
  {
    wanted,
    run,
  }: { readonly wanted: ExecStreams; readonly run: (connection: ExecConnection) => Promise<number> },
): Promise<void> {
  const writer = (type: StreamType) => (text: string | Uint8Array) =>
    streams.get(type)?.send(typeof text === "string" ? Buffer.from(text) : text) ?? Promise.resolve();
  const sizes = new TerminalSizes(streams.get("resize")?.received);
  const stdout = writer("stdout");
  const outcome = await outcomeOf(
    run({
      stdin: streams.get("stdin")?.received ?? nothing(),
      stdout,
      // A terminal has one screen.
      stderr: wanted.tty ? stdout : writer("stderr"),
      tty: wanted.tty,
      size: () => sizes.last,
      signal: session.signal,
    }),
  );
  await streams.get("error")?.send(Buffer.from(JSON.stringify(outcome)));
  for (const stream of streams.values()) await stream.end();
  session.close();
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
