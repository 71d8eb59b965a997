// The policies that are in force: those with bindings, compiled once, kept up to date by the store's own notices.
import type {
  MatchResources,
  ParamRef,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingAdmissionPolicySpec,
} from "@kubewright/api";
import type { Storage, StoredObject } from "../../storage/index.js";
import type { MatchCriteria } from "../matching/match-request.js";
import { matcherOf } from "../matching/matcher-of.js";
import { CompiledPolicy } from "./compiled-policy.js";

/** A policy and where it holds. */
export interface BoundPolicy {
  readonly policy: Policy;
  readonly bindings: readonly PolicyBinding[];
}

export interface PolicyBinding {
  readonly name: string;
  /** Absent when it holds wherever the policy does. */
  readonly criteria: MatchCriteria | undefined;
  readonly paramRef: ParamRef | undefined;
  readonly actions: ReadonlySet<string>;
}

/** A policy as it is stated; compiled when a request first matches. */
export class Policy {
  readonly name: string;
  readonly spec: ValidatingAdmissionPolicySpec;
  readonly criteria: MatchCriteria;
  readonly failsOpen: boolean;
  #compiled: CompiledPolicy | undefined;

  constructor(name: string, spec: ValidatingAdmissionPolicySpec) {
    this.name = name;
    this.spec = spec;
    this.criteria = criteriaOf(spec.matchConstraints ?? {});
    this.failsOpen = spec.failurePolicy === "Ignore";
  }

  get compiled(): CompiledPolicy {
    this.#compiled ??= new CompiledPolicy(this.spec);
    return this.#compiled;
  }
}

const group = "admissionregistration.k8s.io";
const policyTable = `${group}/validatingadmissionpolicies`;
const bindingTable = `${group}/validatingadmissionpolicybindings`;

export class PolicySource {
  readonly #storage: Storage;
  readonly #policies = new Map<string, Policy>();
  readonly #bindings = new Map<string, PolicyBinding>();
  #unsubscribe: (() => void)[] | undefined;
  #all: readonly BoundPolicy[] | undefined;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** By the name of the policy, bindings by theirs. */
  all(): readonly BoundPolicy[] {
    this.#unsubscribe ??= [
      this.#follow(policyTable, this.#policies),
      this.#follow(bindingTable, this.#bindings),
    ];
    this.#all ??= this.#collect();
    return this.#all;
  }

  close(): void {
    for (const unsubscribe of this.#unsubscribe ?? []) unsubscribe();
  }

  #follow(table: string, known: Map<string, unknown>): () => void {
    return this.#storage.subscribe(table, this.#storage.revision, ({ object }) => {
      known.delete(object.metadata.name);
      this.#all = undefined;
    });
  }

  #collect(): BoundPolicy[] {
    const byPolicy = new Map<string, PolicyBinding[]>();
    for (const object of this.#storage.list(bindingTable, { prefix: "" })) {
      const { spec } = object as unknown as ValidatingAdmissionPolicyBinding;
      const name = spec?.policyName ?? "";
      const bound = byPolicy.get(name) ?? [];
      bound.push(remembered(this.#bindings, object, bindingOf));
      byPolicy.set(name, bound);
    }
    return [...this.#storage.list(policyTable, { prefix: "" })].flatMap((object) => {
      const bindings = byPolicy.get(object.metadata.name);
      return bindings ? [{ policy: remembered(this.#policies, object, policyOf), bindings }] : [];
    });
  }
}

function remembered<T>(known: Map<string, T>, object: StoredObject, make: (object: StoredObject) => T): T {
  const { name } = object.metadata;
  const value = known.get(name) ?? make(object);
  known.set(name, value);
  return value;
}

const policyOf = (object: StoredObject): Policy =>
  new Policy(object.metadata.name, (object as unknown as ValidatingAdmissionPolicy).spec ?? {});

function bindingOf(object: StoredObject): PolicyBinding {
  const { spec } = object as unknown as ValidatingAdmissionPolicyBinding;
  return {
    name: object.metadata.name,
    criteria: spec?.matchResources && criteriaOf(spec.matchResources),
    paramRef: spec?.paramRef,
    actions: new Set(spec?.validationActions),
  };
}

/** Without rules, everything matches. */
function criteriaOf(match: MatchResources): MatchCriteria {
  const rules = match.resourceRules ?? [];
  return {
    rules: rules.length === 0 ? "all" : rules,
    excludeRules: match.excludeResourceRules ?? [],
    equivalent: match.matchPolicy !== "Exact",
    namespaceSelector: matcherOf(match.namespaceSelector),
    objectSelector: matcherOf(match.objectSelector),
  };
}
