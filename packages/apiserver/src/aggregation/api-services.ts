// APIServices in the store: which there are, what they are called, and what their condition says.
import { type APIService, type APIServiceCondition, deepEqual, type GroupVersion } from "@kubewright/api";
import type { Storage } from "../storage/index.js";

export const apiServicesTable = "apiregistration.k8s.io/apiservices";

/** Says where a server is that no Service leads to: `https://127.0.0.1:8443`. */
export const urlAnnotation = "kubewright.dev/url";

export const apiServicesPath = "/apis/apiregistration.k8s.io/v1/apiservices";

export const apiServicePath = (name: string): string => `${apiServicesPath}/${name}`;

/** `v1.apps`; that of the core is `v1.`. */
export const apiServiceName = ({ group, version }: GroupVersion): string => `${version}.${group}`;

export function allApiServices(storage: Storage): readonly APIService[] {
  return [...storage.list(apiServicesTable, { prefix: "" })] as unknown as APIService[];
}

export function readApiService(storage: Storage, name: string): APIService | undefined {
  return storage.get(apiServicesTable, name) as unknown as APIService | undefined;
}

/** Where the given URL leads; undefined for what is no such thing. */
export function givenUrl({ metadata }: APIService): URL | undefined {
  const text = metadata?.annotations?.[urlAnnotation];
  if (text === undefined || !/^https?:\/\//.test(text)) return undefined;
  return URL.canParse(text) ? new URL(text) : undefined;
}

/** What a condition says, without when it came to be. */
export type Availability = Pick<APIServiceCondition, "status" | "reason" | "message">;

/** What is served here cannot be away. */
export const localAvailability: Availability = {
  status: "True",
  reason: "Local",
  message: "Local APIServices are always available",
};

export const isAvailable = ({ status }: APIService): boolean =>
  (status?.conditions ?? []).some((each) => each.type === "Available" && each.status === "True");

/** The conditions with that one told; the same list where it says nothing new. */
export function withAvailability(
  conditions: readonly APIServiceCondition[],
  availability: Availability,
  now: string,
): readonly APIServiceCondition[] {
  const before = conditions.find(({ type }) => type === "Available");
  const lastTransitionTime =
    before?.status === availability.status ? (before.lastTransitionTime ?? now) : now;
  const next: APIServiceCondition = { lastTransitionTime, ...availability, type: "Available" };
  if (deepEqual(before, next)) return conditions;
  return before ? conditions.map((each) => (each === before ? next : each)) : [...conditions, next];
}
