// A MutatingAdmissionPolicy, compiled: its match conditions, and its mutations in order.

import {
  ApiError,
  apiVersionOf,
  cloneJson,
  isObject,
  type MutatingAdmissionPolicySpec,
  type Mutation,
} from "@kubewright/api";
import { CelEvaluationError, celToJson, createBudget, listType, StructMap } from "@kubewright/cel";
import {
  type Bindings,
  type CompiledExpression,
  ComposedVariables,
  compileAdmissionExpression,
  configurationType,
  type DraftObject,
  type ExpressionScope,
  evaluateExpression,
  operationType,
} from "@kubewright/kinds";
import { applyJsonPatch, atomicFields, merge, typeProblems } from "@kubewright/machinery";

import { MatchConditions } from "../expressions/match-conditions.js";
import type { AdmissionTarget } from "../matching/admission-target.js";
import { normalizedObject, typeInfoOf } from "../webhooks/patch-object.js";
import { misplacedStruct } from "./struct-names.js";

/** A mutation that cannot be evaluated or applied. */
export class MutationFailure extends Error {
  override readonly name = "MutationFailure";
}

export class CompiledMutations {
  readonly conditions: MatchConditions;
  readonly reinvokes: boolean;
  readonly #variables: ComposedVariables;
  readonly #mutations: readonly CompiledMutation[];

  /** Compiles the expressions of a policy. */
  static compile(spec: MutatingAdmissionPolicySpec): CompiledMutations {
    const params = spec.paramKind !== undefined;
    const base = { params, authorizer: true };
    const variables = new ComposedVariables(spec.variables ?? [], base);
    const conditions = new MatchConditions(spec.matchConditions ?? [], {
      ignoresErrors: spec.failurePolicy === "Ignore",
      params,
      variables,
    });
    const scope = { ...base, variables: variables.type, patches: true };
    const mutations = (spec.mutations ?? []).map((mutation) => CompiledMutation.compile(mutation, scope));
    return new CompiledMutations(spec.reinvocationPolicy === "IfNeeded", variables, conditions, mutations);
  }

  private constructor(
    reinvokes: boolean,
    variables: ComposedVariables,
    conditions: MatchConditions,
    mutations: readonly CompiledMutation[],
  ) {
    this.reinvokes = reinvokes;
    this.#variables = variables;
    this.conditions = conditions;
    this.#mutations = mutations;
  }

  /** How many mutations there are. */
  get count(): number {
    return this.#mutations.length;
  }

  /** The object after one mutation. Throws a MutationFailure. */
  mutate(index: number, object: DraftObject, target: AdmissionTarget, bindings: Bindings): DraftObject {
    const mutation = this.#mutations[index];
    if (mutation === undefined) return object;
    const budget = createBudget();
    const value = mutation.evaluate(this.#variables.bind({ ...bindings, object }, budget), budget);
    return mutation.apply(object, target, value);
  }
}

class CompiledMutation {
  readonly #source: string;
  readonly #compiled: CompiledExpression;
  readonly #isConfiguration: boolean;

  static compile(
    { patchType, applyConfiguration, jsonPatch }: Mutation,
    scope: ExpressionScope,
  ): CompiledMutation {
    const isConfiguration = patchType === "ApplyConfiguration";
    const source = (isConfiguration ? applyConfiguration : jsonPatch)?.expression ?? "";
    const type = isConfiguration ? configurationType : listType(operationType);
    return new CompiledMutation(source, compileAdmissionExpression(source, scope, [type]), isConfiguration);
  }

  private constructor(source: string, compiled: CompiledExpression, isConfiguration: boolean) {
    this.#source = source;
    this.#compiled = compiled;
    this.#isConfiguration = isConfiguration;
  }

  evaluate(bindings: Bindings, budget: ReturnType<typeof createBudget>): unknown {
    const { value, error } = evaluateExpression(this.#source, this.#compiled, bindings, budget);
    if (error !== undefined) throw new MutationFailure(error);
    return value;
  }

  apply(object: DraftObject, target: AdmissionTarget, value: unknown): DraftObject {
    const patched = this.#isConfiguration
      ? merged(object, target, value)
      : operated(object, Array.isArray(value) ? value : []);
    return patched === object ? object : normalizedObject(patched, target);
  }
}

function merged(object: DraftObject, target: AdmissionTarget, value: unknown): unknown {
  checkPlaces(value, configurationType.name);
  const fields = jsonOf(value);
  const configuration = {
    ...(isObject(fields) ? fields : {}),
    apiVersion: apiVersionOf(target.kind),
    kind: target.kind.kind,
  };
  const typeInfo = typeInfoOf(target);
  const problems = typeProblems(configuration, typeInfo);
  if (problems !== undefined) {
    throw failedPatch(`failed to convert patch object to typed object: ${problems}`);
  }
  const atomic = atomicFields(configuration, typeInfo);
  if (atomic.length > 0) {
    const why = `may not mutate atomic arrays, maps or structs: ${atomic.join(", ")}`;
    throw failedPatch(`invalid ApplyConfiguration: ${why}`);
  }
  return merge(object, configuration, typeInfo);
}

function operated(object: DraftObject, values: readonly unknown[]): unknown {
  const operations = values.map(operationOf);
  try {
    return applyJsonPatch(object, operations);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const why = error.cause instanceof Error ? error.cause.message : error.message;
    // A failed `test` operation means that the patch does not apply to this object.
    if (why.endsWith(": test failed")) return object;
    throw new MutationFailure(`JSONPath: ${why}`);
  }
}

function operationOf(value: unknown): unknown {
  const operand: unknown = value instanceof StructMap ? value.get("value") : undefined;
  if (operand instanceof StructMap) checkPlaces(operand, operand.typeName);
  const operation = jsonOf(value);
  if (!isObject(operation)) throw new MutationFailure("type mismatch: not a JSONPatch");
  return operation;
}

function checkPlaces(value: unknown, path: string): void {
  const misplaced = misplacedStruct(value, path);
  if (misplaced !== undefined) throw new MutationFailure(`type mismatch: ${misplaced}`);
}

const failedPatch = (why: string): MutationFailure => new MutationFailure(`error applying patch: ${why}`);

/** The result of an expression as JSON that nothing else holds. */
function jsonOf(value: unknown): unknown {
  try {
    return cloneJson(celToJson(value));
  } catch (error) {
    if (!(error instanceof CelEvaluationError || error instanceof RangeError)) throw error;
    throw new MutationFailure(error.message);
  }
}
