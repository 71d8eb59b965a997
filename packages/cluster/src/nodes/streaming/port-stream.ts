// Connections to ports of pods over the channel protocol: for each port a channel for bytes and one for what went wrong,
// each beginning with the number of the port.
import type { MessageSocket } from "@kubewright/api";
import type { PortCall } from "../rules/rule.js";
import { type ChannelProtocol, Channels } from "./channels.js";

/** The part of a call that comes with its connection. */
export type PortConnection = Pick<PortCall, "port" | "received" | "signal" | "send">;

export function servePorts(
  socket: MessageSocket,
  ports: readonly number[],
  protocol: ChannelProtocol,
  serve: (connection: PortConnection) => Promise<void>,
): void {
  const channels = new Channels(socket, protocol);
  const work = ports.map((port, at) => servePort(channels, port, at * 2, serve));
  void Promise.all(work).then(() => channels.close());
}

async function servePort(
  channels: Channels,
  port: number,
  data: number,
  serve: (connection: PortConnection) => Promise<void>,
): Promise<void> {
  const received = channels.read(data);
  const number = Uint8Array.of(port & 255, port >> 8);
  await channels.write(data, number);
  await channels.write(data + 1, number);
  const send = (bytes: string | Uint8Array): Promise<void> =>
    channels.write(data, typeof bytes === "string" ? Buffer.from(bytes) : bytes);
  try {
    await serve({ port, received, signal: channels.signal, send });
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    await channels.write(data + 1, Buffer.from(text));
  }
}
