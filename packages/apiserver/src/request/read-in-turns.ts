// Bodies that take long to read. JSON is read at once, it is fast; YAML is read in turns before anyone asks for it.
import type { TransportRequest } from "@kubewright/api";
import { maxBodyBytes, type ParsedYaml, parseYaml, parsingSteps, type YamlReader } from "../codec/index.js";
import { inTurns, type TurnQueue, Turns } from "./turns.js";

/** Bytes of JSON that take milliseconds to read. */
const longBody = 128 * 1024;
/** Bytes of YAML that do. */
const longYaml = 8 * 1024;

/** What a request with a body of bytes needs to share the thread with others. */
export interface Reading {
  readonly turns?: Turns | undefined;
  readonly readYaml?: YamlReader | undefined;
}

const atOnce: Reading = {};

/** Resolves when the body may be read, or was. */
export async function readInTurns(queue: TurnQueue, { body, headers }: TransportRequest): Promise<Reading> {
  if (body?.kind !== "bytes") return atOnce;
  const { bytes } = body;
  if (bytes.length > longBody) await queue.next();
  const turns = new Turns(queue);
  const isYaml = headers?.["content-type"]?.includes("yaml") === true;
  if (!isYaml || bytes.length < longYaml || bytes.length > maxBodyBytes) return { turns };
  return { turns, readYaml: await yamlInTurns(bytes, turns) };
}

/** The outcome of reading, good or bad, for whoever asks for it. Who asks twice has it read anew: it is theirs to change. */
async function yamlInTurns(bytes: Uint8Array, turns: Turns): Promise<YamlReader> {
  try {
    return once(await inTurns(turns, parsingSteps(bytes)));
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

function once(parsed: ParsedYaml): YamlReader {
  let left: ParsedYaml | undefined = parsed;
  return (bytes) => {
    const taken = left ?? parseYaml(bytes);
    left = undefined;
    return taken;
  };
}
