// Runs the rules of a schema over an object, with the messages, reasons and limits of Kubernetes.
import { type FieldError, fieldError, isObject, type ValidationRule } from "@kubewright/api";
import type { CelBudget } from "./budget.js";
import type { CompiledRule } from "./compile-rule.js";
import { Correlation, oldItems } from "./correlation.js";
import { CelBudgetError, CelEvaluationError } from "./errors.js";
import type { RuleValidation } from "./program.js";
import type { RuleNode } from "./rule-tree.js";

/** The current place of the walk. */
interface Position {
  readonly path: string;
  readonly value: unknown;
  /** The old value that belongs to it, or undefined. */
  readonly old: unknown;
  readonly correlation: Correlation | undefined;
  /** The nearest place above whose old value is known. */
  readonly parent: Correlation | undefined;
}

const outOfBudget =
  "validation failed due to running out of cost budget, no further validation rules will be run";
const maxMessageBytes = 5 * 1024;

/** Evaluates the rules of an object and returns what they refuse. */
export function evaluateRules(root: RuleNode, input: RuleValidation): readonly FieldError[] {
  const { self, old, path = "", budget, ratchet = true } = input;
  const correlation =
    ratchet && old !== undefined && old !== null ? new Correlation(self, old, root.schema) : undefined;
  const walk = new RuleWalk(budget, input.onRatcheted);
  walk.visit(root, { path, value: self, old, correlation, parent: undefined });
  return walk.errors;
}

class RuleWalk {
  readonly errors: FieldError[] = [];
  readonly #budget: CelBudget;
  readonly #onRatcheted: RuleValidation["onRatcheted"];
  #isStopped = false;

  constructor(budget: CelBudget, onRatcheted: RuleValidation["onRatcheted"]) {
    this.#budget = budget;
    this.#onRatcheted = onRatcheted;
  }

  visit(node: RuleNode, at: Position): void {
    if (at.value === undefined || at.value === null || this.#isStopped) return;
    if (node.rules.length > 0) this.#evaluateAll(node, at);
    for (const part of node.allOf) this.visit(part, { ...at, correlation: undefined });
    if (Array.isArray(at.value)) this.#visitItems(node, at.value, at);
    else if (isObject(at.value)) this.#visitFields(node, at.value, at);
  }

  #visitFields(node: RuleNode, value: Readonly<Record<string, unknown>>, at: Position): void {
    if (node.properties.size === 0 && node.additionalProperties === undefined) return;
    const old = isObject(at.old) ? at.old : undefined;
    for (const name of Object.keys(value)) {
      const property = node.properties.get(name);
      const child = property ?? node.additionalProperties;
      if (child === undefined) continue;
      const isField = property !== undefined;
      const prefix = at.path === "" ? "" : `${at.path}.`;
      this.visit(child, {
        path: isField ? `${prefix}${name}` : `${at.path}[${name}]`,
        value: value[name],
        old: old !== undefined && Object.hasOwn(old, name) ? old[name] : undefined,
        ...correlateField(at, name, child),
      });
    }
  }

