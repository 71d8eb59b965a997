// Missing permissions: the requests of the manager under test that RBAC refused, and the rule that would allow each.
import type { PolicyRule, TransportResponse } from "@kubewright/api";

/** A manager tried what it declares nowhere: it would fail in production too. */
export class MissingPermissionError extends Error {
  override readonly name = "MissingPermissionError";
}

/** One refusal: of a request, or to give others what the manager has not. */
type Refusal =
  | {
      readonly kind: "request";
      readonly verb: string;
      readonly group: string;
      /** With its subresource. */
      readonly resource: string;
      /** Everywhere if undefined. */
      readonly namespace: string | undefined;
    }
  | { readonly kind: "grant"; readonly rules: string };

type RefusedRequest = Extract<Refusal, { kind: "request" }>;

const request =
  /cannot (?<verb>\S+) resource "(?<resource>[^"]+)" in API group "(?<group>[^"]*)"(?: in the namespace "(?<namespace>[^"]+)")?/;
const grant = /attempting to grant RBAC permissions not currently held:\n(?<rules>.+)/s;

/** Collects the requests that the manager under test was refused. */
export class MissingPermissions {
  readonly #manager: string;
  readonly #onMissing: (error: MissingPermissionError) => void;
  readonly #refused = new Map<string, Refusal>();

  /** Calls back the first time something is refused. */
  constructor(manager: string, onMissing: (error: MissingPermissionError) => void) {
    this.#manager = manager;
    this.#onMissing = onMissing;
  }

  /** Looks at an answer; only refusals by roles count, not those by quotas, policies or webhooks. */
  note({ status, body }: TransportResponse): void {
    if (status !== 403 || body.kind !== "object") return;
    const found = refusalIn(body.value);
    const key = JSON.stringify(found);
    if (!found || this.#refused.has(key)) return;
    this.#refused.set(key, found);
    this.#onMissing(new MissingPermissionError(this.#lines([found]).join("\n")));
  }

  /** One line for each resource and place, naming the rule to add. */
  lines(): readonly string[] {
    return this.#lines([...this.#refused.values()]);
  }

  #lines(refused: readonly Refusal[]): readonly string[] {
    const manager = `manager "${this.#manager}" may not`;
    const grants = refused.flatMap((one) => (one.kind === "grant" ? [one.rules] : []));
    return [
      ...requestLines(refused.filter((one) => one.kind === "request")).map((line) => `${manager} ${line}`),
      ...grants.map(
        (rules) => `${manager} grant what it is not allowed itself; add to rbac of its controller: ${rules}`,
      ),
    ];
  }
}

function requestLines(refused: readonly RefusedRequest[]): readonly string[] {
  const byPlace = new Map<string, { readonly of: RefusedRequest; readonly verbs: string[] }>();
  for (const of of refused) {
    const place = JSON.stringify([of.group, of.resource, of.namespace]);
    const known = byPlace.get(place) ?? { of, verbs: [] };
    known.verbs.push(of.verb);
    byPlace.set(place, known);
  }
  return [...byPlace.values()].map(({ of, verbs }) => requestLine(of, verbs));
}

function requestLine({ group, resource, namespace }: RefusedRequest, verbs: readonly string[]): string {
  const what = group === "" ? resource : `${resource}.${group}`;
  const where = namespace === undefined ? "" : ` in namespace ${namespace}`;
  // Declaring a kind allows the kind; its subresources only where a verb of the context needs them.
  const declare = resource.includes("/") ? "" : "declare the kind in owns, watches or uses, or ";
  const rule: PolicyRule = { apiGroups: [group], resources: [resource], verbs };
  return `${verbs.join(", ")} ${what}${where}; ${declare}add the rule ${JSON.stringify(rule)} to rbac of its controller`;
}

function refusalIn(status: unknown): Refusal | undefined {
  const message = typeof status === "object" && status !== null && "message" in status ? status.message : "";
  const { rules } = grant.exec(String(message))?.groups ?? {};
  if (rules !== undefined) return { kind: "grant", rules };
  const { verb, resource, group, namespace } = request.exec(String(message))?.groups ?? {};
  if (verb === undefined || resource === undefined || group === undefined) return undefined;
  return { kind: "request", verb, group, resource, namespace };
}
