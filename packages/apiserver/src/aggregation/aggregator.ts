// The aggregator: follows the APIServices in the store and finds the server of each group version, this one or an aggregated one.

import { type APIService, formatTime, type GroupVersion, type TransportResponse } from "@kubewright/api";
import { localAvailability, withAvailability } from "@kubewright/kinds";
import { KeyWorker } from "../crds/key-worker.js";

import { goErrorText } from "../listener/go-error-text.js";
import type { ServiceResolver } from "../listener/https-webhook-caller.js";
import { labelText, metricText } from "../metrics/exposition.js";
import type { RequestContext, Services } from "../registry/request-context.js";
import type { InternalCaller } from "../request/internal-caller.js";
import type { RequestInfo } from "../request/request-info.js";
import { textResponse } from "../request/responses.js";
import type { Change } from "../storage/index.js";
import {
  allApiServices,
  apiServiceName,
  apiServicePath,
  apiServicesTable,
  isAvailable,
  readApiService,
} from "./api-services.js";
import { type ApiPriority, builtInPriority, customPriority, foremost } from "./built-in-priorities.js";
import { type AggregationOptions, namedServer } from "./extension-server.js";
import { CustomRegistration } from "./registration.js";
import { RemoteApi } from "./remote-api.js";
import type { RemoteSwagger } from "./remote-swagger.js";

export interface AggregatorOptions extends AggregationOptions {
  readonly resolveService?: ServiceResolver | undefined;
}

/** A group version of another server, as discovery shows it. */
export interface RemoteGroupVersion extends GroupVersion {
  readonly resources: readonly unknown[];
  readonly isStale: boolean;
  readonly openApiHash: string | undefined;
}

export class Aggregator {
  readonly #services: Pick<Services, "storage" | "clock">;
  readonly #options: AggregatorOptions;
  readonly #remote = new Map<string, RemoteApi>();
  readonly #unsubscribe: (() => void)[] = [];
  readonly #locals: KeyWorker;
  #call: InternalCaller = () => Promise.reject(new Error("not started"));
  #registration: CustomRegistration | undefined;
  #generation = 0;

  constructor(services: Pick<Services, "storage" | "clock">, options: AggregatorOptions) {
    this.#services = services;
    this.#options = options;
    const work = (name: string) => this.#reportLocal(name);
    this.#locals = new KeyWorker({ clock: services.clock, name: "APIServices served here", work });
  }

  /** Changes whenever what others serve, or the order of groups, may have changed. */
  get generation(): number {
    return this.#generation;
  }

  /** Begins to watch APIServices and CRDs. */
  start(services: Services, call: InternalCaller): void {
    this.#call = call;
    const { storage } = services;
    this.#unsubscribe.push(
      storage.subscribe(apiServicesTable, storage.revision, (change) => this.#follow(change)),
      ...["services", "discovery.k8s.io/endpointslices"].map((table) =>
        storage.subscribe(table, storage.revision, ({ object }) => this.#lookAgain(object.metadata)),
      ),
    );
    for (const apiService of allApiServices(storage)) this.#keep(apiService);
    this.#registration = new CustomRegistration(services, call);
  }

  close(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    this.#registration?.close();
    this.#locals.close();
    for (const api of this.#remote.values()) api.close();
  }

  /** The server behind this one that a request is for; undefined when it is for this one. */
  serverOf(info: RequestInfo): RemoteApi | undefined {
    if (this.#remote.size === 0) return undefined;
    if (info.kind === "resource" && info.hasDoubleSlash) return undefined;
    const gv = info.kind === "resource" ? info : groupVersionOf(info.path);
    return gv && this.#remote.get(apiServiceName(gv));
  }

  remoteGroupVersions(): readonly RemoteGroupVersion[] {
    return [...this.#remote.values()].flatMap((api) => {
      const spec = api.apiService?.spec;
      if (!spec) return [];
      const { resources, isStale, openApiHash } = api;
      return [{ group: spec.group ?? "", version: spec.version ?? "", resources, isStale, openApiHash }];
    });
  }

  /** The OpenAPI v2 documents of extension API servers, in order of group priority. */
  remoteSwaggers(): readonly RemoteSwagger[] {
    const apis = [...this.#remote.values()].flatMap(({ apiService, swagger }) =>
      apiService && swagger ? [{ apiService, swagger }] : [],
    );
    return inOrderOfPriority(apis).map(({ swagger }) => swagger);
  }

  /** Where a group version comes in discovery. */
  priorityOf(gv: GroupVersion): ApiPriority {
    if (gv.group === "apiregistration.k8s.io") return foremost;
    const spec = readApiService(this.#services.storage, apiServiceName(gv))?.spec;
    if (spec) return { group: spec.groupPriorityMinimum, version: spec.versionPriority };
    return builtInPriority(gv) ?? customPriority;
  }

  metrics(): string {
    const samples = [...this.#remote].map(
      ([name, api]) => [labelText({ name }), api.isAvailable ? 0 : 1] as const,
    );
    const help =
      "[ALPHA] Gauge of APIServices which are marked as unavailable broken down by APIService name.";
    return metricText("aggregator_unavailable_apiservice", "gauge", help, samples);
  }

  #follow({ type, key, object }: Change): void {
    this.#generation += 1;
    if (type === "put") this.#keep(object as unknown as APIService);
    else this.#forget(key);
  }

  #keep(apiService: APIService): void {
    const name = apiService.metadata?.name ?? "";
    if (!apiService.spec?.service && !namedServer(apiService, this.#options)) {
      this.#forget(name);
      if (!isAvailable(apiService)) this.#locals.add(name);
      return;
    }
    const known = this.#remote.get(name);
    if (known) known.look();
    else this.#remote.set(name, this.#remoteApi(name));
  }

  #remoteApi(name: string): RemoteApi {
    return new RemoteApi(name, {
      ...this.#options,
      services: this.#services,
      resolveService: this.#options.resolveService,
      call: this.#call,
      onChange: () => {
        this.#generation += 1;
      },
    });
  }

  #forget(name: string): void {
    this.#remote.get(name)?.close();
    this.#remote.delete(name);
  }

