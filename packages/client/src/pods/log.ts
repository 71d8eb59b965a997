// Container logs, as they come. Chunks end anywhere, even inside a character, so lines are what is offered.

import { textOf } from "../body.js";
import { type Call, type CallContext, named, open } from "../call.js";
import { LineDecoder } from "../line-decoder.js";
import type { ObjectOptions } from "../options.js";
import { queryOf } from "../query.js";

/** Which part of the log of which container, and whether it is followed. */
export interface LogOptions extends ObjectOptions {
  /** Needed when the pod has several. */
  readonly container?: string | undefined;
  /** Goes on as the container writes, until it ends or the signal is aborted. */
  readonly follow?: boolean | undefined;
  /** Of the container that ran before this one. */
  readonly previous?: boolean | undefined;
  /** Begins each line with its time. */
  readonly timestamps?: boolean | undefined;
  readonly tailLines?: number | undefined;
  readonly limitBytes?: number | undefined;
  readonly sinceSeconds?: number | undefined;
  /** An RFC 3339 time. */
  readonly sinceTime?: string | undefined;
}

/** The query of a log request. */
export function logQuery(options: LogOptions): URLSearchParams | undefined {
  const { container, follow, previous, timestamps, tailLines, limitBytes, sinceSeconds, sinceTime } = options;
  return queryOf({ container, follow, previous, timestamps, tailLines, limitBytes, sinceSeconds, sinceTime });
}

/** The lines of a log, without their ends. */
export async function* logLines(context: CallContext, call: Call): AsyncGenerator<string, void, undefined> {
  const { response, release } = await open(context, call);
  const { body } = response;
  try {
    if (body.kind === "bytes") yield* splitLines(textOf(body.bytes));
    else if (body.kind === "object") yield* splitLines(String(body.value));
    else if (body.kind === "stream") yield* streamLines(body.chunks);
  } catch (error) {
    throw named(call, error);
  } finally {
    release();
  }
}

async function* streamLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = new LineDecoder();
  for await (const chunk of chunks) yield* decoder.push(chunk);
  const last = decoder.end();
  if (last !== "") yield last;
}

function splitLines(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
