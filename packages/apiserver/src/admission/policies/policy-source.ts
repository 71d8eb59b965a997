// The policies with bindings, compiled once and kept up to date by watching the store.

import type { MatchResources, ParamRef, ValidatingAdmissionPolicyBinding } from "@kubewright/api";
import type { StoredObject } from "@kubewright/kinds";

import type { Storage } from "../../storage/index.js";
import type { MatchCriteria } from "../matching/match-request.js";
import { matcherOf } from "../matching/matcher-of.js";

/** A policy and its bindings. */
export interface BoundPolicy<P> {
  readonly policy: P;
  readonly bindings: readonly PolicyBinding[];
}

export interface PolicyBinding {
  readonly name: string;
  /** Absent when it matches whatever the policy matches. */
  readonly criteria: MatchCriteria | undefined;
  readonly paramRef: ParamRef | undefined;
  /** The validationActions of a validating policy. */
  readonly actions: ReadonlySet<string>;
}

/** The fields that validating and mutating policies share. */
interface PolicySpec {
  readonly matchConstraints?: MatchResources | undefined;
  readonly failurePolicy?: string | undefined;
}

/** A policy; its expressions are compiled when a request first matches it. */
export class Policy<Spec extends PolicySpec, Compiled> {
  readonly name: string;
  readonly spec: Spec;
  readonly criteria: MatchCriteria;
  readonly failsOpen: boolean;
  readonly #compile: (spec: Spec) => Compiled;
  #compiled: Compiled | undefined;

  constructor(name: string, spec: Spec, compile: (spec: Spec) => Compiled) {
    this.name = name;
    this.spec = spec;
    this.criteria = criteriaOf(spec.matchConstraints ?? {});
    this.failsOpen = spec.failurePolicy === "Ignore";
    this.#compile = compile;
  }

  /** Its expressions, ready to be evaluated. */
  get compiled(): Compiled {
    this.#compiled ??= this.#compile(this.spec);
    return this.#compiled;
  }
}

const group = "admissionregistration.k8s.io";

/** The policies that a source watches. */
export interface PolicySourceOptions<P> {
  /** The beginning of the names of the resources. */
  readonly sort: "validating" | "mutating";
  policyOf(object: StoredObject): P;
}

export class PolicySource<P> {
  readonly #storage: Storage;
  readonly #policyTable: string;
  readonly #bindingTable: string;
  readonly #policyOf: (object: StoredObject) => P;
  readonly #policies = new Map<string, P>();
  readonly #bindings = new Map<string, PolicyBinding>();
  #unsubscribe: (() => void)[] | undefined;
  #all: readonly BoundPolicy<P>[] | undefined;

  constructor(storage: Storage, { sort, policyOf }: PolicySourceOptions<P>) {
    this.#storage = storage;
    this.#policyTable = `${group}/${sort}admissionpolicies`;
    this.#bindingTable = `${group}/${sort}admissionpolicybindings`;
    this.#policyOf = policyOf;
  }

  /** By the name of the policy, bindings by theirs. */
  all(): readonly BoundPolicy<P>[] {
    this.#unsubscribe ??= [
      this.#follow(this.#policyTable, this.#policies),
      this.#follow(this.#bindingTable, this.#bindings),
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

  #collect(): BoundPolicy<P>[] {
    const byPolicy = new Map<string, PolicyBinding[]>();
    for (const object of this.#storage.list(this.#bindingTable, { prefix: "" })) {
      const { spec } = object as unknown as ValidatingAdmissionPolicyBinding;
      const name = spec?.policyName ?? "";
      const bound = byPolicy.get(name) ?? [];
      bound.push(remembered(this.#bindings, object, bindingOf));
      byPolicy.set(name, bound);
    }
    return [...this.#storage.list(this.#policyTable, { prefix: "" })].flatMap((object) => {
      const bindings = byPolicy.get(object.metadata.name);
      return bindings ? [{ policy: remembered(this.#policies, object, this.#policyOf), bindings }] : [];
    });
  }
}

function remembered<T>(known: Map<string, T>, object: StoredObject, make: (object: StoredObject) => T): T {
  const { name } = object.metadata;
  const value = known.get(name) ?? make(object);
  known.set(name, value);
  return value;
}

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
