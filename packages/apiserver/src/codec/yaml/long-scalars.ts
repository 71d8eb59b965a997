// Long scalars are taken out of the tokens before the yaml package makes nodes of them, which it would do at once and a character at a
// time. What they say is read here, step by step, when it is asked for.

import type { Steps } from "@kubewright/api/steps";
import type { CST } from "yaml";
import { blockText } from "./block-text.js";
import { doubleQuotedText, singleQuotedText, unfolded } from "./flow-text.js";

/** Characters of a scalar that is read by the package. Keys may have 1024, which it sees from where they begin and end. */
const defaultLongest = 1024;

type ScalarToken = CST.FlowScalar | CST.BlockScalar;

/** The sources of scalars that were too long. */
export class LongScalars {
  readonly #sources = new Map<unknown, string>();
  readonly #longest: number;

  constructor(longest = defaultLongest) {
    this.#longest = longest;
  }

  /** How many were shortened. */
  get count(): number {
    return this.#sources.size;
  }

  /** Takes the source of a long scalar and leaves little in its place. */
  shorten(token: ScalarToken): void {
    if (token.source.length <= this.#longest || token.type === "alias") return;
    this.#sources.set(token, token.source);
    token.source = standIn(token);
  }

  /** What a scalar that was shortened says; undefined for others. Throws what `complain` makes of a problem. */
  text(
    token: CST.Token | undefined,
    complain: (offset: number, problem: string) => Error,
  ): Steps<string> | undefined {
    const source = this.#sources.get(token);
    if (source === undefined || token === undefined) return undefined;
    const { offset } = token;
    return read(token, source, (at, problem) => complain(offset + at, problem));
  }
}

/** Wrong in the same way if the source is. */
function standIn({ type, source }: ScalarToken): string {
  if (type === "block-scalar") return /^\s*\S?/.exec(source)?.[0] ?? "";
  const start = source.slice(0, 1) + (source.includes("\n") ? "\n" : "");
  const isClosed = source.length > 1 && source.endsWith(source.slice(0, 1));
  return type !== "scalar" && isClosed ? start + source.slice(-1) : start;
}

function* read(
  token: CST.Token,
  source: string,
  complain: (at: number, problem: string) => Error,
): Steps<string> {
  switch (token.type) {
    case "block-scalar":
      return yield* blockText(token, source, complain);
    case "double-quoted-scalar":
      return yield* doubleQuotedText(source.slice(1, -1), complain);
    case "single-quoted-scalar":
      return yield* singleQuotedText(source.slice(1, -1));
    default:
      return yield* unfolded(source);
  }
}
