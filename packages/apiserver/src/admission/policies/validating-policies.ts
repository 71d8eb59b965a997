// ValidatingAdmissionPolicy: rules in CEL that users bind to resources; the first denial answers the request.

import {
  ApiError,
  type ValidatingAdmissionPolicy,
  type ValidatingAdmissionPolicySpec,
} from "@kubewright/api";
import { type Bindings, type StoredObject, storedAs } from "@kubewright/kinds";

import type { PolicyOutcome } from "../../metrics/admission-metrics.js";
import type { AdmissionRequest } from "../../registry/admission-control.js";
import type { Storage } from "../../storage/index.js";
import type { AdmissionPlugin } from "../admission.js";
import { admissionBindings } from "../expressions/admission-bindings.js";
import type { AdmissionTarget } from "../matching/admission-target.js";
import { isExemptFromPolicies } from "../matching/exempt.js";
import { type MatchCriteria, MatchSubject, matchRequest } from "../matching/match-request.js";
import { requestAttributes } from "../matching/request-attributes.js";
import { inVersion } from "../matching/versioned-objects.js";
import { CompiledPolicy } from "./compiled-policy.js";
import { namespaceObjectFor } from "./namespace-object.js";
import { PolicyAnnotations } from "./policy-annotations.js";
import { type AttributedDenial, deniedByPolicy, type PolicyDenial } from "./policy-decision.js";
import { PolicyMisconfigured, paramResource, policyParams } from "./policy-params.js";
import { type BoundPolicy, Policy, type PolicyBinding, PolicySource } from "./policy-source.js";

type ValidatingPolicy = Policy<ValidatingAdmissionPolicySpec, CompiledPolicy>;

const policyOf = (object: StoredObject): ValidatingPolicy =>
  new Policy(object.metadata.name, storedAs<ValidatingAdmissionPolicy>(object).spec ?? {}, (spec) =>
    CompiledPolicy.compile(spec),
  );

export class ValidatingPolicies implements AdmissionPlugin {
  readonly name = "ValidatingAdmissionPolicy";
  readonly #source: PolicySource<ValidatingPolicy>;

  constructor(storage: Storage) {
    this.#source = new PolicySource(storage, { sort: "validating", policyOf });
  }

  validate(request: AdmissionRequest): Promise<void> | void {
    const policies = this.#source.all();
    if (policies.length === 0 || isExemptFromPolicies(request)) return;
    return new PolicyRun(request).run(policies);
  }

  close(): void {
    this.#source.close();
  }
}

/** A policy as one of its bindings has it. */
interface Invocation {
  readonly policy: ValidatingPolicy;
  readonly binding: PolicyBinding;
}

/** All policies about one request. */
class PolicyRun {
  readonly #subject: MatchSubject;
  readonly #denials: AttributedDenial[] = [];
  #namespaceObject: unknown;

  constructor(request: AdmissionRequest) {
    this.#subject = new MatchSubject(request);
  }

  async run(policies: readonly BoundPolicy<ValidatingPolicy>[]): Promise<void> {
    for (const { policy, bindings } of policies) {
      await this.#configured(policy, undefined, () => this.#apply(policy, bindings));
    }
    const [first] = this.#denials;
    if (first) throw deniedByPolicy(this.#subject.request, first);
  }

  async #apply(policy: ValidatingPolicy, bindings: readonly PolicyBinding[]): Promise<void> {
    const as = this.#match(policy.criteria);
    if (!as) return;
    const { context } = this.#subject.request;
    const resource = paramResource(context, policy.spec.paramKind);
    let variables: Bindings | undefined;
    const annotations = new PolicyAnnotations(context, policy.name);
    for (const binding of bindings) {
      await this.#configured(policy, binding, async () => {
        if (binding.criteria && !this.#match(binding.criteria)) return;
        const found = await policyParams(context, resource, binding.paramRef, this.#subject.namespace);
        variables ??= await this.#bindings(as);
        for (const params of found) this.#evaluate({ policy, binding }, variables, params, annotations);
      });
    }
    annotations.publish();
  }

  /** An error in the configuration denies the request, unless the policy fails open. */
  async #configured(
    policy: ValidatingPolicy,
    binding: PolicyBinding | undefined,
    work: () => Promise<void>,
  ): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof PolicyMisconfigured)) throw error;
      if (policy.failsOpen) return;
      const what = binding ? "binding" : "policy";
      this.#deny(policy, binding, { message: `failed to configure ${what}: ${error.message}` });
    }
  }

  #match(criteria: MatchCriteria): AdmissionTarget | undefined {
    try {
      return matchRequest(criteria, this.#subject);
    } catch (error) {
      throw error instanceof ApiError ? new PolicyMisconfigured(error.message, { cause: error }) : error;
    }
  }

  async #bindings(as: AdmissionTarget): Promise<Bindings> {
    const { request, target } = this.#subject;
    const attributes = requestAttributes(this.#subject, as);
    try {
      const object = await inVersion(request.context, request.object, target, as);
      const oldObject = await inVersion(request.context, request.oldObject, target, as);
      return admissionBindings(this.#subject, { object, oldObject, attributes });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      throw new PolicyMisconfigured(`failed to convert object version: ${error.message}`, { cause: error });
    }
  }

  #evaluate(
    { policy, binding }: Invocation,
    variables: Bindings,
    params: StoredObject | null,
    annotations: PolicyAnnotations,
  ): void {
    const { admission: metrics } = this.#subject.request.context.services.metrics;
    const began = metrics.now();
    const matching = { ...variables, params };
    const namespaceObject = this.#namespace();
    const outcome = policy.compiled.evaluate(matching, { ...matching, namespaceObject });
    const { denials, faults } = outcome;
    const names = { policy: policy.name, binding: binding.name, milliseconds: metrics.now() - began };
    const count = (action: PolicyOutcome["action"], error: PolicyOutcome["error"]): void =>
      metrics.policy({ ...names, action, error });
    for (const denial of denials) this.#act(policy, binding, denial, annotations, count);
    for (const [key, value] of outcome.annotations) annotations.add(key, value);
    for (const fault of faults) {
      count("deny", "invalid_error");
      this.#deny(policy, binding, fault);
    }
  }

  #act(
    policy: ValidatingPolicy,
    binding: PolicyBinding,
    denial: PolicyDenial,
    annotations: PolicyAnnotations,
    count: (action: PolicyOutcome["action"], error: PolicyOutcome["error"]) => void,
  ): void {
    if (binding.actions.has("Deny")) {
      count("deny", "no_error");
      this.#deny(policy, binding, denial);
    }
    if (binding.actions.has("Audit")) {
      count("audit", "no_error");
      annotations.failed(binding, denial);
    }
    if (binding.actions.has("Warn")) {
      count("warn", "no_error");
      this.#warn(policy, binding, denial);
    }
  }

  #deny(policy: ValidatingPolicy, binding: PolicyBinding | undefined, denial: PolicyDenial): void {
    this.#denials.push({ ...denial, policy: policy.name, binding: binding?.name });
  }

  #warn(policy: ValidatingPolicy, binding: PolicyBinding, { message }: PolicyDenial): void {
    const by = `ValidatingAdmissionPolicy '${policy.name}' with binding '${binding.name}'`;
    this.#subject.request.context.warnings.push(`Validation failed for ${by}: ${message}`);
  }

  /** The namespace the object is in; a namespace is in none. */
  #namespace(): unknown {
    this.#namespaceObject ??= namespaceObjectFor(this.#subject);
    return this.#namespaceObject;
  }
}
