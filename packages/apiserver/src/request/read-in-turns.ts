// Bodies that take long to read are read in turns, before anyone asks for them.
import type { TransportRequest } from "@kubewright/api";
import {
  type BodyReaders,
  jsonSteps,
  maxBodyBytes,
  parseJson,
  parseYaml,
  parsingSteps,
} from "../codec/index.js";
import type { Steps } from "../steps.js";
import { isTooLarge, ObjectTooLarge } from "../storage/index.js";
import { inTurns, type TurnQueue, Turns } from "./turns.js";

/** Bytes of JSON that take milliseconds to read. */
const longJson = 128 * 1024;
/** Bytes of YAML that do. */
const longYaml = 8 * 1024;

/** What a request with a body of bytes needs to share the thread with others. */
export interface Reading {
  readonly turns?: Turns | undefined;
  readonly readers?: BodyReaders | undefined;
}

const atOnce: Reading = {};

/** Resolves when the body may be read, or was. */
export async function readInTurns(queue: TurnQueue, { body, headers }: TransportRequest): Promise<Reading> {
  if (body?.kind !== "bytes") return atOnce;
  const { bytes } = body;
  if (bytes.length > longJson) await queue.next();
  const turns = new Turns(queue);
  if (bytes.length > maxBodyBytes) return { turns };
  const type = headers?.["content-type"];
  const readers = type?.includes("yaml") ? await readYaml(bytes, turns) : await readJson(bytes, turns, type);
  return { turns, readers };
}

async function readYaml(bytes: Uint8Array, turns: Turns): Promise<BodyReaders | undefined> {
  if (bytes.length < longYaml) return undefined;
  const read = await outcome(inTurns(turns, storable(parsingSteps(bytes))));
  return { readYaml: (body) => read() ?? parseYaml(body) };
}

/** Whether anyone wants to know of duplicates is not known yet; finding them costs little. */
async function readJson(
  bytes: Uint8Array,
  turns: Turns,
  type: string | undefined,
): Promise<BodyReaders | undefined> {
  if (bytes.length < longJson || type?.includes("protobuf")) return undefined;
  const steps = jsonSteps(bytes, true);
  const read = await outcome(inTurns(turns, type?.includes("json-patch") ? steps : storable(steps)));
  return { readJson: (body, reportDuplicates) => read() ?? parseJson(body, reportDuplicates) };
}

/** Checks of what can never be stored would take long and change nothing. */
function* storable<T extends { readonly value: unknown }>(reading: Steps<T>): Steps<T> {
  const parsed = yield* reading;
  yield;
  const { value } = parsed;
  if (typeof value === "object" && value !== null && isTooLarge(value)) throw new ObjectTooLarge();
  return parsed;
}

/** What reading came to, good or bad, for whoever asks for it. Who asks again has it read anew: it is theirs to change. */
async function outcome<T>(reading: Promise<T>): Promise<() => T | undefined> {
  let left: T | undefined;
  try {
    left = await reading;
  } catch (error) {
    return () => {
      throw error;
    };
  }
  return () => {
    const taken = left;
    left = undefined;
    return taken;
  };
}
