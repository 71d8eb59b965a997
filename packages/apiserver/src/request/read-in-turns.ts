// Bodies that take long to read are read in turns, before anyone asks for them.
import type { TransportRequest } from "@kubewright/api";
import {
  type BodyReaders,
  jsonSteps,
  maxBodyBytes,
  parseJson,
  parseYaml,
  parsingSteps,
  protobufSteps,
} from "../codec/index.js";
import { isTooLarge, ObjectTooLarge } from "../storage/index.js";
import type { RequestInfo } from "./request-info.js";
import { type TurnQueue, Turns } from "./turns.js";

/** Bytes of JSON that take milliseconds to read. */
const longJson = 128 * 1024;
/** Bytes of YAML that do. */
const longYaml = 2 * 1024;

/** What a request with a body of bytes needs to share the thread with others. */
export interface Reading {
  readonly turns?: Turns | undefined;
  readonly readers?: BodyReaders | undefined;
}

const atOnce: Reading = {};

/** Bodies that say what to do, and are stored nowhere. */
const actions: ReadonlySet<string | undefined> = new Set(["binding", "eviction", "token"]);

/** Whether the body is an object that is stored, or what becomes of one. */
const isStored = (info: RequestInfo): boolean =>
  info.kind === "resource" && !info.verb.startsWith("delete") && !actions.has(info.subresource);

/** How the body is to be read, at once where it is short; resolves when it may be read, or was. */
export function readInTurns(
  queue: TurnQueue,
  { body, headers }: TransportRequest,
  info: RequestInfo,
): Reading | Promise<Reading> {
  if (body?.kind !== "bytes") return atOnce;
  const type = headers?.["content-type"];
  const isShort = body.bytes.length < (type?.includes("yaml") ? longYaml : longJson);
  return isShort ? { turns: new Turns(queue) } : readLong(queue, body.bytes, type, info);
}

async function readLong(
  queue: TurnQueue,
  bytes: Uint8Array,
  type: string | undefined,
  info: RequestInfo,
): Promise<Reading> {
  if (bytes.length > longJson) await queue.next();
  const turns = new Turns(queue);
  if (bytes.length > maxBodyBytes) return { turns };
  const check = isStored(info) && !type?.includes("json-patch") ? storable : asItIs;
  // Which kind it is of is known to whoever asks for it.
  if (type?.includes("protobuf"))
    return { turns, readers: { readProtobuf: (body, expected) => check(protobufSteps(body, expected)) } };
  const readers = type?.includes("yaml")
    ? await readYaml(bytes, turns, check)
    : await readJson(bytes, turns, check);
  return { turns, readers };
}

/** What a body was read to, and how large it is if that is known. */
interface Read {
  readonly value: unknown;
  readonly size?: number | undefined;
}

type Check = <T extends Read>(reading: T) => T;

const asItIs: Check = (reading) => reading;

async function readYaml(bytes: Uint8Array, turns: Turns, check: Check): Promise<BodyReaders> {
  const read = await outcome(check(parsingSteps(bytes)));
  return { readYaml: (body) => read() ?? parseYaml(body) };
}

/** Whether anyone wants to know of duplicates is not known yet; finding them costs little. */
async function readJson(bytes: Uint8Array, turns: Turns, check: Check): Promise<BodyReaders> {
  const read = await outcome(check(jsonSteps(bytes, true)));
  return { readJson: (body, reportDuplicates) => read() ?? parseJson(body, reportDuplicates) };
}

/** Checks of what can never be stored would take long and change nothing. */
function storable<T extends Read>(reading: T): T {
  const parsed = reading;

  const { value, size } = parsed;
  if (typeof value === "object" && value !== null && isTooLarge(value, size)) throw new ObjectTooLarge();
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
