// Checks before anything is started whether the manager has the permissions it needs. A missing one is then one clear line instead of
// a cache that never fills.
import { SelfSubjectAccessReview } from "@kubewright/api";
import type { Client } from "@kubewright/client";
import type { AccessNeed } from "../rbac/access-need.js";

export interface PreflightOptions {
  /** The manager's. */
  readonly name: string;
  readonly client: Client;
  /** Missing permissions are an error, are only reported, or are not looked for. */
  readonly mode: "fail" | "report" | "off";
  readonly report: (error: unknown) => void;
}

/** Checks what a manager needs. A server that cannot be asked is reported, and the manager starts all the same. */
export async function demandPermissions(
  needs: readonly AccessNeed[],
  { name, client, mode, report }: PreflightOptions,
): Promise<void> {
  if (mode === "off") return;
  const missing = await missingPermissions(client, needs).catch((error: unknown) => {
    report(error);
    return [];
  });
  const lines = missing.map((line) => `manager "${name}" ${line}`);
  if (mode === "fail" && lines.length > 0) throw new Error(lines.join("\n"));
  for (const line of lines) report(new Error(line));
}

/** One access review: a verb on a resource in a namespace, or everywhere. */
interface AccessReview {
  readonly need: AccessNeed;
  readonly verb: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
}

const atOnce = 8;

/** The permissions that are missing, one line each, naming the rule to add. Rejects when the server cannot be asked. */
export async function missingPermissions(
  client: Client,
  needs: readonly AccessNeed[],
): Promise<readonly string[]> {
  const reviews = distinct(needs.flatMap(reviewsOf));
  const missing: AccessReview[] = [];
  const next = reviews.values();
  const ask = async (): Promise<void> => {
    for (const review of next) if (!(await isAllowed(client, review))) missing.push(review);
  };
  await Promise.all(Array.from({ length: atOnce }, ask));
  return describe(reviews.filter((review) => missing.includes(review)));
}

function reviewsOf(need: AccessNeed): AccessReview[] {
  const namespaces = need.namespaces ?? [undefined];
  const names = need.names ?? [undefined];
  return need.verbs.flatMap((verb) =>
    namespaces.flatMap((namespace) => names.map((name) => ({ need, verb, namespace, name }))),
  );
}

/** A need of several controllers is checked once. */
function distinct(reviews: readonly AccessReview[]): readonly AccessReview[] {
  const byText = new Map<string, AccessReview>();
  for (const review of reviews) {
    const { need, verb, namespace = "", name = "" } = review;
    byText.set(`${need.group} ${need.resource} ${verb} ${namespace} ${name}`, review);
  }
  return [...byText.values()];
}

async function isAllowed(client: Client, { need, verb, namespace, name }: AccessReview): Promise<boolean> {
  const [resource, subresource] = need.resource.split("/");
  const resourceAttributes = { group: need.group, resource, subresource, verb, namespace, name };
  const review = await client.create(SelfSubjectAccessReview, { spec: { resourceAttributes } });
  return review.status?.allowed ?? false;
}

/** One line for each resource and namespace. */
function describe(missing: readonly AccessReview[]): readonly string[] {
  const verbs = new Map<string, { review: AccessReview; verbs: string[] }>();
  for (const review of missing) {
    const { need, namespace = "", name = "" } = review;
    const place = `${need.group} ${need.resource} ${namespace} ${name}`;
    const known = verbs.get(place) ?? { review, verbs: [] };
    known.verbs.push(review.verb);
    verbs.set(place, known);
  }
  return [...verbs.values()].map(({ review: { need, namespace, name: object }, verbs: list }) => {
    const resource = need.group ? `${need.resource}.${need.group}` : need.resource;
    const name = object === undefined ? resource : `${resource} ${object}`;
    const where = namespace === undefined ? "" : ` in namespace ${namespace}`;
    const resourceNames = object === undefined ? {} : { resourceNames: [object] };
    const rule = { apiGroups: [need.group], resources: [need.resource], ...resourceNames, verbs: list };
    return `may not ${list.join(", ")} ${name}${where}; add the rule ${JSON.stringify(rule)}`;
  });
}
