// Schemas of the documents of discovery, which belong to no group version.
import type { Json } from "./custom-schema.js";

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1";
const text = { type: "string", default: "" };
const optional = { type: "string" };
const refer = (name: string) => ({ default: {}, allOf: [{ $ref: `#/components/schemas/${meta}.${name}` }] });
const listOf = (items: object) => ({ type: "array", items, "x-kubernetes-list-type": "atomic" });
const kindOf = (kind: string) => ({
  "x-kubernetes-group-version-kind": [{ group: "", kind, version: "v1" }],
});
const type = { apiVersion: optional, kind: optional };

const groupVersion = {
  description: "A version of a group, by its whole name and by its own.",
  type: "object",
  required: ["groupVersion", "version"],
  properties: { groupVersion: text, version: text },
};
const serverAddress = {
  description: "The address of this server for clients of a network.",
  type: "object",
  required: ["clientCIDR", "serverAddress"],
  properties: { clientCIDR: text, serverAddress: text },
};
const group = {
  description: "A group, its versions, and the one that is preferred.",
  type: "object",
  required: ["name", "versions"],
  properties: {
    ...type,
    name: text,
    preferredVersion: refer("GroupVersionForDiscovery"),
    serverAddressByClientCIDRs: listOf(refer("ServerAddressByClientCIDR")),
    versions: listOf(refer("GroupVersionForDiscovery")),
  },
  ...kindOf("APIGroup"),
};
const groups = {
  description: "All groups of this server.",
  type: "object",
  required: ["groups"],
  properties: { ...type, groups: listOf(refer("APIGroup")) },
  ...kindOf("APIGroupList"),
};
const versions = {
  description: "The versions of the core group.",
  type: "object",
  required: ["versions", "serverAddressByClientCIDRs"],
  properties: {
    ...type,
    serverAddressByClientCIDRs: listOf(refer("ServerAddressByClientCIDR")),
    versions: listOf(text),
  },
  ...kindOf("APIVersions"),
};
const versionFields = [
  "major",
  "minor",
  "gitVersion",
  "gitCommit",
  "gitTreeState",
  "buildDate",
  "goVersion",
  "compiler",
  "platform",
];
const emulation = ["emulationMajor", "emulationMinor", "minCompatibilityMajor", "minCompatibilityMinor"];
const version = {
  description: "Which version of Kubernetes this is, and what it was built from.",
  type: "object",
  required: versionFields,
  properties: Object.fromEntries([
    ...versionFields.map((name) => [name, text]),
    ...emulation.map((name) => [name, optional]),
  ]),
};

const inGroups = {
  [`${meta}.APIGroup`]: group,
  [`${meta}.GroupVersionForDiscovery`]: groupVersion,
  [`${meta}.ServerAddressByClientCIDR`]: serverAddress,
};

/** The schemas of a document by what it answers with. */
export const discoverySchemas: Readonly<Record<string, Json>> = {
  APIGroup: inGroups,
  APIGroupList: { ...inGroups, [`${meta}.APIGroupList`]: groups },
  APIVersions: {
    [`${meta}.APIVersions`]: versions,
    [`${meta}.ServerAddressByClientCIDR`]: serverAddress,
  },
  Info: { "io.k8s.apimachinery.pkg.version.Info": version },
};
