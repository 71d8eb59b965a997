// Turns the answer to a watch into events. An ERROR event is the server failing the watch, so it is thrown.
import type { WatchEvent } from "@kubewright/api";
import { type Call, type CallContext, describeCall, open } from "./call.js";
import { ConnectionError } from "./connection-error.js";
import { isRecord } from "./record.js";
import { statusError } from "./status-error.js";
import { LineDecoder } from "./watch-decoder.js";

/** Opens a watch and yields its events until the server ends it. */
export async function* watchEvents(context: CallContext, call: Call): AsyncGenerator<WatchEvent<unknown>> {
  const { body } = await open(context, call);
  if (body.kind === "events") {
    for await (const event of body.events) yield checkEvent(call, event);
  } else if (body.kind === "stream") {
    yield* decodeEvents(call, body.chunks);
  } else if (body.kind === "bytes") {
    yield* decodeEvents(call, [body.bytes]);
  } else {
    throw new ConnectionError(`${describeCall(call)}: the answer is not a stream of events`, "malformed");
  }
}

async function* decodeEvents(
  call: Call,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<WatchEvent<unknown>> {
  const decoder = new LineDecoder();
  for await (const chunk of chunks) {
    for (const line of decoder.push(chunk)) yield checkEvent(call, parseEvent(call, line));
  }
  const last = decoder.end();
  if (last !== "") yield checkEvent(call, parseEvent(call, last));
}

function parseEvent(call: Call, line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new ConnectionError(`${describeCall(call)}: the stream was cut inside an event`, "closed");
  }
}

function checkEvent(call: Call, event: unknown): WatchEvent<unknown> {
  if (!isRecord(event) || !isEventType(event["type"])) {
    throw new ConnectionError(
      `${describeCall(call)}: the stream holds something that is no event`,
      "malformed",
    );
  }
  if (event["type"] === "ERROR") throw statusError(describeCall(call), 500, event["object"]);
  return { type: event["type"], object: event["object"] };
}

function isEventType(type: unknown): type is WatchEvent["type"] {
  return (
    type === "ADDED" || type === "MODIFIED" || type === "DELETED" || type === "BOOKMARK" || type === "ERROR"
  );
}
