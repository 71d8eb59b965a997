// Authorization of scrapes: the API server is asked whose token it is (TokenReview) and whether that user may GET the path
// (SubjectAccessReview). Answers are remembered for a short time, as controller-runtime's filter does.
import { createHash } from "node:crypto";
import { type Clock, SubjectAccessReview, type SubjectAccessReviewSpec, TokenReview } from "@kubewright/api";
import type { Client } from "@kubewright/client";
import type { AccessNeed } from "../rbac/access-need.js";

/** The permissions the guard itself needs. */
export const guardNeeds: readonly AccessNeed[] = [
  { group: TokenReview.group, resource: TokenReview.plural, verbs: ["create"], namespaces: undefined },
  {
    group: SubjectAccessReview.group,
    resource: SubjectAccessReview.plural,
    verbs: ["create"],
    namespaces: undefined,
  },
];

/** The headers that decide about access. */
export interface GuardedHeaders {
  readonly authorization?: string | undefined;
  readonly host?: string | undefined;
}

export const bearerToken = (authorization: string | undefined): string | undefined =>
  /^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];

export type Access = { readonly status: 200 } | { readonly status: 401 | 403; readonly message: string };

type User = Pick<SubjectAccessReviewSpec, "user" | "groups" | "uid" | "extra">;

interface Remembered<Value> {
  readonly value: Value;
  readonly until: number;
}

const second = 1_000;
const tokenMemory = 60 * second;
const allowedMemory = 5 * 60 * second;
const deniedMemory = 30 * second;
const limit = 1_000;
const timeout = 10 * second;

export class BearerGuard {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #users = new Map<string, Remembered<User | undefined>>();
  readonly #decisions = new Map<string, Remembered<boolean>>();

  constructor(client: Client, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /** Checks the token of a request. Rejects when the API server cannot be asked. */
  async check({ authorization }: GuardedHeaders, path: string): Promise<Access> {
    const token = bearerToken(authorization);
    const user = token === undefined ? undefined : await this.#userOf(token);
    if (!user) return { status: 401, message: "Unauthorized" };
    if (await this.#isAllowed(user, path)) return { status: 200 };
    return { status: 403, message: `Authorization denied for user ${user.user}` };
  }

  async #userOf(token: string): Promise<User | undefined> {
    // Tokens are not kept.
    const id = createHash("sha256").update(token).digest("base64");
    const known = this.#recall(this.#users, id);
    if (known) return known.value;
    const { status } = await this.#client.create(TokenReview, { spec: { token } }, { timeout });
    const { username, groups, uid, extra } = status?.user ?? {};
    const user = status?.authenticated && username ? { user: username, groups, uid, extra } : undefined;
    this.#remember(this.#users, id, user, user ? tokenMemory : tokenMemory / 6);
    return user;
  }

  async #isAllowed(user: User, path: string): Promise<boolean> {
    const id = JSON.stringify([user, path]);
    const known = this.#recall(this.#decisions, id);
    if (known) return known.value;
    const spec = { ...user, nonResourceAttributes: { path, verb: "get" } };
    const { status } = await this.#client.create(SubjectAccessReview, { spec }, { timeout });
    const isAllowed = status?.allowed === true && status.denied !== true;
    this.#remember(this.#decisions, id, isAllowed, isAllowed ? allowedMemory : deniedMemory);
    return isAllowed;
  }

  #recall<Value>(memory: Map<string, Remembered<Value>>, id: string): Remembered<Value> | undefined {
    const known = memory.get(id);
    return known && known.until > this.#clock.monotonic() ? known : undefined;
  }

  #remember<Value>(memory: Map<string, Remembered<Value>>, id: string, value: Value, time: number): void {
    memory.delete(id);
    memory.set(id, { value, until: this.#clock.monotonic() + time });
    for (const oldest of memory.keys()) {
      if (memory.size <= limit) return;
      memory.delete(oldest);
    }
  }
}
