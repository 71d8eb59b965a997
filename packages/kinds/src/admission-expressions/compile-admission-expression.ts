// Compiles the expressions of webhooks and policies, and says in Kubernetes' words what is wrong with one.

import { CelCompileError, type CelProgram, type CelType, compileExpression } from "@kubewright/cel";
import { admissionVariables, type ExpressionScope } from "./admission-types.js";
import { patchTypes } from "./patch-types.js";

/** A program, or why there is none. */
export type CompiledExpression =
  | { readonly program: CelProgram; readonly error?: undefined }
  | { readonly program?: undefined; readonly error: string };

/** `returns` are the types it may evaluate to; any when empty. */
export function compileAdmissionExpression(
  source: string,
  scope: ExpressionScope,
  returns: readonly CelType[],
): CompiledExpression {
  try {
    const variables = admissionVariables(scope);
    const program = compileExpression(source, {
      variables,
      ...(scope.patches ? { structs: patchTypes, extensions: ["jsonPatch"] } : {}),
    });
    const found = goName(program.resultType);
    const names = returns.map(goName);
    if (names.length === 0 || names.includes(found)) return { program };
    const wanted = names.length === 1 ? names[0] : `one of [${names.join(" ")}]`;
    return { error: `must evaluate to ${wanted} but got ${found}` };
  } catch (error) {
    if (!(error instanceof CelCompileError)) throw error;
    // Without a place in the source it is the program that could not be made, and the message says so itself.
    return { error: error.issues.length === 0 ? error.message : `compilation failed: ${error.message}` };
  }
}

/** A type as Go prints it. */
function goName({ name, params }: CelType): string {
  return params.length === 0 ? name : `${name}(${params.map(goName).join(", ")})`;
}
