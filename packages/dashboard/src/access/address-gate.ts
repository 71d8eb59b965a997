// One random token, made at start and handed out only in the address that is printed. Its holder may do what the client of the
// dashboard may do.
import { randomBytes, timingSafeEqual } from "node:crypto";
import type { Admission, Gate, PageAccess } from "./gate.js";

export class AddressGate implements Gate {
  readonly signsIn = false;
  readonly #token = randomBytes(32).toString("base64url");
  readonly #access: PageAccess;
  #isStarted = false;

  constructor(access: PageAccess) {
    this.#access = access;
  }

  get fragment(): string {
    return `#token=${this.#token}`;
  }

  /** The cluster is watched from the first page on. */
  async admit(token: string): Promise<Admission> {
    if (!isSame(token, this.#token)) return { refusal: "the token is wrong or no longer good" };
    if (!this.#isStarted) this.#access.objects.start();
    this.#isStarted = true;
    return { access: this.#access, release: () => undefined };
  }

  close(): Promise<void> {
    return this.#access.objects.close();
  }
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
