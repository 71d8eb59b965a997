// MutatingAdmissionPolicy: mutations in CEL that users bind to resources, applied one after the other.

import {
  ApiError,
  deepEqual,
  type MutatingAdmissionPolicy,
  type MutatingAdmissionPolicySpec,
} from "@kubewright/api";
import { type Bindings, type DraftObject, OutOfBudget, type StoredObject, storedAs } from "@kubewright/kinds";

import type { AdmissionRequest } from "../../registry/admission-control.js";
import type { Storage } from "../../storage/index.js";
import type { AdmissionPlugin, SecondRound } from "../admission.js";
import { admissionBindings } from "../expressions/admission-bindings.js";
import type { AdmissionTarget } from "../matching/admission-target.js";
import { isExemptFromPolicies } from "../matching/exempt.js";
import { MatchSubject, matchRequest } from "../matching/match-request.js";
import { requestAttributes } from "../matching/request-attributes.js";
import { refused } from "../refuse.js";
import { Reinvocation } from "../webhooks/reinvocation.js";
import { WorkingObject } from "../webhooks/working-object.js";
import { CompiledMutations, MutationFailure } from "./compiled-mutation.js";
import { namespaceObjectFor } from "./namespace-object.js";
import { PolicyMisconfigured, paramResource, policyParams } from "./policy-params.js";
import { type BoundPolicy, Policy, type PolicyBinding, PolicySource } from "./policy-source.js";

type MutatingPolicy = Policy<MutatingAdmissionPolicySpec, CompiledMutations>;

const policyOf = (object: StoredObject): MutatingPolicy =>
  new Policy(object.metadata.name, storedAs<MutatingAdmissionPolicy>(object).spec ?? {}, (spec) =>
    CompiledMutations.compile(spec),
  );

export class MutatingPolicies implements AdmissionPlugin {
  readonly name = "MutatingAdmissionPolicy";
  readonly #source: PolicySource<MutatingPolicy>;

  constructor(storage: Storage) {
    this.#source = new PolicySource(storage, { sort: "mutating", policyOf });
  }

  mutate(request: AdmissionRequest): Promise<SecondRound | void> | void {
    const policies = this.#source.all();
    if (policies.length === 0 || isExemptFromPolicies(request)) return;
    return this.#firstRound(request, policies);
  }

  close(): void {
    this.#source.close();
  }

  async #firstRound(
    request: AdmissionRequest,
    policies: readonly BoundPolicy<MutatingPolicy>[],
  ): Promise<SecondRound> {
    const rounds = new Reinvocation();
    await new MutationRound(request, rounds, () => true).run(policies);
    return {
      needed: rounds.isNeeded,
      mutate: async (again) => {
        rounds.beginSecond(again);
        return new MutationRound(again, rounds, (id) => rounds.isDue({ id })).run(this.#source.all());
      },
    };
  }
}

/** A policy with one binding and one set of parameters, about one request. */
interface Invocation {
  readonly id: string;
  readonly policy: MutatingPolicy;
  readonly binding: PolicyBinding;
  readonly params: StoredObject | null;
  readonly as: AdmissionTarget;
}

/** An error of a policy or of one of its bindings. */
interface PolicyError {
  readonly policy: MutatingPolicy;
  readonly binding: PolicyBinding | undefined;
  readonly message: string;
}

class MutationRound {
  readonly #subject: MatchSubject;
  readonly #working: WorkingObject;
  readonly #rounds: Reinvocation;
  readonly #isDue: (id: string) => boolean;
  readonly #errors: PolicyError[] = [];

  constructor(request: AdmissionRequest, rounds: Reinvocation, isDue: (id: string) => boolean) {
    this.#subject = new MatchSubject(request);
    this.#working = new WorkingObject(this.#subject);
    this.#rounds = rounds;
    this.#isDue = isDue;
  }

