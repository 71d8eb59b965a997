// Authentication and authorization of requests to a kubelet: a client needs a certificate or token that the cluster accepts,
// and permission for `nodes/proxy`, or for the part of it that Kubernetes has for the path. The API server decides both, as with the
// kubelets of Kubernetes. Running programs and forwarding ports needs the verb `create`, with WebSockets too, which are asked for with GET.
import {
  ApiError,
  type Clock,
  SubjectAccessReview,
  TokenReview,
  type TransportRequest,
} from "@kubewright/api";
import type { Peer } from "@kubewright/apiserver";
import type { Client } from "@kubewright/client";

interface Caller {
  readonly user: string;
  readonly groups: readonly string[];
}

/** How long an answer of the API server is taken for granted. */
const rememberedFor = 60_000;

export interface KubeletAuth {
  /** Rejects with an ApiError when the caller may not ask. */
  check(request: TransportRequest, peer: Peer): Promise<void>;
}

/** Lets everybody in; for API servers that have no certificate to show. */
export const openToAll: KubeletAuth = { check: async () => undefined };

export class ReviewedAuth implements KubeletAuth {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #allowed = new Map<string, number>();

  constructor(client: Client, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  async check(request: TransportRequest, peer: Peer): Promise<void> {
    const caller = callerOf(peer) ?? (await this.#byToken(request.headers?.["authorization"] ?? ""));
    if (!caller) throw new ApiError("Unauthorized", { code: 401, reason: "Unauthorized" });
    const { verb, subresources } = neededFor(request);
    for (const subresource of subresources) if (await this.#isAllowed(caller, verb, subresource)) return;
    const [subresource] = subresources;
    throw new ApiError(
      `Forbidden (user=${caller.user}, verb=${verb}, resource=nodes, subresource=${subresource})`,
      { code: 403, reason: "Forbidden" },
    );
  }

  async #isAllowed(caller: Caller, verb: string, subresource: string): Promise<boolean> {
    const key = JSON.stringify([caller, verb, subresource]);
    const now = this.#clock.monotonic();
    if ((this.#allowed.get(key) ?? 0) > now) return true;
    const { status } = await this.#client.create(SubjectAccessReview, {
      metadata: {},
      spec: { ...caller, resourceAttributes: { verb, version: "v1", resource: "nodes", subresource } },
    });
    if (!status?.allowed) return false;
    if (this.#allowed.size > 1000) this.#allowed.clear();
    this.#allowed.set(key, now + rememberedFor);
    return true;
  }

  async #byToken(header: string): Promise<Caller | undefined> {
    const [, token] = /^Bearer (.+)$/i.exec(header) ?? [];
    if (token === undefined) return undefined;
    const { status } = await this.#client.create(TokenReview, { metadata: {}, spec: { token } });
    if (!status?.authenticated || !status.user?.username) return undefined;
    return { user: status.user.username, groups: status.user.groups ?? [] };
  }
}

const verbs: Readonly<Record<string, string>> = {
  POST: "create",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
};

/** The verb and the subresources of nodes, any of which will do. */
function neededFor({ method, path }: TransportRequest): {
  readonly verb: string;
  readonly subresources: readonly string[];
} {
  const first = path.split("/")[1] ?? "";
  const isConnection = ["exec", "attach", "portForward", "run"].includes(first);
  const verb = isConnection ? "create" : (verbs[method] ?? "get");
  if (first === "logs") return { verb, subresources: ["log"] };
  if (first === "pods" || first === "runningpods") return { verb, subresources: ["proxy", "pods"] };
  return { verb, subresources: ["proxy"] };
}

function callerOf({ certificate }: Peer): Caller | undefined {
  if (!certificate || certificate === "untrusted") return undefined;
  return { user: certificate.commonName, groups: [...certificate.organizations, "system:authenticated"] };
}
