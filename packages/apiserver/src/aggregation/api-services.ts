// APIServices in the store, their names and their Available condition.
import type { APIService, GroupVersion } from "@kubewright/api";
import type { Storage } from "../storage/index.js";

export const apiServicesTable = "apiregistration.k8s.io/apiservices";

/** Says where a server is that no Service leads to: `https://127.0.0.1:8443`. */
const urlAnnotation = "kubewright.dev/url";

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

export const isAvailable = ({ status }: APIService): boolean =>
  (status?.conditions ?? []).some((each) => each.type === "Available" && each.status === "True");
