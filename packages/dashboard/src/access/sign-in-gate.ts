// People sign in with a token of the API server, and everything a page reads or writes is sent with it: the API server decides who they
// are and what they may see. The dashboard itself asks for one permission more, because reconciles are no objects: to get the path
// `/dashboard`, and to put it for pausing controllers.
import { createHash } from "node:crypto";
import { ApiError, isUnauthorized, SelfSubjectAccessReview } from "@kubewright/api";
import type { Client } from "@kubewright/client";
import type { ObjectFeed } from "../objects/object-feed.js";
import type { Admission, Gate, PageAccess } from "./gate.js";

export interface SignInOptions {
  /** A client that sends the token with every request. */
  readonly connect: (token: string) => Client;
  readonly createFeed: (client: Client) => ObjectFeed;
  readonly shared: Pick<PageAccess, "managers" | "about">;
}

/** One person, on any number of pages. */
interface Caller {
  readonly client: Client;
  readonly objects: ObjectFeed;
  pages: number;
}

/** The path of the permission. */
export const dashboardPath = "/dashboard";
const timeout = 10_000;

export class SignInGate implements Gate {
  readonly signsIn = true;
  readonly fragment = "";
  readonly #options: SignInOptions;
  /** By the hash of their token: tokens are not kept. */
  readonly #callers = new Map<string, Caller>();

  constructor(options: SignInOptions) {
    this.#options = options;
  }

  async admit(token: string): Promise<Admission> {
    if (!/^[\x21-\x7e]{1,16384}$/.test(token)) return { refusal: "a token of the API server is needed" };
    const id = createHash("sha256").update(token).digest("base64");
    const known = this.#callers.get(id);
    const client = known?.client ?? this.#options.connect(token);
    const refusal = await refusalOf(client).catch((error: unknown) => unreachable(error));
    if (refusal !== undefined) {
      if (!known) await client.close();
      return { refusal };
    }
    const caller = this.#enter(id, client);
    return {
      access: this.#accessOf(caller),
      recheck: () => refusalOf(client),
      release: () => this.#leave(id, caller),
    };
  }

  async close(): Promise<void> {
    const callers = [...this.#callers.values()];
    this.#callers.clear();
    await Promise.all(callers.map(end));
  }

  /** Two pages that sign in at once share what the first of them began. */
  #enter(id: string, client: Client): Caller {
    const known = this.#callers.get(id);
    if (known) {
      known.pages += 1;
      if (known.client !== client) void client.close();
      return known;
    }
    const caller: Caller = { client, objects: this.#options.createFeed(client), pages: 1 };
    caller.objects.start();
    this.#callers.set(id, caller);
    return caller;
  }

  #leave(id: string, caller: Caller): void {
    caller.pages -= 1;
    if (caller.pages > 0) return;
    if (this.#callers.get(id) === caller) this.#callers.delete(id);
    void end(caller);
  }

  #accessOf({ client, objects }: Caller): PageAccess {
    return {
      ...this.#options.shared,
      client,
      objects,
      controls: {},
      async demandPause() {
        if (!(await isAllowed(client, "put")))
          throw new ApiError(`pausing controllers needs the verb put on the path ${dashboardPath}`, {
            code: 403,
            reason: "Forbidden",
          });
      },
    };
  }
}

async function end({ client, objects }: Caller): Promise<void> {
  await objects.close();
  await client.close();
}

/** Why the API server does not let the caller in; undefined when it does. */
async function refusalOf(client: Client): Promise<string | undefined> {
  try {
    if (await isAllowed(client, "get")) return undefined;
    return `your user may not get the path ${dashboardPath}; bind a ClusterRole that permits it (nonResourceURLs)`;
  } catch (error) {
    if (isUnauthorized(error))
      return "the API server does not accept the token: it is wrong, or it has expired";
    throw error;
  }
}

async function isAllowed(client: Client, verb: "get" | "put"): Promise<boolean> {
  const spec = { nonResourceAttributes: { path: dashboardPath, verb } };
  const { status } = await client.create(SelfSubjectAccessReview, { spec }, { timeout });
  return status?.allowed === true && status.denied !== true;
}

const unreachable = (error: unknown): string =>
  `the API server cannot be asked: ${error instanceof Error ? error.message : String(error)}`;
