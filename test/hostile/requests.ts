// The requests of a campaign: the one with an index is the same for the same seed.
import type { Attack } from "./attack.js";
import { custom } from "./custom-attacks.js";
import { type CustomKind, customKindsOf } from "./custom-kinds.js";
import { customObject, customPath, definition, longDefinition } from "./definitions.js";
import { remove } from "./deletes.js";
import { json } from "./encodings.js";
import { largeBody } from "./large-bodies.js";
import { mutated } from "./mutate.js";
import { patch } from "./patches.js";
import { policy } from "./policies.js";
import { Random } from "./random.js";
import { accept, anywhere, goOn, impersonation, read, select, watch } from "./reads.js";
import { act, stream } from "./subresources.js";
import { body, write } from "./writes.js";

/** What there may be many of at the largest size; the rest are small. */
export interface RequestOptions {
  /** How often a body is as large as can be. */
  readonly largeShare: number;
  /** Only this sort of request is sent. */
  readonly only?: string | undefined;
}

/** A little more than the server takes. */
const mostBytes = 3 * 1024 * 1024 + 1;

type Make = (random: Random, kinds: readonly CustomKind[]) => Attack;

/** Sorts of requests, and how many of a hundred are of each. */
const sorts: Readonly<Record<string, readonly [share: number, make: Make]>> = {
  write: [29, write],
  patch: [20, patch],
  read: [11, read],
  select: [4, select],
  continue: [1, goOn],
  watch: [3, watch],
  path: [4, anywhere],
  delete: [3, remove],
  definition: [4, define],
  custom: [11, custom],
  fleeting: [1, fleetingWrite],
  policy: [3, policy],
  act: [4, act],
  stream: [2, stream],
};

/** The sorts of requests there are. */
export const sortNames: readonly string[] = Object.keys(sorts);

/** The requests of one seed. */
export class Requests {
  /** What is served beside what every server has. */
  readonly kinds: readonly CustomKind[];
  readonly #seed: number;
  readonly #options: RequestOptions;

  constructor(seed: number, options: RequestOptions) {
    this.kinds = customKindsOf(seed);
    this.#seed = seed;
    this.#options = options;
  }

  at(index: number): Attack & { readonly sort: string } {
    const random = Random.of(this.#seed, index);
    const { largeShare, only } = this.#options;
    if (random.chance(largeShare)) return { sort: "large", ...large(random) };
    const sort = only ?? sortOf(random.below(100));
    return { sort, ...requestOf(sort, random, this.kinds) };
  }
}

function requestOf(sort: string, random: Random, kinds: readonly CustomKind[]): Attack {
  const sent = sorts[sort]?.[1](random, kinds);
  if (!sent) throw new Error(`${sort} is none of ${sortNames.join(", ")}`);
  if ((sent.bytes?.length ?? 0) > mostBytes) return { ...sent, bytes: sent.bytes?.slice(0, mostBytes) ?? "" };
  // Nobody can send more over a wire.
  if (sent.object !== undefined && JSON.stringify(sent.object).length > mostBytes)
    return { ...sent, object: {} };
  const headers = {
    ...(random.chance(0.08) ? { accept: accept(random) } : {}),
    ...(random.chance(0.02) ? impersonation(random) : {}),
  };
  return { ...sent, headers: { ...sent.headers, ...headers } };
}

function sortOf(percent: number): string {
  let sum = 0;
  for (const [name, [share]] of Object.entries(sorts)) {
    sum += share;
    if (percent < sum) return name;
  }
  throw new Error("the shares do not add up to a hundred");
}

function large(random: Random): Attack {
  const { name, path: target, ...rest } = largeBody(random);
  const [place = "", parameters] = target.split("?");
  return { attack: `large: ${name}`, ...rest, path: place, query: parameters ?? "" };
}

/** Of a kind that is defined now and then. */
function fleetingWrite(random: Random): Attack {
  const { path, object } = customObject(random);
  if (random.chance(0.5)) {
    const { encoding: _, ...rest } = body(random, object);
    return { attack: "fleeting object", method: "POST", path, ...rest };
  }
  const type = "application/apply-patch+yaml";
  const bytes = json(random, object);
  return {
    attack: "fleeting apply",
    method: "PATCH",
    path: `${path}/sample`,
    query: "fieldManager=a",
    type,
    bytes,
  };
}

/** Definitions are rarely kept, so that there are times in which what they define can be used. */
function define(random: Random): Attack {
  if (random.chance(0.1))
    return {
      attack: "delete definition",
      method: "DELETE",
      path: `${customPath}/${definition(random).name}`,
    };
  if (random.chance(0.02))
    return {
      attack: "long definition",
      method: "POST",
      path: customPath,
      query: "dryRun=All",
      bytes: json(random, longDefinition(random)),
    };
  const made = definition(random);
  const object = random.chance(0.7) ? made.object : mutated(random, made.object);
  const parameters = random.chance(0.4) ? "dryRun=All" : "";
  const bytes = json(random, object);
  if (random.chance(0.8))
    return { attack: "definition", method: "POST", path: customPath, query: parameters, bytes };
  return {
    attack: "definition apply",
    method: "PATCH",
    path: `${customPath}/${made.name}`,
    query: `${parameters}&fieldManager=a`,
    type: "application/apply-patch+yaml",
    bytes,
  };
}