  #lookAgain(changed: {
    readonly namespace?: string | undefined;
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>> | undefined;
  }): void {
    if (this.#remote.size === 0) return;
    const name = changed.labels?.["kubernetes.io/service-name"] ?? changed.name;
    for (const api of this.#remote.values()) {
      const service = api.apiService?.spec?.service;
      if (service?.namespace === changed.namespace && service?.name === name) api.look();
    }
  }

  /** One that was served elsewhere before. */
  async #reportLocal(name: string): Promise<void> {
    const apiService = readApiService(this.#services.storage, name);
    if (!apiService || this.#remote.has(name)) return;
    const now = formatTime(this.#services.clock.now());
    const conditions = withAvailability(apiService.status?.conditions ?? [], localAvailability, now);
    const body = { ...apiService, status: { ...apiService.status, conditions } };
    await this.#call("PUT", `${apiServicePath(name)}/status`, body);
  }
}

/** Groups by their highest priority, versions of one by theirs, and what is equal by name. */
function inOrderOfPriority<T extends { readonly apiService: APIService }>(apis: readonly T[]): T[] {
  const groups = new Map<string, number>();
  for (const { spec } of apis.map(({ apiService }) => apiService)) {
    const group = spec?.group ?? "";
    groups.set(group, Math.max(groups.get(group) ?? 0, spec?.groupPriorityMinimum ?? 0));
  }
  const rank = ({ spec }: APIService, isOneGroup: boolean): number =>
    (isOneGroup ? spec?.versionPriority : groups.get(spec?.group ?? "")) ?? 0;
  return apis.toSorted((a, b) => {
    const isOneGroup = a.apiService.spec?.group === b.apiService.spec?.group;
    const difference = rank(b.apiService, isOneGroup) - rank(a.apiService, isOneGroup);
    if (difference !== 0) return difference;
    return (a.apiService.metadata?.name ?? "") < (b.apiService.metadata?.name ?? "") ? -1 : 1;
  });
}

/** The group version whose discovery or OpenAPI document a path is. */
function groupVersionOf(path: string): GroupVersion | undefined {
  const [, root, first, second, ...rest] = path.replace(/^\/openapi\/v3\//, "/").split("/");
  if (rest.some((segment) => segment !== "")) return undefined;
  if (root === "api" && first && !second) return { group: "", version: first };
  return root === "apis" && first && second ? { group: first, version: second } : undefined;
}

/** The answer of the server behind this one, or that it could not be reached. */
export async function passOn(
  api: RemoteApi,
  { request, user }: Pick<RequestContext, "request" | "user">,
): Promise<TransportResponse> {
  if (!api.isAvailable) return textResponse(503, "service unavailable\n");
  try {
    return await api.ask(request, user);
  } catch (error) {
    return textResponse(503, `error trying to reach service: ${goErrorText(error)}\n`);
  }
}
