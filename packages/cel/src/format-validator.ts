// Checks `'%d'.format([…])` where both the format and the list are written out: too few or too many arguments, and arguments of a
// type their clause cannot show, are found when the rule is written.
import type { CallExpr, Expr } from "./ast.js";
import type { CheckedExpr } from "./checker.js";
import type { SourceIssue } from "./source.js";
import type { CelType } from "./types.js";

interface Clause {
  readonly kinds: readonly string[];
  readonly says: string;
}

const showable = [
  "string",
  "bool",
  "bytes",
  "int",
  "uint",
  "double",
  "null",
  "type",
  "duration",
  "timestamp",
];

const clauses: Readonly<Record<string, Clause>> = {
  s: {
    kinds: showable,
    says: "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps",
  },
  d: { kinds: ["int", "uint"], says: "decimal clause can only be used on integers" },
  f: { kinds: ["double", "string"], says: "fixed-point clause can only be used on doubles" },
  e: { kinds: ["double", "string"], says: "scientific clause can only be used on doubles" },
  b: { kinds: ["int", "uint", "bool"], says: "only integers and bools can be formatted as binary" },
  x: {
    kinds: ["int", "uint", "string", "bytes"],
    says: "only integers, byte buffers, and strings can be formatted as hex",
  },
  o: { kinds: ["int", "uint"], says: "octal clause can only be used on integers" },
};

/** The issues of a call of `format` whose parts are literals. */
export function validateFormat(call: CallExpr, checked: CheckedExpr): SourceIssue[] {
  const { target, args } = call;
  const [list] = args;
  if (call.name !== "format" || target?.kind !== "literal" || typeof target.value !== "string") return [];
  if (args.length !== 1 || list?.kind !== "list") return [];
  const values = list.elements.map(({ value }) => value);
  const used = [...target.value.matchAll(/%(?:%|(?:\.\d+)?([\s\S]?))/g)].filter(([whole]) => whole !== "%%");
  for (const [index, [, mark = ""]] of used.entries()) {
    const issue = validateClause(call, mark, index, values[index], checked);
    if (issue !== undefined) return [issue];
  }
  if (values.length <= used.length) return [];
  const counts = `(expected ${used.length}, got ${values.length})`;
  return [{ offset: call.offset, message: `too many arguments supplied to string.format ${counts}` }];
}

function validateClause(
  call: CallExpr,
  mark: string,
  index: number,
  value: Expr | undefined,
  checked: CheckedExpr,
): SourceIssue | undefined {
  const { offset } = call;
  if (mark === "") return { offset, message: "unexpected end of string" };
  const clause = Object.hasOwn(clauses, mark.toLowerCase()) ? clauses[mark === "X" ? "x" : mark] : undefined;
  if (clause === undefined) {
    return { offset, message: `could not parse formatting clause: unrecognized formatting clause "${mark}"` };
  }
  if (value === undefined) return { offset, message: `index ${index} out of range` };
  const type = checked.typeOf(value);
  if (isShown(type, clause, mark)) return undefined;
  return { offset: value.offset, message: `error during formatting: ${clause.says}, was given ${type.name}` };
}

/** Whether a clause can show a type; what is only known at run time is looked at then. */
function isShown(type: CelType, clause: Clause, mark: string): boolean {
  if (type.kind === "dyn" || clause.kinds.includes(type.kind)) return true;
  const isCollection = type.kind === "list" || type.kind === "map";
  return mark === "s" && isCollection && type.params.every((param) => isShown(param, clause, mark));
}
