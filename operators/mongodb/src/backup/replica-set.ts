// The members of a replica set as an agent reaches them: which of them is primary, and how a write finds it.
import { hello } from "../client/commands.js";
import {
  type Document,
  errorCodes,
  MongoFailure,
  type MongoMember,
  type ReadableMember,
} from "../client/mongo-member.js";

export interface ReachedMember {
  /** Host and port. */
  readonly host: string;
  readonly member: ReadableMember;
}

/** Members by their role; those that do not answer are left out. */
export interface Roles {
  readonly primary: ReachedMember | undefined;
  readonly secondaries: readonly ReachedMember[];
  /** Why one of the others did not answer. */
  readonly problem: string | undefined;
}

export async function rolesOf(members: readonly ReachedMember[]): Promise<Roles> {
  let problem: string | undefined;
  const answers = await Promise.all(
    members.map(async (each) => {
      const answer = await hello(each.member).catch((error: unknown) => {
        if (!(error instanceof MongoFailure)) throw error;
        problem ??= error.message;
      });
      return { each, answer: answer ?? undefined };
    }),
  );
  return {
    problem,
    primary: answers.find(({ answer }) => answer?.isPrimary)?.each,
    secondaries: answers.filter(({ answer }) => answer?.isSecondary).map(({ each }) => each),
  };
}

export function noPrimary(members: readonly ReachedMember[], { problem }: Roles): MongoFailure {
  const hosts = members.map(({ host }) => host).join(", ");
  return new MongoFailure("unavailable", `no primary answers: ${problem ?? hosts}`);
}

/** After these the same command may succeed on another primary, and may have had its effect on the one before. */
const passing: ReadonlySet<number | undefined> = new Set([
  errorCodes.notWritablePrimary,
  errorCodes.notPrimaryNoSecondaryOk,
  errorCodes.primarySteppedDown,
  errorCodes.interruptedAtShutdown,
]);

const isPassing = (error: unknown): boolean =>
  error instanceof MongoFailure &&
  (error.kind === "unavailable" || error.kind === "deadline" || passing.has(error.code));

export interface PrimaryOptions {
  /** How long a primary is waited for, in milliseconds. */
  readonly patience: number;
  readonly now: () => number;
  readonly pause: () => Promise<void>;
}

/** Runs commands on the primary of the moment; a command is repeated where it is not known to have had an effect, so it must be harmless twice. */
export class PrimaryMember implements MongoMember {
  readonly #members: readonly ReachedMember[];
  readonly #options: PrimaryOptions;
  #primary: ReachedMember | undefined;

  constructor(members: readonly ReachedMember[], options: PrimaryOptions) {
    this.#members = members;
    this.#options = options;
  }

  async command(db: string, command: Document): Promise<Document> {
    const { now, pause, patience } = this.#options;
    for (const end = now() + patience; ; ) {
      try {
        this.#primary ??= await this.#find();
        return await this.#primary.member.command(db, command);
      } catch (error) {
        if (!isPassing(error) || now() > end) throw error;
        this.#primary = undefined;
        await pause();
      }
    }
  }

  async #find(): Promise<ReachedMember> {
    const roles = await rolesOf(this.#members);
    if (!roles.primary) throw noPrimary(this.#members, roles);
    return roles.primary;
  }
}
