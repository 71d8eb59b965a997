// Discovery: the kinds a server has, for code that learns of a kind only at run time. The whole of it comes in two requests from
// servers of today (aggregated discovery), and group by group from others; it is kept until something is missing in it.
import {
  type GroupVersion,
  isObject,
  parseApiVersion,
  type ResourceDescriptor,
  type UntypedObject,
} from "@kubewright/api";
import type { Caller } from "./caller.js";
import type { CallOptions } from "./options.js";

/** A resource whose kind is known only at run time. */
export type DynamicResource = ResourceDescriptor<UntypedObject>;

type Fields = Readonly<Record<string, unknown>>;

const aggregated = (version: string): string =>
  `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
const accept = `${aggregated("v2")},${aggregated("v2beta1")},application/json`;

/** Asks a server for its kinds, once. */
export class Discovery {
  readonly #caller: Caller;
  #known: Promise<readonly DynamicResource[]> | undefined;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /** Every resource of the server. `refresh` asks again. */
  resources(
    options: CallOptions & { readonly refresh?: boolean | undefined } = {},
  ): Promise<readonly DynamicResource[]> {
    if (this.#known === undefined || options.refresh) {
      const asked = this.#ask(options);
      this.#known = asked;
      asked.catch(() => {
        if (this.#known === asked) this.#known = undefined;
      });
    }
    return this.#known;
  }

  /** The resource of a kind; asks again when it is not among those known. */
  async find(
    apiVersion: string,
    kind: string,
    options: CallOptions = {},
  ): Promise<DynamicResource | undefined> {
    const version = parseApiVersion(apiVersion);
    if (version === undefined) return undefined;
    const matches = (resource: DynamicResource): boolean =>
      resource.kind === kind && resource.group === version.group && resource.version === version.version;
    const before = this.#known;
    const known = (await this.resources(options)).find(matches);
    if (known !== undefined || before === undefined) return known;
    // Several that miss at once ask once.
    const refresh = this.#known === before;
    return (await this.resources({ ...options, refresh })).find(matches);
  }

  async #ask(options: CallOptions): Promise<readonly DynamicResource[]> {
    const [core, groups] = await Promise.all([this.#get("/api", options), this.#get("/apis", options)]);
    const found = await Promise.all([this.#read(core, options), this.#read(groups, options)]);
    return found.flat();
  }

  #read(answer: Fields, options: CallOptions): Promise<DynamicResource[]> | DynamicResource[] {
    if (answer["kind"] === "APIGroupDiscoveryList") return records(answer["items"]).flatMap(aggregatedGroup);
    return this.#readOneByOne(legacyVersions(answer), options);
  }

  async #readOneByOne(versions: readonly GroupVersion[], options: CallOptions): Promise<DynamicResource[]> {
    const lists = versions.map(async (version) => {
      const path =
        version.group === "" ? `/api/${version.version}` : `/apis/${version.group}/${version.version}`;
      // One extension server that is down must not hide every other kind.
      const answer = await this.#get(path, options).catch((): Fields => ({}));
      return legacyResources(version, records(answer["resources"]));
    });
    return (await Promise.all(lists)).flat();
  }

  async #get(path: string, options: CallOptions): Promise<Fields> {
    const answer = await this.#caller.perform({
      what: `discover ${path}`,
      method: "GET",
      path,
      accept,
      ...this.#caller.bounds(options),
    });
    return isObject(answer) ? answer : {};
  }
}

function aggregatedGroup(item: Fields): DynamicResource[] {
  const group = text(isObject(item["metadata"]) ? item["metadata"]["name"] : "");
  return records(item["versions"]).flatMap((version) =>
    records(version["resources"]).map((resource) =>
      descriptor({ group, version: text(version["version"]) }, resource, {
        plural: text(resource["resource"]),
        kind: text(isObject(resource["responseKind"]) ? resource["responseKind"]["kind"] : ""),
        singular: text(resource["singularResource"]),
        namespaced: resource["scope"] === "Namespaced",
        subresources: records(resource["subresources"]).map((sub) => text(sub["subresource"])),
      }),
    ),
  );
}

function legacyVersions(answer: Fields): GroupVersion[] {
  if (answer["kind"] === "APIVersions")
    return texts(answer["versions"]).map((version) => ({ group: "", version }));
  return records(answer["groups"]).flatMap((group) =>
    records(group["versions"]).map((version) => ({
      group: text(group["name"]),
      version: text(version["version"]),
    })),
  );
}

function legacyResources(version: GroupVersion, entries: readonly Fields[]): DynamicResource[] {
  const names = entries.map((entry) => text(entry["name"]));
  return entries.flatMap((entry) => {
    const plural = text(entry["name"]);
    if (plural.includes("/")) return [];
    const prefix = `${plural}/`;
    return descriptor(version, entry, {
      plural,
      kind: text(entry["kind"]),
      singular: text(entry["singularName"]),
      namespaced: entry["namespaced"] === true,
      subresources: names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length)),
    });
  });
}

interface Particulars {
  readonly plural: string;
  readonly kind: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly subresources: readonly string[];
}

function descriptor(
  { group, version }: GroupVersion,
  entry: Fields,
  particulars: Particulars,
): DynamicResource {
  const { plural, kind, singular, namespaced, subresources } = particulars;
  return {
    group,
    version,
    kind,
    plural,
    singular: singular || kind.toLowerCase(),
    scope: namespaced ? "Namespaced" : "Cluster",
    shortNames: texts(entry["shortNames"]),
    categories: texts(entry["categories"]),
    verbs: texts(entry["verbs"]),
    subresources,
  };
}

function records(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
