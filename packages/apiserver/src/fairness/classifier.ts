// Classifies requests: the first FlowSchema by precedence that matches user, verb and resource.

import type { FlowSchema, PriorityLevelConfiguration } from "@kubewright/api";
import type { StoredObject, UserInfo } from "@kubewright/kinds";

import type { RequestInfo, ResourceRequestInfo } from "../request/request-info.js";
import type { Storage } from "../storage/index.js";
import { flowSchemaTable, priorityLevelTable } from "./default-configuration.js";

/** The FlowSchema and priority level of a request. */
export interface FlowClass {
  readonly schema: string;
  readonly schemaUid: string;
  readonly level: string;
  readonly levelUid: string;
  /** Whether its requests are never refused. */
  readonly isExempt: boolean;
  /** The flow within its schema, by the distinguisher: requests of one flow share a queue. */
  readonly flow: string;
}

type Spec = NonNullable<FlowSchema["spec"]>;
type Rule = NonNullable<Spec["rules"]>[number];
type Subject = Rule["subjects"][number];

interface Schema {
  readonly name: string;
  readonly uid: string;
  readonly spec: Spec;
}

export class FlowClassifier {
  readonly #storage: Storage;
  readonly #unsubscribe: (() => void)[];
  /** In the order they are tried; read anew after a change. */
  #schemas: readonly Schema[] | undefined;

  constructor(storage: Storage) {
    this.#storage = storage;
    this.#unsubscribe = [
      storage.subscribe(flowSchemaTable, storage.revision, () => {
        this.#schemas = undefined;
      }),
    ];
  }

  /** Undefined where no schema matches, as when someone removed the last of them. */
  classify(user: UserInfo, info: RequestInfo): FlowClass | undefined {
    this.#schemas ??= this.#read();
    const schema = this.#schemas.find(({ spec }) => spec.rules?.some((rule) => matches(rule, user, info)));
    if (!schema) return undefined;
    const level = schema.spec.priorityLevelConfiguration.name;
    const found = this.#storage.get(priorityLevelTable, level);
    const method = schema.spec.distinguisherMethod?.type;
    const namespace = info.kind === "resource" ? (info.namespace ?? "") : "";
    const distinguisher = method === "ByUser" ? user.name : method === "ByNamespace" ? namespace : "";
    return {
      schema: schema.name,
      schemaUid: schema.uid,
      level,
      levelUid: found?.metadata.uid ?? "",
      isExempt: found !== undefined && levelOf(found).spec?.type === "Exempt",
      flow: `${schema.name} ${distinguisher}`,
    };
  }

  close(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
  }

  #read(): readonly Schema[] {
    const precedence = ({ spec }: Schema): number => spec.matchingPrecedence ?? 1000;
    return [...this.#storage.list(flowSchemaTable, { prefix: "" })]
      .flatMap((object) => {
        const { spec } = schemaOf(object);
        const { name, uid } = object.metadata;
        return spec ? [{ name, uid, spec }] : [];
      })
      .sort((a, b) => precedence(a) - precedence(b) || (a.name < b.name ? -1 : 1));
  }
}

/** Objects of this resource were validated as FlowSchemas when they were stored. */
const schemaOf = (object: StoredObject): FlowSchema => object as unknown as FlowSchema;
const levelOf = (object: StoredObject): PriorityLevelConfiguration =>
  object as unknown as PriorityLevelConfiguration;

function matches(rule: Rule, user: UserInfo, info: RequestInfo): boolean {
  if (!rule.subjects.some((subject) => isSubject(subject, user))) return false;
  if (info.kind === "path")
    return (rule.nonResourceRules ?? []).some(
      ({ verbs, nonResourceURLs }) =>
        has(verbs, info.verb) && nonResourceURLs.some((pattern) => matchesPath(pattern, info.path)),
    );
  return (rule.resourceRules ?? []).some(
    (each) =>
      has(each.verbs, info.verb) &&
      has(each.apiGroups, info.group) &&
      has(each.resources, resourceOf(info)) &&
      (info.namespace === undefined
        ? each.clusterScope === true
        : has(each.namespaces ?? [], info.namespace)),
  );
}

function isSubject({ kind, user, group, serviceAccount }: Subject, asking: UserInfo): boolean {
  if (kind === "User") return user?.name === "*" || user?.name === asking.name;
  if (kind === "Group") return group?.name === "*" || asking.groups.includes(group?.name ?? "");
  if (!serviceAccount) return false;
  const prefix = `system:serviceaccount:${serviceAccount.namespace}:`;
  return serviceAccount.name === "*"
    ? asking.name.startsWith(prefix)
    : asking.name === `${prefix}${serviceAccount.name}`;
}

const has = (names: readonly string[], name: string): boolean => names.includes("*") || names.includes(name);

const resourceOf = ({ resource, subresource }: ResourceRequestInfo): string =>
  subresource === undefined ? resource : `${resource}/${subresource}`;

/** A pattern stands for itself, or with a star at its end for all that begins so; real servers take `/healthz/*` too. */
function matchesPath(pattern: string, path: string): boolean {
  return pattern.endsWith("*") ? path.startsWith(pattern.slice(0, -1)) : pattern === path;
}