  /** All policies are matched before any of them changes the object. */
  async run(policies: readonly BoundPolicy<MutatingPolicy>[]): Promise<void> {
    const invocations: Invocation[] = [];
    for (const bound of policies) invocations.push(...(await this.#invocationsOf(bound)));
    for (const invocation of invocations) await this.#invoke(invocation);
    await this.#working.finish();
    this.#rounds.endRound(this.#subject.request);
    const denials = this.#errors.filter(({ policy }) => !policy.failsOpen);
    if (denials.length > 0) throw denied(this.#subject.request, denials);
  }

  async #invocationsOf({ policy, bindings }: BoundPolicy<MutatingPolicy>): Promise<Invocation[]> {
    const found: Invocation[] = [];
    await this.#configured(policy, undefined, async () => {
      const as = matchRequest(policy.criteria, this.#subject);
      if (!as) return;
      const { context } = this.#subject.request;
      const resource = paramResource(context, policy.spec.paramKind);
      for (const binding of bindings) {
        await this.#configured(policy, binding, async () => {
          if (binding.criteria && !matchRequest(binding.criteria, this.#subject)) return;
          const all = await policyParams(context, resource, binding.paramRef, this.#subject.namespace);
          for (const params of all) {
            const { namespace = "", name = "" } = params?.metadata ?? {};
            const id = [policy.name, binding.name, namespace, name].join("/");
            found.push({ id, policy, binding, params, as });
          }
        });
      }
    });
    return found;
  }

  async #configured(
    policy: MutatingPolicy,
    binding: PolicyBinding | undefined,
    work: () => Promise<void>,
  ): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof PolicyMisconfigured || error instanceof ApiError)) throw error;
      const message = `failed to configure ${binding ? "binding" : "policy"}: ${error.message}`;
      this.#errors.push({ policy, binding, message });
    }
  }

  async #invoke(invocation: Invocation): Promise<void> {
    const { policy, binding, as, id } = invocation;
    await this.#working.showAs(as);
    const bindings = this.#bindings(invocation);
    const { compiled } = policy;
    const matches = compiled.conditions.evaluate(bindings);
    if (matches === false || !this.#isDue(id)) return;
    if (matches !== true) {
      this.#errors.push({ policy, binding, message: matches.error });
      return;
    }
    const namespaceObject = namespaceObjectFor(this.#subject);
    const before = this.#working.object;
    if (before) this.#mutate(invocation, compiled, before, { ...bindings, namespaceObject });
    const changed = !deepEqual(before, this.#working.object);
    this.#rounds.called({ id, reinvokes: compiled.reinvokes }, changed);
  }

  #bindings({ as, params }: Invocation): Bindings {
    const { object, oldObject } = this.#working;
    const attributes = requestAttributes(this.#subject, as);
    return { ...admissionBindings(this.#subject, { object, oldObject, attributes }), params };
  }

  /** A mutation that fails leaves the object to the next. */
  #mutate(
    { policy, binding, as }: Invocation,
    compiled: CompiledMutations,
    before: DraftObject,
    bindings: Bindings,
  ): void {
    let object = before;
    for (let index = 0; index < compiled.count; index += 1) {
      try {
        object = compiled.mutate(index, object, as, bindings);
      } catch (error) {
        if (!(error instanceof MutationFailure || error instanceof OutOfBudget)) throw error;
        this.#errors.push({ policy, binding, message: error.message });
      }
    }
    if (object !== before) this.#working.replace(object);
  }
}

/** The first failure answers the request; all are causes. */
function denied(request: AdmissionRequest, errors: readonly PolicyError[]): ApiError {
  const texts = errors.map(({ policy, binding, message }) =>
    binding
      ? `policy '${policy.name}' with binding '${binding.name}' denied request: ${message}`
      : `policy "${policy.name}" denied request: ${message}`,
  );
  const { details } = refused(request, "");
  return new ApiError(texts[0] ?? "", {
    code: 403,
    reason: errors[0]?.message.startsWith("failed to configure") ? "Forbidden" : "Invalid",
    details: { ...details, causes: texts.map((message) => ({ message })) },
  });
}