  #visitItems(node: RuleNode, value: readonly unknown[], at: Position): void {
    const { items } = node;
    if (items === undefined) return;
    const find = oldItems(node.schema, at.old);
    for (const [index, item] of value.entries()) {
      this.visit(items, {
        path: `${at.path}[${index}]`,
        value: item,
        old: find(item),
        correlation: at.correlation?.item(item, items.schema),
        parent: at.correlation ?? at.parent,
      });
    }
  }

  /** The rules of a place, as long as they may be evaluated. */
  #evaluateAll(node: RuleNode, at: Position): void {
    this.#checkBudget(node, at);
    for (const compiled of node.rules) {
      if (this.#isStopped) return;
      this.#evaluate(compiled, node, at);
    }
  }

  #checkBudget(node: RuleNode, at: Position): void {
    if (!this.#isStopped && this.#budget.remaining <= 0) this.#stop(typeError(node, at, outOfBudget));
  }

  #stop(error: FieldError): void {
    this.errors.push(error);
    this.#isStopped = true;
  }

  #evaluate(compiled: CompiledRule, node: RuleNode, at: Position): void {
    const { rule, program } = compiled;
    const hasOld = at.old !== undefined && at.old !== null;
    if (program === undefined) {
      this.errors.push(typeError(node, at, `rule compile error: ${compiled.error ?? ""}`));
      return;
    }
    if (compiled.usesOldSelf && !hasOld && rule.optionalOldSelf !== true) return;
    try {
      const holds = program.evaluate({ self: at.value, oldSelf: hasOld ? at.old : undefined }, this.#budget);
      if (holds !== true) this.#fail(compiled, node, at);
    } catch (error) {
      this.#reportFailure(error, compiled, node, at);
    }
  }

  #reportFailure(error: unknown, { rule }: CompiledRule, node: RuleNode, at: Position): void {
    const text = ruleText(rule);
    if (error instanceof CelBudgetError) {
      const tooCostly = `'${error.message}': no further validation rules will be run due to call cost exceeds limit for rule: ${text}`;
      this.#stop(typeError(node, at, error.scope === "object" ? outOfBudget : tooCostly));
    } else if (!(error instanceof CelEvaluationError)) throw error;
    else if (error.message.startsWith("no such overload")) {
      const detail = `'${error.message}': call arguments did not match a supported operator, function or macro signature for rule: ${text}`;
      this.errors.push(typeError(node, at, detail));
    } else this.errors.push(typeError(node, at, `${error.message} evaluating rule: ${text}`));
  }

  /** The rule is false: an error, unless nothing changed here and the rule does not look at changes. */
  #fail(compiled: CompiledRule, node: RuleNode, at: Position): void {
    const isUnchanged = (at.correlation ?? at.parent)?.isSame === true;
    const message = this.#message(compiled, at);
    const path = joinPath(at.path, compiled.fieldPath);
    const error =
      typeof message === "string"
        ? ruleError(compiled.rule, path, node, at.value, message)
        : fieldError.invalid(path, node.schema.type ?? "", message.problem);
    if (isUnchanged && !compiled.usesOldSelf) this.#onRatcheted?.(error);
    else this.errors.push(error);
    if (typeof message !== "string") this.#isStopped = true;
  }

  #message({ rule, message }: CompiledRule, at: Position): string | { readonly problem: string } {
    if (message === undefined) return ruleMessage(rule);
    try {
      const bindings = { self: at.value, oldSelf: at.old ?? undefined };
      return usableMessage(message.evaluate(bindings, this.#budget)) ?? ruleMessage(rule);
    } catch (error) {
      if (error instanceof CelEvaluationError) return ruleMessage(rule);
      if (!(error instanceof CelBudgetError)) throw error;
      const problem =
        error.scope === "object"
          ? "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run"
          : `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${JSON.stringify(message.source)}`;
      return { problem };
    }
  }
}

/** `apiVersion` and `kind` of a whole object are never let through: their old values are converted, not stored. */
function correlateField(
  at: Position,
  name: string,
  child: RuleNode,
): Pick<Position, "correlation" | "parent"> {
  if (at.correlation === undefined) return { correlation: undefined, parent: at.parent };
  if (at.parent === undefined && (name === "apiVersion" || name === "kind")) {
    return { correlation: undefined, parent: undefined };
  }
  return { correlation: at.correlation.field(name, child.schema), parent: at.correlation };
}

const joinPath = (path: string, below: string): string =>
  below === "" || path === "" ? path + below : `${path}.${below}`;

const shownPath = (path: string): string => (path === "" ? "<nil>" : path);

/** An error that names the type in place of the value: the rule could not be evaluated. */
function typeError(node: RuleNode, at: Position, detail: string): FieldError {
  return fieldError.invalid(shownPath(at.path), node.schema.type ?? "", detail);
}

function ruleError(
  rule: ValidationRule,
  at: string,
  node: RuleNode,
  value: unknown,
  detail: string,
): FieldError {
  const path = shownPath(at);
  // Objects and lists are not repeated in messages.
  const isOmitted = node.schema.type === "object" || node.schema.type === "array";
  switch (rule.reason) {
    case "FieldValueForbidden":
      return fieldError.forbidden(path, detail);
    case "FieldValueRequired":
      return fieldError.required(path, detail);
    case "FieldValueDuplicate":
      if (isOmitted) return { field: path, reason: "FieldValueDuplicate", message: "Duplicate value" };
      return fieldError.duplicate(path, value);
    default:
      if (isOmitted) return { field: path, reason: "FieldValueInvalid", message: `Invalid value: ${detail}` };
      return fieldError.invalid(path, value, detail);
  }
}

function ruleText({ rule, message = "" }: ValidationRule): string {
  return (message === "" ? rule : message).trim();
}

function ruleMessage(rule: ValidationRule): string {
  const { message = "" } = rule;
  return message === "" ? `failed rule: ${ruleText(rule)}` : message.trim();
}

/** A message is one line, not empty, and not too long. */
function usableMessage(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  const message = value.trim();
  const isUsable = message !== "" && !message.includes("\n") && Buffer.byteLength(message) <= maxMessageBytes;
  return isUsable ? message : undefined;
}
