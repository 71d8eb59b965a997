// One rule of a schema, compiled: the rule itself and the expression for its message.
import type { JSONSchemaProps, ValidationRule } from "@kubewright/api";
import { compileExpression } from "./compile-expression.js";
import { CelCompileError } from "./errors.js";
import { normalizeFieldPath } from "./field-path.js";
import type { CelProgram } from "./program.js";
import { sameType } from "./type-unifier.js";
import { boolType, type CelType, optionalType, stringType } from "./types.js";

/** A rule that can be evaluated, or what is wrong with it. */
export interface CompiledRule {
  readonly rule: ValidationRule;
  readonly program: CelProgram | undefined;
  readonly error: string | undefined;
  readonly message: CelProgram | undefined;
  readonly messageError: string | undefined;
  readonly usesOldSelf: boolean;
  /** The field the rule complains about, below the one it stands at. */
  readonly fieldPath: string;
}

type Attempt = { readonly program: CelProgram } | { readonly error: string };

type Variables = Readonly<Record<string, CelType>>;

function attempt(source: string, variables: Variables, prefix: string): Attempt {
  try {
    return { program: compileExpression(source, { variables }) };
  } catch (error) {
    if (!(error instanceof CelCompileError)) throw error;
    // A program that cannot be made says so itself.
    return {
      error: error.issues.length === 0 ? error.message : `${prefix}compilation failed: ${error.message}`,
    };
  }
}

function compileBoolean(rule: ValidationRule, variables: Variables): Attempt {
  const result = attempt(rule.rule, variables, "");
  if ("error" in result || sameType(result.program.resultType, boolType)) return result;
  return { error: "cel expression must evaluate to a bool" };
}

function compileMessage(rule: ValidationRule, variables: Variables): Attempt | undefined {
  if (rule.messageExpression === undefined || rule.messageExpression === "") return undefined;
  const result = attempt(rule.messageExpression, variables, "messageExpression ");
  if ("error" in result || sameType(result.program.resultType, stringType)) return result;
  return { error: "messageExpression must evaluate to a string" };
}

/** Compiles a rule that stands at a schema whose values have that type. */
export function compileRule(rule: ValidationRule, schema: JSONSchemaProps, self: CelType): CompiledRule {
  const variables = { self, oldSelf: rule.optionalOldSelf === true ? optionalType(self) : self };
  const result = compileBoolean(rule, variables);
  const message = "error" in result ? undefined : compileMessage(rule, variables);
  return {
    rule,
    program: "program" in result ? result.program : undefined,
    error: "error" in result ? result.error : undefined,
    message: message !== undefined && "program" in message ? message.program : undefined,
    messageError: message !== undefined && "error" in message ? message.error : undefined,
    usesOldSelf: "program" in result && result.program.references.has("oldSelf"),
    fieldPath: rule.fieldPath === undefined ? "" : (normalizeFieldPath(rule.fieldPath, schema) ?? ""),
  };
}
